"""One request on its way to a server, in whatever way messages travel, and what can be asked meanwhile."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.message import MalformedMessage, Message, encode, fields
from fingerpost.proxy.protocol.strict_json import decode_strict

PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
"""Under which key of `_meta` each request of the stateless revisions says which one it speaks."""

_MOST_PAGES = 200


class Reply(NamedTuple):
    """What came back for a request, and the bytes it came in."""

    frame: bytes
    message: Message


class Wire(ABC):
    """One request on its way: whose lists it is judged by, and whose failures it is counted with."""

    def __init__(self, frame: bytes, caller: object, speaker: object, message: Message | None = None) -> None:
        self.frame, self.caller, self.speaker = frame, caller, speaker
        self._message = message
        self._params: dict[str, Any] | None = None

    @property
    def message(self) -> Message:
        if self._message is None:
            self._message = messages.read(self.frame)
        return self._message

    @property
    def params(self) -> dict[str, Any]:
        """What was asked; `Malformed` where readers would differ on it."""
        if self._params is None:
            try:
                self._params = as_object(decode_strict(self.message.params)) if self.message.params else {}
            except (ValueError, RecursionError) as error:
                raise MalformedMessage(str(error), messages.PARSE_ERROR, self.id) from error
        return self._params

    @property
    def meta(self) -> dict[str, Any]:
        return as_object(fields(self.message.params).get("_meta"))

    @property
    def is_modern(self) -> bool:
        return PROTOCOL_VERSION in self.meta

    @property
    def id(self) -> bytes:
        return encode(self.message.id)

    @abstractmethod
    async def forward(self, frame: bytes, call: Call | None = None) -> Reply:
        """What the server answers to the request: as it came, or with other params that say `call`."""

    @abstractmethod
    async def ask(self, method: str, params: dict[str, Any]) -> Reply | None:
        """What the server answers to a request of ours on behalf of the same caller; none where it does not."""


Ask: TypeAlias = "Callable[[str, dict[str, Any]], Awaitable[Reply | None]]"


async def entries_of(wire: Wire, method: str, key: str) -> list[Any] | None:
    return (await pages_of(wire.ask, wire.meta, method, key))[0]


async def pages_of(
    ask: Ask, meta: Mapping[str, Any], method: str, key: str
) -> tuple[list[Any] | None, dict[str, Any] | None]:
    """Every entry of one of the caller's lists, all pages followed, and the last page.

    Where it cannot be read there are no entries, and where nothing was answered there is no page either.
    """
    said = {name: one for name, one in meta.items() if name != "progressToken"} if PROTOCOL_VERSION in meta else {}
    entries, cursor = list[Any](), None
    for _ in range(_MOST_PAGES):
        reply = await ask(method, {**({"_meta": said} if said else {}), **({"cursor": cursor} if cursor else {})})
        if reply is None or not reply.message.result:
            return None, None if reply is None else {}
        page = fields(reply.message.result)
        if not isinstance(page.get(key), list):
            return None, {}
        entries += as_list(page[key])
        cursor = page.get("nextCursor")
        if not isinstance(cursor, str) or not cursor:
            return entries, page
    return None, {}
