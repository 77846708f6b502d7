"""A wrong call with known truth, and the registry of the forms that produce such calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, TypeAlias

from bench.forms.lists import ToolList
from bench.forms.words import Words
from fingerpost.engine.model import Call, Path
from fingerpost.engine.tool import Tool

Best: TypeAlias = Literal["retry", "facts"]
"""The best that an answer can do: lead to the right call in one retry, or say only facts. Less help is no error."""


@dataclass(frozen=True, slots=True)
class WrongCall:
    """A wrong call, the intended one, and what no answer may do."""

    sent: Call
    right: tuple[Call, ...]
    """The intended call first, then others that are as good. Empty if no call is right."""
    best: Best = "retry"
    must_ask: bool = False
    """Whether running anything is wrong, because the caller has to decide."""
    all_readings: bool = False
    """Whether the answer has to show every call in `right`, because none is preferable."""
    extras: frozenset[str] = frozenset()
    """Arguments that may stay in a call that runs, because they mean nothing to the tool."""
    may_run_as_sent: bool = False
    """Whether a read-only tool may get the call as it is, because its server decides (a value out of range)."""
    not_values: tuple[Any, ...] = ()
    """Values that may be in no call: commentary, the id of another entity."""
    not_at: tuple[tuple[Path, Any], ...] = ()
    """Values that may not be at a path: the opposite, a number in another unit, a text that was split."""
    not_tools: frozenset[str] = frozenset()
    """Tools that may not be offered: opposites, destructive neighbours."""
    fits_tool: Callable[[str], bool] | None = None
    """For an unknown tool without a right call: whether a tool that is offered is at least about the same thing."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A valid call that a form turns into a wrong one."""

    tools: ToolList
    tool: Tool
    call: Call
    random: Random
    words: Words

    @property
    def arguments(self) -> dict[str, Any]:
        return self.call.arguments

    def with_arguments(self, arguments: Any) -> Call:
        return Call(self.call.tool, arguments)

    def without(self, *names: str) -> dict[str, Any]:
        return {name: value for name, value in self.arguments.items() if name not in names}

    def renamed(self, old: str, new: str) -> dict[str, Any]:
        return {new if name == old else name: value for name, value in self.arguments.items()}


@dataclass(frozen=True, slots=True)
class Form:
    """One way in which calls are wrong."""

    name: str
    section: str
    generate: Callable[[Source], Iterator[WrongCall]]


FORMS: dict[str, Form] = {}
"""Every form by its name, in the order of definition."""


def form(section: str) -> Callable[[Callable[[Source], Iterator[WrongCall]]], Callable[[Source], Iterator[WrongCall]]]:
    """Register a generator as the form of its name."""

    def register(generate: Callable[[Source], Iterator[WrongCall]]) -> Callable[[Source], Iterator[WrongCall]]:
        FORMS[generate.__name__] = Form(generate.__name__, section, generate)
        return generate

    return register
