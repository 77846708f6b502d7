"""Who is calling: under which key a caller's lists and failures are kept, so that none meets another's.

Everything by which a server could tell two callers apart is in the key: the connection where there is one,
the credentials, the headers, what the client says of itself. A key that is too fine costs one more list; one
that is too coarse would show a caller what is not theirs. Only a digest is kept.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Protocol

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
"""What of `_meta` says who a client is. Clients put ids of calls and conversations beside it, new with each."""


class Request(Protocol):
    """What both SDKs know of a request."""

    @property
    def session(self) -> Any: ...
    @property
    def protocol_version(self) -> str: ...
    @property
    def request(self) -> Any: ...


def caller_key(request: Request, meta: Any) -> object:
    """The caller behind a request; `meta` is the `_meta` it came with."""
    user, carrier = auth_context_var.get(), request.request
    whole = _said(meta) if request.protocol_version in MODERN_PROTOCOL_VERSIONS else _connection(request)
    if user is None and carrier is None:
        return whole
    token = user.access_token if user else None
    parts = [*((token.client_id, token.token) if token else ()), *(_headers(carrier) if carrier else ())]
    return whole, blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _said(meta: Any) -> str:
    """What a client says of itself with each request, where no handshake has said it once."""
    fields = as_object(meta)
    return repr([fields.get(key) for key in _IDENTITY])


def _headers(request: Any) -> list[Any]:
    """The headers of a caller, and where it calls from."""
    every = ((str(name).lower(), str(value)) for name, value in request.headers.items())
    kept = [(name, value) for name, value in every if not _is_of_one_request(name)]
    return [*sorted(kept), str(getattr(getattr(request, "client", None), "host", ""))]


def _is_of_one_request(name: str) -> bool:
    return name in _PER_REQUEST or name.startswith("mcp-param-")


def _connection(request: Request) -> object:
    """A handshake makes a connection that lasts; its scratch state outlives each request and dies with it."""
    state = as_object(getattr(getattr(request.session, "_connection", None), "state", None))
    if (token := state.get("fingerpost")) is None:
        token = state["fingerpost"] = object()
    return token
