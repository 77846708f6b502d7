"""The place of a rejected value, and the values that it may stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from fingerpost.engine.model import Grade


class Instead(Enum):
    """What to do with an argument, if no value replaces it."""

    LEAVE_OUT = "leave out"
    FILL_IN = "fill in"
    """The text was understood, but only the caller knows the value: a number in another unit."""


class Candidate(NamedTuple):
    """One value that was possibly intended, and how certain that is."""

    value: Any
    grade: Grade = Grade.OFFERED
    confidence: float = 0.8
    is_sure: bool = False
    """Whether a client may send it without asking. Lossless and likely values always are sure."""
    hint: str = ""
    """What the caller has to know, as one imperative or fact, cleaned."""
    convention: str = ""
    """How the value was read, if the whole call has to be read so."""


class Slot(NamedTuple):
    """A rejected value and what the schema wants in its place."""

    value: Any
    kinds: tuple[str, ...]
    """The JSON types that the schema allows; empty if it allows any."""
    keyword: str = "type"
    """The keyword of JSON Schema that rejects the value."""
    name: str = ""
    """The last name on the path. Items of a list have the name of the list."""
    label: str = ""
    """The path as a caller reads it."""
    tool_name: str = ""
    choices: tuple[Any, ...] = ()
    labels: Mapping[str, str] = {}
    """What the codes among the choices mean, by the code as a text."""
    layers: tuple[Mapping[str, Any], ...] = ()
    """Every schema that applies to the value: alternatives and what references point to included."""
    item_kinds: tuple[str, ...] = ()
    item_choices: tuple[Any, ...] = ()
    fields: tuple[str, ...] = ()
    """The fields that the object in its place declares."""
    only_field: str = ""
    """The only field that the object in its place needs, or has; empty if there are several or none."""
    siblings: Mapping[str, Any] = {}
    """The other arguments beside the value: a currency or a unit may be given by itself."""
    choices_beside: Mapping[str, Sequence[Any]] = {}
    """The choices of those arguments that have some and may be a unit."""
    texts: tuple[str, ...] = ()
    """The texts of the call, which may show how this one has to be read."""
    is_item: bool = False
    is_only_item: bool = False
    is_optional: bool = False
    is_read_only: bool = False
    is_destructive: bool = False
    is_reported: bool = False
    """Whether a server reported the violation, so that the schema may accept any value."""
    fits: Callable[[Any], bool] = lambda _: True
    """Whether the schema accepts this value and everything in it."""

    @property
    def form(self) -> str:
        """The `format` of the schema."""
        return self._find_text("format")

    @property
    def description(self) -> str:
        return self._find_text("description")

    def _find_text(self, keyword: str) -> str:
        return next((text for layer in self.layers if isinstance(text := layer.get(keyword), str)), "")


def lossless(value: Any) -> Candidate:
    return Candidate(value, Grade.LOSSLESS, 1.0, is_sure=True)


def likely(value: Any) -> Candidate:
    return Candidate(value, Grade.LIKELY, 0.95, is_sure=True)
