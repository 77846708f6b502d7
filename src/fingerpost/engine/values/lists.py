"""Lists in text: one item instead of a list, or several items with separators.

One item is the list of that item. Text with separators is split only if each part looks like an item: never inside
URLs, quotes, brackets and fences, and never if a part reads like a sentence. Text that may be several items but
cannot be split (`P1 P2`, `a|b`, a command line) is no item either, so the caller has to fill in the list. A word for
everything (`all`, `*`) is no id; on a tool that may write, it is only offered as an item of another list. An object
whose names are indexes is the list of its values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.model import Grade
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.values.absent import is_absent_word
from fingerpost.engine.values.booleans import read_boolean
from fingerpost.engine.values.containers import parse_decorated, read_container
from fingerpost.engine.values.everything import says_everything
from fingerpost.engine.values.exact import parse_exact, parse_thousands
from fingerpost.engine.values.numbers import read_number
from fingerpost.engine.values.pairs import is_pair
from fingerpost.engine.values.slot import Candidate, Slot, lossless

_MAX_LENGTH = 4096
_MAX_ITEMS = 200
_MAX_WORDS = 3
"""A part with more words reads like a sentence."""
_SEPARATORS = lazy_pattern(r"[,;\n]")
_WITH_COMMAS = frozenset({
    "address", "author", "city", "destination", "location", "name", "origin", "person", "place", "question", "quote",
    "sentence", "stop", "text", "title", "venue", "waypoint",
})  # fmt: skip
"""Words for things that are often written with a comma."""
_WITHOUT_COMMAS = frozenset({"column", "email", "field", "file", "host", "ip", "mail", "tag", "user", "username"})
_OPENING = ("[", "{", "(", "-", "`", "<")
_PROTECTED = lazy_pattern(r"[\"'`\[\](){}<>\u201c\u201d\u2018\u2019]")
_CONJUNCTION = lazy_pattern(r"\s(?:and|or|und|oder|et|ou|&|\+|\|)\s", re.IGNORECASE)
_BETWEEN_IDS = lazy_pattern(r"[\s/+&]+")
_ID = lazy_pattern(r"#?[A-Za-z]{0,5}[-_#]?[0-9]{1,12}[A-Za-z]?")
_WITHOUT_SPACES = frozenset({
    "code", "email", "guid", "iban", "id", "isbn", "key", "mail", "sha", "sku", "slug", "uri", "url", "uuid",
})  # fmt: skip
_COMMAND_LINES = frozenset({"arg", "args", "argument", "arguments", "argv", "cmd", "command", "entrypoint", "exec"})
"""Names of the list of words of one command line, which only a shell can split. `commands` is a list of such lines."""
_WITH_BARS = frozenset({"command", "expression", "filter", "pattern", "query", "regex", "regexp", "rule", "search"})
_SCHEME = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PROSE = lazy_pattern(r"(?i:(?:and|or|but|then|und|et|y|o)\s|.*\s(?:and|or|but)\s|.*[.!?]\s)|.*[.!?]$")


def read_list(slot: Slot) -> Iterator[Candidate]:
    """Yield the lists that a value may stand for."""
    if "array" not in slot.kinds or isinstance(slot.value, list) or _is_command_line(slot):
        return
    text = slot.value if isinstance(slot.value, str) else ""
    if _has_indexes_only(fields := as_object(slot.value)):
        yield from _order_by_index(fields)
    elif not _looks_like_list(text):
        yield from () if _may_be_several(text, slot) else _wrap(slot)
    elif len(text) <= _MAX_LENGTH and not text.lstrip().startswith(_OPENING):
        lists = list(_split(text, slot))
        yield from lists
        if lists or _is_url(text):
            likely = 0.8 if _names_place(slot) else 0.5 if lists else 0.75
            yield from _wrap(slot, has_separator=True, confidence=likely)


def _is_command_line(slot: Slot) -> bool:
    return _has_words(slot.value) and not _COMMAND_LINES.isdisjoint(map(str.lower, split_words(slot.name)))


def _names_place(slot: Slot) -> bool:
    """Whether an item may well contain commas: `Berlin, Germany` is one place, `Lovelace, Ada` one person."""
    words = {stem(word) for word in split_words(slot.name)}
    return not _WITH_COMMAS.isdisjoint(words) and _WITHOUT_COMMAS.isdisjoint(words)


def _has_indexes_only(fields: Mapping[str, Any]) -> bool:
    return bool(fields) and all(name.isascii() and name.isdecimal() and len(name) <= 6 for name in fields)


def _order_by_index(fields: Mapping[str, Any]) -> Iterator[Candidate]:
    """Yield the values in order, if their indexes have no gap. With gaps they may be ids."""
    ordered = sorted(fields, key=int)
    if [int(name) for name in ordered] in (list(range(len(ordered))), list(range(1, len(ordered) + 1))):
        yield Candidate([fields[name] for name in ordered], confidence=0.85)


def _looks_like_list(text: str) -> bool:
    return text.lstrip()[:1] in _OPENING or _SEPARATORS.search(text, 0, _MAX_LENGTH) is not None


def _may_be_several(text: str, slot: Slot) -> bool:
    """Whether a text without a separator that splits it may be several items: ids, or words where ids are wanted."""
    start = text[:_MAX_LENGTH].strip()
    words = {stem(word) for word in split_words(slot.name)}
    if _CONJUNCTION.search(start) or ("|" in start and words.isdisjoint(_WITH_BARS)):
        return True
    parts = _BETWEEN_IDS.split(start)
    if len(parts) > 1 and all(map(_ID.fullmatch, parts)):
        return True
    return len(start.split(maxsplit=1)) > 1 and not words.isdisjoint(_WITHOUT_SPACES) and _are_alike(start.split())


def _are_alike(words: list[str]) -> bool:
    """Whether words are of one kind: all of letters only, all with a number, or all addresses."""
    return any(all(map(is_kind, words)) for is_kind in (str.isalpha, _has_digit, _is_address))


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _is_address(word: str) -> bool:
    return "@" in word or "://" in word


def _split(text: str, slot: Slot) -> Iterator[Candidate]:
    if _PROTECTED.search(text):
        quoted = parse_decorated(f"[{text}]") if text.strip()[0] in "\"'" else None
        if quoted is not None and all(isinstance(item, str) for item in quoted.value):
            yield Candidate(quoted.value, confidence=0.85)
    elif parts := split_items(text):
        items = [_parse_item(part, slot.item_kinds) for part in parts]
        if not slot.item_kinds or "string" in slot.item_kinds or not any(isinstance(item, str) for item in items):
            yield Candidate(items)


def _parse_item(part: str, kinds: tuple[str, ...]) -> str | int | float:
    """Return a number or boolean if items are such and the part has this one reading, else the text."""
    if "boolean" in kinds and part in ("true", "false"):
        return part == "true"
    number = parse_exact(part, kinds)
    return part if number is None or parse_thousands(part) is not None else number


def split_items(text: str) -> list[str]:
    """Split a text at its one kind of separator; empty if it may be something else than a list."""
    kinds = {found.group() for found in _SEPARATORS.finditer(text)}
    if len(kinds) != 1:
        return []
    separator = kinds.pop()
    parts = [part.strip() for part in text.strip().removesuffix(separator).split(separator)]
    if not 2 <= len(parts) <= _MAX_ITEMS or not all(map(_is_item, parts)):
        return []
    if any("://" in part for part in parts) and not (
        separator == "\n" or (all("://" in part for part in parts) and text.count(f"{separator} ") >= len(parts) - 1)
    ):
        return []
    return parts


def _is_item(part: str) -> bool:
    return bool(part) and len(part.split()) <= _MAX_WORDS and _PROSE.match(part) is None


def _is_url(text: str) -> bool:
    """Whether a text is one URL, so that its separators belong to it."""
    bare = text.strip()
    return bare.count("://") == 1 and len(bare.split(maxsplit=1)) == 1 and _SCHEME.match(bare) is not None


def _wrap(slot: Slot, *, has_separator: bool = False, confidence: float = 0.8) -> Iterator[Candidate]:
    """Wrap one item in a list. A text of several words may be several items, so that is only offered.

    So is any value for a tool that may write if the schema does not say what an item is: `"1"` may stand for `[1]`.
    Items of a list of lists are wrapped if there is one: two may be two lists, or the items of one.
    """
    if (
        (slot.is_item and not slot.is_only_item)
        or slot.kinds not in (("array",), ("array", "null"))
        or _is_no_item(slot)
    ):
        return
    is_unclear = has_separator or _takes_anything(slot) or _has_words(slot.value) or _says_everything(slot)
    for item in _items(slot):
        if as_object(item.value) or slot.fits([item.value]) or _may_be_misspelt(item.value, slot):
            is_unclear |= not slot.item_kinds and bool(as_object(item.value))  # named values, or one item
            grade = Grade.OFFERED if is_unclear else item.grade
            sure = grade is not Grade.OFFERED
            yield Candidate([item.value], grade, item.confidence if sure else confidence, is_sure=sure)


def _is_no_item(slot: Slot) -> bool:
    return slot.value is None or is_absent_word(slot.value) or (_says_everything(slot) and _takes_ids(slot))


def _takes_anything(slot: Slot) -> bool:
    """Whether a tool that may write takes a list of which the schema does not say what an item is."""
    return not slot.item_kinds and not slot.item_choices and not slot.is_read_only


def _has_words(value: Any) -> bool:
    return isinstance(value, str) and len(value.split(maxsplit=1)) > 1


def _says_everything(slot: Slot) -> bool:
    """Whether a tool that may write gets a word for everything, which is probably no item, and none of the choices."""
    is_choice = isinstance(slot.value, str) and slot.value.strip().lower() in slot.item_choices
    return says_everything(slot.value) and not slot.is_read_only and not is_choice


def _takes_ids(slot: Slot) -> bool:
    return not _WITHOUT_SPACES.isdisjoint(map(stem, split_words(slot.name)))


def _may_be_misspelt(item: Any, slot: Slot) -> bool:
    """Whether an item is a word where choices are wanted: then it is right as a list, and wrong as a choice."""
    return isinstance(item, str) and any(isinstance(choice, str) for choice in slot.item_choices)


def _items(slot: Slot) -> Iterator[Candidate]:
    yield lossless(slot.value)
    item = slot._replace(kinds=slot.item_kinds, is_item=True, is_optional=False)
    for read in (read_container, read_number, read_boolean):
        yield from (one for one in read(item) if one.is_sure)


def unwrap_only_item(slot: Slot) -> Iterator[Candidate]:
    """Yield the only item of a list, for a parameter that takes one value. A pair would become two other names."""
    items = as_list(slot.value)
    if len(items) == 1 and not is_pair(items[0], slot):
        yield Candidate(items[0])
