"""Small details of a text: spaces and quotes around it, `#` before an id, `file://`, `mailto:`, a URL around an id.

All but `mailto:`, which adds nothing to an address, are offered, and only if the schema rejects the text as it is and
accepts it without the detail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.values.slot import Candidate, Instead, Slot, likely
from fingerpost.engine.values.urls import percent_decode, read_url

_MAX_LENGTH = 2048
_KEYWORDS = frozenset({"pattern", "format", "maxLength", "enum", "type"})
_PAIRS = {'"': '"', "'": "'", "`": "`", "<": ">", "\u201c": "\u201d", "\u2018": "\u2019", "(": ")", "[": "]"}
_MAILTO = lazy_pattern(r"(?i:mailto):([^\s@?]+@[^\s@?]+)")
_ADDRESS = lazy_pattern(r"[^<>]{0,256}<([^<>\s]+)>")
_PATH_WORDS = frozenset({"path", "file", "filename", "filepath", "dir", "directory", "folder", "cwd"})


def read_details(slot: Slot) -> Iterator[Candidate]:
    """Yield the text without a detail that does not belong to the value."""
    text = slot.value
    if not isinstance(text, str) or slot.is_reported or slot.keyword not in _KEYWORDS or len(text) > _MAX_LENGTH:
        return
    bare = text.strip()
    if slot.keyword == "type":
        yield from read_url(slot, bare)
        return
    if bare != text and bare:
        yield Candidate(bare, confidence=0.95, is_sure=True)
    yield from _strip_marks(bare, slot)
    if bare.lower().startswith("file://"):
        yield Candidate(percent_decode(re.sub(r"(?i)^file://(?:localhost)?", "", bare)), confidence=0.85)
    elif slot.form not in ("uri", "url", "iri", "uri-reference"):
        yield from read_url(slot, bare)
    if bare.startswith("~") and _is_path(slot.name):
        yield Candidate(Instead.FILL_IN, hint=f"Write {slot.label} out: ~ is not expanded")


def _strip_marks(bare: str, slot: Slot) -> Iterator[Candidate]:
    """Yield a text without the quotes, the sign or the name around it."""
    if len(bare) > 2 and _PAIRS.get(bare[0]) == bare[-1]:
        yield Candidate(bare[1:-1].strip(), confidence=0.85)
    if _has_mark(bare) and slot.keyword != "enum":
        yield Candidate(bare[1:], confidence=0.85)
    if found := _ADDRESS.fullmatch(bare):
        yield Candidate(found[1], confidence=0.85)
    if found := _MAILTO.fullmatch(bare):
        yield likely(found[1])


def _has_mark(text: str) -> bool:
    """Whether a mark stands before an id. `!` may also be a negation, so it needs a digit."""
    rest = text[1:]
    if text[:1] == "!":
        return rest[:1].isalnum() and any(map(str.isdigit, rest))
    return text[:1] in ("#", "@") and rest[:1].isalnum()


def _is_path(name: str) -> bool:
    return not _PATH_WORDS.isdisjoint(map(stem, split_words(name)))
