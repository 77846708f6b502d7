"""Change many files in one transaction: after a crash at any moment, all changes are there or none.

The technique is a rollback journal. New files are written to a staging folder, and the files they replace are linked
there. Then the journal lists the steps, and only then the tree is changed. Deleting the journal commits. While it
exists, the next server that locks the folder undoes its steps. A rollback may itself be interrupted and repeated.

Only a server of this tree can have made the name of the staging folder. Nothing else is cleaned up: no folder with
another name, and nothing that others put into this one.
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
from fingerpost.servers.workspace.paths import Parts
from fingerpost.servers.workspace.tree import Tree, read_chunks

_JOURNAL, _DRAFT = "journal", "draft"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_STAGED_FILE = re.compile(r"journal|draft|(?:new|old)-\d+")


Stamp: TypeAlias = tuple[int, int, int]
"""Inode, size and time of a file: equal if nobody has changed it."""


def stamp(info: os.stat_result) -> Stamp:
    return info.st_ino, info.st_size, info.st_mtime_ns


@dataclass(frozen=True, slots=True)
class Step:
    """One step: `put` a file, `drop` one, `mkdir`, `rmdir`, or `rename` a file or folder."""

    do: str
    at: Parts
    data: bytes = b""
    mode: int | None = None
    """The permissions; none for those of new files."""
    to: Parts = ()
    is_executable: bool = False
    seen: Stamp | None = None
    """The file on which a `put` or `drop` is based; the step fails if it has changed."""


class Transactions:
    """Commits changes of a tree, one at a time."""

    def __init__(self, tree: Tree, *, timeout: float = 5.0) -> None:
        self.tree = tree
        self._timeout = timeout
        self._thread_lock = threading.Lock()

    @contextmanager
    def lock(self) -> Generator[None]:
        """Lock the tree against other servers and threads, and roll back unfinished changes."""
        deadline = time.monotonic() + self._timeout
        if not self._thread_lock.acquire(timeout=self._timeout):
            raise _busy_error()
        try:
            self._lock_folder(deadline)
            try:
                self.roll_back()
                yield
            finally:
                fcntl.flock(self.tree.fd, fcntl.LOCK_UN)
        finally:
            self._thread_lock.release()

    def _lock_folder(self, deadline: float) -> None:
        while True:
            try:
                return fcntl.flock(self.tree.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise _busy_error() from None
            time.sleep(0.02)

    def commit(self, steps: Sequence[Step]) -> None:
        """Carry out all steps, or roll back and raise."""
        name = self.tree.new_staging_name()
        os.mkdir(name, 0o700, dir_fd=self.tree.fd)
        try:
            with self.tree.folder((name,)) as stage:
                self._stage(steps, stage)
                for number, step in enumerate(steps):
                    self._do(number, step, stage)
                self._sync(steps)
                os.unlink(_JOURNAL, dir_fd=stage)
        except BaseException:
            self.roll_back()
            raise
        with suppress(OSError):  # the change is committed; the next lock cleans up what is left
            with self.tree.folder((name,)) as stage:
                os.fsync(stage)
            self._clean_up(name)

    def roll_back(self) -> None:
        """Undo unfinished changes."""
        for name in self.tree.staging_folders():
            with self.tree.folder((name,)) as stage:
                for number, record in reversed(list(enumerate(_read_journal(stage, name)))):
                    self._undo(number, record, stage)
                with suppress(FileNotFoundError):
                    os.unlink(_JOURNAL, dir_fd=stage)
            self._clean_up(name)

    def _stage(self, steps: Sequence[Step], stage: int) -> None:
        records: list[dict[str, Any]] = []
        for number, step in enumerate(steps):
            if step.do == "put":
                _write_file(f"new-{number}", step.data, stage, step.mode, 0o777 if step.is_executable else 0o666)
            had = step.do in ("put", "drop") and self._keep_old(number, step, stage)
            records.append({"do": step.do, "at": step.at, "to": step.to, "mode": step.mode, "had": had})
        journal = {"stage": os.fstat(stage).st_ino, "steps": records}
        _write_file(_DRAFT, json.dumps(journal).encode(), stage, 0o600)
        os.rename(_DRAFT, _JOURNAL, src_dir_fd=stage, dst_dir_fd=stage)
        os.fsync(stage)
        os.fsync(self.tree.fd)

    def _keep_old(self, number: int, step: Step, stage: int) -> bool:
        """Link the old file into the staging folder; return whether there was one."""
        at, info = step.at, self.tree.stat(step.at)
        if (stamp(info) if info else None) != step.seen:
            raise _file_changed_error()
        if info is None:
            return False
        try:
            with self.tree.folder(at[:-1]) as parent:
                os.link(at[-1], f"old-{number}", src_dir_fd=parent, dst_dir_fd=stage, follow_symlinks=False)
        except OSError:  # a file system without hard links
            _write_file(f"old-{number}", self.tree.read(at)[0], stage, stat.S_IMODE(info.st_mode))
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

    def _undo(self, number: int, record: dict[str, Any], stage: int) -> None:
        at, to = tuple(record["at"]), tuple(record["to"])
        try:
            with self.tree.folder(at[:-1]) as parent:
                self._restore(number, record, at[-1], to, parent, stage)
        except (FileNotFoundError, NotADirectoryError):
            return  # the folder was not created yet

    def _restore(self, number: int, record: dict[str, Any], name: str, to: Parts, parent: int, stage: int) -> None:
        match record["do"]:
            case "put" if not record["had"]:
                if not _exists(f"new-{number}", stage) and _exists(name, parent):
                    os.unlink(name, dir_fd=parent)
            case "put" | "drop":
                if _exists(f"old-{number}", stage):
                    os.rename(f"old-{number}", name, src_dir_fd=stage, dst_dir_fd=parent)
            case "mkdir":
                with suppress(OSError):  # not created yet, or used by others
                    os.rmdir(name, dir_fd=parent)
            case "rmdir":
                self._restore_folder(name, tuple(record["at"]), record["mode"], parent)
            case _:
                if self.tree.stat(to) is not None and not _exists(name, parent):
                    with self.tree.folder(to[:-1]) as target:
                        os.rename(to[-1], name, src_dir_fd=target, dst_dir_fd=parent)

    def _restore_folder(self, name: str, at: Parts, mode: int, parent: int) -> None:
        if not _exists(name, parent):
            os.mkdir(name, dir_fd=parent)
        if stat.S_IMODE(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode) != mode:
            with self.tree.folder(at) as folder:
                os.fchmod(folder, mode)

    def _sync(self, steps: Sequence[Step]) -> None:
        for at in sorted({place[:-1] for step in steps for place in (step.at, step.to) if place}):
            with suppress(FileNotFoundError, NotADirectoryError), self.tree.folder(at) as parent:
                os.fsync(parent)

    def _clean_up(self, name: str) -> None:
        with self.tree.folder((name,)) as stage:
            for one in os.listdir(stage):
                if _STAGED_FILE.fullmatch(one) and not _is_folder(one, stage):
                    os.unlink(one, dir_fd=stage)
            is_empty = not os.listdir(stage)
        if is_empty:
            os.rmdir(name, dir_fd=self.tree.fd)


def _read_journal(stage: int, name: str) -> list[dict[str, Any]]:
    """Return the steps in the journal. Without a journal, nothing was changed yet or everything is committed."""
    try:
        fd = os.open(_JOURNAL, _READ, dir_fd=stage)
    except FileNotFoundError:
        return []
    try:
        journal = json.loads(b"".join(read_chunks(fd)))
        if journal["stage"] == os.fstat(stage).st_ino:
            return journal["steps"]
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


def _write_file(name: str, data: bytes, stage: int, mode: int | None, default_mode: int = 0o600) -> None:
    fd = os.open(name, _NEW, default_mode, dir_fd=stage)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
        if mode is not None:
            os.fchmod(fd, mode)
        os.fsync(fd)
    finally:
        os.close(fd)


def _exists(name: str, fd: int) -> bool:
    try:
        os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _is_folder(name: str, fd: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode)


def _file_changed_error() -> ToolOperationError:
    return ToolOperationError(
        "A file was changed by someone else in the meantime, and nothing was changed here",
        code="CONFLICT",
        category="conflict",
        retryable=True,
        hint="Read it again, then send the change that it needs now",
    )


def _busy_error() -> ToolOperationError:
    return ToolOperationError(
        "Another server is changing this workspace",
        code="CONFLICT",
        category="conflict",
        retryable=True,
        hint="Wait a moment, then call again",
    )
