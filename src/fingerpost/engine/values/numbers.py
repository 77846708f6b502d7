"""Numbers in text: `" 10 "`, `"+10"`, `"10.0"`, `"#12"`, `"1,000"`, `"1_000"`, `"1e3"`.

A conversion is lossless if the text has one reading and the number keeps every digit. A comma may be decimal where a
fraction is allowed, the point of `"1.500"` may group thousands, and leading zeros belong to an id, so those numbers are
offered. So are digits of other scripts, integers with an exponent, and numbers with a word that only says what they
count: `"No. 12"`, `"12th"` or `"KW 12"` for a week. The letter of `"7e2"` may belong to an id: where it can, the text
is no number at all. `"10.00"` for a number of cents is probably a number of dollars, so the caller has to fill it in.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.model import Grade
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.values.exact import INTEGER, LARGEST_EXACT, NUMBER, parse_exact, parse_exponent, parse_thousands
from fingerpost.engine.values.id_names import may_be_id
from fingerpost.engine.values.money import MINOR_UNIT
from fingerpost.engine.values.slot import Candidate, Instead, Slot, likely, lossless

_MAX_LENGTH = 40
_MARKED = lazy_pattern(r"[#!](?=[0-9])")
_POSITIVE = lazy_pattern(r"\+(?=[0-9])")
_UNDERSCORES = lazy_pattern(r"-?[1-9][0-9]{0,2}(?:_[0-9]{3})+")
_COMMAS = lazy_pattern(r"-?[1-9][0-9]{0,2}(?:,[0-9]{3})+")
_COMMAS_AND_POINT = lazy_pattern(r"(-?[1-9][0-9]{0,2}(?:,[0-9]{3})+)(\.[0-9]+)")
_POINTS_AND_COMMA = lazy_pattern(r"(-?[1-9][0-9]{0,2}(?:\.[0-9]{3})+),([0-9]+)")
_SEVERAL_POINTS = lazy_pattern(r"-?[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}")
_POINT_OR_GROUP = lazy_pattern(r"(-?[1-9][0-9]{0,2})\.000")
_OTHER_GROUPS = lazy_pattern(
    r"-?[1-9][0-9]{0,2}(?:[ '\u00a0\u2009\u202f][0-9]{3})+|-?[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"
)
_COMMA_DECIMAL = lazy_pattern(r"-?(?:0|[1-9][0-9]*),[0-9]+")
_MINOR_UNIT_PHRASE = lazy_pattern(
    r"\b(?:minor (?:currency )?units?|smallest (?:currency |monetary )?units?|in (?:the )?subunits?"
    r"|in cents|in pence)\b",
    re.IGNORECASE,
)
_HAS_FRACTION = lazy_pattern(r"-?[0-9][0-9.,_']*?(?:\.[0-9]+|,[0-9]{1,2})")
_LEADING_ZEROS = lazy_pattern(r"-?0[0-9]{1,15}")
_WITH_EXPONENT = lazy_pattern(r"-?[0-9][0-9.]*[eE][+-]?[0-9]{1,2}")
_LIKE_CODE = lazy_pattern(r"[0-9]+[eE][0-9]+")

_MINUS_SIGNS = lazy_pattern(r"^[\u2212\uff0d\ufe63](?=\d)")
_ORDINAL = lazy_pattern(r"([1-9][0-9]{0,5})(st|nd|rd|th|\.)", re.IGNORECASE)
_COUNTED = lazy_pattern(
    r"(?:(no\.|nr\.?|num\.?|number|\u2116)|([^\W\d_]{1,16})\.?)[\s_]?([1-9][0-9]{0,8})", re.IGNORECASE
)
_NUMBERED = frozenset({
    "act", "chapter", "day", "edition", "episode", "floor", "grade", "lap", "month", "number", "page", "period",
    "place", "position", "quarter", "rank", "round", "season", "semester", "verse", "volume", "week", "year",
})  # fmt: skip
"""Things that are counted from one, so that an ordinal is their number."""
_SHORT_NAMES = {"kw": "week", "cw": "week", "wk": "week", "pg": "page", "p": "page", "ch": "chapter"}


def read_number(slot: Slot) -> Iterator[Candidate]:
    """Yield the numbers that a text may stand for."""
    if not isinstance(slot.value, str) or len(slot.value) > _MAX_LENGTH:
        return
    plain = _write_in_ascii(slot.value.strip())
    if plain != slot.value.strip():
        yield from (one._replace(grade=Grade.OFFERED) for one in _read_text(plain, slot))
    else:
        yield from _read_text(plain, slot)
        yield from _read_counted(plain, slot)


def _write_in_ascii(text: str) -> str:
    """Return a number with the minus sign and the digits of ASCII: `\u2212\uff11\uff12` is `-12`."""
    if text.isascii():
        return text
    signed = _MINUS_SIGNS.sub("-", text)
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in signed)


def _read_counted(text: str, slot: Slot) -> Iterator[Candidate]:
    """Yield the number of `12th`, and of `No. 12` or `week 12` for a parameter that is named so."""
    if "integer" not in slot.kinds or "string" in slot.kinds:
        return
    own = {stem(one) for one in split_words(slot.name)}
    if found := _ORDINAL.fullmatch(text):
        if found[2].lower() in (_ordinal_ending(int(found[1])), ".") and own & _NUMBERED:
            yield Candidate(int(found[1]))
    elif found := _COUNTED.fullmatch(text):
        word = (found[2] or "").lower()
        if found[1] or (own & {stem(word), _SHORT_NAMES.get(word, "")}):
            yield Candidate(int(found[3]))


def _ordinal_ending(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _read_text(bare: str, slot: Slot) -> Iterator[Candidate]:
    text = _POSITIVE.sub("", bare, count=1) if "+" in bare else bare
    if "integer" in slot.kinds:
        text = _MARKED.sub("", text, count=1) if _MARKED.match(text) else text
    if _is_in_main_unit(text, slot):
        sent = json.dumps(clean(text), ensure_ascii=False)
        hint = f"{slot.label} counts in a small unit of money: {sent} is probably in the main unit"
        yield Candidate(Instead.FILL_IN, hint=hint)
    elif _WITH_EXPONENT.fullmatch(text):
        yield from () if may_be_id(slot) else _read_with_exponent(text, slot)
    elif "integer" in slot.kinds and "number" not in slot.kinds:
        yield from _read_integer(text)
    elif "number" in slot.kinds:
        yield from _read_decimal(text)


def _is_in_main_unit(text: str, slot: Slot) -> bool:
    """Whether a text has a fraction, although the parameter counts in cents or the like."""
    if not {"integer", "number"} & {*slot.kinds} or not _HAS_FRACTION.fullmatch(text):
        return False
    words = split_words(slot.name)
    return any(map(MINOR_UNIT.fullmatch, words)) or bool(_MINOR_UNIT_PHRASE.search(slot.description[:500]))


def _read_with_exponent(text: str, slot: Slot) -> Iterator[Candidate]:
    """Yield the number of `1e3`. An integer is seldom written so; without a point or a sign it may be a code."""
    number = parse_exponent(text)
    if number is None:
        return
    if "number" in slot.kinds:
        yield likely(number) if _LIKE_CODE.fullmatch(text) else lossless(number)
    elif "integer" in slot.kinds and (whole := _parse_whole_decimal(text)) is not None:
        yield Candidate(whole)


def _read_integer(text: str) -> Iterator[Candidate]:
    if found := _POINT_OR_GROUP.fullmatch(text):
        yield Candidate(int(found[1]))
        yield Candidate(int(found[1]) * 1000, confidence=0.75)
    elif (whole := _parse_whole(text)) is not None:
        yield lossless(whole)
    elif (whole := _parse_grouped(text)) is not None:
        yield Candidate(whole)
    elif _LEADING_ZEROS.fullmatch(text):
        yield Candidate(int(text), confidence=0.75)


def _parse_whole(text: str) -> int | None:
    """Return the integer of a text that has no other reading."""
    bare = text.replace("_", "") if _UNDERSCORES.fullmatch(text) else text
    bare = bare.replace(",", "") if _COMMAS.fullmatch(bare) else bare
    if INTEGER.fullmatch(bare):
        return int(bare) if abs(int(bare)) <= LARGEST_EXACT else None
    return _parse_whole_decimal(bare) if NUMBER.fullmatch(bare) else None


def _parse_whole_decimal(text: str) -> int | None:
    from decimal import Decimal  # slow to import, and few calls need it

    number = Decimal(text)
    return int(number) if number == number.to_integral_value() and abs(number) <= LARGEST_EXACT else None


def _parse_grouped(text: str) -> int | None:
    is_grouped = _OTHER_GROUPS.fullmatch(text) or _SEVERAL_POINTS.fullmatch(text)
    whole = int("".join(filter(str.isdecimal, text))) if is_grouped else None
    return None if whole is None or whole > LARGEST_EXACT else -whole if text.startswith("-") else whole


def _read_decimal(text: str) -> Iterator[Candidate]:
    bare = text.replace("_", "") if _UNDERSCORES.fullmatch(text) else text
    number = parse_exact(bare, ("number",))
    if number is not None and (thousands := parse_thousands(bare)) is not None:
        yield Candidate(number)
        yield Candidate(thousands, confidence=0.75)
    elif number is not None:
        yield lossless(number)
    else:
        yield from _read_unclear_decimal(text)


def _read_unclear_decimal(text: str) -> Iterator[Candidate]:
    """Yield the numbers of a text with separators, each of which may be decimal."""
    if _COMMAS.fullmatch(text) and (number := _parse_whole(text)) is not None:
        has_several = text.count(",") > 1
        yield Candidate(number, confidence=0.9 if has_several else 0.8, is_sure=has_several)
    if _COMMA_DECIMAL.fullmatch(text) and (number := parse_exact(text.replace(",", "."), ("number",))) is not None:
        yield Candidate(number, confidence=0.75 if _COMMAS.fullmatch(text) else 0.8)
    if (whole := _parse_grouped(text)) is not None:
        yield Candidate(whole)
    if _LEADING_ZEROS.fullmatch(text):
        yield Candidate(int(text), confidence=0.75)
    if (joined := _join_groups(text)) and (number := parse_exact(joined, ("number",))) is not None:
        yield Candidate(number, confidence=0.9, is_sure=True)


def _join_groups(text: str) -> str:
    """Return a number with both a comma and a point as JSON writes it: the last of the two is decimal."""
    if found := _COMMAS_AND_POINT.fullmatch(text):
        return found[1].replace(",", "") + found[2]
    found = _POINTS_AND_COMMA.fullmatch(text)
    return f"{found[1].replace('.', '')}.{found[2]}" if found else ""
