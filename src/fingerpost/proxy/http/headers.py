"""MCP headers: who sent a request, and the parts of a body that its headers mirror.

A 2026-07-28 request repeats its method, its name and marked arguments in headers. Servers reject a request whose
headers and body differ, so the proxy rewrites these headers whenever it changes a body.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from fingerpost.engine.digest import digest
from fingerpost.engine.model import Call
from fingerpost.proxy.http.http1 import Headers

SESSION = b"mcp-session-id"
VERSION = b"mcp-protocol-version"
METHOD = b"mcp-method"
NAME = b"mcp-name"
_PARAM = b"mcp-param-"
_MARK = "x-mcp-header"

NAME_FIELDS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The field of `params` that the `Mcp-Name` header repeats, by method."""

HTTP_STATUS = {-32700: 400, -32600: 400, -32602: 400, -32601: 404, -32020: 400, -32021: 400, -32022: 400}
"""The HTTP status of a protocol error in 2026-07-28, by its code."""

_CREDENTIALS = (b"authorization", b"cookie", b"x-api-key")
_IDENTIFYING = frozenset({*_CREDENTIALS, SESSION})

_PER_REQUEST = frozenset({
    b"accept", b"accept-encoding", b"baggage", b"cache-control", b"cf-ray", b"connection", b"content-length",
    b"content-type", b"date", b"keep-alive", b"last-event-id", METHOD, NAME, VERSION, b"traceparent", b"tracestate",
    b"x-amzn-trace-id", b"x-cloud-trace-context", b"x-correlation-id", b"x-request-id",
})  # fmt: skip


# callers


def caller_key(headers: Headers) -> bytes:
    """A digest of every header by which a server could tell two callers apart."""
    kept = [one for one in headers if one[0] not in _PER_REQUEST and not one[0].startswith(_PARAM)]
    return digest(repr(sorted(kept)))


def caller_keys(headers: Headers, peer: object, query: str = "") -> tuple[bytes, object]:
    """The key for a caller's tool lists, and the key for its failure counts. A query can tell callers apart too.

    Anonymous callers share their lists. Their failures are counted per connection, so that no caller sees the
    failures of another.
    """
    key = caller_key([*headers, (b"?", query.encode())] if query else headers)
    is_identified = any(name in _IDENTIFYING for name, _ in headers)
    return key, key if is_identified else (key, peer)


def credentials_key(headers: Headers) -> bytes:
    """A digest of the credentials in a request, the same in every session."""
    return caller_key([one for one in headers if one[0] in _CREDENTIALS])


# rewriting


def headers_for_own_request(headers: Headers, method: str) -> Headers:
    """The headers of the proxy's own request on behalf of the same caller."""
    is_modern = any(key == METHOD for key, _ in headers)
    kept = [one for one in headers if one[0] not in (METHOD, NAME) and not one[0].startswith(_PARAM)]
    return [*kept, (METHOD, method.encode())] if is_modern else kept


def headers_for_call(headers: Headers, call: Call, schema: Any) -> Headers:
    """The headers of a request whose call the proxy has changed to `call`."""
    if not any(key == METHOD for key, _ in headers):
        return headers
    kept = [one for one in headers if one[0] != NAME and not one[0].startswith(_PARAM)]
    return [*kept, (NAME, encode_value(call.tool)), *argument_headers(schema, call.arguments)]


def argument_headers(schema: Any, arguments: Any) -> Headers:
    """The headers that mirror the marked arguments of a call."""
    headers: Headers = []
    for path, token in _header_parameters(schema):
        value = arguments
        for key in path:
            value = cast("Mapping[str, Any]", value).get(key) if isinstance(value, Mapping) else None
        if isinstance(value, bool):
            headers.append((_PARAM + token, b"true" if value else b"false"))
        elif isinstance(value, str | int | float):
            headers.append((_PARAM + token, encode_value(str(value))))
    return headers


# checking


def find_argument_mismatch(headers: Headers, schema: Any, arguments: Any) -> str | None:
    """Describe the first header that does not match its marked argument; none if all match."""
    expected = dict(argument_headers(schema, arguments))
    for path, token in _header_parameters(schema):
        key = _PARAM + token
        values = [value for name, value in headers if name == key]
        if len(values) != (key in expected) or (values and not _is_equal(values[0], expected[key])):
            return f"The header {key.decode()} does not say what the argument {'.'.join(path)} says"
    return None


_DECIMAL = re.compile(rb"(-?\d+)(?:\.0*)?")


def _is_equal(value: bytes, expected: bytes) -> bool:
    if value == expected or decode_value(value) == decode_value(expected) is not None:
        return True
    numbers = [_DECIMAL.fullmatch(one) for one in (value, expected)]
    return all(numbers) and len({number[1] for number in numbers if number}) == 1


# header values

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_PLAIN = re.compile(r"[\x20-\x7e]*")
_BASE64 = re.compile(r"=\?base64\?.*\?=")


def decode_value(value: bytes) -> str | None:
    """Decode a header value; none if its base64 is not canonical."""
    text = value.decode("latin-1")
    if not _BASE64.fullmatch(text):
        return text
    payload = text[len("=?base64?") : -2]
    try:
        data = base64.b64decode(payload, validate=True)
        return data.decode() if base64.b64encode(data).decode() == payload else None
    except ValueError:
        return None


def encode_value(value: str) -> bytes:
    """Encode a value for a header, as base64 if it is not plain ASCII."""
    if _PLAIN.fullmatch(value) and value == value.strip() and not _BASE64.fullmatch(value):
        return value.encode()
    return b"=?base64?" + base64.b64encode(value.encode("utf-8", "surrogatepass")) + b"?="


def _header_parameters(
    schema: Any, path: tuple[str, ...] = (), depth: int = 8
) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Yield the path and header token of each parameter that a schema marks with `x-mcp-header`, also nested ones."""
    properties: Any = cast("dict[str, Any]", schema).get("properties") if isinstance(schema, dict) else None
    for name, one in cast("dict[str, Any]", properties).items() if isinstance(properties, dict) and depth else ():
        mark = cast("dict[str, Any]", one).get(_MARK) if isinstance(one, dict) else None
        if isinstance(mark, str) and _TOKEN.fullmatch(mark):
            yield (*path, name), mark.lower().encode()
        yield from _header_parameters(one, (*path, name), depth - 1)
