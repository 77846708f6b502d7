"""Exceptions that server authors raise, so that a failure tells the caller what to do next.

    Exception
    └── ToolOperationError      an expected failure, with what to do about it
        └── UnknownValue        a value that names nothing; the nearest choices are found for you

Every field except the message is optional; the rest is inferred. The middleware turns the error into the same envelope
in every framework, even if the framework masks exceptions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import Any, cast

from fingerpost.engine.failure_kinds import CATEGORIES
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching import Match, closest
from fingerpost.engine.model import EMPTY_OBJECT
from fingerpost.engine.phrases import literal
from fingerpost.engine.safety.redact import clean, safe_value

_MOST_READINGS, _MOST_LISTED, _LONGEST_LABEL = 3, 12, 96
_SYMBOL = lazy_pattern(r"\(([^()]{1,16})\)$")


class ToolOperationError(Exception):
    """A failure that the caller can do something about.

    `hint` is one sentence on what to do, separate from the message. `hints` are options to consider or to ask the user
    about. `likely_fix` is a value to send instead of the one in `parameter`. `step` counts from 0 in a chain of steps.
    `routing_hint` is for the program, not for the model. `documentation_url` is a page about the failure.
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
    documentation_url: str | None = None

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
        documentation_url: str | None = None,
    ) -> None:
        super().__init__(message)
        category = category or self.category
        if category is not None and category not in CATEGORIES:
            raise ValueError(f"category must be one of {', '.join(CATEGORIES)}, got {category!r}")
        given = {
            "code": code, "category": category, "hint": hint, "parameter": parameter, "likely_fix": likely_fix,
            "step": step, "origin": origin, "retryable": retryable, "routing_hint": routing_hint,
            "documentation_url": documentation_url,
            "hints": (hints,) if isinstance(hints, str) else None if hints is None else tuple(hints),
        }  # fmt: skip
        # Fields that are not given keep the value of the class, so that a subclass may set defaults.
        self.__dict__.update({name: value for name, value in given.items() if value is not None})
        self.message = message
        self.details = {**getattr(type(self), "details", {}), **(details or {})}
        self.next_steps = {**getattr(type(self), "next_steps", {}), **(next_steps or {})}

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[ToolOperationError], args: tuple[Any, ...], state: dict[str, Any]) -> ToolOperationError:
    """Recreate an error that was pickled, for instance by a process pool."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


@dataclass(frozen=True, slots=True)
class Reading:
    """One value that the caller may have intended: what to send, and its label for people."""

    value: Any
    label: str
    confidence: float
    is_clear: bool


class UnknownValue(ToolOperationError):
    """A value that is not one of the choices; finds the choices nearest to it.

    `choices` are the valid values: any iterable, or a mapping from each value to its label for people
    (`{"kilogram": "kilogram (kg)"}`). `label` is a function that makes the label instead. `noun` is what a value is
    called, if not by the parameter's name.
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
        self.choices = [(_plain_value(one), clean(str(_label_of(one, label, labels)), _LONGEST_LABEL)) for one in every]
        self.got = got
        self.readings = tuple(_find_readings(got, self.choices))
        noun = noun or parameter.rpartition(".")[2].partition("[")[0]
        labels_only = [text for _, text in self.choices]
        defaults: dict[str, Any] = {"code": "INVALID_CHOICE", "category": "validation", "origin": "call"}
        if not self.readings:
            defaults["hint"] = _list_or_none(noun, labels_only)
        details = {"got": safe_value(got, parameter), "expected": _list_labels(labels_only)}
        more["details"] = {**details, **(more.get("details") or {})}
        message = f"Unknown {noun} {literal(safe_value(got, parameter))}"
        super().__init__(message, parameter=parameter, **{**defaults, **more})


def _label_of(choice: Any, label: Callable[[Any], str] | None, labels: Mapping[Any, Any]) -> Any:
    if label is not None:
        return label(choice)
    named = labels[choice] if labels else None
    return _plain_value(choice) if named is None else named


def _plain_value(choice: Any) -> Any:
    """Return the value that a caller sends for a choice: the value of an `Enum` member."""
    return choice.value if isinstance(choice, Enum) else choice


def _find_readings(got: Any, choices: list[tuple[Any, str]]) -> Iterator[Reading]:
    """Find the choices nearest to what was sent, by value or by the symbol in brackets in the label."""
    names = {symbol: at for at, (_, label) in enumerate(choices) for symbol in _SYMBOL.findall(label)}
    names |= {str(value): at for at, (value, _) in enumerate(choices)}
    found: dict[int, Match] = {}
    for match in closest(got, list(names), "value") if isinstance(got, str) else ():
        found.setdefault(names[match.name], match)
    for at, match in islice(found.items(), _MOST_READINGS):
        yield Reading(*choices[at], match.confidence, match.is_clear)


def _list_or_none(noun: str, labels: list[str]) -> str:
    return f"There are {_list_labels(labels)}" if 0 < len(labels) <= _MOST_LISTED else f"No similar {noun} found"


def _list_labels(labels: list[str]) -> str:
    more = len(labels) - _MOST_LISTED
    return ", ".join(labels[:_MOST_LISTED]) + (f" and {more:,} more" if more > 0 else "")
