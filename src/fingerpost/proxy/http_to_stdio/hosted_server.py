"""One server process behind HTTP, and the routing of its messages to the HTTP requests that wait for them."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import OrderedDict, deque
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

from fingerpost.engine.safety.json_input import as_object
from fingerpost.middleware.paging import read_all_pages
from fingerpost.middleware.protocol import PROTOCOL_VERSION_KEY
from fingerpost.proxy.http_to_stdio.history import Event, History
from fingerpost.proxy.http_to_stdio.message_queue import MAX_QUEUED, SUBSCRIPTION, MessageQueue, Stream
from fingerpost.proxy.process.child import Child
from fingerpost.proxy.process.pipe import Pipe
from fingerpost.proxy.process.supervisor import Supervisor
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.message import INTERNAL_ERROR, Message, fields
from fingerpost.proxy.protocol.pending import LIST_TIMEOUT
from fingerpost.proxy.protocol.request import Reply
from fingerpost.proxy.protocol.session import Session

_RETRY_LIST_AFTER = 30.0
"""Seconds before the proxy asks again for a list that it could not read."""
_MAX_RESUMABLE = 100
"""Streams of a session that can be resumed."""
_NOT_KEPT = "The server has answered, but its reply could not be kept until the client came back for it"


class HostedServer:
    """A server process with its session. `caller` is the key of its only client; none if clients share it."""

    def __init__(self, server: Supervisor, session: Session, caller: bytes | None) -> None:
        self._server, self._session, self.caller = server, session, caller
        self.used_at = time.monotonic()
        self._waiting: OrderedDict[Any, Stream] = OrderedDict()
        """The streams of requests in flight, by the id that the session uses."""
        self._tokens: dict[Any, Any] = {}
        """The ids of requests in flight by their progress token."""
        self._history = History()
        self._resumable: OrderedDict[int, Stream] = OrderedDict()
        """The streams of requests that a response has left, and that the client can resume, by their numbers."""
        self._stream = Stream(0, self._history)
        """The stream for messages outside of requests."""
        self._stream_numbers = itertools.count(1)
        self._unsent: deque[Event] = deque(maxlen=MAX_QUEUED)
        """Messages for the client's stream while it is not open."""
        self._read_child: Child | None = None
        """The process whose output is watched."""
        self._full_fd: int | None = None
        """The full input descriptor that is watched for room."""
        self._timer: asyncio.TimerHandle | None = None
        self._schemas: dict[str, Any] | None = None
        self._ask_again_at = 0.0
        self._question_count = 0

    @property
    def is_busy(self) -> bool:
        """Whether a client waits for the reply to a request."""
        return any(stream.queue is not None for stream in self._waiting.values())

    @property
    def has_stream(self) -> bool:
        return self._stream.queue is not None

    def is_waiting_for(self, id: Any) -> bool:
        return id in self._waiting

    def start(self) -> None:
        self._server.start()
        self._step()

    def from_client(self, frame: bytes, speaker: object) -> None:
        """Take a message from the client. It becomes one line: a server would read two lines as two messages."""
        self.used_at = time.monotonic()
        self._session.from_client(messages.as_line(frame), speaker)
        self._step()

    def on_child_exit(self) -> None:
        """Check whether this process is the one that exited."""
        if self._server.has_exited():
            self._forget_schemas()
            self._server.handle_exit()
            self._step()

    def release(self) -> Child | None:
        """Answer everything owed and hand over the process, which the caller must stop."""
        if self._timer is not None:
            self._timer.cancel()
        child = self._server.release()
        self._watch(asyncio.get_running_loop())
        for frame in self._session.to_client:
            self._deliver(frame)
        return child

    # moving frames

    def _step(self) -> None:
        """Pass on all frames, do what is due, and schedule the next step."""
        loop = asyncio.get_running_loop()
        deadline = self._session.deadline()
        if deadline is not None and deadline <= time.monotonic():
            self._session.tick()
        self._server.restart_if_needed()
        self._server.write_pending()
        for frame in self._session.to_client:
            self._deliver(frame)
        self._session.to_client.clear()
        self._watch(loop)
        due = [at for at in (self._session.deadline(), self._server.restart_at) if at is not None]
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_at(min(due), self._step) if due else None

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Watch the output of the process, and its input while that is full.

        The watch is renewed for each process: a new process may reuse the descriptor of the one before.
        """
        child, pipe = self._server.child if self._has_room() else None, self._server.pipe
        if child is not self._read_child:
            if self._read_child is not None:
                loop.remove_reader(self._read_child.output.fd)
            if child is not None:
                loop.add_reader(child.output.fd, self._on_readable)
            self._read_child = child
        full_fd = pipe.fd if pipe is not None and pipe.size else None
        if full_fd != self._full_fd:
            if self._full_fd is not None:
                loop.remove_writer(self._full_fd)
            if full_fd is not None and pipe is not None:
                loop.add_writer(full_fd, self._on_writable, pipe)
            self._full_fd = full_fd

    def _has_room(self) -> bool:
        """Whether to read from the process. A slow client holds up its own process, but not a shared one."""
        queues = (stream.queue for stream in (self._stream, *self._waiting.values()))
        return self.caller is None or not any(queue is not None and queue.is_full for queue in queues)

    def _on_readable(self) -> None:
        self._server.read()
        self._step()

    def _on_writable(self, pipe: Pipe) -> None:
        pipe.flush()
        self._step()

    # routing

    @contextmanager
    def reply_stream(self, id: Any, token: Any = None) -> Generator[tuple[Stream, MessageQueue]]:
        """Open a stream for the messages about a request, and a queue that reads it until the block ends."""
        stream = self._waiting[id] = Stream(next(self._stream_numbers), self._history, id, token)
        if token is not None:
            self._tokens[token] = id
        with self._read(stream) as queue:
            yield stream, queue

    @contextmanager
    def resume(self, stream: Stream, number: int) -> Generator[MessageQueue]:
        """Open a queue for the messages of a stream that follow an event, until the block ends."""
        self._resumable.pop(stream.number, None)
        with self._read(stream) as queue:
            kept = self._history.after(stream.number, number)
            for event in kept:
                queue.put(event)
            if stream.reply_number > number and not (kept and kept[-1].number == stream.reply_number):
                queue.put(Event(messages.error(messages.encode(stream.id), INTERNAL_ERROR, _NOT_KEPT)))
            yield queue

    @contextmanager
    def _read(self, stream: Stream) -> Generator[MessageQueue]:
        queue = MessageQueue(self._step)
        stream.attach(queue)
        try:
            yield queue
        finally:
            stream.detach(queue)
            if stream.is_resumable:
                self._remember(stream)
            if stream.queue is None and (stream.is_over or not stream.is_resumable):
                self._forget(stream)
            self._watch(asyncio.get_running_loop())

    def _remember(self, stream: Stream) -> None:
        """Let a stream be resumed, and give up the one that was left alone for longest if there are too many."""
        self._resumable[stream.number] = stream
        self._resumable.move_to_end(stream.number)
        if len(self._resumable) > _MAX_RESUMABLE:
            _, oldest = self._resumable.popitem(last=False)
            self._forget(oldest)

    def _forget(self, stream: Stream) -> None:
        """Drop what is still to come for a request."""
        if self._waiting.get(stream.id) is stream:
            del self._waiting[stream.id]
            self._tokens.pop(stream.token, None)

    def find_stream(self, number: int) -> Stream | None:
        """The stream that a client can resume, also from a response whose client is gone unnoticed; none if unknown."""
        streams = (*self._resumable.values(), *self._waiting.values())
        return next((one for one in streams if one.number == number and one.is_resumable), None)

    @contextmanager
    def outside_stream(self, number: int | None = None) -> Generator[tuple[Stream, MessageQueue]]:
        """Open a queue for the messages outside of requests, until the block ends.

        Those after the event with a number come first, then those that were never sent.
        """
        queue = MessageQueue(self._step)
        self._unsent.extendleft(reversed(self._stream.attach(queue)))
        for event in self._history.after(0, number) if number is not None else ():
            queue.put(event)
        while self._unsent:
            queue.put(self._unsent.popleft())
        try:
            yield self._stream, queue
        finally:
            self._unsent.extendleft(reversed(self._stream.detach(queue)))
            self._watch(asyncio.get_running_loop())

    def _deliver(self, frame: bytes) -> None:
        """Put a message of the server into the stream where it belongs."""
        message = cast("Message", messages.read_reply(frame))  # the session has read it before
        if not message.is_request and not message.is_notification:
            if (stream := self._stream_of_reply(message)) is not None:
                stream.put(frame, is_reply=True)
                if stream.queue is None:
                    self._forget(stream)
            return
        if message.method == "notifications/tools/list_changed":
            self._forget_schemas()
        stream = self._stream_about(message)
        if stream is None:
            if self.caller is not None:
                self._unsent.append(Event(frame))
        elif self.caller is not None or (stream.queue is not None and not stream.queue.is_full):
            stream.put(frame)

    def _stream_of_reply(self, message: Message) -> Stream | None:
        stream = self._waiting.get(message.id) if messages.is_id(message.id) else None
        return stream if stream is not None else self._waiting.get(messages.numeric_id(message.id))

    def _stream_about(self, message: Message) -> Stream | None:
        """Find the stream for a message that is not a reply: its request's, the open one, or the latest request's."""
        params = fields(message.params)
        token, subscription = params.get("progressToken"), as_object(params.get("_meta")).get(SUBSCRIPTION)
        if messages.is_id(token) and token in self._tokens:
            return self._waiting.get(self._tokens[token])
        if messages.is_id(subscription) and subscription in self._waiting:
            return self._waiting[subscription]
        if self.caller is None:
            return None
        return self._stream if self.has_stream else next(reversed(self._waiting.values()), None)

    # the server's tools

    async def schema(self, name: str, meta: dict[str, Any]) -> Any:
        """The input schema of a tool as the server lists it; none if it does not."""
        if self._schemas is None and time.monotonic() >= self._ask_again_at:
            own_meta = meta if PROTOCOL_VERSION_KEY in meta else {}
            pages = await read_all_pages(self._list_page, "tools", own_meta)
            tools = map(as_object, pages.entries if pages.is_complete else ())
            self._schemas = {str(tool.get("name")): tool.get("inputSchema") for tool in tools} or None
            self._ask_again_at = time.monotonic() + _RETRY_LIST_AFTER
        return (self._schemas or {}).get(name)

    def _forget_schemas(self) -> None:
        self._schemas, self._ask_again_at = None, 0.0

    async def _list_page(self, params: dict[str, Any]) -> dict[str, Any]:
        reply = await self._ask("tools/list", params)
        return fields(reply.message.result) if reply and reply.message.result else {}

    async def _ask(self, method: str, params: dict[str, Any]) -> Reply | None:
        """Send a request of our own and return the reply; none if it takes too long."""
        self._question_count += 1
        id = f"own-{self._question_count}"
        with self.reply_stream(id) as (_, queue):
            try:
                self.from_client(messages.request(id, method, params), None)
                async with asyncio.timeout(LIST_TIMEOUT):
                    frame = (await queue.get()).frame
            except TimeoutError:
                return None
        return Reply(frame, cast("Message", messages.read_reply(frame)))
