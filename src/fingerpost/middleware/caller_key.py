"""Tell callers apart: the key under which a caller's lists and failures are kept, so that none meets another's.

Everything by which a server could tell two callers apart is in the key: the connection if there is one, the
credentials, the headers, what the client says about itself. A key that is too fine costs one more list; one that
is too coarse would show a caller what is not theirs. Only a digest is kept.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from fingerpost.engine.safety.json_input import as_object

_PER_REQUEST = frozenset({
    "accept", "accept-encoding", "cache-control", "connection", "content-length", "content-type", "date",
    "last-event-id", "mcp-method", "mcp-name", "mcp-protocol-version", "traceparent", "tracestate", "baggage",
    "x-request-id", "x-correlation-id", "x-amzn-trace-id", "x-cloud-trace-context", "cf-ray", "keep-alive",
})  # fmt: skip
"""Headers that differ from one request of a caller to the next."""

_IDENTITY = ("io.modelcontextprotocol/clientInfo", "io.modelcontextprotocol/clientCapabilities")
"""The keys of `_meta` that identify a client. Beside them clients put ids of calls, which are new each time."""


class Request(Protocol):
    """What both SDKs know about a request."""

    @property
    def protocol_version(self) -> str: ...
    @property
    def request(self) -> Any: ...


def caller_key(request: Request, meta: Any, connection: dict[str, Any]) -> object:
    """Return the key of the caller behind a request.

    `meta` is the request's `_meta`, and `connection` the scratch state of its connection.
    """
    user, http_request = auth_context_var.get(), request.request
    if request.protocol_version in MODERN_PROTOCOL_VERSIONS:
        fields = as_object(meta)
        client: object = repr([fields.get(key) for key in _IDENTITY])
    else:
        client = _connection_token(connection)
    if user is None and http_request is None:
        return client
    token = user.access_token if user else None
    parts = [*((token.client_id, token.token) if token else ()), *(_headers(http_request) if http_request else ())]
    return client, blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _connection_token(state: dict[str, Any]) -> object:
    """Return an object that is the same for every request of one connection."""
    if (token := state.get("fingerpost")) is None:
        token = state["fingerpost"] = object()
    return token


def _headers(request: Any) -> list[Any]:
    """Return the headers that identify a caller, and the address it calls from."""
    every = ((str(name).lower(), str(value)) for name, value in request.headers.items())
    kept = [(name, value) for name, value in every if not _is_of_one_request(name)]
    return [*sorted(kept), str(getattr(getattr(request, "client", None), "host", ""))]


def _is_of_one_request(name: str) -> bool:
    return name in _PER_REQUEST or name.startswith("mcp-param-")


class ServerKeys:
    """A key for each server that one `Guidance` stands in front of; nearly always there is only one server."""

    def __init__(self) -> None:
        self._keys: WeakKeyDictionary[Any, object] = WeakKeyDictionary()
        self._last: Any = None
        self.current: object = None
        """The key of the server that was looked up last."""

    def look_up(self, server: Any) -> bool:
        """Make this server's key the current one; true if the server is new."""
        if server is self._last:
            return False
        is_new = server not in self._keys
        self._last, self.current = server, self._keys.setdefault(server, object())
        return is_new
