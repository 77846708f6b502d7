"""Find the tables and statements of a TOML document by their positions.

`tomllib` reads the values; it gives no positions. So this scanner splits a document that `tomllib` has accepted, and
need not check it again.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

_GAP = re.compile(r"(?:[ \t\r\n\ufeff]++|#[^\n]*+)*+")
_HEADER = re.compile(r"""\[(\[?)((?:"(?:\\.|[^"\\])*"|'[^']*'|[^\]"'])*)\]\]?""")
_KEY = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'[^']*'|[^="'])+(?==)""")
_TOKEN = re.compile(
    r'"""(?:\\[\s\S]|[^\\])*?"{3,5}|' + r"'''[\s\S]*?'{3,5}|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'|"
    r"#[^\n]*|[\[\]{}]|\n|[^\"'#\[\]{}\n]+"
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """`key = value`; `text[start:key_end]` is the key, `text[value_start:value_end]` the value."""

    key: tuple[str, ...]
    start: int
    key_end: int
    value_start: int
    value_end: int
    strings: tuple[tuple[int, int], ...]
    """The positions of the strings in the value: of the items, if it is an array of strings."""

    def source(self, text: str) -> str:
        return text[self.value_start : self.value_end]


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the statements below its header; the path of the first one is empty."""

    path: tuple[str, ...]
    is_array: bool = False
    path_start: int = 0
    path_end: int = 0
    statements: list[Statement] = field(default_factory=list[Statement])


def split_tables(text: str) -> list[Table]:
    """Split a valid document into its tables."""
    tables = [Table(())]
    position = 0
    while (position := _end_of(_GAP, text, position)) < len(text):
        if header := _HEADER.match(text, position):
            path = _parse_path(header[2])
            tables.append(Table(path, bool(header[1]), header.start(2), header.end(2)))
            position = header.end()
        else:
            statement = _scan_statement(text, position)
            tables[-1].statements.append(statement)
            position = statement.value_end
    return tables


def to_toml(string: str) -> str:
    """Encode a string as a basic string."""
    return json.dumps(string, ensure_ascii=False).replace("\x7f", "\\u007f")


def to_literal(string: str) -> str:
    """Encode a string as a literal string, which needs no escapes, if that is possible."""
    return f"'{string}'" if string.isprintable() and "'" not in string else to_toml(string)


def to_key(name: str) -> str:
    """Encode a key, bare if that is possible."""
    return name if _BARE_KEY.fullmatch(name) else to_toml(name)


def end_of_line(text: str, position: int) -> int:
    """The end of the line, without its line break."""
    end = text.find("\n", position)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1 : end] == "\r" else end


def line_break_before(text: str, position: int) -> int:
    """The start of the line break before the line of a position; it has one."""
    end = text.rindex("\n", 0, position)
    return end - 1 if text[end - 1 : end] == "\r" else end


def line_break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _scan_statement(text: str, start: int) -> Statement:
    equals = _end_of(_KEY, text, start)
    key = text[start:equals].rstrip()
    value_start = equals + 1
    while text[value_start] in " \t":
        value_start += 1
    strings: list[tuple[int, int]] = []
    value_end, depth = value_start, 0
    for kind, begin, end in _tokens(text, value_start):
        if depth == 0 and kind in "#\n":
            break
        depth += (kind in "[{") - (kind in "]}")
        if kind in "\"'":
            strings.append((begin, end))
        value_end = end if kind != "other" else begin + len(text[begin:end].rstrip())
    return Statement(_parse_path(key), start, start + len(key), value_start, value_end, tuple(strings))


def _tokens(text: str, position: int) -> Iterator[tuple[str, int, int]]:
    for found in _TOKEN.finditer(text, position):
        first = found[0][0]
        yield first if first in "\"'#[]{}\n" else "other", found.start(), found.end()


def _parse_path(source: str) -> tuple[str, ...]:
    """Parse a dotted key, quoted or not."""
    value: Any = tomllib.loads(f"{source} = 0")
    path: list[str] = []
    while isinstance(value, dict):
        [(name, value)] = cast("dict[str, Any]", value).items()
        path.append(name)
    return tuple(path)


def _end_of(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position
