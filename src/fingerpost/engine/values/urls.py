"""A URL instead of what it leads to: the id at its end, or its host where a host is wanted.

A part of the path is offered only if it is the only part of the URL that fits, and something says that it is the value:
it contains a digit, or the part before it names the parameter (`/users/bob` for `user`). The value of a query needs a
pattern or such a name. Where a host is wanted, no other part can be one, and the hint says what is lost with the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.values.exact import parse_exact
from fingerpost.engine.values.slot import Candidate, Slot

_MAX_PARTS = 8
_URL = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://([^\s/?#]+)([/?#]\S*)?")
_ADDRESS = lazy_pattern(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{1,20}://|//)(?:[^\s/?#@]+@)?)?"
    r"(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s/?#:@\[\]]+))(?::(?P<port>[0-9]{1,5}))?(?P<path>[/?#]\S*)?"
)
_PART = lazy_pattern(r"([/?&#=]?)([^/?&#=]+)")
_HOST_FORMATS = frozenset({"hostname", "idn-hostname", "ipv4", "ipv6"})
_HOST_NAMES = frozenset({"domain", "fqdn", "host", "hostname", "server"})
_NETWORK = lazy_pattern(r"/[0-9]{1,3}")
"""Behind an address without a scheme, this is the size of a network."""


class _Part(NamedTuple):
    text: str
    before: str
    """The part before it, which may say what it is."""
    is_query: bool


def read_url(slot: Slot, text: str) -> Iterator[Candidate]:
    """Yield the part of a URL that the schema wants, if it is clear which one that is."""
    if slot.form in _HOST_FORMATS or (not slot.form and wants_host(slot.name)):
        yield from _read_host(slot, text)
    elif found := _URL.fullmatch(text):
        yield from _read_part(slot, found[1], found[2] or "")


def wants_host(name: str) -> bool:
    """Whether a parameter takes a host by its name: `target_host`, `domain_name`."""
    words = [stem(word) for word in split_words(name)]
    return not _HOST_NAMES.isdisjoint(words[-2:-1] if words[-1:] == ["name"] else words[-1:])


def _read_host(slot: Slot, text: str) -> Iterator[Candidate]:
    found = _ADDRESS.fullmatch(text)
    if not found or (not found["scheme"] and _NETWORK.fullmatch(found["path"] or "")):
        return
    host, lost = found["ipv6"] or found["host"], [name for name in ("port", "path") if found[name] not in (None, "/")]
    if host != text and slot.fits(host):
        rest = " and the ".join(lost)
        yield Candidate(host, hint=f"{slot.label}: only the host is kept, without the {rest}" if lost else "")


def _read_part(slot: Slot, host: str, rest: str) -> Iterator[Candidate]:
    """Yield the only part that the schema accepts, if something says that it is the value."""
    parts = {part.text: part for part in reversed(_split(rest)[:_MAX_PARTS])}
    fitting = [(value, part) for part in parts.values() if slot.fits(value := _as_number(part.text, slot.kinds))]
    if len(fitting) == 1 and not slot.fits(host) and _is_value(fitting[0][1], slot):
        yield Candidate(fitting[0][0])


def _split(rest: str) -> list[_Part]:
    found = [(mark, percent_decode(text)) for mark, text in _PART.findall(rest)]
    before = ["", *(text for _, text in found)]
    return [_Part(text, before[place], mark not in ("", "/")) for place, (mark, text) in enumerate(found)]


def _is_value(part: _Part, slot: Slot) -> bool:
    own, before = ({*map(stem, split_words(name))} for name in (slot.name, part.before))
    if not own.isdisjoint(before):
        return True
    has_digit = any(map(str.isdigit, part.text))
    return has_digit and (not part.is_query or slot.keyword == "pattern")


def _as_number(text: str, kinds: tuple[str, ...]) -> str | int | float:
    number = parse_exact(text, kinds) if "string" not in kinds else None
    return text if number is None else number


def percent_decode(text: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote  # few texts need it

    return unquote(text)
