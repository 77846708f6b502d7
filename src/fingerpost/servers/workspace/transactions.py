"""Change many files in one transaction: after a crash at any moment, all changes are there or none.

The technique is a rollback journal. New files are written to a staging folder, and the files they replace are linked
there. Then the journal lists the steps, and only then the tree is changed. Deleting the journal commits. While it
exists, the next server that locks the folder undoes its steps. A rollback may itself be interrupted and repeated.

Only a server of this tree can have made the name of the staging folder. Nothing else is cleaned up: no folder with
another name, and nothing that others put into this one.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TypeAlias

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace.journal import (
    JOURNAL,
    Record,
    is_private,
    read_journal,
    refuse_journal,
    write_journal,
)
from fingerpost.servers.workspace.new_files import inode, rename_new, write_new_file
from fingerpost.servers.workspace.paths import Parts, path_text
from fingerpost.servers.workspace.rollback import undo
from fingerpost.servers.workspace.tree import Tree

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

    def recover(self) -> None:
        """Roll back what a crash left unfinished. If a change is under way, there is nothing to do, and no wait."""
        if not self.tree.staging_folders() or not self._thread_lock.acquire(blocking=False):
            return
        try:
            fcntl.flock(self.tree.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            try:
                self.roll_back()
            finally:
                fcntl.flock(self.tree.fd, fcntl.LOCK_UN)
        except BlockingIOError:
            return
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
                os.unlink(JOURNAL, dir_fd=stage)
        except BaseException:
            self.roll_back(own=name)
            raise
        with suppress(OSError):  # the change is committed; the next lock cleans up what is left
            with self.tree.folder((name,)) as stage:
                os.fsync(stage)
            self._clean_up(name)

    def roll_back(self, own: str = "") -> None:
        """Undo unfinished changes. `own` is the staging folder that this process has just made."""
        for name in self.tree.staging_folders():
            with self._open_staging_folder(name) as stage:
                is_ours = name == own or is_private(os.fstat(stage))
                records = read_journal(self.tree, stage, name, is_own=name == own)
                for number, record in reversed(list(enumerate(records))):
                    undo(self.tree, number, record, stage)
                if records:
                    os.unlink(JOURNAL, dir_fd=stage)
            if is_ours:
                self._clean_up(name)

    @contextmanager
    def _open_staging_folder(self, name: str) -> Generator[int]:
        with ExitStack() as stack:
            try:
                stage = stack.enter_context(self.tree.folder((name,)))
            except PermissionError:
                raise refuse_journal(name, "cannot be read") from None
            yield stage

    def _stage(self, steps: Sequence[Step], stage: int) -> None:
        records: list[Record] = []
        for number, step in enumerate(steps):
            had, ino = False, None
            if step.do == "put":
                ino = _write_staged(number, step, stage)
            if step.do in ("put", "drop"):
                had = self._keep_old(number, step, stage)
            if step.do == "rename":
                ino = self._inode(step.at)
            records.append(Record(step.do, step.at, step.to, step.mode, had, ino))
        write_journal(records, stage)
        os.fsync(self.tree.fd)

    def _inode(self, at: Parts) -> int:
        if (info := self.tree.stat(at)) is None:
            raise _file_changed_error(at)
        return info.st_ino

    def _keep_old(self, number: int, step: Step, stage: int) -> bool:
        """Link the old file into the staging folder; return whether there was one."""
        at, info = step.at, self.tree.stat(step.at)
        if (stamp(info) if info else None) != step.seen:
            raise _file_changed_error(at)
        if info is None:
            return False
        try:
            with self.tree.folder(at[:-1]) as parent:
                os.link(at[-1], f"old-{number}", src_dir_fd=parent, dst_dir_fd=stage, follow_symlinks=False)
        except OSError:  # a file system without hard links
            write_new_file(f"old-{number}", self.tree.read(at)[0], stage, info.st_mode & 0o777)
        return True

    def _do(self, number: int, step: Step, stage: int) -> None:
        with self.tree.folder(step.at[:-1]) as parent:
            name = step.at[-1]
            match step.do:
                case "put" if step.seen is None:
                    _rename_to_free_place(f"new-{number}", stage, step.at, parent)
                case "put":
                    _require_unchanged(step, parent)
                    os.rename(f"new-{number}", name, src_dir_fd=stage, dst_dir_fd=parent)
                case "drop":
                    _require_unchanged(step, parent)
                    os.unlink(name, dir_fd=parent)
                case "mkdir":
                    os.mkdir(name, dir_fd=parent)
                case "rmdir":
                    os.rmdir(name, dir_fd=parent)
                case _:
                    with self.tree.folder(step.to[:-1]) as target:
                        _rename_to_free_place(name, parent, step.to, target)

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


def _write_staged(number: int, step: Step, stage: int) -> int | None:
    """Write the new file into the staging folder, and return its inode. No file may run as another user."""
    mode = None if step.mode is None else step.mode & 0o777
    write_new_file(f"new-{number}", step.data, stage, mode, 0o777 if step.is_executable else 0o666)
    return inode(f"new-{number}", stage)


def _rename_to_free_place(name: str, folder: int, to: Parts, target: int) -> None:
    try:
        rename_new(name, folder, to[-1], target)
    except FileExistsError:
        raise _file_changed_error(to) from None


def _require_unchanged(step: Step, parent: int) -> None:
    if stamp(os.stat(step.at[-1], dir_fd=parent, follow_symlinks=False)) != step.seen:
        raise _file_changed_error(step.at)


def _is_folder(name: str, fd: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode)


def _file_changed_error(at: Parts) -> ToolOperationError:
    return ToolOperationError(
        f"{path_text(at)} was changed by someone else in the meantime, and nothing was changed here",
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
