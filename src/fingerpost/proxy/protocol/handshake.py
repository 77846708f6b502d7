"""What a server has been told at the beginning, so that a fresh one can take its place without the client noticing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fingerpost.proxy.protocol.message import Message, encode, fields, replace_members


class Handshake:
    """The messages of a client that set a server's state: who it is, how much to log, what to watch."""

    def __init__(self) -> None:
        self.initialize: bytes | None = None
        self.is_done = False
        """Whether a server has answered it: only then does a fresh one need to be told again."""
        self._then: dict[str, bytes] = {}

    def heard(self, frame: bytes, message: Message) -> None:
        """A message of the client's that is not a call."""
        match message.method:
            case "initialize":
                self.initialize, self.is_done, self._then = frame, False, {}
            case "notifications/initialized" | "logging/setLevel":
                self._then[message.method] = frame
            case "resources/subscribe" | "resources/unsubscribe":
                key = f"resources/subscribe {fields(message.params).get('uri')}"
                self._then.pop(key, None)
                if message.method == "resources/subscribe":
                    self._then[key] = frame
            case _:
                pass

    def rest(self, own_id: Callable[[], str]) -> Iterator[tuple[str | None, bytes]]:
        """What follows once a fresh server is initialized, each request under an id of ours."""
        for method, frame in self._then.items():
            if method.startswith("notifications/"):
                yield None, frame
            else:
                id = own_id()
                yield id, replace_members(frame, id=encode(id))
