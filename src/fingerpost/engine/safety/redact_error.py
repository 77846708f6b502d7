"""Hide the secrets in a server's error: in its texts, under the names of secrets, beside such names.

The work is limited for the whole error, however large it is. What is beyond the limit is left out, because it was not
looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from operator import is_not
from typing import Any, TypeVar, cast

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.safety.json_input import is_number
from fingerpost.engine.safety.redact import is_secret
from fingerpost.engine.safety.secret_sentences import is_sentence
from fingerpost.engine.safety.secret_signs import SearchLimit
from fingerpost.engine.safety.secrets import HIDDEN, hide_secrets

_DEEPEST = 100
"""Containers below this level of a server's error are hidden whole."""
_MOST_VALUES, _FEW = 2_048, 8
_T = TypeVar("_T")
_BINARY = frozenset({"blob"})
_PROTOCOL_KEYS = frozenset({"progressToken"})
"""Keys of the protocol that only sound like secrets."""
_NAME_KEYS = ("name", "key", "header", "variable")
_SPACE = lazy_pattern(r"\s")


def redact_error(value: Any) -> Any:
    """Hide the secrets in a part of a server's error, and change nothing else; the same object if there are none.

    Images, audio and other bytes stay as they are.
    """
    return _Redactor().redact(value)


@dataclass(slots=True)
class _Redactor:
    """What may still be looked at in one error."""

    texts: SearchLimit = field(default_factory=SearchLimit)
    values: int = _MOST_VALUES

    def redact(self, value: Any, key: str = "", depth: int = 0) -> Any:
        if isinstance(value, str):
            is_value = value and is_secret(key) and not is_sentence(value)
            return HIDDEN if is_value else hide_secrets(value, self.texts)
        if isinstance(value, dict | list) and depth >= _DEEPEST:
            return HIDDEN
        if isinstance(value, dict):
            return self._redact_fields(cast("dict[str, Any]", value), depth + 1)
        if isinstance(value, list):
            return self._redact_items(cast("list[Any]", value), key, depth + 1)
        return HIDDEN if is_number(value) and is_secret(key, value=value) else value

    def _redact_fields(self, fields: dict[str, Any], depth: int) -> dict[str, Any]:
        kept = _kept_keys(fields)
        looked_at = self._take(fields.items())
        parts = {
            name: item if name in kept else self.redact(item, name_of_value(str(name), fields), depth)
            for name, item in looked_at
        }
        if left_out := len(fields) - len(parts):
            return {**parts, "…": _note(left_out)}
        return parts if any(map(is_not, parts.values(), fields.values())) else fields

    def _redact_items(self, items: list[Any], key: str, depth: int) -> list[Any]:
        looked_at = self._take(items)
        changed = [self.redact(item, key, depth) for item in hide_neighbours(looked_at, self.texts)]
        if left_out := len(items) - len(changed):
            is_content = bool(looked_at) and isinstance(looked_at[0], dict) and "type" in looked_at[0]
            return [*changed, {"type": "text", "text": _note(left_out)} if is_content else _note(left_out)]
        return changed if any(map(is_not, changed, items)) else items

    def _take(self, parts: Iterable[_T]) -> list[_T]:
        """Return as many parts as may still be looked at; a few in any case, so that a block of text stays one."""
        taken = list(islice(parts, max(self.values, _FEW)))
        self.values -= len(taken)
        return taken


def _note(left_out: int) -> str:
    return f"<{left_out:,} more not shown: too many to check>"


def name_of_value(key: str, fields: Mapping[str, Any]) -> str:
    """Return the name of the value under a key, also where another field holds it: `{"name": "TOKEN", "value": …}`."""
    names = (fields.get(name) for name in _NAME_KEYS) if key == "value" else ()
    return next((name for name in names if isinstance(name, str)), key)


def hide_neighbours(items: Sequence[Any], limit: SearchLimit | None = None) -> list[Any]:
    """Hide the secrets in a list that other items reveal: `["--password", "x"]`, `[["X-Api-Key", "x"]]`."""
    if all(isinstance(item, str) for item in items):
        return _hide_arguments(items, limit)
    return [_hide_in_pair(item) for item in items]


def _hide_arguments(words: Sequence[str], limit: SearchLimit | None) -> list[str]:
    """Hide the secrets in the arguments of a command."""
    if not any(word.startswith("-") for word in words):
        return [*words]
    coded = [_SPACE.sub("\0", word) for word in words]  # so that an argument stays one word
    hidden = hide_secrets(" ".join(coded), limit).split(" ")
    if len(hidden) != len(coded):
        return [HIDDEN if _is_secret_option(before) else word for before, word in pairwise(["", *words])]
    return [word if new == old else new.replace("\0", " ") for word, old, new in zip(words, coded, hidden, strict=True)]


def _is_secret_option(word: str) -> bool:
    return word.startswith("-") and is_secret(word)


def _hide_in_pair(item: Any) -> Any:
    match item:
        case [str(name), str(value)] if is_secret(name) and not is_sentence(value):
            return [name, HIDDEN]
        case _:
            return item


def _kept_keys(fields: Mapping[str, Any]) -> frozenset[str]:
    """Return the keys whose values are bytes or belong to the protocol."""
    is_media = fields.get("type") in ("image", "audio") and "mimeType" in fields
    return _PROTOCOL_KEYS | _BINARY | {"data"} if is_media else _PROTOCOL_KEYS | _BINARY
