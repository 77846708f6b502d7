"""Requests under way in a session: what the server owes, to whom, and who goes on with the answer."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from typing import Any, cast

from fingerpost.diagnosis import Call
from fingerpost.proxy import message as messages
from fingerpost.proxy.message import Message, encoded, replaced
from fingerpost.proxy.wire import Reply, Wire

PATIENCE = 5.0
"""Seconds that a server has to answer a question of ours; then a call goes on without our knowing."""

CALLER = "client"
"""The one caller of a session that nobody shares."""


class Sent:
    """What guidance waits for: the answer to a frame that is sent under that id."""

    __slots__ = ("frame", "id", "is_ours", "patience")

    def __init__(self, frame: bytes, id: Any, *, is_ours: bool, patience: float = PATIENCE) -> None:
        self.frame, self.id, self.is_ours, self.patience = frame, id, is_ours, patience

    def __await__(self) -> Generator[Sent, Reply | None, Reply | None]:
        return (yield self)


class SessionWire(Wire):
    """A request that travels in a session; sent a second time, it travels under an id of ours."""

    def __init__(self, frame: bytes, caller: object, own_id: Callable[[], str], message: Message | None = None) -> None:
        super().__init__(frame, caller, message)
        self._own_id = own_id
        self.sent_as: Any = None
        """The id by which the server knows it; none while it has not been sent."""

    async def forward(self, frame: bytes, call: Call | None = None) -> Reply:
        if self.sent_as is None:
            return cast("Reply", await Sent(frame, self.message.id, is_ours=False))
        own = self._own_id()
        reply = cast("Reply", await Sent(replaced(frame, id=encoded(own)), own, is_ours=False))
        return Reply(replaced(reply.frame, id=self.id), reply.message)

    async def ask(self, method: str, params: dict[str, Any]) -> Reply | None:
        own = self._own_id()
        return await Sent(messages.request(own, method, params), own, is_ours=True)


class Task:
    """Work that goes on when the server answers. What it comes to is for the client, unless it is nothing."""

    __slots__ = ("run", "wire")

    def __init__(self, run: Coroutine[Sent, Reply | None, bytes | None], wire: SessionWire | None) -> None:
        self.run = run
        self.wire = wire
        """The client's request that it is for, if any."""


class Asked:
    """A request that the server has not answered yet."""

    __slots__ = ("behind", "call", "deadline", "task", "token", "wire")

    def __init__(self, wire: SessionWire | None, task: Task | None = None, call: Call | None = None) -> None:
        self.wire = wire
        """The client's request that is without an answer because of it, if any."""
        self.task = task
        """Who goes on with the answer; where nobody does, it is relayed."""
        self.call = call
        """A call that is right, so that a success is relayed unread."""
        self.deadline = 0.0
        self.token: Any = None
        self.behind: Asked | None = None
        """Another request of the same id, sent before this one was answered."""

    def is_of(self, id: Any) -> bool:
        return self.wire is not None and self.wire.message.id == id
