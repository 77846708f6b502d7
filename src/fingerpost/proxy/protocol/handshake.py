"""Record what a client told its server at the start, so that a restarted server can be told the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fingerpost.proxy.protocol.message import Message, encode, fields, replace_members


class Handshake:
    """The client messages that set server state: initialization, log level and subscriptions."""

    def __init__(self) -> None:
        self.initialize: bytes | None = None
        self.is_confirmed = False
        """Whether a server has answered `initialize`. Only then is it replayed to a restarted server."""
        self._later: dict[str, bytes] = {}
        """The messages after `initialize` that a restarted server needs, by what they set."""

    def record(self, frame: bytes, message: Message) -> None:
        """Keep a message of the client if it sets server state."""
        match message.method:
            case "initialize":
                self.initialize, self.is_confirmed, self._later = frame, False, {}
            case "notifications/initialized" | "logging/setLevel":
                self._later[message.method] = frame
            case "resources/subscribe" | "resources/unsubscribe":
                key = f"resources/subscribe {fields(message.params).get('uri')}"
                self._later.pop(key, None)
                if message.method == "resources/subscribe":
                    self._later[key] = frame
            case _:
                pass

    def confirm(self, method: Any) -> None:
        """Note that the server has answered a request of this method."""
        self.is_confirmed |= method == "initialize"

    def replay(self, make_id: Callable[[], str]) -> Iterator[tuple[str | None, bytes]]:
        """Yield the messages after `initialize` for a restarted server, with the new id of each request."""
        for method, frame in self._later.items():
            if method.startswith("notifications/"):
                yield None, frame
            else:
                id = make_id()
                yield id, replace_members(frame, id=encode(id))
