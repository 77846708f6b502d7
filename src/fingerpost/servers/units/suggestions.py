"""Errors for wrong units, with suggestions, as plain values. This module does not depend on MCP.

`resolve_unit` returns a unit or an error. Each `build_…` function builds one kind of error. An error can be raised, or
shown as data with `as_dict()`. Its `likely_fix` can be applied directly; its `hints` need judgment.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fingerpost.engine.safety.redact import clean
from fingerpost.errors import ToolOperationError
from fingerpost.servers.units.compound_case import case_readings
from fingerpost.servers.units.dimensions import Dimension
from fingerpost.servers.units.expressions import Compound, Unknown, parse_expression
from fingerpost.servers.units.misspellings import Guess, Guesses, guess_units
from fingerpost.servers.units.tokens import ParseError, Token, replace_tokens, tokenize
from fingerpost.servers.units.vocabulary import Unit, vocabulary

SYNTAX = "Valid syntax: m/s, kg*m/s^2, W/(m²·K)"
_MAX_COMPATIBLE = 6
_MAX_READINGS = 3
_MAX_ECHO = 60
_ISOLATION_ADVICE = {
    ("angle", "ratio"): "To express an angle as a fraction, compute angle/(2*pi) explicitly",
    ("level", "ratio"): "A level of x dB is a ratio of powers of 10^(x/10), or of amplitudes of 10^(x/20)",
    ("angular velocity", "frequency"): "To get revolutions per second, convert to turn/s",
    ("equivalent dose", "specific energy"): "Multiply by the weighting factor of the radiation explicitly",
    ("count", "ratio"): "A count has to be divided by another count to be a ratio",
}


class ConversionError(ToolOperationError):
    """One thing that is wrong with a conversion.

    `error_type` is `unknown_unit`, `dimension_mismatch`, `no_conversion_path` or `parse_error`, and `out_of_range` for
    a number. `likely_fix` is `{"value", "label", "confidence"}`; its value can be sent in place of the wrong one.
    """

    category = "validation"
    origin = "call"

    def __init__(self, error: str, error_type: str, *, got: Any = None, expected: Any = None, **more: Any) -> None:
        details = {name: value for name, value in (("got", got), ("expected", expected)) if value is not None}
        super().__init__(error, code=error_type.upper(), details=details, **more)
        self.error, self.error_type, self.got, self.expected = error, error_type, got, expected

    def without_fix(self, *, hint: str, hints: Iterable[str]) -> ConversionError:
        """The same error with other hints and without a fix, because the fix does not make the call work."""
        more: dict[str, Any] = {"parameter": self.parameter, "step": self.step, "hint": hint, "hints": hints}
        return ConversionError(self.error, self.error_type, got=self.got, expected=self.expected, **more)

    def as_dict(self) -> dict[str, Any]:
        """The error as data, with every field."""
        names = ("error", "error_type", "parameter", "step", "got", "expected", "likely_fix")
        return {name: getattr(self, name) for name in names} | {"hints": list(self.hints)}


def resolve_unit(text: str, parameter: str | None = None, step: int | None = None) -> Compound | ConversionError:
    """Parse a text into units, or return the error."""
    place: dict[str, Any] = {"parameter": parameter, "step": step}
    text = unicodedata.normalize("NFC", text)
    try:
        unit, unknown = parse_expression(text)
    except ParseError as error:
        return build_parse_error(text, error, **place)
    if unknown:
        return build_unknown_unit_error(text, unknown, **place)
    for lone, power in () if unit.single else unit.terms:
        if not lone.is_plain:
            return build_lone_unit_error(text, lone, **place, is_divisor=power < 0)
    return unit


def build_unknown_unit_error(
    text: str, unknown: Sequence[Unknown] = (), parameter: str | None = None, step: int | None = None
) -> ConversionError:
    """An unknown word with suggestions; the whole `text` if no word is given."""
    whole = Token("word", text, 0, len(text))
    guesses = dict(_guess_word_or_phrase(one) for one in unknown or [Unknown(whole, whole)])
    culprit = next((token for token, one in guesses.items() if one.sure is None), next(iter(guesses)))
    expressions = case_readings(text, guesses) if any(one.symbols for one in guesses.values()) else None
    fix = _find_fix(text, guesses, expressions)
    units = [unit.label for unit in guesses[culprit].possible]
    labels = units if culprit.text == text.strip() else (expressions or [])[:_MAX_READINGS] or units
    sure = guesses[culprit].sure
    return ConversionError(
        f"Unknown unit: '{_clip(culprit.text)}'",
        "unknown_unit",
        got=_clip(culprit.text),
        expected="the name or symbol of a unit",
        likely_fix=fix,
        hint=None if fix or not labels else f"Did you mean {' or '.join(labels)}?",
        hints=list(_prefix_hint(sure)) if fix and sure else _hints_without_fix(culprit.text, labels),
        parameter=parameter,
        step=step,
    )


def _find_fix(text: str, guesses: Mapping[Token, Guesses], expressions: Sequence[str] | None) -> dict[str, Any] | None:
    """The corrected text, if each word has one reading and so has the whole text."""
    fixes = {token: one.sure for token, one in guesses.items() if one.sure}
    if expressions is None:
        expressions = [replace_tokens(text, {token: one.value for token, one in fixes.items()})]
    return _build_fix(expressions[0], fixes) if len(fixes) == len(guesses) and len(expressions) == 1 else None


def _guess_word_or_phrase(unknown: Unknown) -> tuple[Token, Guesses]:
    """Guess the unit from the adjacent words too, as for `nautcal mile`, or else from the word alone."""
    if unknown.phrase.text != unknown.word.text and (together := guess_units(unknown.phrase.text)).sure:
        return unknown.phrase, together
    return unknown.word, guess_units(unknown.word.text)


def _build_fix(value: str, fixes: Mapping[Token, Guess]) -> dict[str, Any]:
    first = next(iter(fixes.values()))
    label = first.unit.label if value == first.value else value
    return {"value": value, "label": label, "confidence": min(one.confidence for one in fixes.values())}


def _prefix_hint(guess: Guess) -> Iterable[str]:
    known, scale = vocabulary(), guess.unit.scale
    base = known.find(guess.unit.name.removeprefix(scale.names[0])) if scale else guess.unit
    if base is not None and base.symbol and base.kind in ("*", "+"):
        prefixed = [known.add_prefix(base, one) for one in known.scales if one.names[0] in ("kilo", "milli")]
        symbols = [one.symbol for one in (base, *prefixed) if one.symbol != guess.unit.symbol]
        yield f"For scaled variants: {', '.join(symbols[:2])} (see list_scales)"


def _hints_without_fix(word: str, labels: Sequence[str]) -> list[str]:
    if advice := vocabulary().refusal(word):
        return [advice]
    return [*labels] or ["No similar units found", "Use list_units() to see all available units"]


def build_dimension_mismatch_error(
    source: str, target: str, parameter: str | None = "to_unit", step: int | None = None
) -> ConversionError:
    """Two units of different dimensions; the target is the one to change."""
    one, other = _dimension(source), _dimension(target)
    have, want = _dimension_name(other), _dimension_name(one)
    return ConversionError(
        f"Cannot convert '{_clip(source)}' to '{_clip(target)}': {want} is not compatible with {have}",
        "dimension_mismatch",
        got=have,
        expected=want,
        hints=[
            f"{_clip(source)} is {want}; {_clip(target)} is {have}",
            *_compatible_units_hint(source, one),
            *(*_remarks_on(source, have), *_remarks_on(target, want))[:1],
            *(["They are reciprocal: convert to the reciprocal unit, and divide 1 by it"] if one == other**-1 else []),
            "Use check_dimensions() to verify compatibility",
        ],
        parameter=parameter,
        step=step,
    )


def build_no_path_error(
    source: str, target: str, parameter: str | None = "to_unit", step: int | None = None
) -> ConversionError:
    """Two units that differ only in a pseudo-dimension, or a temperature and a temperature difference."""
    one, other = _dimension(source), _dimension(target)
    return ConversionError(
        f"No conversion path from '{_clip(source)}' to '{_clip(target)}'",
        "no_conversion_path",
        got=_quantity_kind(other, target),
        expected=_quantity_kind(one, source),
        hints=[
            f"{_clip(source)} is {_quantity_kind(one, source)}; {_clip(target)} is {_quantity_kind(other, target)}",
            *_isolation_hints(one, other),
            *_compatible_units_hint(source, one),
        ],
        parameter=parameter,
        step=step,
    )


def _isolation_hints(one: Dimension, other: Dimension) -> Iterable[str]:
    if one == other:
        yield "A temperature has a zero point and a difference of temperatures has none: they cannot interconvert"
        return
    names = _dimension_name(one), _dimension_name(other)
    pseudo = vocabulary().dimensions.pseudo_difference(one, other)
    if {name for name in names if name != "ratio"} <= set(pseudo):
        yield f"{names[0]} and {names[1]} are isolated pseudo-dimensions — they cannot interconvert"
    else:
        yield f"{' and '.join(pseudo)} is a pseudo-dimension, kept apart — they cannot interconvert"
    if advice := _ISOLATION_ADVICE.get((min(names), max(names))):
        yield advice


def build_parse_error(
    text: str, error: ParseError | str = "", parameter: str | None = None, step: int | None = None
) -> ConversionError:
    """A text that is not a unit expression, with the position of the problem."""
    cause = error if isinstance(error, ParseError) else ParseError(error or "it is no unit expression")
    where = f"'{_clip(cause.token.text)}' at character {cause.token.start + 1}" if cause.token else ""
    return ConversionError(
        f"Cannot parse unit expression: '{_clip(text)}'",
        "parse_error",
        got=where or _clip(text) or "nothing",
        expected=cause.expected or "units joined by *, / and ^",
        hints=[
            f"Parse error: {cause.reason}",
            *([f"{where} {cause.problem or 'is not expected there'}"] if where else []),
            "Check for unbalanced parentheses or invalid characters",
            SYNTAX,
        ],
        parameter=parameter,
        step=step,
    )


def build_lone_unit_error(
    text: str, unit: Unit, parameter: str | None = None, step: int | None = None, *, is_divisor: bool = False
) -> ConversionError:
    """A unit with its own zero point, or a logarithm, inside a product, where its meaning is undefined.

    A divisor is "per degree", so it certainly means a difference.
    """
    difference = vocabulary().find(f"delta {unit.name}")
    advice = f"'{unit.short}' stands for a logarithm: convert it by itself first"
    if difference:
        advice = f"For a difference of temperatures write {_ascii_symbol(difference)}, or K"
    return ConversionError(
        f"'{unit.short}' cannot be part of a product in '{_clip(text)}'",
        "no_conversion_path",
        got=unit.short,
        expected=f"{difference.label} or kelvin (K)" if difference else "a unit that is no logarithm",
        likely_fix=_difference_fix(text, unit, difference) if is_divisor and difference else None,
        hints=[advice],
        parameter=parameter,
        step=step,
    )


def _difference_fix(text: str, unit: Unit, difference: Unit) -> dict[str, Any]:
    tokens = [one for one in tokenize(text) if one.kind == "word" and vocabulary().find(one.text) == unit]
    value = replace_tokens(text, dict.fromkeys(tokens, _ascii_symbol(difference)))
    return _build_fix(value, dict.fromkeys(tokens, Guess(difference, _ascii_symbol(difference), 0.99)))


def _ascii_symbol(difference: Unit) -> str:
    """The symbol of a temperature difference in ASCII: `delta_degC`."""
    return difference.symbol.replace("Δ°", "delta_deg")


def _dimension(text: str) -> Dimension:
    return unit.dimension if isinstance(unit := resolve_unit(text), Compound) else Dimension()


def _dimension_name(dimension: Dimension) -> str:
    return vocabulary().dimensions.display_name(dimension)


def _quantity_kind(dimension: Dimension, text: str) -> str:
    """What a unit measures, telling temperatures from temperature differences."""
    unit = resolve_unit(text)
    kind = unit.single.kind if isinstance(unit, Compound) and unit.single else ""
    return {"offset": "a temperature", "difference": "a difference of temperatures"}.get(
        kind, _dimension_name(dimension)
    )


def _compatible_units_hint(text: str, dimension: Dimension) -> Iterable[str]:
    """The units of the same dimension, the caller's own first."""
    known = vocabulary()
    names = [name for name, one in known.dimensions.by_name.items() if one == dimension]
    own = resolve_unit(text)
    first = [own.single] if isinstance(own, Compound) and own.single else []
    units = [*first, *(unit for name in names for unit in known.units[name])]
    if symbols := dict.fromkeys(unit.short for unit in units if unit.is_plain):
        yield f"Compatible {_dimension_name(dimension)} units: {', '.join([*symbols][:_MAX_COMPATIBLE])}"


def _remarks_on(text: str, wanted: str) -> list[str]:
    """Remarks on words of a text that are often confused with a unit of the wanted dimension."""
    words = {token.text for token in tokenize(text)}
    return [one.text for one in vocabulary().remarks if wanted in one.dimensions and words.intersection(one.spellings)]


def _clip(text: str) -> str:
    return clean(text, _MAX_ECHO)
