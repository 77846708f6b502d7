"""Read serde, the deserializer of Rust servers.

    failed to deserialize parameters: unknown variant `Up`, expected `Left` or `Right` at line 1 column 104

It names a missing or unknown field. For a wrong value it tells only what was expected, never the path.
"""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.dialects import parse
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Violation

_FIELD = lazy_pattern(r"\b(missing|unknown) field `([^`\n]{1,200})`")
_VARIANT = lazy_pattern(r"\bunknown variant `[^`\n]{0,500}`, expected (?:one of )?(?=`)")
_INVALID = lazy_pattern(r"\binvalid type: [^\n]{1,2000}\n?")


def read(text: str) -> Iterator[Violation]:
    for field in _FIELD.finditer(text):
        if field[1] == "missing":
            yield Violation((), "required", field[2])
        else:
            yield Violation((), "additionalProperties", [field[2]])
    for variant in _VARIANT.finditer(text):
        yield Violation((), "enum", parse.choices(text, variant.end())[0])
    for invalid in _INVALID.finditer(text):
        types = parse.json_types(_type_names(invalid[0]))
        if types:
            yield Violation((), "type", types)


def _type_names(sentence: str) -> list[str]:
    """Return the type names after the last `expected`: `u32`, `string` of `a string`, `struct` of `struct Padding`."""
    parts = sentence.rpartition(", expected ")[2].split(" or ")
    return [word for part in parts for word in part.removeprefix("a ").removeprefix("an ").split()[:1]]
