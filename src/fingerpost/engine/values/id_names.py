"""Parameters whose numbers pick something out, so that no part of the text may be calculated with or left out."""

from __future__ import annotations

from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.values.slot import Slot

_IDENTIFIERS = frozenset({"id", "key", "number", "no", "code", "version", "uuid", "sku", "ref"})
_MORE_IDENTIFIERS = frozenset({
    "guid", "hash", "identifier", "index", "nr", "num", "pin", "reference", "serial", "sha", "slug", "token", "uid",
    "zip",
})  # fmt: skip


def names_id(name: str) -> bool:
    """Whether a name says that its value is an id, a number of something, a code or a version."""
    return not _IDENTIFIERS.isdisjoint(map(stem, split_words(name)))


def may_be_id(slot: Slot) -> bool:
    """Whether a value may pick something out: by its name, or as the thing that the tool is for (`close(ticket)`)."""
    words = {*map(stem, split_words(slot.name))}
    tool = {*map(stem, split_words(slot.tool_name)[1:])}
    return names_id(slot.name) or not words.isdisjoint(_MORE_IDENTIFIERS) or (bool(words) and words <= tool)
