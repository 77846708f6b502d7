"""Lengths of time among choices: `1 month` is `1M`, not `1m`, where both are choices.

The letter `m` means minutes or months. Which one it is follows from the other choices: from `M` beside `m`, from hours
and seconds, from weeks and years. If nothing tells, no choice is offered, and none that merely looks similar.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import EMPTY_OBJECT
from fingerpost.engine.phrases import count_noun
from fingerpost.engine.values.slot import Candidate, Instead, Slot

_MAX_CHOICES = 200
_PERIOD = lazy_pattern(r"\s*([0-9]{1,4})[\s_-]?([A-Za-z]{1,8})\s*")
_NUMBERS = {"a": "1", "an": "1", "one": "1", "two": "2", "three": "3", "six": "6", "twelve": "12"}
_IN_WORDS = lazy_pattern(r"\s*([A-Za-z]{1,6})[\s_-]([A-Za-z]{3,8})\s*")
_UNITS = {
    form: unit.split()[0]
    for unit in (
        "second sec s", "minute min", "hour hr h", "day d", "week wk w", "month mon mo", "quarter q", "year yr y",
    )
    for word in unit.split()
    for form in (word, f"{word}s")
}  # fmt: skip
_SHORT = frozenset({"second", "hour"})
_LONG = frozenset({"week", "quarter", "year"})


class _Period(NamedTuple):
    number: int
    unit: str


def read_period(slot: Slot) -> Iterator[Candidate]:
    """Yield the choice that is as long as the value says, or a request to choose if there is none."""
    sent = _parse(slot.value)
    if sent is None or slot.value in slot.choices:
        return
    choices = [choice for choice in slot.choices[:_MAX_CHOICES] if isinstance(choice, str)]
    parsed = {choice: period for choice in choices if (period := _parse(choice))}
    if len(parsed) < 2:
        return
    wanted = _canonical(sent)
    meanings = {letter: _meaning(letter, parsed.values()) for letter in "mM"}
    same = [
        one for one, period in parsed.items() if period == sent or (wanted and _canonical(period, meanings) == wanted)
    ]
    if len(same) == 1:
        yield Candidate(same[0], confidence=0.9)
    elif wanted:
        length = count_noun(wanted.number, wanted.unit)
        yield Candidate(Instead.FILL_IN, hint=f"None of the choices for {slot.label} is certainly {length}")


def _parse(text: Any) -> tuple[str, str] | None:
    """Return the number and the unit of a length of time, as they are written."""
    if not isinstance(text, str) or len(text) > 24:
        return None
    if found := _PERIOD.fullmatch(text):
        return found[1], found[2]
    found = _IN_WORDS.fullmatch(text)
    number = _NUMBERS.get(found[1].lower()) if found else None
    return (number, found[2]) if found and number else None


def _canonical(period: tuple[str, str], meanings: Mapping[str, str] = EMPTY_OBJECT) -> _Period | None:
    unit = meanings.get(period[1]) or _UNITS.get(period[1].lower())
    return _Period(int(period[0]), unit) if unit else None


def _meaning(letter: str, periods: Iterable[tuple[str, str]]) -> str:
    """Return what `m` or `M` stands for among these choices; empty if that is not clear."""
    letters = {unit for _, unit in periods}
    other = {unit for one in letters - {"m", "M"} if (unit := _UNITS.get(one.lower()))}
    if {"m", "M"} <= letters:
        return "minute" if letter == "m" else "month"
    if letter == "M" and any(map(str.islower, letters)):
        return "month"
    if other & _SHORT:
        return "minute" if letter == "m" and "minute" not in other else ""
    return "month" if other & _LONG and other.isdisjoint({"minute", "month"}) else ""
