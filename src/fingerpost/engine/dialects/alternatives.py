"""Choose the violations to report when a value fits no alternative of a union.

An alternative that expects another kind of value is far away. One that accepts the kind but rejects something inside
is near, and the nearest has the fewest violations. If all are far away, their expectations are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fingerpost.engine.model import Path, Violation

_LISTS = ("type", "enum", "additionalProperties")


def choose_nearest(branches: Iterable[Sequence[Violation]], at: Path) -> list[Violation]:
    """Return the violations of the nearest alternative for the value at `at`, with the number of alternatives."""
    known = [branch for branch in branches if branch]
    near = [branch for branch in known if not any(_rejects_kind(violation, at) for violation in branch)]
    chosen = min(near, key=len) if near else [violation for branch in known for violation in branch]
    return [replace(violation, branches=len(known)) for violation in merge_violations(chosen)]


def merge_violations(violations: Iterable[Violation]) -> list[Violation]:
    """Merge violations so that each path and keyword has one.

    A validator reports two types for one value, or a type and something inside the value, only if it tries
    alternatives. Two types are merged into one choice; a violation inside the value replaces its type. At the empty
    path, which also stands for an unknown path, only names are merged.
    """
    every = list(violations)
    merged: list[Violation] = []
    for violation in every:
        if violation.keyword == "type" and any(_is_inside(other, violation.at) for other in every):
            continue
        same = next((index for index, earlier in enumerate(merged) if _can_merge(earlier, violation)), None)
        if same is None:
            merged.append(violation)
        else:
            merged[same] = _merge(merged[same], violation)
    return merged


def _rejects_kind(violation: Violation, at: Path) -> bool:
    return violation.at == at and violation.keyword in ("type", "enum")


def _is_inside(violation: Violation, at: Path) -> bool:
    if not at or violation.at[: len(at)] != at:
        return False
    return len(violation.at) > len(at) or violation.keyword in ("required", "additionalProperties")


def _can_merge(a: Violation, b: Violation) -> bool:
    if a == b:
        return True
    has_path = bool(a.at) or a.keyword == "additionalProperties"
    return has_path and a.keyword in _LISTS and (a.at, a.keyword) == (b.at, b.keyword)


def _merge(a: Violation, b: Violation) -> Violation:
    """Merge the expectations of two violations. `null` is omitted beside other types: it stands for no value."""
    if a == b:
        return a
    expected = list({repr(value): value for value in (*a.expected, *b.expected)}.values())
    if a.keyword == "additionalProperties":
        return replace(a, expected=expected)
    wanted = [value for value in expected if value != "null"] if a.keyword == "type" else expected
    return replace(a, expected=wanted, branches=max(a.branches, 1) + max(b.branches, 1))
