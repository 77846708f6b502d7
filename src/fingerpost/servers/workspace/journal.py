"""The journal of a change: what a server writes before it changes the tree, and what may be undone from it.

A journal that was found says which files to replace, so it is followed only if nobody else can have written it: its
folder and its file belong to this user, nobody else can write to them, and every place is one that a server changes.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace.new_files import write_new_file
from fingerpost.servers.workspace.paths import Parts, is_git_path
from fingerpost.servers.workspace.tree import Tree, read_chunks

JOURNAL = "journal"
_DRAFT = "draft"
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WITH_OLD_FILE, _WITH_INODE = ("put", "drop"), ("put", "rename")
_KINDS = ("put", "drop", "mkdir", "rmdir", "rename")


@dataclass(frozen=True, slots=True)
class Record:
    """One step in the journal."""

    do: str
    at: Parts
    to: Parts = ()
    mode: int | None = None
    had: bool = False
    """Whether an old file was kept in the staging folder."""
    ino: int | None = None
    """The inode of the file that is put or of what is renamed: whether a file is ours to undo."""


def write_journal(records: Sequence[Record], stage: int) -> None:
    """Write the journal at once: it is complete, or not there."""
    journal = {"stage": os.fstat(stage).st_ino, "steps": [asdict(one) for one in records]}
    write_new_file(_DRAFT, json.dumps(journal).encode(), stage, 0o600)
    os.rename(_DRAFT, JOURNAL, src_dir_fd=stage, dst_dir_fd=stage)
    os.fsync(stage)


def is_private(info: os.stat_result) -> bool:
    """Whether something belongs to this user and nobody else can write to it."""
    return info.st_uid == _user() and not info.st_mode & 0o022


def read_journal(tree: Tree, stage: int, name: str, *, is_own: bool = False) -> list[Record]:
    """Return the steps in the journal. Without a journal, nothing was changed yet or everything is committed.

    `is_own` says that this process has made the folder, also where the file system knows no owners and modes.
    """
    try:
        fd = os.open(JOURNAL, _READ, dir_fd=stage)
    except FileNotFoundError:
        return []
    except OSError:
        raise refuse_journal(name, "cannot be read") from None
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise refuse_journal(name, "is damaged")
        if not is_own and not (is_private(info) and info.st_nlink == 1 and is_private(os.fstat(stage))):
            raise refuse_journal(name, "can have been written by others")
        records = _parse_journal(tree, b"".join(read_chunks(fd)), os.fstat(stage).st_ino)
    finally:
        os.close(fd)
    if records is None:
        raise refuse_journal(name, "is damaged")
    _check_places(tree, records, stage, name)
    return records


def refuse_journal(name: str, problem: str) -> ToolOperationError:
    return ToolOperationError(
        f"A change was broken off, and cannot be undone: {name}/{JOURNAL} in the workspace {problem}",
        code="CONFLICT",
        category="conflict",
        retryable=False,
        hint="Ask the user to see which files are half changed, and then to move that folder away",
    )


def _user() -> int:
    return os.geteuid()


def _parse_journal(tree: Tree, data: bytes, stage: int) -> list[Record] | None:
    """Parse a journal of the staging folder with this inode; none if no server can have written it."""
    try:
        journal = json.loads(data)
        steps = cast("list[dict[str, Any]]", journal["steps"])
        if journal["stage"] != stage or type(steps) is not list:
            return None
        records = [_parse_record(step) for step in steps]
        return records if all(_is_sound(tree, one) for one in records) else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _parse_record(step: dict[str, Any]) -> Record:
    fields: dict[str, Any] = {**step, "at": _parts(step["at"]), "to": _parts(step["to"])}
    return Record(**fields)


def _parts(names: Any) -> Parts:
    if type(names) is not list:
        raise TypeError
    return tuple(cast("list[str]", names))


def _is_sound(tree: Tree, record: Record) -> bool:
    """Whether a server can have written a record."""
    is_move = record.do == "rename"
    places = [record.at, record.to] if is_move else [record.at]
    return (
        record.do in _KINDS
        and all(_is_place(tree, at) for at in places)
        and (is_move or not record.to)
        and type(record.had) is bool
        and (record.had or record.do != "drop")
        and (record.do in _WITH_OLD_FILE or not record.had)
        and (_is_number(record.mode, 0o7777) if record.mode is not None else record.do != "rmdir")
        and (_is_number(record.ino) if record.do in _WITH_INODE else record.ino is None)
    )


def _is_number(value: Any, most: int = (1 << 64) - 1) -> bool:
    return type(value) is int and 0 <= value <= most


def _is_place(tree: Tree, at: Parts) -> bool:
    """Whether a path lies in the workspace and is one that a server changes."""
    return bool(at) and all(map(_is_name, at)) and not tree.is_staging_folder(at[0]) and not is_git_path(at)


def _is_name(name: Any) -> bool:
    """Whether this is one name. Raises `UnicodeEncodeError`, a `ValueError`, if it cannot be one on disk."""
    return type(name) is str and os.fsencode(name) not in (b"", b".", b"..") and not {"/", "\0"} & set(name)


def _check_places(tree: Tree, records: list[Record], stage: int, name: str) -> None:
    """Refuse links in the place of folders, and what is neither a file nor a link in the place of an old file."""
    for number, record in enumerate(records):
        for at in (record.at, record.to):
            try:
                tree.stat(at)
            except OSError:
                raise refuse_journal(name, "leads through a link or a folder that cannot be read") from None
        if record.had and not _is_old_file(f"old-{number}", stage):
            raise refuse_journal(name, "is damaged")


def _is_old_file(name: str, stage: int) -> bool:
    try:
        mode = os.stat(name, dir_fd=stage, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return True  # it is back in its place
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)
