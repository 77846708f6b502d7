"""Run `fingerpost` as on Windows, as far as that can be simulated: `python -m tests.support.simulated_windows ARGS…`.

Modules and names that Windows lacks are taken away from whatever is imported afterwards, and what Windows accepts for
sockets only fails for pipes. The standard library itself is imported before, because it is another one there. What
follows from the kernel (how processes end, how `.cmd` files are started, encodings) is not simulated.
"""

# pyright: basic
from __future__ import annotations

import asyncio
import errno
import os
import select
import shutil
import signal
import ssl  # noqa: F401  imported here because it differs on Windows
import stat
import subprocess
import sys
import types
from typing import Any

NO_MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
NO_OS_NAMES = frozenset({
    "O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "WIFSIGNALED", "WNOHANG", "chown", "fchmod",
    "fchown", "fork", "forkpty", "get_blocking", "getegid", "geteuid", "getgid", "getgroups", "getpgid", "getpgrp",
    "getpriority", "getuid", "killpg", "lchown", "mkfifo", "nice", "openpty", "pidfd_open", "pipe2", "posix_spawn",
    "pread", "pwrite", "register_at_fork", "sched_getaffinity", "set_blocking", "setgid", "setpgid", "setpriority",
    "setsid", "setuid", "statvfs", "sysconf", "ttyname", "uname", "wait", "wait3", "wait4", "waitid",
})  # fmt: skip
"""Names of `os` that Windows lacks; it has `get_blocking` and `set_blocking` since Python 3.12, for pipes."""
SIGNAL_NAMES = (
    "Handlers", "SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIG_DFL", "SIG_IGN", "Signals",
    "default_int_handler", "getsignal", "raise_signal", "set_wakeup_fd", "strsignal", "valid_signals",
)  # fmt: skip
"""Names of `signal` that Windows has too."""
BREAK_EVENT = 1
"""CTRL_BREAK_EVENT, which is the number of SIGHUP here: it ends a process that does not handle it, as on Windows."""
SIGBREAK = 21
NEW_GROUP = 0x200


def simulate() -> None:
    for name in NO_MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    replace("os", {name: one for name, one in vars(os).items() if name not in NO_OS_NAMES}, read=read, write=write)
    replace("select", {"error": OSError}, select=select_sockets)
    known: dict[str, Any] = {name: getattr(signal, name) for name in SIGNAL_NAMES}
    replace("signal", known, SIGBREAK=SIGBREAK, CTRL_C_EVENT=0, CTRL_BREAK_EVENT=BREAK_EVENT, signal=set_handler)
    everything: Any = subprocess
    everything.Popen, everything.CREATE_NEW_PROCESS_GROUP = Popen, NEW_GROUP
    asyncio.SelectorEventLoop = SelectorLoop
    asyncio.events.new_event_loop = ProactorLoop
    shutil.which = find_with_extension
    sys.platform = "win32"


def replace(name: str, names: dict[str, Any], **others: Any) -> None:
    module = sys.modules[name] = types.ModuleType(name)
    vars(module).update({**names, "__name__": name, **others})


def is_socket(fd: int) -> bool:
    return stat.S_ISSOCK(os.fstat(fd).st_mode)


def read(fd: int, size: int) -> bytes:
    require_file(fd)
    return os.read(fd, size)


def write(fd: int, data: Any) -> int:
    require_file(fd)
    return os.write(fd, data)


def require_file(fd: int) -> None:
    if is_socket(fd):
        raise OSError(errno.EBADF, "a socket is no file descriptor")


def require_sockets(*fds: int) -> None:
    if not fds or not all(map(is_socket, fds)):
        raise OSError(errno.ENOTSOCK, "an operation was attempted on something that is not a socket")


def select_sockets(readers: list[int], writers: list[int], others: list[int], timeout: float | None = None) -> Any:
    require_sockets(*readers, *writers, *others)
    return select.select(readers, writers, others, timeout)


def set_handler(number: int, handler: Any) -> Any:
    if number not in {
        SIGBREAK,
        *(int(getattr(signal, name)) for name in SIGNAL_NAMES if name[:3] == "SIG" and name[3] != "_"),
    }:
        raise ValueError("invalid signal value")
    return signal.signal(number, handler)


def find_with_extension(command: str, *_: Any, **__: Any) -> str | None:
    """Look for a command as `shutil.which` does on Windows, where the system itself tries only `.exe`."""
    folders = [""] if os.sep in command else os.environ["PATH"].split(os.pathsep)
    paths = (os.path.join(folder, command + end) for folder in folders for end in ("", ".exe", ".bat", ".cmd"))
    return next((path for path in paths if os.path.isfile(path)), None)


class Popen(subprocess.Popen):  # pyright: ignore[reportMissingTypeArgument]
    """Ignores sessions, knows no functions to run in the child, and sends events to new groups only."""

    def __init__(self, args: Any, **options: Any) -> None:
        if options.get("preexec_fn") or options.get("pass_fds"):
            raise ValueError("not supported on Windows platforms")
        self.has_group = bool(options.pop("creationflags", 0) & NEW_GROUP)
        options.pop("start_new_session", None)
        super().__init__(args, **options)

    def send_signal(self, sig: int) -> None:
        if sig == BREAK_EVENT and not self.has_group:
            raise OSError(errno.EINVAL, "no process group")
        super().send_signal(sig)


class SelectorLoop(asyncio.SelectorEventLoop):
    def add_signal_handler(self, *_: Any) -> None:
        raise NotImplementedError

    def add_reader(self, fd: Any, *rest: Any) -> None:
        require_sockets(fd if isinstance(fd, int) else fd.fileno())
        super().add_reader(fd, *rest)

    def add_writer(self, fd: Any, *rest: Any) -> None:
        require_sockets(fd if isinstance(fd, int) else fd.fileno())
        super().add_writer(fd, *rest)


class ProactorLoop(SelectorLoop):
    def add_reader(self, *_: Any) -> None:
        raise NotImplementedError

    def add_writer(self, *_: Any) -> None:
        raise NotImplementedError


if __name__ == "__main__":
    simulate()
    from fingerpost.cli.main import main

    sys.exit(main())
