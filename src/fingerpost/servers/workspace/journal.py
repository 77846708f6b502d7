"""Changes of many files as one: after a crash at any moment, all of them are there or none is.

What is new is written aside first, and what it replaces is linked aside. Then a journal says what is about to be done,
and only after that the tree is touched. The change is made when the journal is gone; as long as it is there, whoever
opens the folder next undoes what it tells of. Undoing may itself be broken off, and begun again.

All of it lies in a folder of its own whose name only a server of this tree can have given. Nothing else is cleared
away, neither a folder of another name nor what others have put into this one.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import stat
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace.places import Parts
from fingerpost.servers.workspace.tree import Tree, chunks

_JOURNAL, _DRAFT = "journal", "draft"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OURS = re.compile(r"journal|draft|(?:new|old)-\d+")


Stamp: TypeAlias = tuple[int, int, int]
"""By which a file is known again that nobody has changed."""


def stamp(info: os.stat_result) -> Stamp:
    return info.st_ino, info.st_size, info.st_mtime_ns


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do: `put` a file, `drop` one, `mkdir`, `rmdir`, or `rename` whatever is there."""

    do: str
    at: Parts
    data: bytes = b""
    mode: int | None = None
    """The permissions; where there are none, those that new files have."""
    to: Parts = ()
    is_executable: bool = False
    seen: Stamp | None = None
    """What a `put` or a `drop` is based on; it is made only if the same is still there."""


class Journal:
    """The one way in which a tree is changed, one change at a time."""

    def __init__(self, tree: Tree, *, patience: float = 5.0) -> None:
        self.tree = tree
        self._patience = patience
        self._turn = threading.Lock()

    @contextmanager
    def turn(self) -> Generator[None]:
        """The tree to oneself, among all servers of it, and with nothing half done in it."""
        until = time.monotonic() + self._patience
        if not self._turn.acquire(timeout=self._patience):
            raise _busy()
        try:
            self._lock(until)
            try:
                self.recover()
                yield
            finally:
                fcntl.flock(self.tree.fd, fcntl.LOCK_UN)
        finally:
            self._turn.release()

    def _lock(self, until: float) -> None:
        while True:
            try:
                return fcntl.flock(self.tree.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise _busy() from None
            time.sleep(0.02)

    def commit(self, steps: Sequence[Step]) -> None:
        """Do all of it, or leave everything as it was and say why not."""
        name = self.tree.staging()
        os.mkdir(name, 0o700, dir_fd=self.tree.fd)
        try:
            with self.tree.folder((name,)) as stage:
                self._prepare(steps, stage)
                for number, step in enumerate(steps):
                    self._do(number, step, stage)
                self._sync(steps)
                os.unlink(_JOURNAL, dir_fd=stage)
        except BaseException:
            self.recover()
            raise
        with suppress(OSError):  # the change is made; what is left is cleared away next time
            with self.tree.folder((name,)) as stage:
                os.fsync(stage)
            self._clear(name)

    def recover(self) -> None:
        """Undo what was left unfinished."""
        for name in self.tree.stagings():
            with self.tree.folder((name,)) as stage:
                for number, said in reversed(list(enumerate(_unfinished(stage, name)))):
                    self._undo(number, said, stage)
                with suppress(FileNotFoundError):
                    os.unlink(_JOURNAL, dir_fd=stage)
            self._clear(name)

    def _prepare(self, steps: Sequence[Step], stage: int) -> None:
        told: list[dict[str, Any]] = []
        for number, step in enumerate(steps):
            if step.do == "put":
                _write(f"new-{number}", step.data, stage, step.mode, 0o777 if step.is_executable else 0o666)
            had = step.do in ("put", "drop") and self._keep(number, step, stage)
            told.append({"do": step.do, "at": step.at, "to": step.to, "mode": step.mode, "had": had})
        journal = {"stage": os.fstat(stage).st_ino, "steps": told}
        _write(_DRAFT, json.dumps(journal).encode(), stage, 0o600)
        os.rename(_DRAFT, _JOURNAL, src_dir_fd=stage, dst_dir_fd=stage)
        os.fsync(stage)
        os.fsync(self.tree.fd)

    def _keep(self, number: int, step: Step, stage: int) -> bool:
        """Lay what is there aside as well; whether anything was."""
        at, info = step.at, self.tree.stat(step.at)
        if (stamp(info) if info else None) != step.seen:
            raise _changed()
        if info is None:
            return False
        try:
            with self.tree.folder(at[:-1]) as parent:
                os.link(at[-1], f"old-{number}", src_dir_fd=parent, dst_dir_fd=stage, follow_symlinks=False)
        except OSError:  # a file system without hard links
            _write(f"old-{number}", self.tree.read(at)[0], stage, stat.S_IMODE(info.st_mode))
        return True

    def _do(self, number: int, step: Step, stage: int) -> None:
        with self.tree.folder(step.at[:-1]) as parent:
            name = step.at[-1]
            match step.do:
                case "put":
                    os.rename(f"new-{number}", name, src_dir_fd=stage, dst_dir_fd=parent)
                case "drop":
                    os.unlink(name, dir_fd=parent)
                case "mkdir":
                    os.mkdir(name, dir_fd=parent)
                case "rmdir":
                    os.rmdir(name, dir_fd=parent)
                case _:
                    with self.tree.folder(step.to[:-1]) as target:
                        os.rename(name, step.to[-1], src_dir_fd=parent, dst_dir_fd=target)

    def _undo(self, number: int, said: dict[str, Any], stage: int) -> None:
        at, to = tuple(said["at"]), tuple(said["to"])
        try:
            with self.tree.folder(at[:-1]) as parent:
                self._put_back(number, said, at[-1], to, parent, stage)
        except (FileNotFoundError, NotADirectoryError):
            return  # the folder was still to be made

    def _put_back(self, number: int, said: dict[str, Any], name: str, to: Parts, parent: int, stage: int) -> None:
        match said["do"]:
            case "put" if not said["had"]:
                if not _is_there(f"new-{number}", stage) and _is_there(name, parent):
                    os.unlink(name, dir_fd=parent)
            case "put" | "drop":
                if _is_there(f"old-{number}", stage):
                    os.rename(f"old-{number}", name, src_dir_fd=stage, dst_dir_fd=parent)
            case "mkdir":
                with suppress(OSError):  # not made yet, or used by others by now
                    os.rmdir(name, dir_fd=parent)
            case "rmdir":
                self._remade(name, tuple(said["at"]), said["mode"], parent)
            case _:
                if self.tree.stat(to) is not None and not _is_there(name, parent):
                    with self.tree.folder(to[:-1]) as target:
                        os.rename(to[-1], name, src_dir_fd=target, dst_dir_fd=parent)

    def _remade(self, name: str, at: Parts, mode: int, parent: int) -> None:
        if not _is_there(name, parent):
            os.mkdir(name, dir_fd=parent)
        if stat.S_IMODE(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode) != mode:
            with self.tree.folder(at) as folder:
                os.fchmod(folder, mode)

    def _sync(self, steps: Sequence[Step]) -> None:
        for at in sorted({place[:-1] for step in steps for place in (step.at, step.to) if place}):
            with suppress(FileNotFoundError, NotADirectoryError), self.tree.folder(at) as parent:
                os.fsync(parent)

    def _clear(self, name: str) -> None:
        with self.tree.folder((name,)) as stage:
            for one in os.listdir(stage):
                if _OURS.fullmatch(one) and not _is_folder(one, stage):
                    os.unlink(one, dir_fd=stage)
            is_empty = not os.listdir(stage)
        if is_empty:
            os.rmdir(name, dir_fd=self.tree.fd)


def _unfinished(stage: int, name: str) -> list[dict[str, Any]]:
    """What a journal tells of; nothing where there is none, for then nothing was done yet, or all is done."""
    try:
        fd = os.open(_JOURNAL, _READ, dir_fd=stage)
    except FileNotFoundError:
        return []
    try:
        told = json.loads(b"".join(chunks(fd)))
        if told["stage"] == os.fstat(stage).st_ino:
            return told["steps"]
    except (ValueError, TypeError, KeyError, IsADirectoryError):
        pass
    finally:
        os.close(fd)
    raise ToolOperationError(
        f"A change was broken off, and cannot be undone: {name}/{_JOURNAL} in the workspace is damaged",
        code="CONFLICT",
        category="conflict",
        retryable=False,
        hint="Ask the user to see which files are half changed, and then to move that folder away",
    )


def _write(name: str, data: bytes, stage: int, mode: int | None, usual: int = 0o600) -> None:
    fd = os.open(name, _NEW, usual, dir_fd=stage)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
        if mode is not None:
            os.fchmod(fd, mode)
        os.fsync(fd)
    finally:
        os.close(fd)


def _is_there(name: str, fd: int) -> bool:
    try:
        os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _is_folder(name: str, fd: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode)


def _changed() -> ToolOperationError:
    return ToolOperationError(
        "A file was changed by someone else in the meantime, and nothing was changed here",
        code="CONFLICT",
        category="conflict",
        retryable=True,
        hint="Read it again, then send the change that it needs now",
    )


def _busy() -> ToolOperationError:
    return ToolOperationError(
        "Another server is changing this workspace",
        code="CONFLICT",
        category="conflict",
        retryable=True,
        hint="Wait a moment, then call again",
    )
