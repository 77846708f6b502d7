"""Numbers with units, in exact fractions: a number is rounded once, when it is shown, and never to nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fingerpost.servers.units.expressions import Compound
from fingerpost.servers.units.suggestions import ConversionError, resolve_unit

_LARGEST_WHOLE = 2**63


@dataclass(frozen=True, slots=True)
class Quantity:
    value: Fraction
    unit: Compound

    @property
    def number(self) -> int | float:
        """As a number of JSON, whole where it is whole."""
        is_whole = self.value.denominator == 1 and abs(self.value) < _LARGEST_WHOLE
        return int(self.value) if is_whole else float(self.value)

    @property
    def text(self) -> str:
        """As it is written: a plain number without a unit."""
        return f"{self.number} {self.unit.symbol}" if self.unit.terms else str(self.number)


def exact(value: float, parameter: str, step: int | None = None) -> Fraction:
    """A number as it was written: 0.1 is a tenth."""
    if isinstance(value, float) and not math.isfinite(value):
        raise out_of_range(f"{value} is not a finite number", str(value), "a finite number", parameter, step)
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def resolved(text: str, parameter: str, step: int | None = None) -> Compound:
    """The units that a text stands for; what is wrong with it is raised."""
    unit = resolve_unit(text, parameter, step)
    if isinstance(unit, ConversionError):
        raise unit
    return unit


def checked(value: Fraction, parameter: str, step: int | None = None) -> Fraction:
    """A result that a number of JSON can hold: not infinite, and not zero unless it is."""
    try:
        held = float(value)
    except OverflowError as error:
        message = "The result is too large for a number"
        raise out_of_range(message, "more than 1.8e308", "a result below 1.8e308", parameter, step) from error
    if held == 0 and value != 0:
        message = "The result is too small for a number, and would be shown as 0"
        raise out_of_range(message, "less than 5e-324", "a result of at least 5e-324", parameter, step)
    return value


def out_of_range(
    message: str, got: Any, expected: str, parameter: str, step: int | None = None, *, hint: str = ""
) -> ConversionError:
    """A number that cannot be, or that cannot be said."""
    hints = [hint or f"Expected {expected}"]
    return ConversionError(
        message, "out_of_range", got=got, expected=expected, parameter=parameter, step=step, hints=hints
    )
