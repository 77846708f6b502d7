"""One process behind HTTP, and the requests that wait for its answers: which of them a message belongs to."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from typing import Any, cast

from fingerpost.engine.safety.json_input import as_object
from fingerpost.middleware.paging import read_all_pages
from fingerpost.middleware.protocol import PROTOCOL_VERSION_KEY
from fingerpost.proxy.process.child import Child
from fingerpost.proxy.process.supervisor import Pipe, Supervised
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.message import Message, fields
from fingerpost.proxy.protocol.pending import LIST_TIMEOUT
from fingerpost.proxy.protocol.request import Reply
from fingerpost.proxy.protocol.session import Session

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
_PAUSE = 30.0
"""Seconds for which a list that could not be read is not asked for."""

_MOST_KEPT = 1_000
"""Messages kept for a client that has no stream open."""


class Mailbox:
    """The messages for one client, as they are fetched; while it is full, a process of its own is not listened to."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._queue = asyncio.Queue[bytes]()

    @property
    def is_full(self) -> bool:
        return self._queue.qsize() >= _MOST_KEPT

    def put(self, frame: bytes) -> None:
        self._queue.put_nowait(frame)

    async def get(self) -> bytes:
        was_full = self.is_full
        frame = await self._queue.get()
        if was_full and not self.is_full:
            self._host.turn()
        return frame


class Host:
    """One process, and the requests that wait for its answers."""

    def __init__(self, server: Supervised, session: Session, caller: bytes | None) -> None:
        self.server, self.session, self.caller = server, session, caller
        self.used = time.monotonic()
        self.waiting: OrderedDict[Any, Mailbox] = OrderedDict()
        """The queues of requests under way, by the id that the session knows them by."""
        self.tokens: dict[Any, Any] = {}
        self.stream: Mailbox | None = None
        """The stream that the client has opened for what the server says by itself."""
        self._kept: deque[bytes] = deque(maxlen=_MOST_KEPT)
        self._heard: Child | None = None
        """The process that is listened to."""
        self._writing: int | None = None
        """The descriptor that is waited for because it is full."""
        self._timer: asyncio.TimerHandle | None = None
        self._schemas: dict[str, Any] | None = None
        self._ask_again = 0.0
        self._questions = 0

    def start(self) -> None:
        self.server.start()
        self.turn()

    def from_client(self, frame: bytes, caller: object) -> None:
        """A message as one line: a body may have several, and each would be a message of its own to the server."""
        self.used = time.monotonic()
        self.session.from_client(messages.as_line(frame), caller)
        self.turn()

    def turn(self) -> None:
        """Move what is to be moved, and see to it that we hear when there is more to do."""
        loop = asyncio.get_running_loop()
        deadline = self.session.deadline()
        if deadline is not None and deadline <= time.monotonic():
            self.session.tick()
        self.server.see_to()
        self.server.pass_on()
        for frame in self.session.to_client:
            self._deliver(frame)
        self.session.to_client.clear()
        self._watch(loop)
        due = [at for at in (self.session.deadline(), self.server.start_at) if at is not None]
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_at(min(due), self.turn) if due else None

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wait for what the process says, and for room in its input.

        A descriptor of a process that has ended may be that of the next one already: it is waited for anew.
        """
        child, pipe = self.server.child if self._has_room() else None, self.server.pipe
        if child is not self._heard:
            if self._heard is not None:
                loop.remove_reader(self._heard.stdout)
            if child is not None:
                loop.add_reader(child.stdout, self._readable)
            self._heard = child
        writing = pipe.fd if pipe is not None and pipe.size else None
        if writing != self._writing:
            if self._writing is not None:
                loop.remove_writer(self._writing)
            if writing is not None and pipe is not None:
                loop.add_writer(writing, self._writable, pipe)
            self._writing = writing

    def _has_room(self) -> bool:
        """Whether what a process says can be taken in; who shares one cannot hold up the others."""
        boxes = [*self.waiting.values(), *([self.stream] if self.stream else [])]
        return self.caller is None or not any(box.is_full for box in boxes)

    def _readable(self) -> None:
        self.server.read()
        self.turn()

    def _writable(self, pipe: Pipe) -> None:
        pipe.flush()
        self.turn()

    def exited(self) -> None:
        """A process has ended somewhere; perhaps it is this one."""
        if self.server.has_exited():
            self._schemas, self._ask_again = None, 0.0
            self.server.gone()
            self.turn()

    def _deliver(self, frame: bytes) -> None:
        """Hand a message of the server's to whoever it is for."""
        message = cast("Message", messages.read_reply(frame))  # it has been read before
        if not message.is_request and not message.is_notification:
            box = self.waiting.get(message.id) if messages.is_id(message.id) else None
            if box is not None or (box := self.waiting.get(messages.number_in(message.id))) is not None:
                box.put(frame)
            return
        if message.method == "notifications/tools/list_changed":
            self._schemas, self._ask_again = None, 0.0
        box = self._related(message)
        if box is None:
            if self.caller is not None:
                self._kept.append(frame)
        elif self.caller is not None or not box.is_full:
            box.put(frame)

    def _related(self, message: Message) -> Mailbox | None:
        """Where a message belongs that is no answer: to the request it speaks of, the stream, or the latest request."""
        params = fields(message.params)
        token, about = params.get("progressToken"), as_object(params.get("_meta")).get(SUBSCRIPTION)
        if messages.is_id(token) and token in self.tokens:
            return self.waiting.get(self.tokens[token])
        if messages.is_id(about) and about in self.waiting:
            return self.waiting[about]
        if self.caller is None:
            return None
        return self.stream or next(reversed(self.waiting.values()), None)

    async def schema(self, name: str, meta: dict[str, Any]) -> Any:
        """The schema of a tool, as the server lists it; none where it does not."""
        if self._schemas is None and time.monotonic() >= self._ask_again:
            own_meta = meta if PROTOCOL_VERSION_KEY in meta else {}
            pages = await read_all_pages(self._read_tools_page, "tools", own_meta)
            listed = map(as_object, pages.entries if pages.is_complete else ())
            self._schemas = {str(tool.get("name")): tool.get("inputSchema") for tool in listed} or None
            self._ask_again = time.monotonic() + _PAUSE
        return (self._schemas or {}).get(name)

    async def _read_tools_page(self, params: dict[str, Any]) -> dict[str, Any]:
        reply = await self._asked("tools/list", params)
        return fields(reply.message.result) if reply and reply.message.result else {}

    async def _asked(self, method: str, params: dict[str, Any]) -> Reply | None:
        """What the server answers to a question of ours."""
        self._questions += 1
        key = f"own-{self._questions}"
        box = self.waiting[key] = Mailbox(self)
        try:
            self.from_client(messages.request(key, method, params), None)
            async with asyncio.timeout(LIST_TIMEOUT):
                frame = await box.get()
            return Reply(frame, cast("Message", messages.read_reply(frame)))
        except TimeoutError:
            return None
        finally:
            self.leave(key)

    def leave(self, key: Any) -> None:
        """Nobody waits for that request any more, or for the stream where it is none."""
        if key is None:
            self.stream = None
        else:
            self.waiting.pop(key, None)
        self._watch(asyncio.get_running_loop())

    def open_stream(self) -> Mailbox:
        self.stream = Mailbox(self)
        while self._kept:
            self.stream.put(self._kept.popleft())
        return self.stream

    def let_go(self) -> Child | None:
        """Answer all that is owed, and have no more to do with the process."""
        if self._timer is not None:
            self._timer.cancel()
        child = self.server.let_go()
        self._watch(asyncio.get_running_loop())
        for frame in self.session.to_client:
            self._deliver(frame)
        return child
