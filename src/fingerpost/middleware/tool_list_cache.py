"""Keep the lists that callers were given, each under the caller it was given to.

A list that may be out of date is good enough to see that a call is right: then no guidance is given, and the
server judges for itself. Guidance is only given from a fresh list. Equal lists share one value, with everything
that is costly to build; they are equal to the letter, so nothing crosses from one caller to another.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from fingerpost.engine.digest import digest

T = TypeVar("T")


@dataclass(slots=True)
class CachedList(Generic[T]):
    """What was built from a caller's list, however long ago, and until when it is fresh by the server's own word."""

    value: T
    fresh_until: float
    entries: list[Any]
    """The list as it was given."""


class ToolListCache(OrderedDict[object, CachedList[T]]):
    """A cached list for each caller; the least recently stored callers are forgotten."""

    def __init__(self, build: Callable[[list[Any]], T], max_callers: int = 256) -> None:
        super().__init__()
        self._build = build
        self._max_callers = max_callers
        self._by_digest: WeakValueDictionary[bytes, Any] = WeakValueDictionary()

    def put(self, caller: object, entries: list[Any], fresh_until: float = 0.0) -> T:
        """Store the list that a caller was given just now."""
        known = self.get(caller)
        # comparing takes a twentieth of the time of a digest, and nothing where entries are the same objects
        value = known.value if known and known.entries == entries else self._find_or_build(entries)
        self[caller] = CachedList(value, fresh_until, entries)
        self.move_to_end(caller)
        while len(self) > self._max_callers:
            self.popitem(last=False)
        return value

    def _find_or_build(self, entries: list[Any]) -> T:
        """Return the value of an equal list, of any caller, or build it."""
        key = digest(json.dumps(entries, default=repr))
        value: T | None = self._by_digest.get(key)
        if value is None:
            value = self._by_digest[key] = self._build(entries)
        return value

    def expire_all(self) -> None:
        """Mark every list as out of date: the server announced a change."""
        for cached in self.values():
            cached.fresh_until = 0.0

    def rebuild_all(self) -> None:
        """Mark every list as out of date, and build it anew when it is read next, even if it is the same."""
        self.expire_all()
        self._by_digest.clear()
        for cached in self.values():
            cached.entries = []
