"""What a tool of a reference server is, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias


class Answer(NamedTuple):
    """The result of a tool: text for the model, and data for programs."""

    text: str
    data: dict[str, Any]


Function: TypeAlias = "Callable[..., dict[str, Any] | Answer]"
