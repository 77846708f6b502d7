"""The corrected call as it may be shown: complete, and without repeating what may not be repeated.

A value that is long, private or oddly spelled is not copied into the reply. Where the caller sent it, it
stands as `<as sent>`, and `as_sent` says which value of the caller's own call belongs there, so that a
program can still send the corrected call without asking anyone. Where the value is ours, only its type
stands there, for the caller to fill in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from fingerpost import schema as schemas
from fingerpost.diagnosis import Applicability, Call, Path
from fingerpost.redact import ECHO_LIMIT, clean, is_clean, is_harmless
from fingerpost.untrusted import as_list, as_object
from fingerpost.voice import AS_SENT, Placeholder, key_of, place, written

_LONGEST_COPIED = (256, ECHO_LIMIT, 0)
"""How long a text may be to be copied for a program: tried in this order until the whole is small enough."""

_LARGEST = 900
_DEEPEST = 8
_MOST_NODES = 2_000


@dataclass(frozen=True, slots=True)
class Sayable:
    """A call with every value that may be shown, and where the others come from."""

    call: Call
    as_sent: dict[str, str] = field(default_factory=dict[str, str])
    is_complete: bool = True
    """False when a value of ours had to be left out: the caller has to fill it in."""

    @property
    def text(self) -> str:
        return written(self.call)

    @property
    def size(self) -> int:
        return len(json.dumps([self.call.arguments, self.as_sent], ensure_ascii=False, default=str))


def sayable(corrected: Call, sent: Call, longest: int = ECHO_LIMIT) -> Sayable:
    """`corrected` as it may be shown to the one who sent `sent`; texts longer than `longest` are left out."""
    origins = {id(value): at for at, value in _nodes(sent.arguments)}
    left_out: dict[str, Path | None] = {}
    arguments = _shown(corrected.arguments, (), longest, origins, left_out)
    known = {at: place(origin) for at, origin in left_out.items() if origin}
    return Sayable(Call(clean(corrected.tool), arguments), known, is_complete=len(known) == len(left_out))


def corrected_call(corrected: Call, sent: Call, applicability: Applicability) -> dict[str, Any]:
    """`{name, arguments, applicability}` for a program, and `as_sent` where a value is left out."""
    for longest in _LONGEST_COPIED:
        said = sayable(corrected, sent, longest)
        if said.size <= _LARGEST:
            graded = applicability if said.is_complete else Applicability.HAS_PLACEHOLDERS
            call = {"name": said.call.tool, "arguments": said.call.arguments, "applicability": graded.value}
            return {**call, "as_sent": said.as_sent} if said.as_sent else call
    return {"name": clean(corrected.tool), "applicability": Applicability.HAS_PLACEHOLDERS.value}


def _shown(value: Any, at: Path, longest: int, origins: dict[int, Path], left_out: dict[str, Path | None]) -> Any:
    if isinstance(value, dict) and len(at) < _DEEPEST and all(map(is_clean, as_object(value))):
        fields = as_object(value).items()
        return {name: _shown(item, (*at, name), longest, origins, left_out) for name, item in fields}
    if isinstance(value, list) and len(at) < _DEEPEST and len(as_list(value)) <= _MOST_NODES:
        items = enumerate(as_list(value))
        return [_shown(item, (*at, index), longest, origins, left_out) for index, item in items]
    held = cast("Any", value)
    if isinstance(held, Placeholder) or _may_be_shown(held, key_of(at), longest):
        return held
    left_out[place(at)] = origin = origins.get(id(held))
    return AS_SENT if origin else Placeholder(f"<{schemas.type_name(held)}>")


def _may_be_shown(value: Any, key: str, longest: int) -> bool:
    if isinstance(value, dict | list) or not is_harmless(value, key):
        return False
    return is_clean(value, longest) if isinstance(value, str) else len(repr(value)) <= 24


def _nodes(root: Any) -> Iterator[tuple[Path, Any]]:
    """Every value of the caller's own call with its place, breadth first, boundedly many."""
    pending: list[tuple[Path, Any]] = [((), root)]
    for at, value in pending:
        if at:
            yield at, value
        if len(pending) <= _MOST_NODES:
            pending += [((*at, key), item) for key, item in as_object(value).items()]
            pending += [((*at, index), item) for index, item in enumerate(as_list(value))]
