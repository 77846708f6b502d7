"""What a whole call makes of the fix for one of its units: it is sure only if the call works with it alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TypeVar

from fingerpost.servers.units.suggestions import ConversionError, resolve_unit

_MOST_TOLD = 4
Made = TypeVar("Made")


def mended(made: Callable[[Mapping[str, str]], Made], units: Mapping[str, str]) -> Made:
    """What is made of some units, by the parameters that they are in. Of the error, the fix is kept if it is enough."""
    try:
        return made(units)
    except ConversionError as error:
        bad = dict(islice(_bad(units), _MOST_TOLD))
        if len(bad) > 1 and error.parameter in bad:
            raise _one_of(error, bad) from None
        if error.likely_fix is not None and (more := _left(made, units, error)):
            raise _not_enough(error, more) from None
        raise


def _bad(units: Mapping[str, str]) -> Iterator[tuple[str, ConversionError]]:
    for name, text in units.items():
        if isinstance(error := resolve_unit(text), ConversionError):
            yield name, error


def _one_of(error: ConversionError, bad: Mapping[str, ConversionError]) -> ConversionError:
    """An error that is not the only one: each is named with what to write, for one retry to be enough."""
    return error.without_fix(
        hint=f"Correct all of these in one call: {', '.join(bad)}",
        hints=[f"{name}: {_advice(one)}" for name, one in bad.items()],
    )


def _advice(error: ConversionError) -> str:
    if error.likely_fix is not None:
        return f"write {error.likely_fix['label']}"
    return f"{error.error}. {error.hint or error.hints[0]}"


def _left(
    made: Callable[[Mapping[str, str]], object], units: Mapping[str, str], error: ConversionError
) -> ConversionError | None:
    """What is still wrong with the call after the fix."""
    try:
        made({**units, str(error.parameter): error.likely_fix["value"]})
    except ConversionError as more:
        return more
    return None


def _not_enough(error: ConversionError, more: ConversionError) -> ConversionError:
    label = error.likely_fix["label"]
    return error.without_fix(
        hint=f"Did you mean {label}?", hints=[label, f"With {label}: {more.error}", *more.hints[:2]]
    )
