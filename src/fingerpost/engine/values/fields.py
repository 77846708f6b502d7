"""One value instead of the object around it: `"ABC"` for `{"key": "ABC"}`.

The object has to need exactly one field, and the value has to fit it. A field with a unit of its own (`{"ms": 5}`) is
not filled in, because the value may be in another one. Neither is the id of another thing (`{"team_id": …}` for
`owner`), nor an id with a text that reads like words.
"""

from __future__ import annotations

from collections.abc import Iterator

from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.matching.units import has_unit, unit_of
from fingerpost.engine.values.absent import is_absent_word
from fingerpost.engine.values.slot import Candidate, Slot

_MAX_LENGTH = 256
_OPENING = ("{", "[", "(", "`")
_IDS = frozenset({"id", "key", "uuid", "guid", "slug", "code", "sha", "number", "ref", "email", "url", "uri"})


def read_only_field(slot: Slot) -> Iterator[Candidate]:
    """Yield the object with the value in the only field that it needs."""
    name, value = slot.only_field, slot.value
    if not name or value is None or isinstance(value, dict | list) or _is_other_thing(name, slot.name):
        return
    if isinstance(value, str) and not _may_be_field(value, name):
        return
    if slot.fits({name: value}):
        yield Candidate({name: value}, confidence=0.8)


def _is_other_thing(field: str, parameter: str) -> bool:
    """Whether a field has a unit, or is the id of something that the parameter does not name."""
    words, ours = ({stem(word) for word in split_words(name)} for name in (field, parameter))
    is_other_id = len(words) > 1 and not words.isdisjoint(_IDS) and not words - _IDS <= ours
    return is_other_id or has_unit(field) or unit_of(field.lower()) is not None


def _may_be_field(text: str, name: str) -> bool:
    """Whether a text can be the value of a field: short, no container in text, and no sentence for an id."""
    bare = text.strip()
    if not bare or len(bare) > _MAX_LENGTH or bare.startswith(_OPENING) or is_absent_word(bare):
        return False
    is_id = not _IDS.isdisjoint(map(stem, split_words(name)))
    return not (is_id and len(bare.split(maxsplit=1)) > 1)
