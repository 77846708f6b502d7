"""Map pydantic's error kinds (`int_parsing`, `less_than_equal`, …) to keywords of JSON Schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from fingerpost.engine.dialects import parse
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Path, Violation


class Error(NamedTuple):
    """One error in any of pydantic's forms: `int_parsing` at `("max",)`, with its sentence."""

    kind: str
    loc: Path
    message: str


Reader: TypeAlias = Callable[[Error], Violation | None]

_LIMITS = {
    "greater_than": "exclusiveMinimum",
    "greater_than_equal": "minimum",
    "less_than": "exclusiveMaximum",
    "less_than_equal": "maximum",
    "multiple_of": "multipleOf",
    "string_too_short": "minLength",
    "string_too_long": "maxLength",
    "too_short": "minItems",
    "too_long": "maxItems",
}
_LIMIT = lazy_pattern(r"(?:than|to|of|least|most) (-?\d[\d.eE+-]{0,40})(?: |\Z)")
_TYPE = lazy_pattern(r"(\w+?)_(?:type|parsing|parsing_size|from_float|sub_type|unicode)\Z")
_FORMATS = {
    "time_delta_": "duration",
    "datetime_": "date-time",
    "timezone_": "date-time",
    "date_": "date",
    "time_": "time",
    "url_": "uri",
    "uuid_": "uuid",
    "ip_v4_": "ipv4",
    "ip_v6_": "ipv6",
}
_NOT_A_FORMAT = ("_past", "_future", "_too_long")


def to_violation(error: Error) -> Violation | None:
    """Return the violation for an error, or None if JSON Schema has no keyword for its kind."""
    return _READERS.get(error.kind, _family)(error)


def _family(error: Error) -> Violation | None:
    """Read kinds that come in families: `int_type`, `int_parsing`, `datetime_from_date_parsing`."""
    for prefix, name in _FORMATS.items():
        if error.kind.startswith(prefix) and not error.kind.endswith(_NOT_A_FORMAT):
            return Violation(error.loc, "format", name)
    family = _TYPE.match(error.kind[:100])
    types = parse.json_types([family[1]]) if family else []
    return Violation(error.loc, "type", types) if types else None


def _missing_field(error: Error) -> Violation | None:
    """Read a missing field, or a missing item of a tuple. A positional argument is skipped: a call has none."""
    if not error.loc:
        return None
    holder, name = error.loc[:-1], error.loc[-1]
    if isinstance(name, str):
        return Violation(holder, "required", name)
    return Violation(holder, "minItems", name + 1) if holder else None


def _extra_field(error: Error) -> Violation | None:
    return Violation(error.loc[:-1], "additionalProperties", [str(error.loc[-1])]) if error.loc else None


def _choice(error: Error) -> Violation:
    listed = error.message.removeprefix("Input should be ")
    choices, end = parse.choices(listed)
    return Violation(error.loc, "enum", choices if end == len(listed) else [])


def _tag(error: Error) -> Violation:
    sentence, _, choices = error.message.rpartition(" does not match any of the expected tags: ")
    tag = sentence.rpartition(" found using ")[2].strip("'")
    return Violation((*error.loc, *parse.path(tag)), "enum", parse.choices(choices)[0])


def _tag_missing(error: Error) -> Violation:
    return Violation(error.loc, "required", error.message.rpartition(" discriminator ")[2].strip("'"))


def _limit(error: Error) -> Violation | None:
    stated = None if error.message.startswith("Dictionary") else _LIMIT.search(error.message)
    limit = parse.number(stated[1]) if stated else None
    return None if limit is None else Violation(error.loc, _LIMITS[error.kind], limit)


def _pattern(error: Error) -> Violation:
    return Violation(error.loc, "pattern", error.message.partition("'")[2].removesuffix("'"))


def _custom(error: Error) -> Violation | None:
    return Violation(error.loc, "format", "email") if "not a valid email address" in error.message else None


_READERS: dict[str, Reader] = {
    **dict.fromkeys(("missing", "missing_argument", "missing_keyword_only_argument"), _missing_field),
    **dict.fromkeys(("extra_forbidden", "unexpected_keyword_argument"), _extra_field),
    **dict.fromkeys(("literal_error", "enum"), _choice),
    **dict.fromkeys(_LIMITS, _limit),
    "union_tag_invalid": _tag,
    "union_tag_not_found": _tag_missing,
    "string_pattern_mismatch": _pattern,
    "value_error": _custom,
    "none_required": lambda error: Violation(error.loc, "type", ["null"]),
}
