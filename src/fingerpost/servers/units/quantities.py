"""Numbers with units, as exact fractions: a number is rounded only when it is shown, and never to zero."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fingerpost.servers.units.expressions import Compound
from fingerpost.servers.units.suggestions import ConversionError, resolve_unit

_MAX_INTEGER = 2**63


@dataclass(frozen=True, slots=True)
class Quantity:
    value: Fraction
    unit: Compound

    @property
    def number(self) -> int | float:
        """The value as a JSON number, an integer if it is whole."""
        is_whole = self.value.denominator == 1 and abs(self.value) < _MAX_INTEGER
        return int(self.value) if is_whole else float(self.value)

    @property
    def text(self) -> str:
        """Number and unit; a plain number has no unit."""
        return f"{self.number} {self.unit.symbol}" if self.unit.terms else str(self.number)


def to_fraction(value: float, parameter: str, step: int | None = None) -> Fraction:
    """The exact decimal value of a number: 0.1 is a tenth."""
    if isinstance(value, float) and not math.isfinite(value):
        raise build_out_of_range_error(
            f"{value} is not a finite number", str(value), "a finite number", parameter, step
        )
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def require_unit(text: str, parameter: str, step: int | None = None) -> Compound:
    """Resolve a unit, or raise the error."""
    unit = resolve_unit(text, parameter, step)
    if isinstance(unit, ConversionError):
        raise unit
    return unit


def check_representable(value: Fraction, parameter: str, step: int | None = None) -> Fraction:
    """Return the value if a JSON number can hold it: it must not become infinite, nor zero."""
    try:
        rounded = float(value)
    except OverflowError as error:
        message = "The result is too large for a number"
        raise build_out_of_range_error(
            message, "more than 1.8e308", "a result below 1.8e308", parameter, step
        ) from error
    if rounded == 0 and value != 0:
        message = "The result is too small for a number, and would be shown as 0"
        raise build_out_of_range_error(message, "less than 5e-324", "a result of at least 5e-324", parameter, step)
    return value


def build_out_of_range_error(
    message: str, got: Any, expected: str, parameter: str, step: int | None = None, *, hint: str = ""
) -> ConversionError:
    """A number that is impossible, or that cannot be represented."""
    hints = [hint or f"Expected {expected}"]
    return ConversionError(
        message, "out_of_range", got=got, expected=expected, parameter=parameter, step=step, hints=hints
    )
