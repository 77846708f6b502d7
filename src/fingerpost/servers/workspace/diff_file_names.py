"""Parse file names as diffs write them: quoted, followed by a time, or two on one line."""

from __future__ import annotations

import re

_TIME = re.compile(r"\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d.*$")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_PREFIX = re.compile(r"[abciow]/(?=.)")


def parse_header_name(text: str) -> str | None:
    """Parse the name in a `---` or `+++` line; none for `/dev/null`."""
    text = text.strip(" \r")
    if text.startswith('"'):
        return parse_name(text)
    name = text.partition("\t")[0] if "\t" in text else _TIME.sub("", text)
    return None if name.strip() == "/dev/null" else name.strip()


def parse_name(text: str) -> str:
    """Parse a name that fills the line, quoted or not."""
    quoted = _QUOTED.match(text)
    return unquote(quoted[1]) if quoted else text.rstrip("\r")


def unquote(text: str) -> str:
    """Remove the escapes that git writes: `\\303\\244.txt` is `ä.txt`."""

    def unescape(found: re.Match[bytes]) -> bytes:
        code = found[1]
        return bytes([int(code, 8) & 255]) if len(code) == 3 else _LETTERS.get(code, code)

    return _ESCAPE.sub(unescape, text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")


def parse_git_pair(text: str) -> tuple[str, str] | None:
    """Parse the two names of a `diff --git` line; none if the line is ambiguous."""
    if '"' in text:
        both = re.fullmatch(rf"({_QUOTED.pattern}|\S+) ({_QUOTED.pattern}|\S+)", text)
        return (parse_name(both[1]), parse_name(both[3])) if both else None
    middle = len(text) // 2
    if text[middle : middle + 1] == " " and strip_prefix(text[:middle]) == strip_prefix(text[middle + 1 :]):
        return text[:middle], text[middle + 1 :]
    old, gap, new = text.partition(" b/")
    return (old, f"b/{new}") if gap and " b/" not in new else None


def strip_prefix(name: str) -> str:
    """Remove the `a/` or `b/` that git puts before a name."""
    return _PREFIX.sub("", name, count=1) if _PREFIX.match(name) else name
