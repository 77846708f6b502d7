"""A client that writes lines of its own and keeps the replies in the bytes they came in."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from typing import Any

PATIENCE = 20.0
_REFUSAL = {"code": -32601, "message": "Method not found"}


class Wire:
    """The standard streams of a process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        assert process.stdout
        self._process, self._in, self._out = process, process.stdin, process.stdout
        self._lines: queue.Queue[bytes] = queue.Queue()
        self.others: list[bytes] = []
        """What came unasked: notifications and requests of the server."""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._out:
            self._lines.put(line.rstrip(b"\n"))
        self._lines.put(b"")

    def send(self, line: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._in.write(line + b"\n")
            self._in.flush()

    def ask(self, line: bytes) -> bytes:
        """The reply to a request; empty if none came in time, or if the process has ended."""
        self.send(line)
        wanted, until = json.loads(line)["id"], time.monotonic() + PATIENCE
        while True:
            try:
                received = self._lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                return b""
            if not received:
                self._lines.put(b"")
                return b""
            if self._is_reply(received, wanted):
                return received

    def _is_reply(self, line: bytes, wanted: Any) -> bool:
        try:
            frame = json.loads(line)
        except ValueError:
            return False  # a server that prints on its standard output
        if not isinstance(frame, dict):
            return False
        if "method" in frame:
            self.others.append(line)
            if "id" in frame:
                self.send(json.dumps({"jsonrpc": "2.0", "id": frame["id"], "error": _REFUSAL}).encode())
            return False
        return bool(frame.get("id") == wanted)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]

    def close(self) -> None:
        """End as a client does, by closing the input, and end the whole process group if that is not enough."""
        with contextlib.suppress(BrokenPipeError):
            self._in.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join()
        self._out.close()


@contextlib.contextmanager
def open_wire(command: Sequence[str], environment: Mapping[str, str]) -> Generator[Wire]:
    """A client of a program that is started for it."""
    pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
    process = subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=quiet, env=dict(environment), start_new_session=True
    )
    wire = Wire(process)
    try:
        yield wire
    finally:
        wire.close()
