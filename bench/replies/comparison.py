"""Two recordings beside each other."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

_LONGEST_DIFF = 40


def compare(old: dict[str, Any], new: dict[str, Any]) -> int:
    """Print what is equal, by integration, and every difference; the exit code."""
    keys = sorted({*old, *new})
    different = [key for key in keys if key not in old or key not in new or old[key] != new[key]]
    for key in different:
        print(f"\n{key}", *_describe(key, old, new), sep="\n")
    _print_counts(keys, different)
    return 1 if different else 0


def _print_counts(keys: list[str], different: list[str]) -> None:
    total, unequal = (Counter(key.partition(" | ")[0] for key in some) for some in (keys, different))
    for group, count in total.items():
        print(f"{group}: {count - unequal[group]} of {count} equal")
    print(f"{len(keys) - len(different)} of {len(keys)} equal")


def _describe(key: str, old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    if key not in old or key not in new:
        return ["only in the old recording" if key in old else "only in the new recording"]
    before, after = list(_spread(old[key])), list(_spread(new[key]))
    if before == after:  # only the spelling of the JSON differs
        before, after = (json.dumps(one[key], indent=1, ensure_ascii=False).splitlines() for one in (old, new))
    lines = list(unified_diff(before, after, "old", "new", n=2, lineterm=""))
    return lines[:_LONGEST_DIFF] + ([f"… {len(lines) - _LONGEST_DIFF} more lines"] if lines[_LONGEST_DIFF:] else [])


def _spread(value: Any) -> Iterator[str]:
    """A recorded value in lines, with the JSON inside its strings spread out and in its own order."""
    text = json.dumps(_parse(value), indent=1, ensure_ascii=False)
    yield from text.splitlines()


def _parse(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    if isinstance(value, list):
        return [_parse(one) for one in value]  # pyright: ignore[reportUnknownVariableType]
    return {key: _parse(one) for key, one in value.items()} if isinstance(value, dict) else value  # pyright: ignore[reportUnknownVariableType]
