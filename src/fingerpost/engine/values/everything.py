"""Words for everything where one value is wanted: `all`, `any`, `*`."""

from __future__ import annotations

from typing import Any

_EVERYTHING = frozenset({"*", "%", "all", "any", "anything", "both", "each", "every", "everyone", "everything"})


def says_everything(value: Any) -> bool:
    """Whether a text is a word for everything."""
    return isinstance(value, str) and value.strip().lower() in _EVERYTHING
