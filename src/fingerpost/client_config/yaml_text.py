"""Read the plain block style of YAML that clients write, with positions; refuse everything else.

This is no YAML parser. It knows mappings and lists in block style, scalars of one line, lists of them in flow style,
and empty `{}`. Other values of one line, and block scalars, are skipped as a whole. Anchors, aliases, tags, merge keys,
tabs and texts that continue on the next line raise `NotPlainError`, because an edit of one line could change what
another one means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fingerpost.client_config.yaml_flow import read_flow_list

Kind: TypeAlias = Literal["scalar", "list", "flow list", "map", "empty list", "empty map", "null", "other"]

_KEY = re.compile(r"""("[^"\\]*"|'[^']*'|[A-Za-z0-9_][A-Za-z0-9_ ./@-]*?)[ ]*:(?=[ ]|$)""")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')[ ]*(?:[ ]#.*)?$""")
_PLAIN = re.compile(r"""((?:[^\s&*!|>%@`"'\[\]{},#?:-]|[-?:](?=\S))(?:[^#:]|:(?=\S)|(?<=\S)#)*?)[ ]*(?:[ ]#.*)?$""")
_FLOW = re.compile(r"(\[[^\[\]{}#]*\]|\{[^\[\]{}#]*\})[ ]*(?:[ ]#.*)?$")
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]*[ ]*(?:#.*)?$")
_SAFE = re.compile(r"(?!-+ |-$|---)[A-Za-z0-9_./$-](?:[A-Za-z0-9_./=@$+~{}-]|:(?=\S)| (?=[A-Za-z0-9${}]))*")
"""Strings that need no quotes anywhere in the block style."""
_RESERVED = re.compile(
    r"(?:true|false|yes|no|on|off|y|n|null|[-+.]?[0-9][0-9_,.:eExXoOa-fA-F+-]*|[-+]?\.(?:inf|nan))", re.IGNORECASE
)
"""What YAML reads as another type than a string, in its old version or the new one."""


class NotPlainError(ValueError):
    """A line is not in the plain block style."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(f"line {line}: {problem}")


@dataclass(frozen=True, slots=True)
class Line:
    """A line with content: `text[start:end]`, without its indentation and its line break."""

    number: int
    start: int
    end: int
    indent: int
    content: str


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar of one line: `text[start:end]` is its source."""

    start: int
    end: int
    string: str


@dataclass(frozen=True, slots=True)
class Field:
    """`key: value` in a mapping. `end` is the end of its last line, with the comment there."""

    key: str
    indent: int
    start: int
    key_end: int
    """The end of the key, at the colon."""
    kind: Kind
    value: Scalar
    line_end: int
    end: int
    items: tuple[Scalar, ...] = ()
    fields: tuple[Field, ...] = ()


def split_lines(text: str) -> list[Line]:
    """Return the lines that have content, without comments."""
    lines: list[Line] = []
    position = 1 if text.startswith("\ufeff") else 0
    for number, raw in enumerate(text[position:].split("\n"), 1):
        content = raw.removesuffix("\r").rstrip()
        stripped = content.lstrip(" ")
        if stripped and not stripped.startswith("#"):
            indent = len(content) - len(stripped)
            lines.append(Line(number, position + indent, position + len(content), indent, stripped))
        position += len(raw) + 1
    return lines


def match_key(line: Line) -> re.Match[str] | None:
    return _KEY.match(line.content)


def decode_key(source: str) -> str:
    return source[1:-1] if source[0] in "\"'" else source


def parse_fields(lines: Sequence[Line], indent: int) -> tuple[Field, ...]:
    """Parse the lines of one mapping."""
    return tuple(_parse_field(*parts) for parts in _split_fields(lines, indent))


def parse_readable_fields(lines: Sequence[Line], indent: int) -> tuple[Field, ...]:
    """Parse the lines of one mapping; a field that is not in the plain style is of the kind `other`."""

    def parse_or_skip(line: Line, found: re.Match[str], children: Sequence[Line]) -> Field:
        try:
            return _parse_field(line, found, children)
        except NotPlainError:
            end = line.start + found.end(1)
            return Field(decode_key(found[1]), indent, line.start, end, "other", _empty(end), line.end, line.end)

    return tuple(parse_or_skip(*parts) for parts in _split_fields(lines, indent))


def _split_fields(lines: Sequence[Line], indent: int) -> Iterator[tuple[Line, re.Match[str], Sequence[Line]]]:
    """Yield the line of each key, its key, and the lines below that belong to it."""
    rest = list(lines)
    while rest:
        line = rest[0]
        found = match_key(line)
        if line.indent != indent or not found:
            raise NotPlainError("expected a key at the indentation of the others", line.number)
        count = 1
        while count < len(rest) and _belongs_to(rest[count], indent):
            count += 1
        yield line, found, rest[1:count]
        rest = rest[count:]


def _belongs_to(line: Line, indent: int) -> bool:
    """Whether a line belongs to the key above it: it is deeper, or an item of its list."""
    return line.indent > indent or (line.indent == indent and _is_item(line))


def _is_item(line: Line) -> bool:
    return line.content == "-" or line.content.startswith("- ")


def _parse_field(line: Line, found: re.Match[str], children: Sequence[Line]) -> Field:
    key_end = line.start + found.end(1)
    key = decode_key(found[1])
    after = line.content[found.end() :]
    source = after.strip()
    value_start = line.start + found.end() + len(after) - len(after.lstrip())
    end = children[-1].end if children else line.end
    if "\t" in line.content:
        raise NotPlainError("tabs are not supported", line.number)
    if not source or source.startswith("#"):
        empty = _empty(key_end + 1)
        return _parse_block(Field(key, line.indent, line.start, key_end, "null", empty, line.end, end), children)
    parts = (key, line.indent, line.start, key_end)
    if found_list := _parse_flow_list((line, *children), value_start):
        return Field(*parts, "flow list", found_list[0], line.end, end, found_list[1])
    kind, value = _parse_value(source, value_start, line)
    is_block_scalar = _BLOCK_SCALAR.match(source) is not None
    if children and not is_block_scalar:
        raise NotPlainError("a value that continues on the next line is not supported", children[0].number)
    return Field(*parts, kind, value, line.end, end)


def _empty(position: int) -> Scalar:
    return Scalar(position, position, "")


def _parse_block(field: Field, children: Sequence[Line]) -> Field:
    """Parse the lines below `key:`: a list of scalars, a mapping, or nothing."""
    if not children:
        return field
    parts = (field.key, field.indent, field.start, field.key_end)
    if found_list := _parse_flow_list(children, children[0].start):
        return Field(*parts, "flow list", found_list[0], field.line_end, field.end, found_list[1])
    if _is_item(children[0]):
        items = tuple(_parse_item(line, children[0].indent) for line in children)
        return Field(*parts, "list", field.value, field.line_end, field.end, items)
    fields = parse_fields(children, children[0].indent)
    return Field(*parts, "map", field.value, field.line_end, field.end, (), fields)


def _parse_flow_list(lines: Sequence[Line], start: int) -> tuple[Scalar, tuple[Scalar, ...]] | None:
    """Parse `[…]`, if it begins at `start` and has only texts; none of `[]`, which `wrap` turns into lines."""
    source = lines[0].content[start - lines[0].start :]
    for line in lines[1:]:
        gap = line.start - start - len(source)
        source += "\n" + " " * (gap - 1) + line.content  # with each character at its place
    found = read_flow_list(source) if source.startswith("[") and not source.startswith("[]") else None
    if found is None or "\t" in source:
        return None
    items = (Scalar(start + first, start + last, _decode(source[first:last], lines[0])) for first, last in found.items)
    return Scalar(start, start + found.end, ""), tuple(items)


def _parse_item(line: Line, indent: int) -> Scalar:
    if line.indent != indent or not line.content.startswith("- "):
        raise NotPlainError("expected an item of the list above", line.number)
    after = line.content[2:]
    kind, value = _parse_value(after.strip(), line.start + 2 + len(after) - len(after.lstrip()), line)
    if kind != "scalar" or _KEY.match(after.strip()):
        raise NotPlainError("expected a text of one line", line.number)
    return value


def _parse_value(source: str, start: int, line: Line) -> tuple[Kind, Scalar]:
    if _BLOCK_SCALAR.match(source):
        return "other", _empty(start)
    if found := _FLOW.match(source):
        kinds: dict[str, Kind] = {"[]": "empty list", "{}": "empty map"}
        return kinds.get(found[1], "other"), Scalar(start, start + found.end(1), "")
    found = _QUOTED.match(source) or _PLAIN.match(source)
    if not found:
        raise NotPlainError("anchors, tags, and values in other than the plain style are not supported", line.number)
    return "scalar", Scalar(start, start + found.end(1), _decode(found[1], line))


def _decode(source: str, line: Line) -> str:
    if source.startswith("'"):
        return source[1:-1].replace("''", "'")
    if not source.startswith('"'):
        return source
    try:
        return json.loads(source)
    except ValueError as error:
        raise NotPlainError("this escape is not supported", line.number) from error


def to_yaml(string: str) -> str:
    """Encode a string in one line: plain if every reader takes it as this string."""
    is_plain = _SAFE.fullmatch(string) and not _RESERVED.fullmatch(string)
    return string if is_plain else to_double_quoted(string)


def to_double_quoted(string: str) -> str:
    return json.dumps(string, ensure_ascii=not string.isprintable())


def to_single_quoted(string: str) -> str:
    """Encode a string without escapes, if that is possible."""
    return "'" + string.replace("'", "''") + "'" if string.isprintable() else to_double_quoted(string)
