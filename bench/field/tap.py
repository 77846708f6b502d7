"""Stand between the proxy and a server, and record every line that passes: `python tap.py LOG COMMAND…`.

A line of the log begins with `>` if it went to the server, and with `<` if it came from it. It is written before the
line goes on, so that whoever has seen a reply finds in the log all that led to it.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from typing import IO


def main() -> int:
    log, *command = sys.argv[1:]
    with open(log, "ab", buffering=0) as record:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert server.stdin
        assert server.stdout
        replies = threading.Thread(target=_copy, args=(server.stdout, sys.stdout.buffer, record, b"<"), daemon=True)
        replies.start()
        _copy(sys.stdin.buffer, server.stdin, record, b">")
        with contextlib.suppress(BrokenPipeError):
            server.stdin.close()
        replies.join()
        return server.wait()


def _copy(source: IO[bytes], target: IO[bytes], record: IO[bytes], direction: bytes) -> None:
    with contextlib.suppress(BrokenPipeError):
        for line in source:
            record.write(direction + line.rstrip(b"\n") + b"\n")
            target.write(line)
            target.flush()


if __name__ == "__main__":
    sys.exit(main())
