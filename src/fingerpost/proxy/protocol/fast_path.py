"""Recognize the two frames that make up nearly all traffic, plain calls and plain successes, in one decoding step."""

from __future__ import annotations

from typing import Any, cast

from msgspec import Raw, Struct
from msgspec import json as msgspec_json
from msgspec.json import Decoder

from fingerpost.proxy.protocol.message import ID_TYPES, Id

_MAX_CALL = 64 * 1024
_anything = Decoder()


def read_plain_call(frame: bytes) -> tuple[Id, dict[str, Any]] | None:
    """Return the id and the params of a `tools/call` in a common spelling; none for any other frame.

    The frame must equal its own re-encoding, compact or with spaces. That rules out duplicate keys and everything
    else on which JSON readers disagree.
    """
    if len(frame) > _MAX_CALL:
        return None
    try:
        payload: dict[str, Any] = _anything.decode(frame)
        if payload["method"] != "tools/call":
            return None
        compact = msgspec_json.encode(payload)
        if compact != frame and msgspec_json.format(compact, indent=0) != frame:
            return None
        id, params = payload["id"], cast("dict[str, Any]", payload["params"])
        name = params["name"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if payload.get("jsonrpc") != "2.0" or type(name) is not str or type(id) not in ID_TYPES:
        return None
    return None if "result" in payload or "error" in payload else (id, params)


class _Result(Struct, gc=False):
    isError: Any = None


class _Reply(Struct, gc=False):
    jsonrpc: Any = None
    id: Any = None
    method: Any = None
    error: Raw = Raw()
    result: _Result | None = None


_reply = Decoder(_Reply)


def read_plain_success(frame: bytes) -> Any:
    """Return the id of the request that a frame answers with a success; none for any other frame."""
    try:
        reply = _reply.decode(frame)
        if not frame.isascii():
            frame.decode()
    except (ValueError, RecursionError):
        return None
    if reply.jsonrpc != "2.0" or reply.method is not None or reply.error or reply.result is None:
        return None
    return reply.id if reply.result.isError is not True and type(reply.id) in ID_TYPES else None
