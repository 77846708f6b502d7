"""The standard streams of a server that may do anything: requests go out, answers come back, or it is said why not."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from fingerpost.proxy.process.child import Child
from fingerpost.proxy.process.pipe import Pipe
from fingerpost.proxy.protocol.frames import OversizedFrame
from fingerpost.proxy.protocol.message import encode, fields, numeric_id, read_reply

LONGEST = 16 * 1024 * 1024
"""Bytes of the longest message that is read."""
_FLOOD = 64 * 1024 * 1024
"""Bytes that a server may send without answering anything."""
_CHUNK = 256 * 1024
_LAST_WORDS = 4_000
_UNREAD = 1024 * 1024
"""Bytes that wait for a server that does not read; what it asks itself is no longer answered then."""
_NOT_FOUND = -32601


class Lost(Exception):
    """There is no answer; the message is a clause about the server."""

    was_passed = False
    """Whether later requests were answered meanwhile: then nothing but the request itself was in its way."""


class Gone(Lost):
    """The server has ended; the message says how."""


class Late(Lost):
    """The server did not answer in time."""


class Line:
    """A running server, and all that was asked of it."""

    def __init__(self, argv: Sequence[str]) -> None:
        """Start it; `OSError` where that cannot be done."""
        errors, theirs = os.pipe()
        try:
            self._child = Child(argv, LONGEST, theirs)
        except OSError:
            os.close(errors)
            raise
        finally:
            os.close(theirs)
        os.set_blocking(errors, False)
        self._errors, self._pipe = errors, Pipe(self._child.stdin)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._last_id = self._newest_answered = self._unanswered = 0
        self._why = ""
        self.has_changed = False
        """Whether it has said that its list of tools is another one now."""
        self.last_words = ""
        """The end of what it has written to standard error."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._child.stdout, self._heard)
        loop.add_reader(errors, self._grumbled)

    @property
    def is_gone(self) -> bool:
        return bool(self._why)

    async def ask(self, method: str, params: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to a request, with `result` or `error` in it."""
        self._last_id += 1
        id = self._last_id
        answer = self._waiting[id] = asyncio.get_running_loop().create_future()
        try:
            self._write(encode({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            await asyncio.wait((answer,), timeout=seconds)
        finally:
            del self._waiting[id]
        if answer.done():
            return answer.result()
        self.tell("notifications/cancelled", {"requestId": id, "reason": "no answer in time"})
        late = Late(f"gave no answer within {seconds:g} s")
        late.was_passed = self._newest_answered > id
        raise late

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Send what no answer is due to."""
        if not self._why:
            self._write(encode({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}))

    def _write(self, frame: bytes) -> None:
        if self._why:
            raise Gone(self._why)
        self._pipe.write([frame])
        if self._pipe.size:
            asyncio.get_running_loop().add_writer(self._pipe.fd, self._flush)

    def _flush(self) -> None:
        self._pipe.flush()
        if not self._pipe.size:
            asyncio.get_running_loop().remove_writer(self._pipe.fd)

    # what it says

    def _heard(self) -> None:
        try:
            chunk = os.read(self._child.stdout, _CHUNK)
        except BlockingIOError:
            return
        self._unanswered += len(chunk)
        for frame in self._child.frames.push(chunk):
            if isinstance(frame, OversizedFrame):
                self._over(f"sent a message of {frame.size:,} bytes")
                return
            self._took(frame)
        if not chunk:
            self._ended()
        elif self._unanswered > _FLOOD:
            self._over(f"sent {self._unanswered:,} bytes without an answer in them")

    def _took(self, frame: bytes) -> None:
        message = read_reply(frame)
        if message is None:
            return
        if message.is_notification:
            self.has_changed |= message.method == "notifications/tools/list_changed"
            return
        if message.is_request:
            self._answered_to(message.id, message.method)
            return
        id = message.id if isinstance(message.id, int) else numeric_id(message.id) or 0
        waiting = self._waiting.get(id)
        if waiting is not None and not waiting.done():
            self._unanswered, self._newest_answered = 0, max(id, self._newest_answered)
            raw = message.result or message.error
            waiting.set_result({"result" if message.result else "error": fields(raw)})

    def _answered_to(self, id: Any, method: str) -> None:
        """A client that can do nothing but be there."""
        if method == "ping":
            said: dict[str, Any] = {"result": {}}
        else:
            said = {"error": {"code": _NOT_FOUND, "message": "This client does not do that"}}
        if self._pipe.size < _UNREAD:
            self._write(encode({"jsonrpc": "2.0", "id": id, **said}))

    def _grumbled(self) -> None:
        try:
            said = os.read(self._errors, _CHUNK)
        except BlockingIOError:
            return
        self.last_words = (self.last_words + said.decode(errors="replace"))[-_LAST_WORDS:]
        if not said:
            asyncio.get_running_loop().remove_reader(self._errors)

    # its end

    def _ended(self) -> None:
        """It will say no more, for it has ended, or has closed its output."""
        self._unplug()
        self._left(self._child.reap("closed its output"))

    def _over(self, why: str) -> None:
        """It has to be ended."""
        self._unplug()
        self._child.stop()
        self._left(why)

    def _left(self, why: str) -> None:
        self._why = why
        self._grumbled_last()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(Gone(self._why))

    def _unplug(self) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._child.stdout)
        loop.remove_reader(self._errors)
        loop.remove_writer(self._pipe.fd)

    def _grumbled_last(self) -> None:
        self._grumbled()
        with suppress(OSError):
            os.close(self._errors)

    def close(self, why: str = "was stopped") -> None:
        """End it, if it has not ended; whoever waits is told."""
        if not self._why:
            self._over(why)
