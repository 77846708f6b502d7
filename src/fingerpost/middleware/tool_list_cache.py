"""The lists that callers were given, each under the caller it was given to.

A list that may be out of date is good enough to see that a call is right: nothing is said then, and the
server judges for itself. Whatever is said is said from a list that is fresh. Equal lists share one
`Catalog`, with everything that is costly to make; they are the same to the letter, so nothing crosses.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")


@dataclass(slots=True)
class _Kept(Generic[T]):
    value: T
    until: float


class ToolListCache(Generic[T]):
    """What was made of each caller's lists; the least recently used callers are forgotten."""

    def __init__(self, make: Callable[..., T], most: int = 256) -> None:
        self._make = make
        self._most = most
        self._kept: OrderedDict[object, _Kept[T]] = OrderedDict()
        self._alike: WeakValueDictionary[bytes, Any] = WeakValueDictionary()

    def any(self, caller: object) -> T | None:
        """What this caller was given last, however long ago."""
        kept = self._kept.get(caller)
        return kept.value if kept else None

    def fresh(self, caller: object, now: float) -> T | None:
        """The same while the server's own word (`ttlMs`) says that it still holds."""
        kept = self._kept.get(caller)
        return kept.value if kept and now < kept.until else None

    def put(self, caller: object, lists: Sequence[Any], until: float = 0.0) -> T:
        """Keep what a caller was given just now, good until then."""
        key = _digest(lists)
        value: T | None = self._alike.get(key)
        if value is None:
            value = self._alike[key] = self._make(*lists)
        self._kept[caller] = _Kept(value, until)
        self._kept.move_to_end(caller)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return value

    def outdate(self) -> None:
        """The server announced that its lists have changed: none of them is fresh any more."""
        for kept in self._kept.values():
            kept.until = 0.0

    def __len__(self) -> int:
        return len(self._kept)


def _digest(lists: Sequence[Any]) -> bytes:
    return blake2b(json.dumps(lists, default=repr).encode("utf-8", "surrogatepass"), digest_size=16).digest()
