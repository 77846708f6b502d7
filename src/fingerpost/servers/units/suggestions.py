"""What to say when units are wrong: errors as values, for any interface. Nothing here knows of MCP.

`resolve_unit` reads a unit and gives it, or the error. Each `build_…` makes one kind of error. An error may be raised,
or shown by `as_dict()`; its `likely_fix` can be applied as it stands, its `hints` are to be reasoned about.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fingerpost.engine.safety.redact import clean
from fingerpost.errors import ToolOperationError
from fingerpost.servers.units.compound_case import replaced, wholes
from fingerpost.servers.units.dimensions import Dimension
from fingerpost.servers.units.expressions import Compound, Unknown, parsed
from fingerpost.servers.units.misspellings import Guess, Guesses, guessed
from fingerpost.servers.units.tokens import Token, Unparsable, tokens_of
from fingerpost.servers.units.vocabulary import Unit, vocabulary

SYNTAX = "Valid syntax: m/s, kg*m/s^2, W/(m²·K)"
_MOST_COMPATIBLE = 6
_MOST_WHOLES = 3
_LONGEST_SHOWN = 60
_EXPLAINED = {
    ("angle", "ratio"): "To express an angle as a fraction, compute angle/(2*pi) explicitly",
    ("level", "ratio"): "A level of x dB is a ratio of powers of 10^(x/10), or of amplitudes of 10^(x/20)",
    ("angular velocity", "frequency"): "To get revolutions per second, convert to turn/s",
    ("equivalent dose", "specific energy"): "Multiply by the weighting factor of the radiation explicitly",
    ("count", "ratio"): "A count has to be divided by another count to be a ratio",
}


class ConversionError(ToolOperationError):
    """One thing that is wrong with a conversion.

    `error_type` is `unknown_unit`, `dimension_mismatch`, `no_conversion_path` or `parse_error`, and `out_of_range` for
    a number. `likely_fix` is `{"value", "label", "confidence"}`: the value can be sent as it stands.
    """

    category = "validation"
    origin = "call"

    def __init__(self, error: str, error_type: str, *, got: Any = None, expected: Any = None, **more: Any) -> None:
        details = {name: value for name, value in (("got", got), ("expected", expected)) if value is not None}
        super().__init__(error, code=error_type.upper(), details=details, **more)
        self.error, self.error_type, self.got, self.expected = error, error_type, got, expected

    def without_fix(self, *, hint: str, hints: Iterable[str]) -> ConversionError:
        """The same error, where the fix for it would not make the call work."""
        place: dict[str, Any] = {"parameter": self.parameter, "step": self.step, "hint": hint, "hints": hints}
        return ConversionError(self.error, self.error_type, got=self.got, expected=self.expected, **place)

    def as_dict(self) -> dict[str, Any]:
        """The error as data, with every field."""
        names = ("error", "error_type", "parameter", "step", "got", "expected", "likely_fix")
        return {name: getattr(self, name) for name in names} | {"hints": list(self.hints)}


def resolve_unit(text: str, parameter: str | None = None, step: int | None = None) -> Compound | ConversionError:
    """The units that a text stands for, or what is wrong with it."""
    place: dict[str, Any] = {"parameter": parameter, "step": step}
    text = unicodedata.normalize("NFC", text)
    try:
        unit, unknown = parsed(text)
    except Unparsable as error:
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
    """A word that is no unit, with what it probably stands for; `text` as a whole where no word is named."""
    whole = Token("word", text, 0, len(text))
    found = dict(_read_alone_or_together(one) for one in unknown or [Unknown(whole, whole)])
    culprit = next((token for token, guesses in found.items() if guesses.sure is None), next(iter(found)))
    meant = wholes(text, found) if any(guesses.symbols for guesses in found.values()) else None
    fix = _sure_fix(text, found, meant)
    parts = [unit.label for unit in found[culprit].possible]
    labels = parts if culprit.text == text.strip() else (meant or [])[:_MOST_WHOLES] or parts
    return ConversionError(
        f"Unknown unit: '{_shown(culprit.text)}'",
        "unknown_unit",
        got=_shown(culprit.text),
        expected="the name or symbol of a unit",
        likely_fix=fix,
        hint=None if fix or not labels else f"Did you mean {' or '.join(labels)}?",
        hints=list(_scaled_variants(sure)) if fix and (sure := found[culprit].sure) else _unsure(culprit.text, labels),
        parameter=parameter,
        step=step,
    )


def _sure_fix(text: str, found: Mapping[Token, Guesses], meant: Sequence[str] | None) -> dict[str, Any] | None:
    """The text mended, where each word has one reading, and the whole of them too."""
    fixes = {token: guesses.sure for token, guesses in found.items() if guesses.sure}
    if meant is None:
        meant = [replaced(text, {token: one.value for token, one in fixes.items()})]
    return _fix(meant[0], fixes) if len(fixes) == len(found) and len(meant) == 1 else None


def _read_alone_or_together(unknown: Unknown) -> tuple[Token, Guesses]:
    """What a word stands for, by itself or with the words beside it: `nautcal mile`."""
    if unknown.phrase.text != unknown.word.text and (together := guessed(unknown.phrase.text)).sure:
        return unknown.phrase, together
    return unknown.word, guessed(unknown.word.text)


def _fix(value: str, fixes: Mapping[Token, Guess]) -> dict[str, Any]:
    first = next(iter(fixes.values()))
    label = first.unit.label if value == first.value else value
    return {"value": value, "label": label, "confidence": min(one.confidence for one in fixes.values())}


def _scaled_variants(guess: Guess) -> Iterable[str]:
    scale = guess.unit.scale
    base = vocabulary().find(guess.unit.name.removeprefix(scale.names[0])) if scale else guess.unit
    if base is not None and base.symbol and base.kind in ("*", "+"):
        scaled = [vocabulary().scaled(base, one) for one in vocabulary().scales if one.names[0] in ("kilo", "milli")]
        names = [one.symbol for one in (base, *scaled) if one.symbol != guess.unit.symbol]
        yield f"For scaled variants: {', '.join(names[:2])} (see list_scales)"


def _unsure(word: str, labels: Sequence[str]) -> list[str]:
    if note := vocabulary().refusal(word):
        return [note]
    return [*labels] or ["No similar units found", "Use list_units() to see all available units"]


def build_dimension_mismatch_error(
    source: str, target: str, parameter: str | None = "to_unit", step: int | None = None
) -> ConversionError:
    """Two units of different dimensions; the second is the one to change."""
    one, other = _dimension(source), _dimension(target)
    have, want = _called(other), _called(one)
    return ConversionError(
        f"Cannot convert '{_shown(source)}' to '{_shown(target)}': {want} is not compatible with {have}",
        "dimension_mismatch",
        got=have,
        expected=want,
        hints=[
            f"{_shown(source)} is {want}; {_shown(target)} is {have}",
            *_compatible(source, one),
            *(*_remarks(source, have), *_remarks(target, want))[:1],
            *(["They are reciprocal: convert to the reciprocal unit, and divide 1 by it"] if one == other**-1 else []),
            "Use check_dimensions() to verify compatibility",
        ],
        parameter=parameter,
        step=step,
    )


def build_no_path_error(
    source: str, target: str, parameter: str | None = "to_unit", step: int | None = None
) -> ConversionError:
    """Two units that only a pseudo-dimension keeps apart, or a temperature and a difference of temperatures."""
    one, other = _dimension(source), _dimension(target)
    return ConversionError(
        f"No conversion path from '{_shown(source)}' to '{_shown(target)}'",
        "no_conversion_path",
        got=_kept(other, target),
        expected=_kept(one, source),
        hints=[
            f"{_shown(source)} is {_kept(one, source)}; {_shown(target)} is {_kept(other, target)}",
            *_isolation(one, other),
            *_compatible(source, one),
        ],
        parameter=parameter,
        step=step,
    )


def _isolation(one: Dimension, other: Dimension) -> Iterable[str]:
    if one == other:
        yield "A temperature has a zero point and a difference of temperatures has none: they cannot interconvert"
        return
    names = _called(one), _called(other)
    pseudo = vocabulary().dimensions.apart(one, other)
    if {name for name in names if name != "ratio"} <= set(pseudo):
        yield f"{names[0]} and {names[1]} are isolated pseudo-dimensions — they cannot interconvert"
    else:
        yield f"{' and '.join(pseudo)} is a pseudo-dimension, kept apart — they cannot interconvert"
    if advice := _EXPLAINED.get((min(names), max(names))):
        yield advice


def build_parse_error(
    text: str, error: Unparsable | str = "", parameter: str | None = None, step: int | None = None
) -> ConversionError:
    """A text that is no unit expression, and where it stops being one."""
    why = error if isinstance(error, Unparsable) else Unparsable(error or "it is no unit expression")
    culprit = why.culprit
    where = f"'{_shown(culprit.text)}' at character {culprit.start + 1}" if culprit else ""
    return ConversionError(
        f"Cannot parse unit expression: '{_shown(text)}'",
        "parse_error",
        got=where or _shown(text) or "nothing",
        expected=why.expected or "units joined by *, / and ^",
        hints=[
            f"Parse error: {why.reason}",
            *([f"{where} {why.matter or 'is not expected there'}"] if where else []),
            "Check for unbalanced parentheses or invalid characters",
            SYNTAX,
        ],
        parameter=parameter,
        step=step,
    )


def build_lone_unit_error(
    text: str, unit: Unit, parameter: str | None = None, step: int | None = None, *, is_divisor: bool = False
) -> ConversionError:
    """A unit inside a product that can only stand alone: what it means there depends on its zero point.

    What is divided by it is "per degree", and a difference for sure.
    """
    difference = vocabulary().find(f"delta {unit.name}")
    advice = f"'{unit.short}' stands for a logarithm: convert it by itself first"
    if difference:
        advice = f"For a difference of temperatures write {_sent(difference)}, or K"
    return ConversionError(
        f"'{unit.short}' cannot be part of a product in '{_shown(text)}'",
        "no_conversion_path",
        got=unit.short,
        expected=f"{difference.label} or kelvin (K)" if difference else "a unit that is no logarithm",
        likely_fix=_as_difference(text, unit, difference) if is_divisor and difference else None,
        hints=[advice],
        parameter=parameter,
        step=step,
    )


def _as_difference(text: str, unit: Unit, difference: Unit) -> dict[str, Any]:
    tokens = [one for one in tokens_of(text) if one.kind == "word" and vocabulary().find(one.text) == unit]
    value = replaced(text, dict.fromkeys(tokens, _sent(difference)))
    return _fix(value, dict.fromkeys(tokens, Guess(difference, _sent(difference), 0.99)))


def _sent(difference: Unit) -> str:
    """A difference as it is easily typed: `delta_degC`."""
    return difference.symbol.replace("Δ°", "delta_deg")


def _dimension(text: str) -> Dimension:
    return unit.dimension if isinstance(unit := resolve_unit(text), Compound) else Dimension()


def _called(dimension: Dimension) -> str:
    return vocabulary().dimensions.called(dimension)


def _kept(dimension: Dimension, text: str) -> str:
    """What a unit measures; of a temperature also which of the two kinds."""
    unit = resolve_unit(text)
    kind = unit.single.kind if isinstance(unit, Compound) and unit.single else ""
    return {"offset": "a temperature", "difference": "a difference of temperatures"}.get(kind, _called(dimension))


def _compatible(text: str, dimension: Dimension) -> Iterable[str]:
    """The units that really convert: all of one dimension do, for each has a size of its own."""
    known = vocabulary()
    names = [name for name, one in known.dimensions.by_name.items() if one == dimension]
    own = resolve_unit(text)
    first = [own.single] if isinstance(own, Compound) and own.single else []
    units = [*first, *(unit for name in names for unit in known.units[name])]
    if some := dict.fromkeys(unit.short for unit in units if unit.is_plain):
        yield f"Compatible {_called(dimension)} units: {', '.join([*some][:_MOST_COMPATIBLE])}"


def _remarks(text: str, wanted: str) -> list[str]:
    """What to say of the words of a text, to one who wants another dimension."""
    words = {token.text for token in tokens_of(text)}
    return [one.said for one in vocabulary().read_as if wanted in one.dimensions and words.intersection(one.spellings)]


def _shown(text: str) -> str:
    return clean(text, _LONGEST_SHOWN)
