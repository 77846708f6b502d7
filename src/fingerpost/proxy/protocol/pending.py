"""Requests that a session has sent and that are not answered yet, and what continues with each reply."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Coroutine, Generator, Iterator
from dataclasses import dataclass
from typing import Any, cast

from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_object
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.message import encode, replace_members
from fingerpost.proxy.protocol.request import ClientRequest, Reply

LIST_TIMEOUT = 5.0
"""Seconds that a server has to answer a request of ours; then a call is sent without guidance."""

CALLER = "client"
"""The caller of a session: a server in a process, or behind a session id, has the same list for all."""


@dataclass(frozen=True, slots=True)
class FrameToSend:
    """What a guidance task awaits: the reply to a frame that the session sends under this id.

    The session drives these coroutines by hand, without an event loop: awaiting yields the frame, and the session
    resumes the coroutine with the reply.
    """

    frame: bytes
    id: Any
    is_ours: bool
    """Whether the request is our own, so that the reply is not for the client."""
    timeout: float = LIST_TIMEOUT

    def __await__(self) -> Generator[FrameToSend, Reply | None, Reply | None]:
        return (yield self)


@dataclass(slots=True, eq=False)
class SessionRequest(ClientRequest):
    """A request in a session. When it is sent a second time, it gets an id of ours."""

    frame: bytes
    id: Any
    method: str
    params: dict[str, Any] | None
    speaker: object
    next_own_id: Callable[[], str]
    caller: object = CALLER
    sent_as: Any = None
    """The id by which the server knows the request; None while it has not been sent."""

    async def forward(self, frame: bytes, call: Call | None = None) -> Reply:
        if self.sent_as is None:
            return cast("Reply", await FrameToSend(frame, self.id, is_ours=False))
        own_id = self.next_own_id()
        reply = cast("Reply", await FrameToSend(replace_members(frame, id=encode(own_id)), own_id, is_ours=False))
        return reply._replace(frame=replace_members(reply.frame, id=self.encoded_id))

    async def ask(self, method: str, params: dict[str, Any]) -> Reply | None:
        own_id = self.next_own_id()
        return await FrameToSend(messages.request(own_id, method, params), own_id, is_ours=True)


@dataclass(frozen=True, slots=True, eq=False)
class GuidanceTask:
    """A coroutine that continues when the server replies. Its result is a frame for the client, or None."""

    coroutine: Coroutine[FrameToSend, Reply | None, bytes | None]
    request: SessionRequest | None
    """The client's request that it works for, if any."""


@dataclass(slots=True, eq=False)
class PendingRequest:
    """A request that the server has not answered yet."""

    request: SessionRequest | None
    """The client's request that waits for the reply, if any."""
    task: GuidanceTask | None = None
    """What continues with the reply; without one, the reply is relayed."""
    call: Call | None = None
    """A call that is right, so that a success is relayed unread."""
    deadline: float = 0.0
    progress_token: Any = None
    has_worked: bool = False
    """Whether the server has sent something else for it than the reply, so that it has probably begun to work on it."""

    def is_for(self, id: Any) -> bool:
        return self.request is not None and self.request.id == id


class PendingRequests(dict[Any, PendingRequest]):
    """What the server owes the client, by the id that the server knows it by, in the order of deadlines."""

    def __init__(self, timeout: float, clock: Callable[[], float]) -> None:
        super().__init__()
        self._timeout, self._clock = timeout, clock
        self._by_progress_token: dict[Any, Any] = {}

    def add(self, id: Any, pending: PendingRequest) -> None:
        self[id] = pending
        if self._timeout:
            pending.deadline = self._clock() + self._timeout
        frame = pending.request.frame if pending.request is not None else b""
        if (self._timeout or pending.task is not None) and b'"progressToken"' in frame:
            self._watch_progress(id, pending, frame)

    def _watch_progress(self, id: Any, pending: PendingRequest, frame: bytes) -> None:
        params = messages.fields(messages.read(frame).params)
        token = as_object(params.get("_meta")).get("progressToken")
        if messages.is_id(token):
            pending.progress_token, self._by_progress_token[token] = token, id

    @property
    def watches_progress(self) -> bool:
        """Whether the progress of any request matters."""
        return bool(self._by_progress_token)

    def take(self, id: Any) -> PendingRequest | None:
        """Remove and return the request that a reply answers."""
        if id not in self:
            id = messages.numeric_id(id)
        pending = self.pop(id, None)
        if pending is not None and pending.progress_token is not None:
            self._by_progress_token.pop(pending.progress_token, None)
        return pending

    def record_progress(self, token: Any) -> None:
        """Restart the clock of the request with that token: the server is working on it."""
        id = self._by_progress_token.get(token) if messages.is_id(token) else None
        if id is not None and (pending := self.pop(id, None)) is not None:
            pending.has_worked = True
            self.add(id, pending)

    def record_question(self) -> None:
        """Note that the server works on a call: it asks the client something. It does not say for which of them."""
        for pending in self.values():
            pending.has_worked = pending.has_worked or pending.task is not None

    def take_overdue(self) -> Iterator[tuple[Any, PendingRequest]]:
        """Remove and return the requests whose deadline has passed."""
        now = self._clock()
        while self._timeout and self:
            id, pending = next(iter(self.items()))
            if pending.deadline > now:
                break
            self.take(id)
            yield id, pending

    def take_all(self) -> list[PendingRequest]:
        """Remove and return every request."""
        every = list(self.values())
        self.clear()
        self._by_progress_token.clear()
        return every

    def server_id(self, id: Any) -> Any:
        """Return the id by which the server knows a request of the client, if it does."""
        known = self.get(id)
        if known is not None and known.is_for(id):
            return id
        return next((key for key, pending in self.items() if pending.is_for(id)), None)


class RecentIds:
    """Ids that were used lately; the oldest are forgotten."""

    def __init__(self, max_ids: int = 1_000) -> None:
        self._max_ids = max_ids
        self._ids: OrderedDict[Any, None] = OrderedDict()

    def add(self, id: Any) -> None:
        self._ids[id] = None
        if len(self._ids) > self._max_ids:
            self._ids.popitem(last=False)

    def clear(self) -> None:
        self._ids.clear()

    def __contains__(self, id: Any) -> bool:
        return id in self._ids


class ServerQuestions(RecentIds):
    """The requests that a server has sent to the client."""

    def __init__(self) -> None:
        super().__init__()
        self._has_restarted = False

    def clear(self) -> None:
        """Forget them: the server has ended, and the next one may ask something else by the same id."""
        super().clear()
        self._has_restarted = True

    def is_obsolete(self, id: Any) -> bool:
        """Whether a reply with that id is for a server that has ended."""
        return self._has_restarted and messages.is_id(id) and id not in self
