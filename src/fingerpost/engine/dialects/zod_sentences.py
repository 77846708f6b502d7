"""Read zod's sentences (`Too big: expected number to be <=1000`), version 3 and 4, as violations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from fingerpost.engine.dialects import parse
from fingerpost.engine.dialects.zod_codes import limit_violations, type_violations
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Path, Violation

Reader: TypeAlias = Callable[[re.Match[str], Path], Iterable[Violation]]

OPENERS = r"Required|Expected |Invalid |Too (?:big|small): |(?:Number|String|Array) must |Unrecognized key"
"""How every sentence begins that is read here."""


def read_sentence(sentence: str, at: Path) -> Iterable[Violation]:
    for pattern, reader in _READERS:
        if match := pattern.match(sentence):
            return reader(match, at)
    return ()


def _type(match: re.Match[str], at: Path) -> Iterable[Violation]:
    return type_violations(match[1], is_absent=match[2] == "undefined", at=at)


def _missing(_: re.Match[str], at: Path) -> Iterable[Violation]:
    return type_violations("", is_absent=True, at=at)


def _choice(match: re.Match[str], at: Path) -> Iterable[Violation]:
    return [Violation(at, "enum", parse.choices(match.string, match.end())[0])]


def _keys(match: re.Match[str], at: Path) -> Iterable[Violation]:
    return [Violation(at, "additionalProperties", parse.property_names(parse.choices(match.string, match.end())[0]))]


def _limit(match: re.Match[str], at: Path) -> Iterable[Violation]:
    side = "minimum" if match[2].startswith((">", "at least", "greater")) else "maximum"
    inclusive = match[2] not in ("<", ">", "less than", "greater than")
    return limit_violations(match[1].lower(), side, parse.number(match[3]), is_inclusive=inclusive, at=at)


def _multiple(match: re.Match[str], at: Path) -> Iterable[Violation]:
    return [Violation(at, "multipleOf", parse.number(match[1]))]


def _pattern(match: re.Match[str], at: Path) -> Iterable[Violation]:
    return [Violation(at, "pattern", match[1])]


def _format(match: re.Match[str], at: Path) -> Iterable[Violation]:
    name = parse.json_format(match[1])
    return [Violation(at, "format", name)] if name else ()


_NUMBER = f"({parse.NUMBER})"
_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (lazy_pattern(pattern), reader)
    for pattern, reader in (
        (r"(?:Invalid input: e|E)xpected (\w+), received (\w+)", _type),
        (r"Required\b", _missing),
        (r"Invalid (?:option: expected one of|(?:enum|discriminator) value\. Expected) ", _choice),
        (r"Invalid (?:literal value,|input:) expected (?=[\"\d])", _choice),
        (r"Unrecognized key(?:\(s\) in object|s)?: ", _keys),
        (rf"Too (?:big|small): expected (\w+) to (?:be|have) ([<>]=?){_NUMBER}", _limit),
        (rf"(Number) must be ((?:less|greater) than(?: or equal to)?) {_NUMBER}", _limit),
        (rf"(String|Array) must contain (at least|at most) {_NUMBER}", _limit),
        (rf"(?:Invalid number: m|Number m)ust be a multiple of {_NUMBER}", _multiple),
        (r"Invalid string: must match pattern /(.+)/", _pattern),
        (r"Invalid (?:ISO )?(\w+)(?: address)?\Z", _format),
    )
)
