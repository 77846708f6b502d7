"""File names as diffs write them: quoted, with a time behind, or two on one line."""

from __future__ import annotations

import re

_TIME = re.compile(r"\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d.*$")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_PREFIX = re.compile(r"[abciow]/(?=.)")


def name_in(said: str) -> str | None:
    """The name in a line that begins with `---` or `+++`; none for what stands for no file."""
    said = said.strip(" \r")
    if said.startswith('"'):
        return path_in(said)
    name = said.partition("\t")[0] if "\t" in said else _TIME.sub("", said)
    return None if name.strip() == "/dev/null" else name.strip()


def path_in(said: str) -> str:
    """The name that is all of a line, quoted or not."""
    quoted = _QUOTED.match(said)
    return unquoted(quoted[1]) if quoted else said.rstrip("\r")


def unquoted(said: str) -> str:
    """A name without the escapes that git writes: `\\303\\244.txt` is `ä.txt`."""

    def plain(found: re.Match[bytes]) -> bytes:
        code = found[1]
        return bytes([int(code, 8) & 255]) if len(code) == 3 else _LETTERS.get(code, code)

    return _ESCAPE.sub(plain, said.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")


def pair_in(said: str) -> tuple[str, str] | None:
    """The two names of a line that begins with `diff --git`; none where it could be read in two ways."""
    if '"' in said:
        both = re.fullmatch(rf"({_QUOTED.pattern}|\S+) ({_QUOTED.pattern}|\S+)", said)
        return (path_in(both[1]), path_in(both[3])) if both else None
    middle = len(said) // 2
    if said[middle : middle + 1] == " " and without_prefix(said[:middle]) == without_prefix(said[middle + 1 :]):
        return said[:middle], said[middle + 1 :]
    old, gap, new = said.partition(" b/")
    return (old, f"b/{new}") if gap and " b/" not in new else None


def without_prefix(name: str) -> str:
    """A name without the `a/` or `b/` that git puts in front."""
    return _PREFIX.sub("", name, count=1) if _PREFIX.match(name) else name
