"""Start a server in a process group of its own, and stop the whole group.

On POSIX systems the group gets SIGTERM, then SIGKILL. Windows has no such signals: the group gets CTRL_BREAK_EVENT, and
then the process itself is terminated.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress

NEW_GROUP: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""The `creationflags` of a process in a group of its own; elsewhere `start_new_session` makes the group."""
_BREAK: int = getattr(signal, "CTRL_BREAK_EVENT", 0)


def has_groups() -> bool:
    """Whether signals can be sent to groups."""
    return hasattr(os, "killpg")


def find_command(argv: Sequence[str]) -> list[str]:
    """The words to start. Windows itself finds only `.exe` files by their name, not `npx.cmd`."""
    return list(argv) if has_groups() else [shutil.which(argv[0]) or argv[0], *argv[1:]]


def terminate(process: subprocess.Popen[bytes]) -> None:
    """Ask all processes of the group to end: what a launcher has started would outlive it otherwise."""
    with suppress(OSError):  # the group has ended, or it has no console
        if has_groups():
            os.killpg(process.pid, signal.SIGTERM)
        else:
            process.send_signal(_BREAK)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill all processes of the group; on Windows only the first one."""
    with suppress(OSError):
        if has_groups():
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
