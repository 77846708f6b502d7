"""What a scripted client sends after an answer: the calls that it proposes, filled in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from bench.forms.intended import nested_values
from fingerpost.engine.model import Call, Drop, Path, value_at
from fingerpost.engine.safety.json_input import as_list, as_object

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_PLACEHOLDER = re.compile(r"<[^<>]+(?:<[^<>]*>[^<>]*)*>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Offer:
    """A call that the answer proposes, with as-sent values and placeholders filled in."""

    call: Call
    filled: tuple[Path, ...]
    """Where the client put its own values."""
    unfilled: tuple[Path, ...]
    """Where the client has no value to put."""

    @property
    def without_unfilled(self) -> Call:
        call = self.call
        for at in reversed(self.unfilled):
            call = Drop(at).applied_to(call) if isinstance(at[-1], str) else call
        return call


def read_offers(error: Mapping[str, Any], sent: Call, intended: Any) -> Iterator[Offer]:
    """Yield the calls that an answer to `sent` proposes, filled in with the arguments that the client intended."""
    for one in [error.get("corrected_call"), *as_list(error.get("possible_calls"))]:
        offered = as_object(one)
        if offered and "arguments" in offered:
            arguments = json.loads(json.dumps(offered["arguments"]))
            for at, origin in as_object(offered.get("as_sent")).items():
                _copy_as_sent(arguments, at, sent.arguments, str(origin))
            filled = _fill(arguments, intended, text := json.dumps(sent.arguments))
            gaps = [path for path, value in nested_values(arguments) if _is_placeholder(value, text)]
            left = [path for path, value in nested_values(filled) if _is_placeholder(value, text)]
            done = tuple(path for path in gaps if path not in left)
            yield Offer(Call(str(offered.get("name")), filled), done, tuple(left))


def _copy_as_sent(arguments: Any, at: str, sent: Any, origin: str) -> None:
    *outer, last = _parse_path(at)
    try:
        value_at(arguments, tuple(outer))[last] = value_at(sent, _parse_path(origin))
    except (LookupError, TypeError):
        return


def _parse_path(text: str) -> Path:
    return tuple(int(index) if index else name for name, index in _STEP.findall(text))


_NOTHING: Any = object()


def _fill(offered: Any, intended: Any, sent: str) -> Any:
    """Replace placeholders with the intended values; a list with placeholders stands for the whole intended list."""
    if _is_placeholder(offered, sent):
        return offered if intended is _NOTHING else intended
    if isinstance(offered, dict):
        known = as_object(intended)
        fields = cast("dict[str, Any]", offered)
        return {name: _fill(value, known.get(name, _NOTHING), sent) for name, value in fields.items()}
    if isinstance(offered, list):
        items, known = cast("list[Any]", offered), as_list(intended)
        if any(_is_placeholder(value, sent) for _, value in nested_values(items)) and isinstance(intended, list):
            return known
        return [_fill(item, known[index] if index < len(known) else _NOTHING, sent) for index, item in enumerate(items)]
    return offered


def _is_placeholder(value: Any, sent: str) -> bool:
    return isinstance(value, str) and _PLACEHOLDER.fullmatch(value) is not None and json.dumps(value) not in sent
