"""JSON with comments and trailing commas, read together with the place of everything in it.

Whoever knows the spans of a value can change it and leave every other character of the document as its owner wrote
it. What is read is what VS Code reads: strict JSON, comments, a comma after the last element, and a byte order mark.
Anything else is `Malformed`, with its line and column.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["object", "array", "string", "other"]

_DEEPEST = 200
_BOM = "\ufeff"
_GAP = re.compile(r"(?:[ \t\r\n]++|//[^\r\n]*+|/\*[\s\S]*?\*/)*+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
"""A string up to its closing quote, or up to what is wrong with it."""
_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")


class Malformed(ValueError):
    """The text is not JSON, even where comments and trailing commas are allowed."""

    def __init__(self, what: str, text: str, at: int) -> None:
        before = text[:at].removeprefix(_BOM)
        self.line = before.count("\n") + 1
        self.column = len(before) - (before.rfind("\n") + 1) + 1
        super().__init__(f"line {self.line}, column {self.column}: {what}")


@dataclass(frozen=True, slots=True)
class Value:
    """A value and where it stands: `text[start:end]` is its spelling."""

    kind: Kind
    start: int
    end: int
    string: str = ""
    """What a string says; empty for anything else."""
    parts: tuple[Part, ...] = ()
    """The members of an object or the items of an array."""

    def spelled(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Part:
    """A member of an object, or an item of an array, which has no name and no key."""

    name: str
    start: int
    key_end: int
    value: Value
    comma: int
    """Where the comma after it stands; where the part ends, if there is none."""

    @property
    def end(self) -> int:
        return self.value.end


class Edit(NamedTuple):
    """What to write in place of `text[start:end]`."""

    start: int
    end: int
    written: str = ""


def scanned(text: str) -> Value:
    """The document that `text` spells."""
    scanner = _Scanner(text)
    document = scanner.value(0)
    if scanner.ahead():
        raise scanner.malformed("expected the end of the document")
    return document


def edited(text: str, edits: Iterable[Edit]) -> str:
    """`text` with every edit made; edits do not overlap."""
    done, at = "", 0
    for edit in sorted(edits):
        done += text[at : edit.start] + edit.written
        at = edit.end
    return done + text[at:]


def literal(value: object) -> str:
    """A value as JSON in one line, with every script left readable."""
    return json.dumps(value, ensure_ascii=False)


def renamed(part: Part, name: str, written: str) -> list[Edit]:
    """Another name and another value, with what stands between and around them kept."""
    return [Edit(part.start, part.key_end, literal(name)), Edit(part.value.start, part.end, written)]


def first_in(container: Value, written: str) -> Edit:
    """Put a part before all others."""
    if container.parts:
        return Edit(container.parts[0].start, container.parts[0].start, f"{written}, ")
    return Edit(container.start + 1, container.start + 1, written)


def without(text: str, container: Value, gone: Collection[Part]) -> list[Edit]:
    """Take parts out, each with one comma: exactly what was put in by `first_in`, or by `, …` behind another part."""
    edits: list[Edit] = []
    kept_one = False
    for i, part in enumerate(container.parts):
        if part not in gone:
            kept_one = True
        elif kept_one:
            edits += _cut_behind(text, container.parts[i - 1], part)
        elif part is not container.parts[-1]:
            edits.append(Edit(part.start, container.parts[i + 1].start))
        else:
            edits.append(Edit(part.start, part.comma + text.startswith(",", part.comma)))
    return edits


def _cut_behind(text: str, before: Part, part: Part) -> list[Edit]:
    """Cut a part and the comma in front of it. A comment between them is its owner's, and keeps its line break."""
    start = part.start if text[before.comma + 1 : part.start].strip() else before.comma + 1
    return [Edit(before.comma, before.comma + 1), Edit(start, part.end)]


class _Scanner:
    """Reads forward through one text; `at` is where it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 1 if text.startswith(_BOM) else 0

    def value(self, depth: int) -> Value:
        sign = self.ahead()
        start = self.at
        if depth > _DEEPEST:
            raise self.malformed(f"nested more than {_DEEPEST} deep")
        if sign == '"':
            string = self.string()
            return Value("string", start, self.at, string)
        if sign in ("{", "["):
            parts = self.parts("}" if sign == "{" else "]", depth + 1)
            return Value("object" if sign == "{" else "array", start, self.at, parts=parts)
        self.pass_over(_PLAIN)
        if self.at == start:
            raise self.malformed("expected a value")
        return Value("other", start, self.at)

    def parts(self, closing: str, depth: int) -> tuple[Part, ...]:
        """What stands between the brackets, from the opening to behind the closing one."""
        found: list[Part] = []
        self.at += 1
        while self.ahead() != closing:
            start = self.at
            name, key_end = self.key() if closing == "}" else ("", start)
            value = self.value(depth)
            sign = self.ahead()
            found.append(Part(name, start, key_end, value, self.at if sign == "," else value.end))
            if sign == ",":
                self.at += 1
            elif sign != closing:
                raise self.malformed(f"expected ',' or '{closing}'")
        self.at += 1
        return tuple(found)

    def key(self) -> tuple[str, int]:
        """A name and where its key ends, from the key to behind the colon."""
        if not self.text.startswith('"', self.at):
            raise self.malformed("expected a key in double quotes")
        name, end = self.string(), self.at
        if self.ahead() != ":":
            raise self.malformed("expected ':'")
        self.at += 1
        return name, end

    def string(self) -> str:
        start = self.at
        self.pass_over(_STRING)
        sign = self.text[self.at : self.at + 1]
        if sign != '"':
            raise self.malformed(_WRONG_IN_STRINGS.get(sign, "a control character in a string is written as an escape"))
        self.at += 1
        spelled = self.text[start : self.at]
        return json.loads(spelled) if "\\" in spelled else spelled[1:-1]

    def ahead(self) -> str:
        """The next sign behind white space and comments; empty at the end."""
        self.pass_over(_GAP)
        if self.text.startswith("/*", self.at):
            raise self.malformed("this comment is not closed")
        return self.text[self.at : self.at + 1]

    def pass_over(self, pattern: re.Pattern[str]) -> None:
        if found := pattern.match(self.text, self.at):
            self.at = found.end()

    def malformed(self, what: str) -> Malformed:
        return Malformed(what, self.text, self.at)


_WRONG_IN_STRINGS = {
    "": "this string is not closed",
    "\n": "this string is not closed",
    "\r": "this string is not closed",
    "\\": "JSON has no such escape",
}
