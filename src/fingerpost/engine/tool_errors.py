"""What server authors raise, so that a failure guides the caller instead of ending the conversation.

    Exception
    └── ToolOperationError      a failure that you saw coming, and what to do about it
        └── UnknownValue        a value that names nothing: the nearest one is found for you

Every field but the message may be left out; what is left out is inferred from the rest. A door turns the
error into the same envelope whichever framework runs the tool, also where that framework masks exceptions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import Any, cast

from fingerpost.engine.failure_kinds import CATEGORIES
from fingerpost.engine.matching import Match, closest
from fingerpost.engine.model import EMPTY_OBJECT
from fingerpost.engine.phrases import literal
from fingerpost.engine.safety.redact import clean, safe_value

_MOST_READINGS, _MOST_SHOWN, _LONGEST_LABEL = 3, 12, 96
_SIGN = re.compile(r"\(([^()]{1,16})\)$")


class ToolOperationError(Exception):
    """A failure that the caller can do something about.

    `hint` is one sentence on what to do, kept apart from the message; `hints` are what to weigh or to ask the
    user; `likely_fix` is a value that can be sent as it stands, in place of the one in `parameter`; `step`
    counts from 0 in a chain of steps; `routing_hint` is for the program, not for the model.
    """

    code: str | None = None
    category: str | None = None
    hint: str | None = None
    hints: tuple[str, ...] = ()
    parameter: str | None = None
    likely_fix: Any = None
    step: int | None = None
    origin: str | None = None
    retryable: bool | None = None
    routing_hint: Any = None

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        category: str | None = None,
        hint: str | None = None,
        hints: Iterable[str] | None = None,
        details: Mapping[str, Any] | None = None,
        parameter: str | None = None,
        likely_fix: Any = None,
        step: int | None = None,
        origin: str | None = None,
        retryable: bool | None = None,
        next_steps: Mapping[str, Any] | None = None,
        routing_hint: Any = None,
    ) -> None:
        super().__init__(message)
        category = category or self.category
        if category is not None and category not in CATEGORIES:
            raise ValueError(f"category must be one of {', '.join(CATEGORIES)}, got {category!r}")
        given = {
            "code": code, "category": category, "hint": hint, "parameter": parameter, "likely_fix": likely_fix,
            "step": step, "origin": origin, "retryable": retryable, "routing_hint": routing_hint,
            "hints": (hints,) if isinstance(hints, str) else None if hints is None else tuple(hints),
        }  # fmt: skip
        # What is not given is left to the class, so that a subclass may say it once for all of its kind.
        self.__dict__.update({name: value for name, value in given.items() if value is not None})
        self.message = message
        self.details = {**getattr(type(self), "details", {}), **(details or {})}
        self.next_steps = {**getattr(type(self), "next_steps", {}), **(next_steps or {})}

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[ToolOperationError], args: tuple[Any, ...], state: dict[str, Any]) -> ToolOperationError:
    """An error as it was on the other side of a process pool."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


@dataclass(frozen=True, slots=True)
class Reading:
    """One value that may have been meant: what to send, and how a person reads it."""

    value: Any
    label: str
    confidence: float
    is_clear: bool


class UnknownValue(ToolOperationError):
    """A value that is none of those there are; says which was probably meant.

    `choices` are the values that exist: any iterable, or a mapping from each value to how a person reads it
    (`{"kilogram": "kilogram (kg)"}`). `label` makes that reading from a value instead. `noun` is what a value
    is called where the parameter's own name does not say it.
    """

    def __init__(
        self,
        parameter: str,
        got: Any,
        choices: Iterable[Any],
        *,
        label: Callable[[Any], str] | None = None,
        noun: str | None = None,
        **more: Any,
    ) -> None:
        labels: Mapping[Any, Any] = cast("Mapping[Any, Any]", choices) if isinstance(choices, Mapping) else EMPTY_OBJECT
        every: list[Any] = [choices] if isinstance(choices, str) else list(cast("Iterable[Any]", choices))
        self.choices = [(_bare(one), clean(str(_read(one, label, labels)), _LONGEST_LABEL)) for one in every]
        self.got = got
        self.readings = tuple(_near(got, self.choices))
        called = noun or parameter.rpartition(".")[2].partition("[")[0]
        named = [said for _, said in self.choices]
        usual: dict[str, Any] = {"code": "INVALID_CHOICE", "category": "validation", "origin": "call"}
        if not self.readings:
            usual["hint"] = _all_there_is(called, named)
        details = {"got": safe_value(got, parameter), "expected": _some(named)}
        more["details"] = {**details, **(more.get("details") or {})}
        message = f"Unknown {called} {literal(safe_value(got, parameter))}"
        super().__init__(message, parameter=parameter, **{**usual, **more})


def _read(choice: Any, label: Callable[[Any], str] | None, labels: Mapping[Any, Any]) -> Any:
    if label is not None:
        return label(choice)
    return labels[choice] if labels else _bare(choice)


def _bare(choice: Any) -> Any:
    """The value that a caller sends for a choice: of a member of an `Enum`, what it stands for."""
    return choice.value if isinstance(choice, Enum) else choice


def _near(got: Any, choices: list[tuple[Any, str]]) -> Iterator[Reading]:
    """The choices nearest to what was sent, each by its name or by the sign that its label has in brackets."""
    names = {sign: at for at, (_, label) in enumerate(choices) for sign in _SIGN.findall(label)}
    names |= {str(value): at for at, (value, _) in enumerate(choices)}
    found: dict[int, Match] = {}
    for match in closest(got, list(names), "value") if isinstance(got, str) else ():
        found.setdefault(names[match.name], match)
    for at, match in islice(found.items(), _MOST_READINGS):
        yield Reading(*choices[at], match.confidence, match.is_clear)


def _all_there_is(called: str, labels: list[str]) -> str:
    return f"There are {_some(labels)}" if 0 < len(labels) <= _MOST_SHOWN else f"No similar {called} found"


def _some(labels: list[str]) -> str:
    more = len(labels) - _MOST_SHOWN
    return ", ".join(labels[:_MOST_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
