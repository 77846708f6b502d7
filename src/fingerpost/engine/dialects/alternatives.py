"""Unions: when a value fits no alternative, the violation worth telling is of the nearest one.

An alternative that wants another kind of value is far; one that was entered and found wanting inside is near, and
among those the one with the fewest complaints. When all are far, what they want together is what is expected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fingerpost.engine.model import Path, Violation

_LISTS = ("type", "enum", "additionalProperties")


def nearest(branches: Iterable[Sequence[Violation]], at: Path) -> list[Violation]:
    """The violations of the nearest alternative for the value at `at`, marked with how many there were."""
    read = [branch for branch in branches if branch]
    entered = [branch for branch in read if not any(_is_far(violation, at) for violation in branch)]
    chosen = min(entered, key=len) if entered else [violation for branch in read for violation in branch]
    return [replace(violation, branches=len(read)) for violation in settled(chosen)]


def settled(violations: Iterable[Violation]) -> list[Violation]:
    """One statement per place and keyword.

    No validator says two types of one value, or a type and then something about its inside, unless it tries
    alternatives; the first pair is one choice, and of the second pair the inside is nearer. At the empty path, where
    texts that do not say the place gather, only names are joined.
    """
    said = list(violations)
    kept: list[Violation] = []
    for violation in said:
        if violation.keyword == "type" and any(_is_inside(other, violation.at) for other in said):
            continue
        twin = next((index for index, earlier in enumerate(kept) if _are_joined(earlier, violation)), None)
        if twin is None:
            kept.append(violation)
        else:
            kept[twin] = _joined(kept[twin], violation)
    return kept


def _is_far(violation: Violation, at: Path) -> bool:
    return violation.at == at and violation.keyword in ("type", "enum")


def _is_inside(violation: Violation, at: Path) -> bool:
    if not at or violation.at[: len(at)] != at:
        return False
    return len(violation.at) > len(at) or violation.keyword in ("required", "additionalProperties")


def _are_joined(a: Violation, b: Violation) -> bool:
    if a == b:
        return True
    placed = bool(a.at) or a.keyword == "additionalProperties"
    return placed and a.keyword in _LISTS and (a.at, a.keyword) == (b.at, b.keyword)


def _joined(a: Violation, b: Violation) -> Violation:
    """Both lists in one. `null` is left out beside others: it is the way to say nothing, not what was meant."""
    if a == b:
        return a
    expected = list({repr(value): value for value in (*a.expected, *b.expected)}.values())
    if a.keyword == "additionalProperties":
        return replace(a, expected=expected)
    meant = [value for value in expected if value != "null"] if a.keyword == "type" else expected
    return replace(a, expected=meant, branches=max(a.branches, 1) + max(b.branches, 1))
