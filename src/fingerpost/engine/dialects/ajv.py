"""ajv, versions 6 to 8, in its sentences; `ajv_objects` reads its error objects.

    data/max must be integer, data must have required property 'pattern'
    data.edits[0] should have required property 'oldText'

The sentences do not say which property was additional, nor which values are allowed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from fingerpost.engine.dialects import ajv_objects, words
from fingerpost.engine.model import Path, Violation

Reader: TypeAlias = Callable[[re.Match[str], Path], Violation | None]

_VERB = re.compile(r"(?:^|(?<=\s))(?:must|should) (?=be |have |NOT |match )", re.MULTILINE)
_PLACE = re.compile(r"(?:data|input|params|arguments|args|body|instance)?([/.\[].{0,400})?\Z")
_COMPARISONS = {"<=": "maximum", ">=": "minimum", "<": "exclusiveMaximum", ">": "exclusiveMinimum"}
_NOUNS = {"characters": "Length", "items": "Items"}


def read(text: str) -> list[Violation]:
    return ajv_objects.read(text) or list(_sentences(text))


def _sentences(text: str) -> Iterator[Violation]:
    last = 0
    for verb in _VERB.finditer(text):
        place = _PLACE.match(_word_before(text, last, verb.start()))
        last = verb.end()
        violation = _said(text, last, words.place(place[1] or "")) if place else None
        if violation:
            yield violation


def _word_before(text: str, start: int, end: int) -> str:
    """The word that ends at `end`: `data`, `data/max`, `/max` or `data.edits[0]`, and none at the start of a line."""
    return "" if text[end - 1 : end] != " " else text[start : end - 1].rpartition("\n")[2].rpartition(" ")[2]


def _said(text: str, start: int, at: Path) -> Violation | None:
    return next((reader(said, at) for pattern, reader in _READERS if (said := pattern.match(text, start))), None)


def _required(said: re.Match[str], at: Path) -> Violation:
    return Violation(at, "required", said[1])


def _additional(_: re.Match[str], at: Path) -> Violation:
    return Violation(at, "additionalProperties", [])


def _choice(_: re.Match[str], at: Path) -> Violation:
    return Violation(at, "enum", [])


def _compared(said: re.Match[str], at: Path) -> Violation:
    return Violation(at, _COMPARISONS[said[1]], words.number(said[2]))


def _multiple(said: re.Match[str], at: Path) -> Violation:
    return Violation(at, "multipleOf", words.number(said[1]))


def _sized(said: re.Match[str], at: Path) -> Violation:
    side = "min" if said[1] in ("fewer", "shorter") else "max"
    return Violation(at, side + _NOUNS[said[3]], words.number(said[2]))


def _matched(said: re.Match[str], at: Path) -> Violation:
    return Violation(at, said[1], said[2])


def _typed(said: re.Match[str], at: Path) -> Violation | None:
    types = words.json_types(said[1].split(","))
    return Violation(at, "type", types) if types else None


_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in (
        (r"have required property '([^'\n]{1,200})'", _required),
        (r"NOT have additional properties", _additional),
        (r"be equal to (?:one of the allowed values|constant)", _choice),
        (rf"be ([<>]=?) ({words.NUMBER})", _compared),
        (rf"be multiple of ({words.NUMBER})", _multiple),
        (r"NOT (?:have|be) (fewer|shorter|more|longer) than (\d{1,15}) (characters|items)", _sized),
        (r'match (format|pattern) "([^\n]{1,500}?)"(?=, |\n|\Z)', _matched),
        (r"be ([a-z,]{4,60})(?=[.;]|\n|\Z| \S{1,400} (?:must|should) )", _typed),
    )
)
