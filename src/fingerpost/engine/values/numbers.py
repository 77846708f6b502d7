"""Numbers in text: `" 10 "`, `"+10"`, `"10.0"`, `"#12"`, `"1,000"`, `"1_000"`, `"1e3"`.

A conversion is lossless if the text has one reading and the number keeps every digit. A comma may be decimal where a
fraction is allowed, and leading zeros belong to an id, so those numbers are offered. Only ASCII digits count.
`"10.00"` for a number of cents is probably a number of dollars, so the caller has to fill it in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import split_words
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.values.exact import INTEGER, LARGEST_EXACT, NUMBER, parse_exact
from fingerpost.engine.values.slot import Candidate, Instead, Slot, lossless

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
_MINOR_UNIT = lazy_pattern(
    r"(?:cent|cents|c\u00e9ntimo|centavo|centime|penny|pennies|pence|sat|sats|satoshi|wei|gwei|lamport|[o\u00f6\u00f8]re"
    r"|kopek|kopeck|paise|paisa|piast(?:er|re)|fils|rappen|grosz|groszy|mill|subunit)s?"
)
_MINOR_UNIT_PHRASE = lazy_pattern(
    r"\b(?:minor (?:currency )?units?|smallest (?:currency |monetary )?units?|in (?:the )?subunits?"
    r"|in cents|in pence)\b",
    re.IGNORECASE,
)
_HAS_FRACTION = lazy_pattern(r"-?[0-9][0-9.,_']*?(?:\.[0-9]+|,[0-9]{1,2})")
_LEADING_ZEROS = lazy_pattern(r"-?0[0-9]{1,15}")


def read_number(slot: Slot) -> Iterator[Candidate]:
    """Yield the numbers that a text may stand for."""
    if not isinstance(slot.value, str) or len(slot.value) > _MAX_LENGTH:
        return
    text = _POSITIVE.sub("", slot.value.strip(), count=1) if "+" in slot.value else slot.value.strip()
    if "integer" in slot.kinds:
        text = _MARKED.sub("", text, count=1) if _MARKED.match(text) else text
    if _is_in_main_unit(text, slot):
        sent = json.dumps(clean(text), ensure_ascii=False)
        hint = f"{slot.label} counts in a small unit of money: {sent} is probably in the main unit"
        yield Candidate(Instead.FILL_IN, hint=hint)
    elif "integer" in slot.kinds and "number" not in slot.kinds:
        yield from _read_integer(text)
    elif "number" in slot.kinds:
        yield from _read_decimal(text)


def _is_in_main_unit(text: str, slot: Slot) -> bool:
    """Whether a text has a fraction, although the parameter counts in cents or the like."""
    if not {"integer", "number"} & {*slot.kinds} or not _HAS_FRACTION.fullmatch(text):
        return False
    words = split_words(slot.name)
    return any(map(_MINOR_UNIT.fullmatch, words)) or bool(_MINOR_UNIT_PHRASE.search(slot.description[:500]))


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
    if (number := parse_exact(bare, ("number",))) is not None:
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
