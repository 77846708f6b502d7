"""The state of a session with an HTTP server, and the headers that follow from it."""

from __future__ import annotations

from typing import Any

from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.middleware.protocol import PROTOCOL_VERSION_KEY
from fingerpost.proxy.http.headers import METHOD, NAME, NAME_FIELDS, SESSION, VERSION, argument_headers, encode_value
from fingerpost.proxy.http.http1 import Headers, header_value
from fingerpost.proxy.protocol.message import Message, fields

_IDENTITY = (b"accept-encoding", b"identity")
_POST: Headers = [
    (b"content-type", b"application/json"),
    (b"accept", b"application/json, text/event-stream"),
    _IDENTITY,
]
_GET: Headers = [(b"accept", b"text/event-stream"), _IDENTITY]


class UpstreamSession:
    """Session id, protocol version and tool schemas of an HTTP server. `own` headers go with each request."""

    def __init__(self, own: Headers) -> None:
        self._own = own
        self._id: bytes | None = None
        self._version: bytes | None = None
        self._schemas: dict[str, Any] = {}
        """The schemas of the listed tools, for the arguments that headers mirror."""

    @property
    def id(self) -> bytes | None:
        """The session id that the server has given us, if any."""
        return self._id

    @property
    def is_stateless(self) -> bool:
        """Whether there was no handshake, as in 2026-07-28."""
        return self._id is None and self._version is None

    def open(self, response_headers: Headers) -> None:
        """Take the session id from the response to `initialize`."""
        self._id = header_value(response_headers, SESSION)

    def forget(self) -> None:
        """The server no longer knows the session."""
        self._id = None

    def learn(self, request: Message, reply: Message) -> None:
        """Take the protocol version and the tool schemas from replies."""
        if request.method == "initialize":
            version = fields(reply.result).get("protocolVersion")
            self._version = encode_value(version) if isinstance(version, str) else None
        elif request.method == "tools/list" and b"x-mcp-header" in bytes(reply.result):
            tools = map(as_object, as_list(fields(reply.result).get("tools")))
            self._schemas |= {str(tool.get("name")): tool.get("inputSchema") for tool in tools}

    def headers_for(self, message: Message) -> Headers:
        """The headers of a POST with this message."""
        params = fields(message.params)
        headers = [*self._own, *_POST]
        version = as_object(params.get("_meta")).get(PROTOCOL_VERSION_KEY)
        if isinstance(version, str):
            return headers + self._stateless_headers(version, str(message.method), params)
        return headers if message.method == "initialize" else headers + self._session_headers()

    def _stateless_headers(self, version: str, method: str, params: dict[str, Any]) -> Headers:
        headers: Headers = [(VERSION, encode_value(version)), (METHOD, encode_value(method))]
        if isinstance(name := params.get(NAME_FIELDS.get(method, "")), str):
            headers.append((NAME, encode_value(name)))
            if method == "tools/call" and name in self._schemas:
                headers += argument_headers(self._schemas[name], params.get("arguments"))
        return headers

    def _session_headers(self) -> Headers:
        session = [(SESSION, self._id)] if self._id else []
        return [*session, (VERSION, self._version)] if self._version else session

    def stream_headers(self, last_event_id: bytes | None) -> Headers:
        """The headers of a GET that opens a stream, or resumes one after an event."""
        resume = [(b"last-event-id", last_event_id)] if last_event_id else []
        return [*self._own, *_GET, *self._session_headers(), *resume]

    def delete_headers(self) -> Headers:
        """The headers of the DELETE that ends the session."""
        return [*self._own, *self._session_headers()]
