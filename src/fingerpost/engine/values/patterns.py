"""Texts that a pattern rejects only for their case, their separators, or the fixed beginning or a zero that they lack.

`ber` for `^[A-Z]{3}$`, `us east 1` for `^[a-z]+-[a-z]+-\\d$`, `123` for `^gid://shopify/Order/\\d+$`, `AB1234` for
`^[A-Z]{2}-\\d{4}$`, `1/1` for `^\\d:\\d$`, `9:30` for `^\\d{2}:\\d{2}$`. The pattern itself decides: each kind of
change is tried by itself, smallest first, and only a kind with exactly one fitting result counts. Another case or
separator is likely, as the pattern leaves no choice; anything else is offered.

A beginning is added only to a bare id. It could make another thing of a text with a beginning of its own (`sub_1` is no
`cus_sub_1`), of a number (`-5`), or of a word (`not-a`). A point may be decimal, so it neither becomes another
separator nor is added: `1.5` is no `1:5`, and `15` is no `1.5`. A zero is added only to a short group of digits; a long
one may lack any digit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.lexicon import NEGATIONS
from fingerpost.engine.matching.spelling import split_words
from fingerpost.engine.matching.units import unit_of
from fingerpost.engine.schema.validate import compile_schema
from fingerpost.engine.values.slot import Candidate, Slot, likely
from fingerpost.engine.values.urls import wants_host

_MAX_LENGTH = 128
_LONGEST_PATTERN = 512
_SEPARATOR = lazy_pattern(r"[\s_.\-\u2010-\u2015]+")
_SEPARATORS = ("-", "_", " ", ".")
_BLANKS = lazy_pattern(r"\s+")
_IN_PHONE_NUMBERS = lazy_pattern(r"[\s()./-]+")
_SHORTEST_PHONE_NUMBER = 7
_SIGN_OR_POINT = lazy_pattern(r"(?<![\w.])[-+\u2212](?=[0-9])|(?<![0-9.])[0-9]+\.[0-9]+(?![0-9.])")
"""What makes another number of a number if it is taken for a separator: `-5`, `1.5`."""
_LITERAL = lazy_pattern(r"\\([^A-Za-z0-9])|([^\\.^$*+?{}\[\]()|])")
_QUANTIFIERS = frozenset("*?{+")
_BARE_ID = lazy_pattern(r"[A-Za-z0-9]+|[0-9]+(?:[-.][0-9]+)*|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4,12}){4}")
_MARKS = frozenset("#@/")
_LONGEST_JOINED = 24
_INSERTED = ("-", ":", "/", "_", " ")
_BETWEEN_GROUPS = lazy_pattern(
    r"(?<=[A-Za-z0-9])\s?[-_/:\u2010-\u2015]\s?(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])\s(?=[A-Za-z0-9])"
)
_VARIABLE = lazy_pattern(r"[*+?]|,[0-9]*\}")
_DIGITS = lazy_pattern(r"[0-9]+")
_LONGEST_PADDED = 2
"""How many digits a group has at most before a zero is added."""


def read_pattern(slot: Slot) -> Iterator[Candidate]:
    """Yield the one text that the pattern accepts after the smallest change."""
    text, pattern = slot.value, _pattern_of(slot)
    if slot.keyword != "pattern" or slot.is_reported or not isinstance(text, str) or not pattern:
        return
    bare = text.strip().removeprefix("#").strip()
    if not 0 < len(bare) <= _MAX_LENGTH or _has_port_or_path(bare, slot.name):
        return
    accepted = compile_schema({"pattern": pattern})
    if accepted is None or accepted.is_valid(bare):  # only what surrounds it is wrong, which `details` removes
        return
    longer = list(_add_beginning(bare, pattern))
    same = (_change_case(bare), _change_separators(bare))
    inserted = (_insert_separators(one, pattern) for one in (bare, bare.upper(), bare.lower()))
    other = (_join_parts(bare), longer[:1], longer[1:], _replace_separators(bare), *inserted, _pad_with_zero(bare))
    for changed in (*same, *other):
        fitting = [one for one in dict.fromkeys(changed) if accepted.is_valid(one)]
        if len(fitting) == 1:
            yield likely(fitting[0]) if changed in same else Candidate(fitting[0], confidence=0.85)
        if fitting:
            return


def _has_port_or_path(text: str, name: str) -> bool:
    """Whether a text is more than a host where one is wanted: `example.org:80` is no `example.org-80`."""
    return (":" in text or "/" in text) and wants_host(name)


def _pattern_of(slot: Slot) -> str:
    """Return the only pattern of a value; empty if there are several, or if it is very long."""
    found = {pattern for layer in slot.layers if isinstance(pattern := layer.get("pattern"), str)}
    pattern = found.pop() if len(found) == 1 else ""
    return pattern if len(pattern) <= _LONGEST_PATTERN else ""


def _change_case(text: str) -> Iterator[str]:
    yield text.upper()
    yield text.lower()


def _change_separators(text: str) -> Iterator[str]:
    """Yield the text with one kind of separator, in each case."""
    if _SIGN_OR_POINT.search(text):
        return  # a minus in place of a blank would be a sign
    for separator in _SEPARATORS:
        other = _SEPARATOR.sub(separator, text)
        if other != text:
            yield from (other, *_change_case(other))


def _join_parts(text: str) -> Iterator[str]:
    """Yield the text without separators; in a phone number, brackets separate too."""
    is_phone_number = text.startswith("+") and sum(map(str.isdecimal, text)) >= _SHORTEST_PHONE_NUMBER
    joined = (_IN_PHONE_NUMBERS if is_phone_number else _separator_of(text)).sub("", text)
    yield from (joined, *_change_case(joined))


def _separator_of(text: str) -> re.Pattern[str]:
    """Return what separates the parts of a text: only blanks if a point or a minus may belong to a number."""
    return _BLANKS if _SIGN_OR_POINT.search(text) else _SEPARATOR


def _replace_separators(text: str) -> Iterator[str]:
    """Yield the text with another separator between its parts: a colon or a slash too, but no point."""
    if not _SIGN_OR_POINT.search(text):
        yield from (other for mark in _INSERTED if (other := _BETWEEN_GROUPS.sub(mark, text)) != text)


def _insert_separators(text: str, pattern: str) -> Iterator[str]:
    """Yield the text with one or two separators that the pattern has.

    A pattern of fixed lengths says where they stand. In another one they stand only between letters and digits: `v12`
    need not be `v1-2`.
    """
    if not (text.isascii() and text.isalnum() and len(text) <= _LONGEST_JOINED):
        return
    is_fixed = _VARIABLE.search(pattern) is None
    places = [at for at in range(1, len(text)) if is_fixed or text[at - 1].isdecimal() is not text[at].isdecimal()]
    for mark in _INSERTED:
        if mark in pattern:
            yield from (text[:at] + mark + text[at:] for at in places)
            pairs = combinations(places, 2)
            yield from (text[:one] + mark + text[one:other] + mark + text[other:] for one, other in pairs)


def _pad_with_zero(text: str) -> Iterator[str]:
    """Yield the text with a zero before one of its short groups of digits. A number by itself has one digit at most."""
    longest = 1 if text.isdecimal() else _LONGEST_PADDED
    for found in _DIGITS.finditer(text):
        if len(found[0]) <= longest and (found.start() == 0 or text[found.start() - 1] not in ".,+"):
            yield f"{text[: found.start()]}0{text[found.start() :]}"


def _add_beginning(text: str, pattern: str) -> Iterator[str]:
    """Yield the text behind the literal text at the start of the pattern, of which it may have a part already."""
    beginning = _literal_beginning(pattern)
    if not _may_add(beginning):
        return
    starts = [at for at in range(1, len(beginning)) if text.startswith(beginning[at:])]
    kept = beginning[: starts[0]] if starts and not beginning[starts[0] - 1].isalnum() else beginning
    rest = text.removeprefix(beginning[len(kept) :])
    if rest.isdecimal() if beginning[-1].isalnum() else _BARE_ID.fullmatch(rest):
        yield from (beginning + one for one in (rest, *_change_case(rest)))


def _may_add(beginning: str) -> bool:
    """Whether a beginning names a kind of id, so that it changes neither sign, unit nor sense of what follows."""
    if beginning in _MARKS:
        return True
    words = split_words(beginning)
    is_unit = bool(words) and len(words[-1]) > 2 and unit_of(words[-1].lower()) is not None
    return any(map(str.isalpha, beginning)) and not is_unit and NEGATIONS.isdisjoint(words)


def _literal_beginning(pattern: str) -> str:
    """Return the text that every match of an anchored pattern begins with."""
    if not pattern.startswith("^") or "|" in re.sub(r"\([^()]*\)", "", pattern):
        return ""
    at, text = 1, ""
    while found := _LITERAL.match(pattern, at):
        at = found.end()
        if pattern[at : at + 1] in _QUANTIFIERS and at < len(pattern):
            break
        text += found[1] or found[2]
    return text
