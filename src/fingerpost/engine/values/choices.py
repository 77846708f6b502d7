"""Choices in another spelling: `"ASC"` for `"asc"`, `"yes"` where the choices are `"true"` and `"false"`.

Case and separators carry no meaning, except in units and symbols. Behind a number a letter is a unit: `1h` is offered
for `1H`, but nothing for `1M`, because `1m` may be another span. A word behind the choice that only says what kind of
thing it is (`sick leave`, `dark theme`) says nothing new, so the choice is offered. `rules/near_choices.py` finds
similar choices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.lexicon import is_verb
from fingerpost.engine.matching.spelling import spelling, split_words, stem
from fingerpost.engine.matching.units import unit_of
from fingerpost.engine.values.booleans import meaning_of
from fingerpost.engine.values.slot import Candidate, Slot, likely, lossless

_MAX_LENGTH = 96
_MOST_CHOICES = 10_000
_MOST_WORDS = 200
_LONGEST_SYMBOL = 3
_CLASSES = frozenset({
    "account", "category", "channel", "class", "color", "colour", "direction", "environment", "event", "fee", "file",
    "format", "kind", "language", "leave", "level", "member", "method", "mode", "order", "payment", "plan", "priority",
    "region", "role", "severity", "shift", "size", "state", "status", "style", "subscription", "theme", "ticket",
    "tier", "type", "user", "view", "visibility",
})  # fmt: skip
"""Nouns for what choices are choices of. Behind a choice they name its class: a `pdf file` is a `pdf`."""
_LITERALS = frozenset({"None", "Null", "null", "Nil", "nil", "Undefined", "undefined"})
"""How programs write that there is no value."""
_QUANTITY = lazy_pattern(r"[0-9][0-9.,]*[\s_-]?([A-Za-z]{1,2})")
_NEGATION_MARKS = lazy_pattern(r"\s*(?:[!^~\u00ac-]|<>|(?i:not|no|non|anything but|everything but|all but)[\s_:(-])")


def read_choice(slot: Slot) -> Iterator[Candidate]:
    """Yield the choice that differs from the value only in case and separators, or means the same boolean."""
    same = _find_same(slot)
    if is_negated(slot.value) and slot.value not in slot.choices:
        same = [
            choice for choice in same if is_negated(f"{choice} ")
        ]  # `no-show` is `no_show`, and `!show` is no `show`
        if not same:
            return
    if len(same) == 1 and not _find_unit(slot.value, same[0]):
        yield _offer_unless_absent(same[0], slot)
    elif len(same) == 1:
        yield from () if is_other_unit(slot.value, same[0]) else [Candidate(same[0], confidence=0.85)]
    elif same_boolean := _find_same_boolean(slot):
        yield likely(same_boolean[0])
    elif not same and (named := _find_before_class(slot)):
        yield Candidate(named, confidence=0.85)


def _offer_unless_absent(choice: str, slot: Slot) -> Candidate:
    """Return the choice in its own spelling. `None` for `none` may also be no value at all, if that is allowed."""
    text = str(slot.value).strip()
    if text == choice or text not in _LITERALS or not slot.is_optional:
        return lossless(choice)
    return likely(choice) if slot.is_read_only else Candidate(choice, confidence=0.9)


def _find_same_boolean(slot: Slot) -> list[Any]:
    """Return the only choice with the meaning of the value as a boolean, if another choice has the opposite one."""
    meaning = meaning_of(slot.value)
    if meaning is None or slot.labels or not 2 <= len(slot.choices) <= 3:
        return []
    alike = [choice for choice in slot.choices if meaning_of(choice) is meaning]
    return alike if len(alike) == 1 and any(meaning_of(choice) is (not meaning) for choice in slot.choices) else []


def _find_unit(text: str, choice: str) -> str:
    """Return the unit behind a number, in small letters, if it differs by case from that of the choice."""
    found, other = _QUANTITY.fullmatch(text.strip()), _QUANTITY.fullmatch(choice)
    if not found or not other or found[1] == other[1] or found[1].lower() != other[1].lower():
        return ""
    unit = found[1].lower()
    return unit if len(unit) == 1 or unit_of(unit) else ""


def is_other_unit(text: str, choice: str) -> bool:
    """Whether case makes another quantity: a month or a minute, mega or milli. Only sizes in bytes have no milli."""
    unit = _find_unit(text, choice)
    return unit.startswith("m") and not unit.endswith("b")


def _find_before_class(slot: Slot) -> str:
    """Return the only choice in a text that also names the class of the choice: `sick leave`; else nothing."""
    if not isinstance(slot.value, str) or len(slot.value) > _MAX_LENGTH or len(slot.choices) > _MOST_WORDS:
        return ""
    words = _stems(slot.value)
    classes = _CLASSES | {stem(word) for word in split_words(slot.tool_name)[1:] if not is_verb(word)}
    parts = {choice: _stems(choice) for choice in slot.choices if _is_text(choice)}
    named = [choice for choice, part in parts.items() if part and part == words[: len(part)]]
    others = {word for choice, part in parts.items() if choice not in named for word in part}
    rest = words[len(parts[named[0]]) :] if len(named) == 1 else []
    return named[0] if rest and classes.issuperset(rest) and others.isdisjoint(rest) else ""


def _stems(text: str) -> list[str]:
    return [stem(word.lower()) for word in split_words(text)]


def _is_text(choice: Any) -> bool:
    return isinstance(choice, str)


def is_negated(value: Any) -> bool:
    """Whether a text excludes a choice: `!failed`, `-failed`, `not failed`."""
    return isinstance(value, str) and _NEGATION_MARKS.match(value[:_MAX_LENGTH]) is not None


def _find_same(slot: Slot) -> list[str]:
    if not isinstance(slot.value, str) or len(slot.value) > _MAX_LENGTH:
        return []
    text = slot.value.strip()
    words = [choice for choice in slot.choices[:_MOST_CHOICES] if isinstance(choice, str)]
    wanted = spelling(text)
    same = [choice for choice in words if _is_same_spelling(choice, text, wanted)]
    if len(same) > 1 and text not in same:
        return same  # `mW` and `MW`: only case tells them apart
    return [choice for choice in same if choice == text or _may_differ_by_case(choice, text, words)]


def _is_same_spelling(choice: str, text: str, wanted: str) -> bool:
    """Compare without case and separators. `wanted` is the spelling of the text."""
    if choice != text and choice.isascii() and text.isascii() and _differ_at_ends(choice, text):
        return False  # the same verdict as below, without the cost for each of thousands of choices
    return spelling(choice) == wanted


def _may_differ_by_case(choice: str, text: str, words: Sequence[str]) -> bool:
    """Whether case has no meaning. It has in units and symbols (`mW`, `MW`, `b`, `B`), but not in words.

    Three letters are a word among words that are written like it: `Lax` beside `Strict`.
    """
    if len(choice) > _LONGEST_SYMBOL:
        return True
    if len(choice) == 1:
        return False
    if choice in (choice.lower(), choice.upper()) and text in (text.lower(), text.upper()):
        return True
    style = next((write for write in (str.lower, str.upper, str.title) if write(choice) == choice), None)
    if style is None or text not in (text.lower(), text.upper(), text.title()) or unit_of(choice.lower()):
        return False
    longer = [word for word in words[:_MOST_WORDS] if len(word) > _LONGEST_SYMBOL and word.isalpha()]
    return any(style(word) == word for word in longer)


def _differ_at_ends(choice: str, text: str) -> bool:
    """Whether the first letters differ, or the last ones. Only between words does a spelling leave something out."""
    return choice[:1].lower() != text[:1].lower() or choice[-1:].lower() != text[-1:].lower()
