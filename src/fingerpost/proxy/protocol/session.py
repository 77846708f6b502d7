"""One client and one server that exchange frames, without I/O.

Frames from one side become frames for the other. Transports own the pipes and sockets; this module owns the
meaning, so every interleaving can be tested as a function call. Whatever the server does, each request of the
client is answered once.
"""

from __future__ import annotations

import json
import os
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias, cast

from fingerpost.engine.failure_kinds import FailureFacts
from fingerpost.engine.model import Call
from fingerpost.engine.replies.classify import may_report_failure
from fingerpost.proxy.protocol import fast_path
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.broken_frame import BrokenReplies, find_id, looks_like_client_reply
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
from fingerpost.proxy.protocol.pending import (
    CALLER,
    FrameToSend,
    GuidanceTask,
    PendingRequest,
    PendingRequests,
    RecentIds,
    ServerQuestions,
    SessionRequest,
)
from fingerpost.proxy.protocol.relay import GUIDED_METHODS, NAMING_METHODS, Relay
from fingerpost.proxy.protocol.request import Reply

_WaitingFrame: TypeAlias = "tuple[bytes, object]"
"""A frame that waits, and who sent it."""

_ASKED_DURING_CALLS = frozenset({"sampling/createMessage", "elicitation/create"})
"""What a server asks the client only while it works on a call."""

_START_TIMEOUT = 60.0
"""Seconds that a new server has to be initialized in: it may have to be downloaded first."""


class Session:
    """Relays frames between a client and a server that may come and go."""

    def __init__(
        self,
        relay: Relay | None,
        *,
        timeout: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        note: Callable[[str], None] = lambda _: None,
        marks_lost: bool = False,
    ) -> None:
        self._relay, self._timeout, self._clock, self._note = relay, timeout, clock, note
        self._marks_lost = marks_lost
        """Whether the replies to lost requests say why in a field, for the audit."""
        self._id_prefix, self._id_count = f"fingerpost-{os.urandom(6).hex()}", 0
        self.to_server: list[bytes] = []
        self.to_client: list[bytes] = []
        self.is_up = True
        """Whether there is a server to send frames to."""
        self.has_served = False
        """Whether the server has answered anything since it was started."""
        self._handshake = Handshake()
        self._pending = PendingRequests(timeout, clock)
        """What the server owes the client."""
        self._own_pending: dict[Any, PendingRequest] = {}
        """What the server owes us."""
        self._cancelled, self._server_questions = RecentIds(), ServerQuestions()
        self._broken_replies = BrokenReplies()
        self._list_reader: GuidanceTask | None = None
        """The call for which the tool list is being read. Other calls wait behind it, so that none overtakes."""
        self._behind_list: deque[_WaitingFrame] = deque()
        self._behind_start: deque[_WaitingFrame] = deque()

    @property
    def wants_server(self) -> bool:
        """Whether a request waits for a server to be started."""
        return not self.is_up and bool(self._behind_start)

    @property
    def in_flight(self) -> int:
        """How many requests of the client are not answered."""
        waiting = len(self._behind_start) + len(self._behind_list)
        return waiting + len(self._pending) + sum(one.request is not None for one in self._own_pending.values())

    @property
    def may_send_more(self) -> bool:
        """Whether there is work that may still have something to send to the server."""
        is_working = any(one.task is not None for one in (*self._own_pending.values(), *self._pending.values()))
        return is_working or bool(self._behind_start or self._behind_list)

    # the client's side

    def from_client(self, frame: bytes | OversizedFrame, speaker: object = CALLER) -> None:
        """Accept a frame from the client; `speaker` tells apart clients that share a session."""
        try:
            if isinstance(frame, OversizedFrame):
                id = find_id(frame.head, frame.tail)
                raise MalformedMessage(f"The message of {frame.size:,} bytes is too long", INVALID_REQUEST, id)
            if self._relay is not None and (plain := fast_path.read_plain_call(frame)) is not None:
                self._accept_call(self._relay, frame, speaker, *plain)
            elif frame and not frame.isspace():
                self._accept(frame, messages.read(frame), speaker)
        except MalformedMessage as error:
            self._reject(frame, error)

    def _reject(self, frame: bytes | OversizedFrame, error: MalformedMessage) -> None:
        """Report a malformed frame to the side that waits for an answer to it: for a reply, that is the server."""
        text = frame if isinstance(frame, bytes) else frame.head
        reports = [messages.error(id, error.code, str(error)) for id in error.ids]
        if json.loads(error.id) not in self._server_questions or not looks_like_client_reply(text):
            self.to_client += reports
        elif isinstance(frame, bytes) and messages.read_reply(frame) is not None:
            self._send(frame)
        else:
            self._send(reports[0])

    def _accept(self, frame: bytes, message: Message, speaker: object) -> None:
        if message.is_request:
            self._accept_request(frame, message, speaker)
        elif message.is_notification and message.method == "notifications/cancelled":
            self._cancel(frame, message)
        elif not message.is_notification and self._server_questions.is_obsolete(message.id):
            self._note("dropped an answer to a server that has ended")
        else:
            self._handshake.record(frame, message)
            self._send(frame)

    def _accept_request(self, frame: bytes, message: Message, speaker: object) -> None:
        relay = self._relay
        if relay is not None and message.method == "tools/call":
            self._accept_call(relay, frame, speaker, message.id, messages.decode_params(message))
            return
        self._check_id(message.id)
        if not self.is_up:
            self._behind_start.append((frame, speaker))
        else:
            request = SessionRequest(frame, message.id, message.method, None, speaker, self._next_own_id)
            if relay is None or message.method not in GUIDED_METHODS:
                self._handshake.record(frame, message)
                self._forward(frame, message.id, request)
            else:
                self._resume(GuidanceTask(relay.answer(request), request), None)

    def _accept_call(self, relay: Relay, frame: bytes, speaker: object, id: Any, params: dict[str, Any]) -> None:
        """Forward a call that is clearly valid at once; give any other to the relay."""
        self._check_id(id)
        if not self.is_up:
            self._behind_start.append((frame, speaker))
        elif self._list_reader is not None:
            self._behind_list.append((frame, speaker))
        else:
            request = SessionRequest(frame, id, "tools/call", params, speaker, self._next_own_id)
            name, arguments = params.get("name"), params.get("arguments", {})
            if type(name) is str and relay.lets_pass(CALLER, name, arguments):
                self._forward(frame, id, request, call=Call(name, arguments))
            else:
                self._resume(GuidanceTask(relay.answer_call(request), request), None)

    def _check_id(self, id: Any) -> None:
        """Reject a request whose id is in use: nobody could tell the two replies apart."""
        waits = self._own_pending or self._behind_list or self._behind_start
        if id in self._pending or (waits and self._is_waiting(id)):
            why = "The id is in use: the request before it with this id is not answered yet"
            raise MalformedMessage(why, INVALID_REQUEST, encode(id))

    def _is_waiting(self, id: Any) -> bool:
        """Whether a request with this id waits for the list of tools or for a server."""
        if any(one.is_for(id) for one in self._own_pending.values()):
            return True
        return any(messages.read(frame).id == id for frame, _ in (*self._behind_list, *self._behind_start))

    def _cancel(self, frame: bytes, message: Message) -> None:
        """Cancel a request of the client. What has not been sent yet is not sent any more."""
        params = messages.fields(message.params)
        id: Any = params.get("requestId")
        if not messages.is_id(id):
            self._send(frame)
        elif not self._drop_waiting(id) and (sent_as := self._abandon(id)) is not None:
            if sent_as != id:
                frame = replace_members(frame, params=encode({**params, "requestId": sent_as}))
            self._send(frame)

    def _drop_waiting(self, id: Any) -> bool:
        """Drop a request that waits in a queue; false if there is none."""
        for queue in (self._behind_start, self._behind_list):
            for waiting in queue:
                if messages.read(waiting[0]).id == id:
                    queue.remove(waiting)
                    return True
        return False

    def _abandon(self, id: Any) -> Any:
        """Stop waiting for a request of the client. Return the id by which the server knows it, if it does."""
        own = next((key for key, pending in self._own_pending.items() if pending.is_for(id)), None)
        key = own if own is not None else self._pending.server_id(id)
        pending = self._take_pending(key) if key is not None else None
        if pending is None or pending.request is None:
            return id
        self._stop_task(pending)
        self._cancelled.add(pending.request.sent_as)
        return pending.request.sent_as

    # the server's side

    def from_server(self, frame: bytes | OversizedFrame, facts: FailureFacts | None = None) -> None:
        """Accept a frame from the server; `facts` is what its transport tells about a failure."""
        if isinstance(frame, OversizedFrame):
            self._lose_unreadable(find_id(frame.head, frame.tail), f"of {frame.size:,} bytes, which is too long")
            return
        if self._relay_plain_success(frame):
            return
        message = messages.read_reply(frame)
        if message is None:
            self._hold_back(frame)
        elif message.is_contradictory:
            self._lose_unreadable(encode(message.id), f"that {messages.CONTRADICTORY}")
        elif message.is_request or message.is_notification:
            self._observe(message)
            self.to_client.append(frame)
        else:
            self._accept_reply(frame, message, facts)

    def _relay_plain_success(self, frame: bytes) -> bool:
        """Relay the success of a valid call at once, the short cut for nearly all replies; false if it is not one."""
        id = fast_path.read_plain_success(frame)
        pending = self._pending.get(id) if id is not None else None
        if pending is None or pending.call is None or pending.task is not None or pending.request is None:
            return False
        if self._relay is None or not self._relay.leaves_successes_alone or may_report_failure(frame):
            return False
        self._pending.take(id)
        self.has_served = True
        if (speaker := pending.request.speaker) in self._relay.repeated.callers:
            self._relay.repeated.forget(speaker, pending.call)
        self.to_client.append(frame)
        return True

    def _observe(self, message: Message) -> None:
        if message.is_request and messages.is_id(message.id):
            self._server_questions.add(message.id)
            if message.method in _ASKED_DURING_CALLS:
                self._pending.record_question()
        if message.method == "notifications/tools/list_changed" and self._relay is not None:
            self._relay.expire_lists()
        elif message.method == "notifications/progress" and self._pending.watches_progress:
            self._pending.record_progress(messages.fields(message.params).get("progressToken"))

    def _accept_reply(self, frame: bytes, message: Message, facts: FailureFacts | None) -> None:
        self.has_served = True
        pending = self._take_pending(message.id)
        if pending is None:
            self._accept_unexpected_reply(frame, message)
        elif pending.task is not None:
            self._resume(pending.task, Reply(frame, message, facts=facts, has_worked=pending.has_worked))
        elif pending.request is None:
            pass  # what a new server answers to the handshake that we repeat
        elif pending.call is None or self._relay is None:
            self._handshake.confirm(pending.request.method)
            if self._relay is not None and pending.request.method in NAMING_METHODS:
                self._relay.read_server_name(message)
            self.to_client.append(frame)
        elif self._relay.leaves_reply_alone(pending.request.speaker, pending.call, message):
            self.to_client.append(frame)
        else:
            answer = self._relay.answer_call(
                pending.request, Reply(frame, message, facts=facts, has_worked=pending.has_worked)
            )
            self._resume(GuidanceTask(answer, pending.request), None)

    def _accept_unexpected_reply(self, frame: bytes, message: Message) -> None:
        """Relay a reply that nobody waits for if its request was cancelled, or if it names none; drop any other."""
        if not messages.is_id(message.id) or message.id in self._cancelled:
            self.to_client.append(frame)
        else:
            self._note("dropped a reply to no request")

    def _take_pending(self, id: Any) -> PendingRequest | None:
        """Remove and return the request that a reply answers."""
        return (self._own_pending.pop(id, None) or self._pending.take(id)) if type(id) in messages.ID_TYPES else None

    def _hold_back(self, frame: bytes) -> None:
        """Keep what is no message from the client; if it was an attempt to reply, the client gets an error."""
        ids = self._broken_replies.push(frame)
        for id in ids:
            self._lose_unreadable(id, "that is not valid JSON-RPC")
        if not ids and frame.strip():
            self._note("kept back a line that is no message")

    def _lose_unreadable(self, id: bytes, what: str) -> None:
        if not self.unanswered(json.loads(id), LostReply(f"sent a reply {what}", is_over=True)):
            self._note(f"kept back a message {what}")

    def unanswered(self, id: Any, loss: LostReply) -> bool:
        """Give up a request that will get no reply from the server; false if nobody waits for one."""
        is_ours = messages.is_id(id) and id in self._own_pending
        pending = self._take_pending(id)
        if pending is not None and is_ours and pending.task is not None:
            self._resume(pending.task, None)
        elif pending is not None:
            self._lose(pending, loss)
        return pending is not None

    # guidance tasks

    def _resume(self, task: GuidanceTask, reply: Reply | None) -> None:
        """Run a guidance task until it waits for the server again, or has the answer."""
        try:
            to_send = task.coroutine.send(reply)
        except StopIteration as done:
            if done.value is not None:
                self.to_client.append(done.value)
            if self._list_reader is task:
                self._release_waiting()
            return
        except Exception as error:  # of ours: the request is answered, and all others go on
            self._note(f"guidance failed ({type(error).__name__})")
            id = cast("SessionRequest", task.request).encoded_id
            self.to_client.append(messages.error(id, INTERNAL_ERROR, "The proxy failed on this request"))
            self._finish(task)
            return
        request = task.request
        if to_send.is_ours:
            if request is not None and request.method == "tools/call" and request.sent_as is None:
                self._list_reader = task
            self._ask(to_send, request, task)
        else:
            self._forward(to_send.frame, to_send.id, cast("SessionRequest", request), task)
            if self._list_reader is task:
                self._release_waiting()

    def _stop_task(self, pending: PendingRequest) -> None:
        """Stop the task that waits for a reply which will not come."""
        if pending.task is not None:
            pending.task.coroutine.close()
            self._finish(pending.task)

    def _finish(self, task: GuidanceTask) -> None:
        if self._list_reader is task:
            self._release_waiting()

    def _release_waiting(self) -> None:
        """Accept the calls that waited until the tool list was read."""
        self._list_reader = None
        while self._behind_list and self._list_reader is None:
            self.from_client(*self._behind_list.popleft())

    # sending

    def _send(self, frame: bytes) -> None:
        """Send what gets no reply; a server that is yet to be started has no use for it."""
        if self.is_up:
            self.to_server.append(frame)

    def _ask(self, to_send: FrameToSend, request: SessionRequest | None, task: GuidanceTask | None) -> None:
        timeout = to_send.timeout if self.has_served else _START_TIMEOUT
        deadline = self._clock() + min(timeout, self._timeout or timeout)
        self._own_pending[to_send.id] = PendingRequest(request, task, deadline=deadline)
        self.to_server.append(to_send.frame)

    def _forward(
        self,
        frame: bytes,
        id: Any,
        request: SessionRequest,
        task: GuidanceTask | None = None,
        call: Call | None = None,
    ) -> None:
        request.sent_as = id
        self.to_server.append(frame)
        self._pending.add(id, PendingRequest(request, task, call))

    def _next_own_id(self) -> str:
        self._id_count += 1
        return f"{self._id_prefix}-{self._id_count}"

    # time

    def deadline(self) -> float | None:
        """Return when `tick` has something to do, if nothing happens before."""
        theirs = next(iter(self._pending.values())).deadline if self._timeout and self._pending else None
        if not self._own_pending:
            return theirs
        ours = min(pending.deadline for pending in self._own_pending.values())
        return ours if theirs is None else min(ours, theirs)

    def tick(self) -> None:
        """Answer the requests whose time is up, and tell the server to stop working on them."""
        now = self._clock()
        for id, pending in [(id, one) for id, one in self._own_pending.items() if one.deadline <= now]:
            del self._own_pending[id]
            self._send(messages.notification("notifications/cancelled", {"requestId": id}))
            if pending.task is not None:
                self._resume(pending.task, None)
        for id, pending in self._pending.take_overdue():
            reason = {"requestId": id, "reason": "It took too long"}
            self._send(messages.notification("notifications/cancelled", reason))
            self._lose(pending, no_reply_within(self._timeout))

    # a server that comes and goes

    def server_gone(self, why: str) -> None:
        """Answer everything that the server owes: it has ended. `why` is a clause about it."""
        self.is_up = self.has_served = False
        self._behind_start.extend(self._behind_list)
        self._behind_list.clear()
        lost = [*self._own_pending.values(), *self._pending.take_all()]
        for table in (self._own_pending, self._cancelled, self._server_questions, self._broken_replies, self.to_server):
            table.clear()
        for pending in lost:
            self._lose(
                pending, LostReply(why, was_sent=pending.request is not None and pending.request.sent_as is not None)
            )
        if self._relay is not None:
            self._relay.expire_lists()

    def server_started(self) -> None:
        """Repeat the client's handshake to a new server, then send what has waited."""
        starts_over = any(messages.read(frame).method == "initialize" for frame, _ in self._behind_start)
        if self._handshake.initialize is None or not self._handshake.is_confirmed or starts_over:
            self._release_start()
        else:
            self._resume(GuidanceTask(self._repeat_handshake(self._handshake.initialize), None), None)

    async def _repeat_handshake(self, initialize: bytes) -> None:
        """Tell a new server who the client is, and what it has subscribed to since."""
        own_id = self._next_own_id()
        await FrameToSend(replace_members(initialize, id=encode(own_id)), own_id, is_ours=True, timeout=_START_TIMEOUT)
        for id, frame in self._handshake.replay(self._next_own_id):
            if id is None:
                self.to_server.append(frame)
            else:
                self._ask(FrameToSend(frame, id, is_ours=True), None, None)
        self._release_start()

    def _release_start(self) -> None:
        self.is_up = True
        waiting, self._behind_start = self._behind_start, deque()
        for frame, speaker in waiting:
            self.from_client(frame, speaker)

    def server_refused(self, why: str) -> None:
        """Answer what waits for a server: none can be started."""
        waiting, self._behind_start = self._behind_start, deque()
        for frame, speaker in waiting:
            message = messages.read(frame)
            params = messages.fields(message.params)
            request = SessionRequest(frame, message.id, message.method, params, speaker, self._next_own_id)
            self._lose(PendingRequest(request), LostReply(why, was_sent=False))

    def _lose(self, pending: PendingRequest, loss: LostReply) -> None:
        """Answer a request whose reply is lost."""
        self._stop_task(pending)
        request = pending.request
        if request is not None:
            mark = loss.as_meta() if self._marks_lost else None
            report = self._relay.answer_lost(request, loss, mark) if self._relay is not None else None
            error = messages.error(request.encoded_id, INTERNAL_ERROR, loss.message_with_hint(), mark)
            self.to_client.append(report or error)
