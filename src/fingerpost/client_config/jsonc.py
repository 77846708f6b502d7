"""Parse JSON with comments and trailing commas, and keep the position of every value.

Positions allow editing one value while every other character of the document stays. The grammar is the one of VS Code:
strict JSON plus comments, a comma after the last element, and a byte order mark. Anything else raises
`JsonSyntaxError` with its line and column.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["object", "array", "string", "other"]

_MAX_DEPTH = 200
_BOM = "\ufeff"
_GAP = re.compile(r"(?:[ \t\r\n]++|//[^\r\n]*+|/\*[\s\S]*?\*/)*+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
"""A string up to its closing quote, or up to the first error in it."""
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")


class JsonSyntaxError(ValueError):
    """The text is not JSON, even if comments and trailing commas are allowed."""

    def __init__(self, problem: str, text: str, position: int) -> None:
        before = text[:position].removeprefix(_BOM)
        self.line = before.count("\n") + 1
        self.column = len(before) - (before.rfind("\n") + 1) + 1
        super().__init__(f"line {self.line}, column {self.column}: {problem}")


@dataclass(frozen=True, slots=True)
class Value:
    """A value and its position: `text[start:end]` is its source."""

    kind: Kind
    start: int
    end: int
    string: str = ""
    """The decoded string; empty for other kinds."""
    elements: tuple[Element, ...] = ()
    """The members of an object or the items of an array."""

    def source(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Element:
    """A member of an object, or an item of an array, which has no name and no key."""

    name: str
    start: int
    key_end: int
    value: Value
    comma: int
    """The position of the comma after the element, or the end of the element if there is none."""

    @property
    def end(self) -> int:
        return self.value.end


class Edit(NamedTuple):
    """Replace `text[start:end]`."""

    start: int
    end: int
    replacement: str = ""


def parse(text: str) -> Value:
    """Parse a document."""
    parser = _Parser(text)
    document = parser.parse_value(0)
    if parser.peek():
        raise parser.error("expected the end of the document")
    return document


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits that do not overlap."""
    result, position = "", 0
    for edit in sorted(edits):
        result += text[position : edit.start] + edit.replacement
        position = edit.end
    return result + text[position:]


def to_json(value: object) -> str:
    """Encode a value in one line, without escaping non-ASCII characters."""
    return json.dumps(value, ensure_ascii=False)


def replace_member(member: Element, name: str, value: str) -> list[Edit]:
    """Replace the key and the value of a member; what is between and around them stays."""
    return [Edit(member.start, member.key_end, to_json(name)), Edit(member.value.start, member.end, value)]


def insert_first(container: Value, source: str) -> Edit:
    """Insert an element before all others."""
    if container.elements:
        return Edit(container.elements[0].start, container.elements[0].start, f"{source}, ")
    return Edit(container.start + 1, container.start + 1, source)


def remove_elements(text: str, container: Value, removed: Collection[Element]) -> list[Edit]:
    """Remove elements, each with one comma: the inverse of `insert_first`, and of appending `, …` to an element."""
    edits: list[Edit] = []
    has_predecessor = False
    for i, element in enumerate(container.elements):
        if element not in removed:
            has_predecessor = True
        elif has_predecessor:
            edits += _remove_with_comma_before(text, container.elements[i - 1], element)
        elif element is not container.elements[-1]:
            edits.append(Edit(element.start, container.elements[i + 1].start))
        else:
            edits.append(Edit(element.start, element.comma + text.startswith(",", element.comma)))
    return edits


def _remove_with_comma_before(text: str, before: Element, element: Element) -> list[Edit]:
    """Remove an element and the comma before it. A comment between them stays, with its line break."""
    start = element.start if text[before.comma + 1 : element.start].strip() else before.comma + 1
    return [Edit(before.comma, before.comma + 1), Edit(start, element.end)]


class _Parser:
    """A recursive-descent parser; `position` is the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 1 if text.startswith(_BOM) else 0

    def parse_value(self, depth: int) -> Value:
        char = self.peek()
        start = self.position
        if depth > _MAX_DEPTH:
            raise self.error(f"nested more than {_MAX_DEPTH} deep")
        if char == '"':
            string = self.parse_string()
            return Value("string", start, self.position, string)
        if char in ("{", "["):
            elements = self.parse_elements("}" if char == "{" else "]", depth + 1)
            return Value("object" if char == "{" else "array", start, self.position, elements=elements)
        self.skip(_SCALAR)
        if self.position == start:
            raise self.error("expected a value")
        return Value("other", start, self.position)

    def parse_elements(self, closing: str, depth: int) -> tuple[Element, ...]:
        """Parse from the opening bracket to the closing one, inclusive."""
        elements: list[Element] = []
        self.position += 1
        while self.peek() != closing:
            start = self.position
            name, key_end = self.parse_key() if closing == "}" else ("", start)
            value = self.parse_value(depth)
            char = self.peek()
            elements.append(Element(name, start, key_end, value, self.position if char == "," else value.end))
            if char == ",":
                self.position += 1
            elif char != closing:
                raise self.error(f"expected ',' or '{closing}'")
        self.position += 1
        return tuple(elements)

    def parse_key(self) -> tuple[str, int]:
        """Parse a key and its colon; return the name and the end of the key."""
        if not self.text.startswith('"', self.position):
            raise self.error("expected a key in double quotes")
        name, end = self.parse_string(), self.position
        if self.peek() != ":":
            raise self.error("expected ':'")
        self.position += 1
        return name, end

    def parse_string(self) -> str:
        start = self.position
        self.skip(_STRING)
        char = self.text[self.position : self.position + 1]
        if char != '"':
            raise self.error(_STRING_ERRORS.get(char, "a control character in a string must be escaped"))
        self.position += 1
        source = self.text[start : self.position]
        return json.loads(source) if "\\" in source else source[1:-1]

    def peek(self) -> str:
        """Skip white space and comments, and return the next character; empty at the end."""
        self.skip(_GAP)
        if self.text.startswith("/*", self.position):
            raise self.error("this comment is not closed")
        return self.text[self.position : self.position + 1]

    def skip(self, pattern: re.Pattern[str]) -> None:
        if found := pattern.match(self.text, self.position):
            self.position = found.end()

    def error(self, problem: str) -> JsonSyntaxError:
        return JsonSyntaxError(problem, self.text, self.position)


_STRING_ERRORS = {
    "": "this string is not closed",
    "\n": "this string is not closed",
    "\r": "this string is not closed",
    "\\": "JSON has no such escape",
}
