"""Decode JSON strictly: reject duplicate keys, NaN and huge integers, on which JSON readers disagree."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from msgspec import Raw

from fingerpost.proxy.protocol.broken_frame import MAX_DIGITS


def decode_strict(raw: bytes | Raw) -> Any:
    """Decode JSON; `ValueError` where two readers could read it differently."""
    return _decoder.decode(bytes(raw).decode())


def reject_constant(name: str) -> NoReturn:
    """Reject NaN and Infinity, as the `parse_constant` hook of `json`."""
    raise ValueError(f"{name} is not JSON")


def _parse_integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError("The message has a number in it that is out of range")
    return int(digits)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("The message has the same key twice in one object")
    return members


_decoder = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=reject_constant, parse_int=_parse_integer)
