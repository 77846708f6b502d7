"""Run a server as a child process, without a shell, and stop it together with all processes it started."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, cast

from fingerpost.proxy.process import groups
from fingerpost.proxy.process.bridge import InputBridge
from fingerpost.proxy.process.guard import Guard
from fingerpost.proxy.process.guard_program import GRACE as _GRACE
from fingerpost.proxy.process.pipe import Pipe, open_reader
from fingerpost.proxy.protocol.frames import FrameSplitter


class Child:
    """A running server in its own process group. It inherits our environment and standard error.

    `errors` is another descriptor for its standard error. A `guard` stops the group if our process is killed.
    """

    def __init__(self, argv: Sequence[str], limit: int, errors: int | None = None, guard: Guard | None = None) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            groups.find_command(argv),
            stdin=pipe,
            stdout=pipe,
            stderr=errors,
            bufsize=0,
            start_new_session=True,
            creationflags=groups.NEW_GROUP,
        )
        self._guard = guard
        if guard is not None:
            guard.add(self._process.pid)
        self.frames = FrameSplitter(limit)
        stdin, stdout = cast("IO[bytes]", self._process.stdin), cast("IO[bytes]", self._process.stdout)
        self.input = Pipe(stdin.fileno(), stdin.close)
        self.output = open_reader(stdout.fileno(), stdout.close)
        if isinstance(self.output, InputBridge):  # there is no SIGCHLD either
            threading.Thread(target=self._end_output, args=(self.output,), daemon=True).start()
        else:
            os.set_blocking(self.output.fd, False)

    def _end_output(self, output: InputBridge) -> None:
        """Show the end of the process as the end of its output, which its children may hold open."""
        self._process.wait()
        output.end_when_idle(_GRACE)

    def has_exited(self) -> bool:
        return self._process.poll() is not None

    @property
    def status(self) -> int:
        """The exit code, as a shell reports it."""
        code = self._process.returncode or 0
        return 128 - code if code < 0 else code

    def close_input(self) -> None:
        self.input.close()

    def reap(self, otherwise: str) -> str:
        """Clean up after an exited process and return a clause that says how it ended.

        A process that is still running is stopped, and `otherwise` is returned.
        """
        try:
            code = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self.stop()
            return otherwise
        self.clean_up()
        return _describe_exit(code)

    def stop(self) -> None:
        """Stop the process and all processes it started."""
        stop_all([self])

    def exits_within(self, seconds: float) -> bool:
        """Wait for the process to exit by itself; whether it did."""
        try:
            self._process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            return False
        return True

    def terminate(self) -> None:
        groups.terminate(self._process)

    def clean_up(self) -> None:
        """Kill what is left of the process group and close our ends of its pipes."""
        groups.kill(self._process)
        self.exits_within(_GRACE)
        if self._guard is not None:
            self._guard.remove(self._process.pid)
        self.close_input()
        self.output.close()


def stop_all(children: Sequence[Child]) -> None:
    """Stop processes and all they started: close their input, then ask them to end, then kill them."""
    for request_exit in (Child.close_input, Child.terminate):
        for child in children:
            request_exit(child)
        deadline = time.monotonic() + _GRACE
        if all(child.exits_within(deadline - time.monotonic()) for child in children):
            break
    for child in children:
        child.clean_up()


def _describe_exit(code: int) -> str:
    if code >= 0:
        return f"exited with code {code}"
    with suppress(ValueError):
        return f"was killed by {signal.Signals(-code).name}"
    return f"was killed by signal {-code}"
