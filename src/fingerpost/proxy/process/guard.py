"""A guard process that stops the servers if the proxy itself is killed (`kill -9`) and cannot do so."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

from fingerpost.proxy.process.groups import has_groups

_PROGRAM = Path(__file__).with_name("guard_program.py")
_LONGEST_END = 1.0


class Guard:
    """Runs the guard process, which the end of our end of a pipe tells that we have ended.

    It is a process of its own because the kernel can tell only direct children about our end, and a server's
    children can ignore everything but SIGKILL. Without it (there are no process groups, it could not be started, or was
    killed) the proxy goes on.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if not has_groups():
            return
        with suppress(OSError):
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd="/",
                start_new_session=True,  # not to be ended together with us
            )
            os.set_blocking(self._input.fileno(), False)

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, *_: object) -> None:
        """End the guard process, which stops the groups that were not removed."""
        if self._process is not None:
            self._input.close()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_LONGEST_END)

    @property
    def _input(self) -> IO[bytes]:
        return cast("IO[bytes]", cast("subprocess.Popen[bytes]", self._process).stdin)

    def add(self, group: int) -> None:
        """Have a process group stopped if the proxy is killed."""
        self._tell(b"+%d\n" % group)

    def remove(self, group: int) -> None:
        """Forget a process group that has ended."""
        self._tell(b"-%d\n" % group)

    def _tell(self, line: bytes) -> None:
        if self._process is not None:
            with suppress(OSError):  # the guard was killed or stopped
                self._input.write(line)
