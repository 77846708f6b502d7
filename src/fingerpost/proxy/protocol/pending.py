"""Requests under way in a session: what the server owes, to whom, and who goes on with the answer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Coroutine, Generator, Iterator
from typing import Any, cast

from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_object
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.message import Message, encode, replace_members
from fingerpost.proxy.protocol.request import Reply, Wire

PATIENCE = 5.0
"""Seconds that a server has to answer a question of ours; then a call goes on without our knowing."""

CALLER = "client"
"""Whose lists a session has: a server in a process, or behind a session id, has the same for all."""


class Sent:
    """What guidance waits for: the answer to a frame that is sent under that id."""

    __slots__ = ("frame", "id", "is_ours", "patience")

    def __init__(self, frame: bytes, id: Any, *, is_ours: bool, patience: float = PATIENCE) -> None:
        self.frame, self.id, self.is_ours, self.patience = frame, id, is_ours, patience

    def __await__(self) -> Generator[Sent, Reply | None, Reply | None]:
        return (yield self)


class SessionWire(Wire):
    """A request that travels in a session; sent a second time, it travels under an id of ours."""

    def __init__(
        self, frame: bytes, speaker: object, own_id: Callable[[], str], message: Message | None = None
    ) -> None:
        super().__init__(frame, CALLER, speaker, message)
        self._own_id = own_id
        self.sent_as: Any = None
        """The id by which the server knows it; none while it has not been sent."""

    async def forward(self, frame: bytes, call: Call | None = None) -> Reply:
        if self.sent_as is None:
            return cast("Reply", await Sent(frame, self.message.id, is_ours=False))
        own = self._own_id()
        reply = cast("Reply", await Sent(replace_members(frame, id=encode(own)), own, is_ours=False))
        return Reply(replace_members(reply.frame, id=self.id), reply.message)

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

    def and_behind(self) -> Iterator[Asked]:
        asked: Asked | None = self
        while asked is not None:
            yield asked
            asked = asked.behind


class Owed:
    """What the server owes the client, by the id that the server knows it by; what is due first stands first."""

    def __init__(self, timeout: float, clock: Callable[[], float]) -> None:
        self._timeout, self._clock = timeout, clock
        self._asked: dict[Any, Asked] = {}
        self._tokens: dict[Any, Any] = {}

    def add(self, id: Any, asked: Asked) -> None:
        before = self._asked.get(id)
        if before is None:
            self._begin(id, asked)
            return
        while before.behind is not None:
            before = before.behind
        before.behind = asked

    def _begin(self, id: Any, asked: Asked) -> None:
        self._asked[id] = asked
        if self._timeout:
            asked.deadline = self._clock() + self._timeout
            if asked.wire is not None and b'"progressToken"' in asked.wire.frame:
                token = as_object(messages.fields(asked.wire.message.params).get("_meta")).get("progressToken")
                if messages.is_id(token):
                    asked.token, self._tokens[token] = token, id

    def get(self, id: Any) -> Asked | None:
        return self._asked.get(id)

    def take(self, id: Any) -> Asked | None:
        """The request that an answer is to, which is over then."""
        if id not in self._asked:
            id = messages.numeric_id(id)
        asked = self._asked.pop(id, None)
        if asked is not None and asked.behind is not None:
            self._begin(id, asked.behind)
        if asked is not None and asked.token is not None:
            self._tokens.pop(asked.token, None)
        return asked

    def progressed(self, token: Any) -> None:
        """The server is at work on the request of that token: it has all its time again."""
        id = self._tokens.get(token) if messages.is_id(token) else None
        if id is not None and (asked := self._asked.pop(id, None)) is not None:
            self._begin(id, asked)

    def deadline(self) -> float | None:
        return next(iter(self._asked.values())).deadline if self._timeout and self._asked else None

    def overdue(self) -> Iterator[tuple[Any, Asked]]:
        """Those that have waited long enough; they wait no longer."""
        now = self._clock()
        while (deadline := self.deadline()) is not None and deadline <= now:
            id, asked = next(iter(self._asked.items()))
            self.take(id)
            yield id, asked

    def clear(self) -> list[Asked]:
        """Nothing is owed any more; what was."""
        every = [asked for first in self._asked.values() for asked in first.and_behind()]
        self._asked.clear()
        self._tokens.clear()
        return every

    def keyed(self, id: Any) -> Any:
        """The id by which the server knows a request of the client's, if it does."""
        known = self._asked.get(id)
        if known is not None and known.is_of(id):
            return id
        return next((key for key, asked in self._asked.items() if asked.is_of(id)), None)

    def __iter__(self) -> Iterator[Asked]:
        return iter(self._asked.values())

    def __len__(self) -> int:
        return len(self._asked)


class Recent:
    """Ids that were spoken of lately; the oldest are forgotten."""

    def __init__(self, most: int = 1_000) -> None:
        self._most = most
        self._ids: OrderedDict[Any, None] = OrderedDict()

    def add(self, id: Any) -> None:
        self._ids[id] = None
        if len(self._ids) > self._most:
            self._ids.popitem(last=False)

    def clear(self) -> None:
        self._ids.clear()

    def __contains__(self, id: Any) -> bool:
        return id in self._ids


class Questions(Recent):
    """What a server has asked the client."""

    def __init__(self) -> None:
        super().__init__()
        self._has_ended = False

    def clear(self) -> None:
        """The server has ended; the next one may ask something else by the same id."""
        super().clear()
        self._has_ended = True

    def is_over(self, id: Any) -> bool:
        """Whether an answer by that id is to a server that has ended."""
        return self._has_ended and messages.is_id(id) and id not in self
