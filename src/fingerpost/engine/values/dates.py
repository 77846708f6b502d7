"""Dates and times in another notation: `2024-1-5`, `5 Jan 2024`, `05/06/2024`, a number of seconds.

The same date in another notation is lossless if the text has one reading and the schema declares a date. If it is
almost the notation of the schema (`20240105`, a space for the `T`, `+0200`), some servers accept it as it is, so the
conversion is only likely. If day and month may be swapped, both readings are offered, unless another date of the call
shows the order; all dates of a call are read in one order. If a time is wanted as well, both are only shown. A time
zone is never invented, and of a time only midnight may be left out. English month names only, whatever the locale of
the machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from itertools import islice
from typing import NamedTuple

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.safety.json_input import is_number
from fingerpost.engine.values.slot import Candidate, Instead, Slot, likely, lossless

_MAX_LENGTH = 64
_FORMATS = ("date", "date-time")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WORD = r"([A-Za-z]{3,9})\.?"
_DAY = r"(\d{1,2})(?:st|nd|rd|th|\.)?"
_YEAR = r"(\d{4})"
_NOTATIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy_pattern(pattern, re.ASCII | re.IGNORECASE), order)
    for pattern, order in (
        (rf"{_YEAR}([-/.])(\d{{1,2}})\2(\d{{1,2}})", "y-md"),
        (rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2{_YEAR}", "a-by"),
        (rf"{_DAY}(?:\s+of)?[\s-]+{_WORD},?[\s-]+{_YEAR}", "dmy"),
        (rf"{_WORD}\s+{_DAY},?\s+{_YEAR}", "mdy"),
        (rf"{_YEAR}[\s-]+{_WORD}[\s-]+{_DAY}", "ymd"),
        (rf"{_YEAR}(\d{{2}})(\d{{2}})(?!\d)", "ymd"),
    )
)
"""Patterns of whole dates, and what each group is: `a` and `b` may be day or month, `-` is a separator."""
_WEEKDAY = lazy_pattern(r"([A-Za-z]{3,9})\.?,?\s+", re.ASCII)
_ZONE = r"(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?"
_TIME = lazy_pattern(
    r"(?:T|,?\s+(?:at\s+)?)?(\d{1,2})(?::(\d{2}))?(?::(\d{2}(?:[.,]\d{1,12})?))?\s?(am|pm|a\.m\.|p\.m\.)?\s?" + _ZONE,
    re.ASCII | re.IGNORECASE,
)
_COMPACT_TIME = lazy_pattern(r"[T ](\d{2})(\d{2})(\d{2}(?:[.,]\d{1,12})?)?(){0}\s?" + _ZONE, re.ASCII | re.IGNORECASE)
"""The groups of `_TIME`; the fourth is always absent."""
_ISO = lazy_pattern(r"\d{4}-\d{2}-\d{2}(?!\d)|\d{8}(?!\d)", re.ASCII)
_CALENDAR_DATE = lazy_pattern(r"(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)", re.ASCII)
_FIRST_EPOCH, _LAST_EPOCH = 10**8, 10**11
"""Seconds from 1973 to 5138. A thousand times as much is read as milliseconds."""
_DAY_FIRST, _MONTH_FIRST = "day first", "month first"
NO_ZONE = "Add the time zone that is meant, such as Z or +02:00"


class _Found(NamedTuple):
    """The readings of a date."""

    days: Mapping[date, str]
    """Each day, and the order of day and month that it takes; nothing if the order makes no difference."""
    is_settled: bool = False
    """Whether another date of the call shows the order."""

    def keep(self, order: str) -> _Found:
        return self._replace(days={day: one for day, one in self.days.items() if one == order}, is_settled=True)


class _Time(NamedTuple):
    text: str
    zone: str = ""

    @property
    def is_midnight(self) -> bool:
        """Whether the time only says that the day begins, in UTC or wherever the day is meant."""
        return self.zone in ("", "Z", "+00:00") and not self.text.strip("0:.")


def read_date(slot: Slot) -> Iterator[Candidate]:
    """Yield the dates that a value may stand for, in ISO notation."""
    if is_number(slot.value):
        yield from _read_epoch(slot)
    if not isinstance(slot.value, str) or slot.keyword not in ("format", "pattern") or len(slot.value) > _MAX_LENGTH:
        return
    text = slot.value.strip()
    if slot.form == "time":
        yield from _read_time(text)
    elif slot.form in ("", *_FORMATS) and any(char.isdigit() for char in text):
        yield from _read_day(slot, text)


def _read_day(slot: Slot, text: str) -> Iterator[Candidate]:
    for found, rest in _find_dates(text):
        if (time := _parse_time(rest)) is not None:
            yield from _write(slot, _read_in_order(found, slot.texts), time, text)
            return
    found = _CALENDAR_DATE.match(text)
    if found and _make_date(*found.groups()) is None:
        yield Candidate(Instead.FILL_IN, hint=f"{found[0]} is not in the calendar")


def _read_in_order(found: _Found, texts: tuple[str, ...]) -> _Found:
    """Keep the reading in the order that other dates of the call show, if they agree."""
    if len(found.days) < 2:
        return found
    known = {order for text in texts if (order := _find_order(text))}
    return found.keep(known.pop()) if len(known) == 1 else found


def _find_order(text: str) -> str:
    """Return the order of a date that has only one reading; else nothing."""
    if len(text) > _MAX_LENGTH:
        return ""
    readings = (found for found, rest in _find_dates(text.strip()) if _parse_time(rest) is not None)
    orders = {order for found in islice(readings, 1) for order in found.days.values()}
    return orders.pop() if len(orders) == 1 else ""


def is_epoch(slot: Slot) -> bool:
    """Whether a number can be a point in time, where one is wanted."""
    return is_number(slot.value) and slot.form == "date-time" and next(_read_epoch(slot), None) is not None


def _read_epoch(slot: Slot) -> Iterator[Candidate]:
    number = slot.value
    if slot.form != "date-time" or "string" not in slot.kinds:
        return
    seconds = number / 1000 if number >= _LAST_EPOCH else number
    if _FIRST_EPOCH <= seconds < _LAST_EPOCH:
        moment = datetime.fromtimestamp(seconds, UTC)
        yield Candidate(moment.isoformat().replace("+00:00", "Z"), confidence=0.85)


def _read_time(text: str) -> Iterator[Candidate]:
    time = _parse_time(text)
    if time and time.text:
        yield Candidate(f"{time.text}{time.zone}", confidence=0.85, hint="" if time.zone else NO_ZONE)


def _write(slot: Slot, found: _Found, time: _Time, text: str) -> Iterator[Candidate]:
    """Yield each day in the format of the schema, with its time if there is one."""
    is_clear = len(found.days) == 1 and not found.is_settled and slot.form in _FORMATS
    only = next(iter(found.days)) if is_clear else None
    if time.text and slot.form == "date" and not _takes(slot, "date-time"):
        yield from _leave_out_time(slot, only, time)
    elif only and not time.text:
        yield _convert(text, only.isoformat())
    elif only and time.zone:
        yield _convert(text, f"{only.isoformat()}T{time.text}{time.zone}")
    elif not time.text and _takes(slot, "date-time") and not _takes(slot, "date"):
        yield _ask_for_time(found, text)
    else:
        yield from _offer(found, time)


def _ask_for_time(found: _Found, text: str) -> Candidate:
    """Show the days that a text may mean, where a date alone is not enough and the day is not certain either."""
    days = " or ".join(day.isoformat() for day in found.days)
    return Candidate(Instead.FILL_IN, hint=f"{text} is {days}: write the day and the time that are meant")


def _offer(found: _Found, time: _Time) -> Iterator[Candidate]:
    hint = NO_ZONE if time.text and not time.zone else ""
    likely = 0.9 if found.is_settled else 0.85 if time.text else 0.8
    behind = f"T{time.text}{time.zone}" if time.text else ""
    for day, order in found.days.items():
        yield Candidate(f"{day.isoformat()}{behind}", confidence=likely, hint=hint, convention=order)


def _convert(text: str, value: str) -> Candidate:
    """Return the only reading. Without the spaces around it, the text may be right."""
    return likely(value) if _ISO.match(text) and value != text else lossless(value)


def _takes(slot: Slot, form: str) -> bool:
    """Whether one of the alternatives has this format."""
    return any(layer.get("format") == form for layer in slot.layers)


def _leave_out_time(slot: Slot, day: date | None, time: _Time) -> Iterator[Candidate]:
    """Yield the date of a midnight. Any other time means something, and another zone may mean another date."""
    if time.is_midnight and day:
        yield likely(day.isoformat())
    else:
        yield Candidate(Instead.FILL_IN, hint=f"{slot.label} takes a date without a time")


def _find_dates(text: str) -> Iterator[tuple[_Found, str]]:
    """Yield the readings of the date at the start of a text, and what follows it."""
    weekday = None
    if (found := _WEEKDAY.match(text)) and (weekday := _index(found[1], _WEEKDAYS)) is not None:
        text = text[found.end() :]
    for pattern, order in _NOTATIONS:
        if found := pattern.match(text):
            parts = dict(zip(order, found.groups(), strict=True))
            days = {day: one for day, one in _dates(parts).items() if weekday in (None, day.weekday())}
            if days:
                yield _Found(days), text[found.end() :]


def _dates(parts: Mapping[str, str]) -> Mapping[date, str]:
    if "a" not in parts:
        day = _make_date(parts["y"], parts["m"], parts["d"])
        return {day: ""} if day else {}
    one, other = (_make_date(parts["y"], *pair) for pair in ((parts["b"], parts["a"]), (parts["a"], parts["b"])))
    if one == other:
        return {one: ""} if one else {}
    return {day: order for day, order in ((one, _DAY_FIRST), (other, _MONTH_FIRST)) if day}


def _make_date(year: str, month: str, day: str) -> date | None:
    number = int(month) if month.isdecimal() else _index(month, _MONTHS)
    if number is None:
        return None
    try:
        return date(int(year), number if month.isdecimal() else number + 1, int(day))
    except ValueError:
        return None


def _index(word: str, names: tuple[str, ...]) -> int | None:
    """Return the place of a month or weekday, written out or cut short."""
    lower = "sep" if word.lower() == "sept" else word.lower()
    near = [at for at, name in enumerate(names) if name == lower or (len(lower) <= 5 and name.startswith(lower))]
    return near[0] if len(near) == 1 else None


def _parse_time(rest: str) -> _Time | None:
    """Return the time in a text in ISO notation, an empty one for no text, and none for anything else."""
    if not rest.strip():
        return _Time("")
    found = _TIME.fullmatch(rest.rstrip()) or _COMPACT_TIME.fullmatch(rest.rstrip())
    if not found or not (found[2] or found[4]):
        return None
    hour, minute, second = _parse_hour(int(found[1]), found[4]), found[2] or "00", (found[3] or "00").replace(",", ".")
    if hour is None or hour > 23 or int(minute) > 59 or float(second) >= 60:
        return None
    return _Time(f"{hour:02}:{minute}:{second}", _zone(found[5]))


def _parse_hour(hour: int, half: str | None) -> int | None:
    """Return an hour of 24; none if it is no hour of half a day (`13 pm`)."""
    if not half:
        return hour
    is_afternoon = half.lower().startswith("p")
    return hour % 12 + 12 * is_afternoon if 1 <= hour <= 12 else None


def _zone(text: str | None) -> str:
    if not text:
        return ""
    if text.upper() in ("Z", "UTC", "GMT"):
        return "Z"
    return text if ":" in text else f"{text[:3]}:{text[3:] or '00'}"
