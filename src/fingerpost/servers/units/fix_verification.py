"""Verify the fix for one unit against the whole call: a fix is certain only if the call works with it alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TypeVar

from fingerpost.servers.units.suggestions import ConversionError, resolve_unit

_MAX_REPORTED = 4
Result = TypeVar("Result")


def run_with_verified_fix(run: Callable[[Mapping[str, str]], Result], units: Mapping[str, str]) -> Result:
    """Run a computation on units by parameter. If it fails, keep the error's fix only if it repairs the call."""
    try:
        return run(units)
    except ConversionError as error:
        invalid = dict(islice(_invalid_units(units), _MAX_REPORTED))
        if len(invalid) > 1 and error.parameter in invalid:
            raise _combine_errors(error, invalid) from None
        if error.likely_fix is not None and (remaining := _error_after_fix(run, units, error)):
            raise _with_insufficient_fix(error, remaining) from None
        raise


def _invalid_units(units: Mapping[str, str]) -> Iterator[tuple[str, ConversionError]]:
    for name, text in units.items():
        if isinstance(error := resolve_unit(text), ConversionError):
            yield name, error


def _combine_errors(error: ConversionError, invalid: Mapping[str, ConversionError]) -> ConversionError:
    """The first error, with hints for every invalid unit, so that one retry is enough."""
    return error.without_fix(
        hint=f"Correct all of these in one call: {', '.join(invalid)}",
        hints=[f"{name}: {_advice(one)}" for name, one in invalid.items()],
    )


def _advice(error: ConversionError) -> str:
    if error.likely_fix is not None:
        return f"write {error.likely_fix['label']}"
    return f"{error.error}. {error.hint or error.hints[0]}"


def _error_after_fix(
    run: Callable[[Mapping[str, str]], object], units: Mapping[str, str], error: ConversionError
) -> ConversionError | None:
    try:
        run({**units, str(error.parameter): error.likely_fix["value"]})
    except ConversionError as remaining:
        return remaining
    return None


def _with_insufficient_fix(error: ConversionError, remaining: ConversionError) -> ConversionError:
    label = error.likely_fix["label"]
    return error.without_fix(
        hint=f"Did you mean {label}?", hints=[label, f"With {label}: {remaining.error}", *remaining.hints[:2]]
    )
