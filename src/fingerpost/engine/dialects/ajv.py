"""Read the sentences of ajv 6 to 8; `ajv_objects` reads its error objects.

    data/max must be integer, data must have required property 'pattern'
    data.edits[0] should have required property 'oldText'

The sentences name neither the additional property nor the allowed values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from fingerpost.engine.dialects import ajv_objects, parse
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Path, Violation

Reader: TypeAlias = Callable[[re.Match[str], Path], Violation | None]

_VERB = lazy_pattern(r"(?:^|(?<=\s))(?:must|should) (?=be |have |NOT |match )", re.MULTILINE)
_PLACE = lazy_pattern(r"(?:data|input|params|arguments|args|body|instance)?([/.\[].{0,400})?\Z")
_COMPARISONS = {"<=": "maximum", ">=": "minimum", "<": "exclusiveMaximum", ">": "exclusiveMinimum"}
_NOUNS = {"characters": "Length", "items": "Items"}


def read(text: str) -> list[Violation]:
    return ajv_objects.read(text) or list(_sentences(text))


def _sentences(text: str) -> Iterator[Violation]:
    last = 0
    for verb in _VERB.finditer(text):
        place = _PLACE.match(_word_before(text, last, verb.start()))
        last = verb.end()
        violation = _read_sentence(text, last, parse.path_or_pointer(place[1] or "")) if place else None
        if violation:
            yield violation


def _word_before(text: str, start: int, end: int) -> str:
    """Return the word that ends at `end` (`data`, `data/max`, `data.edits[0]`); empty at the start of a line."""
    return "" if text[end - 1 : end] != " " else text[start : end - 1].rpartition("\n")[2].rpartition(" ")[2]


def _read_sentence(text: str, start: int, at: Path) -> Violation | None:
    return next((reader(match, at) for pattern, reader in _READERS if (match := pattern.match(text, start))), None)


def _missing(match: re.Match[str], at: Path) -> Violation:
    return Violation(at, "required", match[1])


def _extra(_: re.Match[str], at: Path) -> Violation:
    return Violation(at, "additionalProperties", [])


def _choice(_: re.Match[str], at: Path) -> Violation:
    return Violation(at, "enum", [])


def _comparison(match: re.Match[str], at: Path) -> Violation:
    return Violation(at, _COMPARISONS[match[1]], parse.number(match[2]))


def _multiple(match: re.Match[str], at: Path) -> Violation:
    return Violation(at, "multipleOf", parse.number(match[1]))


def _size(match: re.Match[str], at: Path) -> Violation:
    side = "min" if match[1] in ("fewer", "shorter") else "max"
    return Violation(at, side + _NOUNS[match[3]], parse.number(match[2]))


def _match(match: re.Match[str], at: Path) -> Violation:
    return Violation(at, match[1], match[2])


def _type(match: re.Match[str], at: Path) -> Violation | None:
    types = parse.json_types(match[1].split(","))
    return Violation(at, "type", types) if types else None


_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (lazy_pattern(pattern), reader)
    for pattern, reader in (
        (r"have required property '([^'\n]{1,200})'", _missing),
        (r"NOT have additional properties", _extra),
        (r"be equal to (?:one of the allowed values|constant)", _choice),
        (rf"be ([<>]=?) ({parse.NUMBER})", _comparison),
        (rf"be multiple of ({parse.NUMBER})", _multiple),
        (r"NOT (?:have|be) (fewer|shorter|more|longer) than (\d{1,15}) (characters|items)", _size),
        (r'match (format|pattern) "([^\n]{1,500}?)"(?=, |\n|\Z)', _match),
        (r"be ([a-z,]{4,60})(?=[.;]|\n|\Z| \S{1,400} (?:must|should) )", _type),
    )
)
