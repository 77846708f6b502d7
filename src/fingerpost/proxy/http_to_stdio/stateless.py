"""Recognize and check 2026-07-28 requests, which need no session and repeat parts of their body in headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from fingerpost.engine.safety.json_input import as_object
from fingerpost.middleware.protocol import PROTOCOL_VERSION_KEY
from fingerpost.proxy.http.headers import METHOD, NAME, NAME_FIELDS, VERSION, decode_value, find_argument_mismatch
from fingerpost.proxy.http.http1 import Headers, header_value
from fingerpost.proxy.protocol.message import Message, fields

_HEADER_MISMATCH, _INVALID_PARAMS, _NO_METHOD = -32020, -32602, -32601
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
_VERSION_WITHOUT = b"2026-07-28"
_VERSIONS_WITH_SESSIONS = (b"2024-11-05", b"2025-03-26", b"2025-06-18", b"2025-11-25")


class Problem(NamedTuple):
    """Why a request is refused: the code and the text of the error."""

    code: int
    text: str


def is_stateless(headers: Headers, message: Message) -> bool:
    """Whether a request belongs to a revision without sessions, by its headers or its body."""
    version = header_value(headers, VERSION)
    return (version is not None and version not in _VERSIONS_WITH_SESSIONS) or PROTOCOL_VERSION_KEY in _meta_of(message)


def find_problem(headers: Headers, message: Message) -> Problem | None:
    """Check that a request has the fields it needs, and that its headers repeat them."""
    if message.method == "initialize":
        return Problem(_NO_METHOD, "This revision has no initialize; send requests as they are")
    params, meta = fields(message.params), _meta_of(message)
    if missing := [key for key in (PROTOCOL_VERSION_KEY, _CAPABILITIES) if key not in meta]:
        is_known = header_value(headers, VERSION) in (_VERSION_WITHOUT, *_VERSIONS_WITH_SESSIONS, None)
        why = "" if is_known else f"The header {VERSION.decode()} names no known revision of the protocol, and "
        return Problem(_INVALID_PARAMS, f"{why}params._meta lacks {' and '.join(missing)}")
    expected = [(VERSION, meta[PROTOCOL_VERSION_KEY]), (METHOD, message.method)]
    if (field := NAME_FIELDS.get(str(message.method))) and isinstance(name := params.get(field), str):
        expected.append((NAME, name))
    for header, value in expected:
        values = [one for key, one in headers if key == header]
        if len(values) != 1 or decode_value(values[0]) != str(value):
            return Problem(_HEADER_MISMATCH, f"The header {header.decode()} does not say what the body says")
    return None


async def find_argument_problem(
    headers: Headers, message: Message, schema_of: Callable[[str, dict[str, Any]], Awaitable[Any]]
) -> Problem | None:
    """Check that headers repeat the arguments that the schema of the tool marks."""
    params = fields(message.params)
    name, arguments = params.get("name"), params.get("arguments")
    if message.method != "tools/call" or not isinstance(name, str):
        return None
    schema = await schema_of(name, _meta_of(message))
    text = find_argument_mismatch(headers, schema, arguments) if schema is not None else None
    return None if text is None else Problem(_HEADER_MISMATCH, text)


def _meta_of(message: Message) -> dict[str, Any]:
    return as_object(fields(message.params).get("_meta"))
