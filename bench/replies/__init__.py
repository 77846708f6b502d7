"""Record every reply of Fingerpost on the wire, so that two versions of the code can be compared.

    python -m bench.replies OUT.json                    record
    python -m bench.replies OUT.json --cases OLD.json   record, with the calls of an older recording
    python -m bench.replies --compare OLD.json NEW.json

It uses only the public API, the command and the pages of the codes; the package can be copied into another version
of the code as it is.
"""
