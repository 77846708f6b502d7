"""One request of the client on its way to the server, over whatever transport."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from fingerpost.engine.failure_kinds import FailureFacts
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_object
from fingerpost.middleware.protocol import PROTOCOL_VERSION_KEY
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.message import Message


class Reply(NamedTuple):
    """What came back for a request, and the bytes it came in."""

    frame: bytes
    message: Message
    facts: FailureFacts | None = None
    """What the transport tells about a failure, as the status of HTTP does."""
    has_worked: bool = False
    """Whether the server sent something else for the request before, such as progress."""


class ClientRequest(ABC):
    """A request: whose list it is judged by (`caller`), and whose failures it is counted with (`speaker`).

    `params` is set for `tools/call`; for other methods `read_params` decodes it when it is needed.
    """

    __slots__ = ()

    frame: bytes
    id: Any
    method: str
    caller: object
    speaker: object
    params: dict[str, Any] | None

    @property
    def encoded_id(self) -> bytes:
        return messages.encode(self.id)

    def read_params(self) -> dict[str, Any]:
        """Decode the params; raises `MalformedMessage` if readers would disagree on them."""
        if self.params is None:
            self.params = messages.decode_params(messages.read(self.frame))
        return self.params

    @property
    def meta(self) -> dict[str, Any]:
        return as_object(self.read_params().get("_meta"))

    @property
    def is_modern(self) -> bool:
        """Whether the request is of a stateless revision (2026-07-28)."""
        return PROTOCOL_VERSION_KEY in self.meta

    @abstractmethod
    async def forward(self, frame: bytes, call: Call | None = None) -> Reply:
        """Send the request to the server, as it is or with other params that say `call`; return the reply."""

    @abstractmethod
    async def ask(self, method: str, params: dict[str, Any]) -> Reply | None:
        """Send a request of our own on behalf of the same caller; None if the server does not answer."""
