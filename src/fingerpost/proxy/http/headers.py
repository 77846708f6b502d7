"""What HTTP headers say of a message: who sent it, and what of its body they mirror.

A 2026-07-28 request repeats its method, its name and marked arguments in headers, and servers refuse one whose
headers and body differ. So whoever changes the body writes these headers anew.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, cast

from fingerpost.engine.model import Call
from fingerpost.proxy.http.http1 import Headers

SESSION = b"mcp-session-id"
VERSION = b"mcp-protocol-version"
METHOD = b"mcp-method"
NAME = b"mcp-name"
_PARAM = b"mcp-param-"
_MARK = "x-mcp-header"

NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""What of a request its name in the headers is."""

STATUS = {-32700: 400, -32600: 400, -32602: 400, -32601: 404, -32020: 400, -32021: 400, -32022: 400}
"""The status of a protocol error in the newer revisions, by its code."""

_TELLING = frozenset({b"authorization", b"cookie", b"x-api-key", SESSION})
"""Headers that say who it is."""

_OF_ONE_REQUEST = frozenset({
    b"accept", b"accept-encoding", b"baggage", b"cache-control", b"cf-ray", b"connection", b"content-length",
    b"content-type", b"date", b"keep-alive", b"last-event-id", METHOD, NAME, VERSION, b"traceparent", b"tracestate",
    b"x-amzn-trace-id", b"x-cloud-trace-context", b"x-correlation-id", b"x-request-id",
})  # fmt: skip


def caller_of(headers: Headers) -> bytes:
    """Who sent a request, as a digest of every header by which a server could tell two callers apart."""
    kept = [one for one in headers if one[0] not in _OF_ONE_REQUEST and not one[0].startswith(_PARAM)]
    return blake2b(repr(sorted(kept)).encode(), digest_size=16).digest()


def callers(headers: Headers, peer: object) -> tuple[bytes, object]:
    """Whose lists a request is judged by, and whose failures it is counted with.

    Strangers look all alike; they are told apart by their connections, so that none hears of another's failures.
    """
    known = caller_of(headers)
    is_known = any(key in _TELLING for key, _ in headers)
    return known, known if is_known else (known, peer)


def for_question(headers: Headers, method: str) -> Headers:
    """The headers of a request of ours on behalf of the same caller."""
    is_modern = any(key == METHOD for key, _ in headers)
    kept = [one for one in headers if one[0] not in (METHOD, NAME) and not one[0].startswith(_PARAM)]
    return [*kept, (METHOD, method.encode())] if is_modern else kept


def for_call(headers: Headers, call: Call, schema: Any) -> Headers:
    """The headers of a call that was changed to this one."""
    if not any(key == METHOD for key, _ in headers):
        return headers
    kept = [one for one in headers if one[0] != NAME and not one[0].startswith(_PARAM)]
    return [*kept, (NAME, encoded(call.tool)), *mirrored(schema, call.arguments)]


def mirrored(schema: Any, arguments: Any) -> Headers:
    """The marked arguments of a call as headers."""
    found: Headers = []
    for path, token in _marked(schema):
        value = arguments
        for key in path:
            value = cast("Mapping[str, Any]", value).get(key) if isinstance(value, Mapping) else None
        if isinstance(value, bool):
            found.append((_PARAM + token, b"true" if value else b"false"))
        elif isinstance(value, str | int | float):
            found.append((_PARAM + token, encoded(str(value))))
    return found


def contradiction(headers: Headers, schema: Any, arguments: Any) -> str | None:
    """Where the headers of a call do not say what its marked arguments say."""
    said = [(key, value) for key, value in headers if key.startswith(_PARAM)]
    wanted = dict(mirrored(schema, arguments))
    for path, token in _marked(schema):
        key = _PARAM + token
        given = [value for name, value in said if name == key]
        if len(given) != (key in wanted) or (given and not _is_same(given[0], wanted[key])):
            return f"The header {key.decode()} does not say what the argument {'.'.join(path)} says"
    return None


def _is_same(given: bytes, wanted: bytes) -> bool:
    if given == wanted or decoded(given) == decoded(wanted) is not None:
        return True
    numbers = [_DECIMAL.fullmatch(value) for value in (given, wanted)]
    return all(numbers) and len({number[1] for number in numbers if number}) == 1


_DECIMAL = re.compile(rb"(-?\d+)(?:\.0*)?")


def decoded(value: bytes) -> str | None:
    """What a header says; nothing where it says it in a way that nobody writes."""
    text = value.decode("latin-1")
    if not _CODED.fullmatch(text):
        return text
    payload = text[len("=?base64?") : -2]
    try:
        whole = base64.b64decode(payload, validate=True)
        return whole.decode() if base64.b64encode(whole).decode() == payload else None
    except ValueError:
        return None


_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_PLAIN = re.compile(r"[\x20-\x7e]*")
_CODED = re.compile(r"=\?base64\?.*\?=")


def encoded(value: str) -> bytes:
    """A value as a header can carry it."""
    if _PLAIN.fullmatch(value) and value == value.strip() and not _CODED.fullmatch(value):
        return value.encode()
    return b"=?base64?" + base64.b64encode(value.encode("utf-8", "surrogatepass")) + b"?="


def _marked(schema: Any, path: tuple[str, ...] = (), depth: int = 8) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Where a schema marks arguments that are mirrored: on properties, and properties of those."""
    properties: Any = cast("dict[str, Any]", schema).get("properties") if isinstance(schema, dict) else None
    for name, one in cast("dict[str, Any]", properties).items() if isinstance(properties, dict) and depth else ():
        mark = cast("dict[str, Any]", one).get(_MARK) if isinstance(one, dict) else None
        if isinstance(mark, str) and _TOKEN.fullmatch(mark):
            yield (*path, name), mark.lower().encode()
        yield from _marked(one, (*path, name), depth - 1)
