"""The stdio connection to an audited server, which may hang, flood or end at any time.

Every request gets its answer or an exception that says why there is none.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from fingerpost.proxy.process.child import Child
from fingerpost.proxy.process.pipe import read_available
from fingerpost.proxy.protocol.frames import OversizedFrame
from fingerpost.proxy.protocol.message import encode, fields, numeric_id, read_reply

_MAX_MESSAGE = 16 * 1024 * 1024
"""Bytes of the longest message that is read."""
_MAX_UNANSWERED = 64 * 1024 * 1024
"""Bytes that a server may send without answering anything."""
_CHUNK = 256 * 1024
_MAX_STDERR = 4_000
"""Characters of standard error that are kept, the last ones."""
_MAX_UNREAD = 1024 * 1024
"""Bytes that may queue for a server that does not read; beyond that, its own requests are not answered."""
_NOT_FOUND = -32601


class NoAnswer(Exception):
    """A request has no answer; the message is a clause about the server."""

    def __init__(self, why: str, *, was_overtaken: bool = False) -> None:
        super().__init__(why)
        self.was_overtaken = was_overtaken
        """Whether later requests were answered meanwhile, so that only this request can be to blame."""


class ServerEnded(NoAnswer):
    """The server has ended; the message says how."""


class AnswerTimeout(NoAnswer):
    """The server did not answer in time."""


class Connection:
    """A running server process and the requests that wait for its answers."""

    def __init__(self, argv: Sequence[str]) -> None:
        """Start the process; raises `OSError` if that fails."""
        stderr, child_stderr = os.pipe()
        try:
            self._child = Child(argv, _MAX_MESSAGE, child_stderr)
        except OSError:
            os.close(stderr)
            raise
        finally:
            os.close(child_stderr)
        os.set_blocking(stderr, False)
        self._stderr, self._pipe = stderr, self._child.input
        self._pending: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._last_id = self._newest_answered = self._unanswered_bytes = 0
        self._end_reason = ""
        self.has_changed_tools = False
        """Whether the server has announced that its list of tools changed."""
        self.stderr_tail = ""
        """The end of what the server has written to standard error."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._child.output.fd, self._read_stdout)
        loop.add_reader(stderr, self._read_stderr)

    @property
    def has_ended(self) -> bool:
        return bool(self._end_reason)

    async def request(self, method: str, params: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send a request and return its answer, an object with `result` or `error`."""
        self._last_id += 1
        id = self._last_id
        answer = self._pending[id] = asyncio.get_running_loop().create_future()
        try:
            self._write(encode({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            await asyncio.wait((answer,), timeout=seconds)
        finally:
            del self._pending[id]
        if answer.done():
            return answer.result()
        self.notify("notifications/cancelled", {"requestId": id, "reason": "no answer in time"})
        raise AnswerTimeout(f"gave no answer within {seconds:g} s", was_overtaken=self._newest_answered > id)

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification, unless the server has ended."""
        if not self._end_reason:
            self._write(encode({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}))

    def close(self, why: str = "was stopped") -> None:
        """End the server if it still runs; pending requests fail with that reason."""
        if not self._end_reason:
            self._terminate(why)

    def _write(self, frame: bytes) -> None:
        if self._end_reason:
            raise ServerEnded(self._end_reason)
        self._pipe.write([frame])
        if self._pipe.size:
            asyncio.get_running_loop().add_writer(self._pipe.fd, self._flush)

    def _flush(self) -> None:
        self._pipe.flush()
        if not self._pipe.size:
            asyncio.get_running_loop().remove_writer(self._pipe.fd)

    # reading

    def _read_stdout(self) -> None:
        chunk = read_available(self._child.output, _CHUNK)
        if chunk is None:
            return
        self._unanswered_bytes += len(chunk)
        for frame in self._child.frames.push(chunk):
            if isinstance(frame, OversizedFrame):
                self._terminate(f"sent a message of {frame.size:,} bytes")
                return
            self._handle(frame)
        if not chunk:
            self._handle_end_of_output()
        elif self._unanswered_bytes > _MAX_UNANSWERED:
            self._terminate(f"sent {self._unanswered_bytes:,} bytes without an answer in them")

    def _handle(self, frame: bytes) -> None:
        message = read_reply(frame)
        if message is None:
            return
        if message.is_notification:
            self.has_changed_tools |= message.method == "notifications/tools/list_changed"
            return
        if message.is_request:
            self._answer_request(message.id, message.method)
            return
        id = message.id if isinstance(message.id, int) else numeric_id(message.id) or 0
        pending = self._pending.get(id)
        if pending is not None and not pending.done():
            self._unanswered_bytes, self._newest_answered = 0, max(id, self._newest_answered)
            raw = message.result or message.error
            pending.set_result({"result" if message.result else "error": fields(raw)})

    def _answer_request(self, id: Any, method: str) -> None:
        """Answer a ping, and refuse every other request of the server."""
        if method == "ping":
            answer: dict[str, Any] = {"result": {}}
        else:
            answer = {"error": {"code": _NOT_FOUND, "message": "This client does not do that"}}
        if self._pipe.size < _MAX_UNREAD:
            self._write(encode({"jsonrpc": "2.0", "id": id, **answer}))

    def _read_stderr(self) -> None:
        try:
            chunk = os.read(self._stderr, _CHUNK)
        except BlockingIOError:
            return
        self.stderr_tail = (self.stderr_tail + chunk.decode(errors="replace"))[-_MAX_STDERR:]
        if not chunk:
            asyncio.get_running_loop().remove_reader(self._stderr)

    # the end of the server

    def _handle_end_of_output(self) -> None:
        """Clean up after a server that has ended or has closed its output."""
        self._remove_callbacks()
        self._finish(self._child.reap("closed its output"))

    def _terminate(self, why: str) -> None:
        self._remove_callbacks()
        self._child.stop()
        self._finish(why)

    def _remove_callbacks(self) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._child.output.fd)
        loop.remove_reader(self._stderr)
        loop.remove_writer(self._pipe.fd)

    def _finish(self, why: str) -> None:
        """Read the rest of standard error, and fail the pending requests."""
        self._end_reason = why
        self._read_stderr()
        with suppress(OSError):
            os.close(self._stderr)
        for pending in self._pending.values():
            if not pending.done():
                pending.set_exception(ServerEnded(self._end_reason))
