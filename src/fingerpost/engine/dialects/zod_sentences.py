"""zod's sentences (`Too big: expected number to be <=1000`), version 3 and 4, and the violation each one means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from fingerpost.engine.dialects import words
from fingerpost.engine.dialects.zod_codes import bounded, typed
from fingerpost.engine.model import Path, Violation

Reader: TypeAlias = Callable[[re.Match[str], Path], Iterable[Violation]]

OPENERS = r"Required|Expected |Invalid |Too (?:big|small): |(?:Number|String|Array) must |Unrecognized key"
"""How every sentence read here begins."""


def violations(sentence: str, at: Path) -> Iterable[Violation]:
    for pattern, reader in _READERS:
        if said := pattern.match(sentence):
            return reader(said, at)
    return ()


def _type(said: re.Match[str], at: Path) -> Iterable[Violation]:
    return typed(said[1], is_absent=said[2] == "undefined", at=at)


def _required(_: re.Match[str], at: Path) -> Iterable[Violation]:
    return typed("", is_absent=True, at=at)


def _choice(said: re.Match[str], at: Path) -> Iterable[Violation]:
    return [Violation(at, "enum", words.choices(said.string, said.end())[0])]


def _keys(said: re.Match[str], at: Path) -> Iterable[Violation]:
    return [Violation(at, "additionalProperties", words.names(words.choices(said.string, said.end())[0]))]


def _bound(said: re.Match[str], at: Path) -> Iterable[Violation]:
    side = "minimum" if said[2].startswith((">", "at least", "greater")) else "maximum"
    inclusive = said[2] not in ("<", ">", "less than", "greater than")
    return bounded(said[1].lower(), side, words.number(said[3]), is_inclusive=inclusive, at=at)


def _multiple(said: re.Match[str], at: Path) -> Iterable[Violation]:
    return [Violation(at, "multipleOf", words.number(said[1]))]


def _pattern(said: re.Match[str], at: Path) -> Iterable[Violation]:
    return [Violation(at, "pattern", said[1])]


def _format(said: re.Match[str], at: Path) -> Iterable[Violation]:
    name = words.json_format(said[1])
    return [Violation(at, "format", name)] if name else ()


_NUMBER = f"({words.NUMBER})"
_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in (
        (r"(?:Invalid input: e|E)xpected (\w+), received (\w+)", _type),
        (r"Required\b", _required),
        (r"Invalid (?:option: expected one of|(?:enum|discriminator) value\. Expected) ", _choice),
        (r"Invalid (?:literal value,|input:) expected (?=[\"\d])", _choice),
        (r"Unrecognized key(?:\(s\) in object|s)?: ", _keys),
        (rf"Too (?:big|small): expected (\w+) to (?:be|have) ([<>]=?){_NUMBER}", _bound),
        (rf"(Number) must be ((?:less|greater) than(?: or equal to)?) {_NUMBER}", _bound),
        (rf"(String|Array) must contain (at least|at most) {_NUMBER}", _bound),
        (rf"(?:Invalid number: m|Number m)ust be a multiple of {_NUMBER}", _multiple),
        (r"Invalid string: must match pattern /(.+)/", _pattern),
        (r"Invalid (?:ISO )?(\w+)(?: address)?\Z", _format),
    )
)
