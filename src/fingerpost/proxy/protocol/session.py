"""One client and one server that talk in frames, without I/O.

Frames from either side become frames owed to the other. Transports own the pipes and sockets; this module owns
the meaning, so every interleaving can be tested as a function call. Whatever the server does, each request of the
client is answered once.
"""

from __future__ import annotations

import json
import secrets
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias, cast

from fingerpost.engine.model import Call
from fingerpost.proxy.protocol import fast_path
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.broken_frame import find_id, looks_like_client_reply, looks_like_server_reply
from fingerpost.proxy.protocol.frames import OversizedFrame
from fingerpost.proxy.protocol.handshake import Handshake
from fingerpost.proxy.protocol.lost_reply import LostReply, no_reply_within
from fingerpost.proxy.protocol.message import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    MalformedMessage,
    Message,
    encode,
    replace_members,
)
from fingerpost.proxy.protocol.pending import CALLER, Asked, Owed, Questions, Recent, Sent, SessionWire, Task
from fingerpost.proxy.protocol.relay import GUIDED, Relay
from fingerpost.proxy.protocol.request import Reply

_Waiting: TypeAlias = "tuple[bytes, object]"
"""A frame that waits, and whose it is."""

_STARTING = 60.0
"""Seconds that a fresh server has to be initialized in: it may have to be downloaded first."""


class Session:
    """Relays frames between a client and a server that may come and go."""

    def __init__(
        self,
        relay: Relay | None,
        *,
        timeout: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._relay, self._timeout, self._clock, self._note = relay, timeout, clock, note
        self._space, self._count = f"fingerpost-{secrets.token_hex(6)}", 0
        self.to_server: list[bytes] = []
        self.to_client: list[bytes] = []
        self.is_up = True
        """Whether there is a server to send frames to."""
        self.has_served = False
        """Whether the server has answered anything since it was started."""
        self._handshake = Handshake()
        self._owed = Owed(timeout, clock)
        """What the server owes the client."""
        self._ours: dict[Any, Asked] = {}
        """What the server owes us."""
        self._cancelled, self._asked_back = Recent(), Questions()
        """What the client has cancelled, and what the server has asked the client, of late."""
        self._reader: Task | None = None
        """The call for which the list of tools is being read. Others wait behind it, so that none overtakes."""
        self._behind_reader: deque[_Waiting] = deque()
        self._behind_start: deque[_Waiting] = deque()

    @property
    def wants_server(self) -> bool:
        """Whether a request waits for a server to be started."""
        return not self.is_up and bool(self._behind_start)

    @property
    def in_flight(self) -> int:
        """How many requests of the client are without an answer."""
        waiting = len(self._behind_start) + len(self._behind_reader)
        return waiting + len(self._owed) + sum(asked.wire is not None for asked in self._ours.values())

    @property
    def may_send_more(self) -> bool:
        """Whether there is work that may have something to send to the server yet."""
        at_work = any(asked.task is not None for asked in (*self._ours.values(), *self._owed))
        return at_work or bool(self._behind_start or self._behind_reader)

    # the client's side

    def from_client(self, frame: bytes | OversizedFrame, speaker: object = CALLER) -> None:
        """The client has sent a frame; `speaker` tells apart those who share a session."""
        try:
            if isinstance(frame, OversizedFrame):
                id = find_id(frame.head, frame.tail)
                raise MalformedMessage(f"The message of {frame.size:,} bytes is too long", INVALID_REQUEST, id)
            if not self._passes(frame, speaker) and frame and not frame.isspace():
                self._accept(frame, messages.read(frame), speaker)
        except MalformedMessage as bad:
            self._refuse(frame, bad)

    def _refuse(self, frame: bytes | OversizedFrame, bad: MalformedMessage) -> None:
        """Say that a frame is no message to whoever waits for an answer to it: for a reply, that is the server."""
        told, text = messages.error(bad.id, bad.code, str(bad)), frame if isinstance(frame, bytes) else frame.head
        if json.loads(bad.id) not in self._asked_back or not looks_like_client_reply(text):
            self.to_client.append(told)
        elif isinstance(frame, bytes) and messages.read_reply(frame) is not None:
            self._send(frame)
        else:
            self._send(told)

    def _passes(self, frame: bytes, speaker: object) -> bool:
        """The short cut for the many: a call that is plainly right goes on at once."""
        if self._relay is None or self._reader is not None or not self.is_up:
            return False
        called = fast_path.read_plain_call(frame)
        if called is None or not self._relay.lets_pass(CALLER, called[1], called[2]):
            return False
        self._forward(frame, called[0], SessionWire(frame, speaker, self._own_id), call=Call(called[1], called[2]))
        return True

    def _accept(self, frame: bytes, message: Message, speaker: object) -> None:
        if message.is_request:
            if self.is_up:
                self._request(frame, message, speaker)
            else:
                self._behind_start.append((frame, speaker))
        elif message.is_notification and message.method == "notifications/cancelled":
            self._cancel(frame, message)
        elif not message.is_notification and self._asked_back.is_over(message.id):
            self._note("dropped an answer to a server that has ended")
        else:
            self._handshake.record(frame, message)
            self._send(frame)

    def _request(self, frame: bytes, message: Message, speaker: object) -> None:
        wire = SessionWire(frame, speaker, self._own_id, message)
        if self._relay is None or message.method not in GUIDED:
            self._handshake.record(frame, message)
            self._forward(frame, message.id, wire)
        elif message.method == "tools/call" and self._reader is not None:
            self._behind_reader.append((frame, speaker))
        elif message.method == "tools/call" and (call := self._relay.right_call(wire)) is not None:
            self._forward(frame, message.id, wire, call=call)
        else:
            self._go_on(Task(self._relay.answered(wire), wire), None)

    def _cancel(self, frame: bytes, message: Message) -> None:
        """The client no longer wants an answer. What has not been sent yet is not sent any more."""
        params = messages.fields(message.params)
        id: Any = params.get("requestId")
        if not messages.is_id(id):
            self._send(frame)
        elif not self._was_waiting(id) and (sent_as := self._abandoned(id)) is not None:
            told = frame if sent_as == id else replace_members(frame, params=encode({**params, "requestId": sent_as}))
            self._send(told)

    def _was_waiting(self, id: Any) -> bool:
        """Drop a request that waits in a queue; whether there was one."""
        for queue in (self._behind_start, self._behind_reader):
            for waiting in queue:
                if messages.read(waiting[0]).id == id:
                    queue.remove(waiting)
                    return True
        return False

    def _abandoned(self, id: Any) -> Any:
        """Give up a request of the client's. The answer is the id that the server knows it by, if it does."""
        own = next((key for key, asked in self._ours.items() if asked.is_of(id)), None)
        key = own if own is not None else self._owed.keyed(id)
        asked = self._taken(key) if key is not None else None
        if asked is None or asked.wire is None:
            return id
        self._end(asked)
        self._cancelled.add(asked.wire.sent_as)
        return asked.wire.sent_as

    # the server's side

    def from_server(self, frame: bytes | OversizedFrame) -> None:
        """The server has sent a frame."""
        if isinstance(frame, OversizedFrame):
            self._unreadable(find_id(frame.head, frame.tail), f"of {frame.size:,} bytes is too long")
            return
        if self._succeeds(frame):
            return
        message = messages.read_reply(frame)
        if message is None:
            self._noise(frame)
        elif message.is_request or message.is_notification:
            self._observe(message)
            self.to_client.append(frame)
        else:
            self._replied(frame, message)

    def _succeeds(self, frame: bytes) -> bool:
        """The short cut for the many: the success of a right call is handed on at once."""
        id = fast_path.read_plain_success(frame)
        asked = self._owed.get(id) if id is not None else None
        if asked is None or asked.call is None or asked.task is not None or self._relay is None or asked.wire is None:
            return False
        if not self._relay.leaves_successes_alone:
            return False
        self._owed.take(id)
        self.has_served = True
        self._relay.succeeded(asked.wire.speaker, asked.call)
        self.to_client.append(frame)
        return True

    def _observe(self, message: Message) -> None:
        if message.is_request and messages.is_id(message.id):
            self._asked_back.add(message.id)
        if message.method == "notifications/tools/list_changed" and self._relay is not None:
            self._relay.outdate()
        elif message.method == "notifications/progress" and self._timeout:
            self._owed.progressed(messages.fields(message.params).get("progressToken"))

    def _replied(self, frame: bytes, message: Message) -> None:
        self.has_served = True
        asked = self._taken(message.id)
        if asked is None:
            self._unasked(frame, message)
        elif asked.task is not None:
            self._go_on(asked.task, Reply(frame, message))
        elif asked.wire is None:
            pass  # what a fresh server says to what it was told again
        elif asked.call is None or self._relay is None:
            self._handshake.confirm(asked.wire.message.method)
            self.to_client.append(frame)
        elif self._relay.leaves_alone(asked.wire.speaker, asked.call, message):
            self.to_client.append(frame)
        else:
            self._go_on(Task(self._relay.answered(asked.wire, Reply(frame, message)), asked.wire), None)

    def _unasked(self, frame: bytes, message: Message) -> None:
        """An answer that nobody waits for: to what was cancelled it is relayed, as one that names no request is."""
        if not messages.is_id(message.id) or message.id in self._cancelled:
            self.to_client.append(frame)
        else:
            self._note("dropped a reply to no request")

    def _taken(self, id: Any) -> Asked | None:
        """The request that an answer is to, which is over then."""
        return (self._ours.pop(id, None) or self._owed.take(id)) if messages.is_id(id) else None

    def _noise(self, frame: bytes) -> None:
        """What is no message stays away from the client; if it was meant as an answer, the client is told so."""
        if looks_like_server_reply(frame):
            self._unreadable(find_id(frame), "is not valid JSON-RPC")
        elif frame.strip():
            self._note("kept back a line that is no message")

    def _unreadable(self, id: bytes, what: str) -> None:
        if not self.unanswered(json.loads(id), LostReply(f"sent a reply that {what}", is_over=True)):
            self._note(f"kept back a message that {what}")

    def unanswered(self, id: Any, loss: LostReply) -> bool:
        """There will be no answer to a request that the server was sent; whether anybody waits for one."""
        is_ours = messages.is_id(id) and id in self._ours
        asked = self._taken(id)
        if asked is not None and is_ours and asked.task is not None:
            self._go_on(asked.task, None)
        elif asked is not None:
            self._lose(asked, loss)
        return asked is not None

    # what guidance is at work on

    def _go_on(self, task: Task, reply: Reply | None) -> None:
        """Let guidance work until it waits for the server again, or knows what to answer."""
        try:
            sent = task.run.send(reply)
        except StopIteration as done:
            if done.value is not None:
                self.to_client.append(done.value)
            self._finished(task)
            return
        except Exception as error:  # of ours: whoever waits is told, and all others go on
            self._note(f"guidance failed ({type(error).__name__})")
            id = cast("SessionWire", task.wire).id
            self.to_client.append(messages.error(id, INTERNAL_ERROR, "The proxy failed on this request"))
            self._finished(task)
            return
        wire = task.wire
        if sent.is_ours:
            if wire is not None and wire.message.method == "tools/call" and wire.sent_as is None:
                self._reader = task
            self._ask(sent, Asked(wire, task))
        else:
            self._forward(sent.frame, sent.id, cast("SessionWire", wire), task)
            self._finished(task)

    def _end(self, asked: Asked) -> None:
        """Whoever would go on with an answer need not wait for it."""
        if asked.task is not None:
            asked.task.run.close()
            self._finished(asked.task)

    def _finished(self, task: Task) -> None:
        """Let those go on that waited for the list to be read."""
        if self._reader is not task:
            return
        self._reader = None
        while self._behind_reader and self._reader is None:
            self.from_client(*self._behind_reader.popleft())

    # sending

    def _send(self, frame: bytes) -> None:
        """What no answer is due to; it is of no use to a server that is yet to be started."""
        if self.is_up:
            self.to_server.append(frame)

    def _ask(self, sent: Sent, asked: Asked) -> None:
        patience = sent.patience if self.has_served else _STARTING
        asked.deadline = self._clock() + min(patience, self._timeout or patience)
        self._ours[sent.id] = asked
        self.to_server.append(sent.frame)

    def _forward(
        self, frame: bytes, id: Any, wire: SessionWire, task: Task | None = None, call: Call | None = None
    ) -> None:
        wire.sent_as = id
        self.to_server.append(frame)
        self._owed.add(id, Asked(wire, task, call))

    def _own_id(self) -> str:
        self._count += 1
        return f"{self._space}-{self._count}"

    # time

    def deadline(self) -> float | None:
        """When `tick` has something to do, if nothing happens before."""
        theirs = self._owed.deadline()
        if not self._ours:
            return theirs
        ours = min(asked.deadline for asked in self._ours.values())
        return ours if theirs is None else min(ours, theirs)

    def tick(self) -> None:
        """Time has passed: whoever has waited long enough is answered, and the server is told to stop."""
        now = self._clock()
        for id, asked in [(id, asked) for id, asked in self._ours.items() if asked.deadline <= now]:
            del self._ours[id]
            self._send(messages.notification("notifications/cancelled", {"requestId": id}))
            if asked.task is not None:
                self._go_on(asked.task, None)
        for id, asked in self._owed.overdue():
            reason = {"requestId": id, "reason": "It took too long"}
            self._send(messages.notification("notifications/cancelled", reason))
            self._lose(asked, no_reply_within(self._timeout))

    # a server that comes and goes

    def server_gone(self, why: str) -> None:
        """The server has ended: all that it owes is answered with what is known. `why` is a clause about it."""
        self.is_up = self.has_served = False
        self._behind_start.extend(self._behind_reader)
        self._behind_reader.clear()
        owed = [*self._ours.values(), *self._owed.clear()]
        for table in (self._ours, self._cancelled, self._asked_back, self.to_server):
            table.clear()
        for asked in owed:
            self._lose(asked, LostReply(why, was_sent=asked.wire is not None and asked.wire.sent_as is not None))
        if self._relay is not None:
            self._relay.outdate()

    def server_started(self) -> None:
        """A fresh server is there. It is told what the one before it was told, then it gets what has waited."""
        starts_over = any(messages.read(frame).method == "initialize" for frame, _ in self._behind_start)
        if self._handshake.initialize is None or not self._handshake.is_confirmed or starts_over:
            self._up()
        else:
            self._go_on(Task(self._introduced(self._handshake.initialize), None), None)

    async def _introduced(self, initialize: bytes) -> None:
        """Tell a fresh server who the client is, and what it has asked for since."""
        own = self._own_id()
        await Sent(replace_members(initialize, id=encode(own)), own, is_ours=True, patience=_STARTING)
        for id, frame in self._handshake.replay(self._own_id):
            if id is None:
                self.to_server.append(frame)
            else:
                self._ask(Sent(frame, id, is_ours=True), Asked(None))
        self._up()

    def _up(self) -> None:
        self.is_up = True
        waiting, self._behind_start = self._behind_start, deque()
        for frame, speaker in waiting:
            self.from_client(frame, speaker)

    def server_refused(self, why: str) -> None:
        """No server can be started: what waits for one is answered."""
        waiting, self._behind_start = self._behind_start, deque()
        for frame, speaker in waiting:
            wire = SessionWire(frame, speaker, self._own_id)
            self._lose(Asked(wire), LostReply(why, was_sent=False))

    def _lose(self, asked: Asked, loss: LostReply) -> None:
        self._end(asked)
        if asked.wire is not None:
            told = self._relay.lost(asked.wire, loss) if self._relay is not None else None
            self.to_client.append(told or messages.error(asked.wire.id, INTERNAL_ERROR, loss.message()))
