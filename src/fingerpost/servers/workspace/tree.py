"""Access to the served folder and nothing else: every path is opened step by step, without following links.

`Tree.resolve_links` resolves a link that stays inside, and its target is then opened as strictly as any other path. So
a link that appears between the two leads to an error, and never to another file.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import unicodedata
import weakref
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from fingerpost.servers.workspace.paths import OUTSIDE, Parts, UnsafePathError, is_staging_name, path_text, staging_name

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MOST_LINKS, _MOST_PATHS = 40, 5_000
_CHUNK = 1 << 20


class Tree:
    """An open folder."""

    def __init__(self, root: Path) -> None:
        self.path = os.path.realpath(root)
        self.fd = os.open(self.path, _FOLDER)
        self._inode = os.fstat(self.fd).st_ino
        weakref.finalize(self, os.close, self.fd)

    @contextmanager
    def folder(self, at: Parts) -> Generator[int]:
        """Open a folder of the tree."""
        fd = os.dup(self.fd)
        try:
            for name in at:
                inner = _open_folder(name, fd)
                os.close(fd)
                fd = inner
            yield fd
        finally:
            os.close(fd)

    def stat(self, at: Parts) -> os.stat_result | None:
        """Return the status of a path, of a link itself and not of its target; none if nothing exists."""
        if not at:
            return os.fstat(self.fd)
        try:
            with self.folder(at[:-1]) as parent:
                return os.stat(at[-1], dir_fd=parent, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def names(self, at: Parts) -> list[str]:
        """Return the sorted names in a folder, without staging folders."""
        with self.folder(at) as fd:
            return sorted(name for name in os.listdir(fd) if at or not self.is_staging_folder(name))

    def new_staging_name(self) -> str:
        """Return the name for a new staging folder."""
        return staging_name(secrets.token_hex(4), self._inode)

    def staging_folders(self) -> list[str]:
        """Return the staging folders that still exist."""
        staging = [name for name in os.listdir(self.fd) if self.is_staging_folder(name)]
        return [name for name in staging if (info := self.stat((name,))) and stat.S_ISDIR(info.st_mode)]

    def is_staging_folder(self, name: str) -> bool:
        """Whether a name at the top is one of a staging folder of this tree."""
        return is_staging_name(name, self._inode)

    def read_link(self, at: Parts) -> str:
        """Return the target of a link."""
        with self.folder(at[:-1]) as parent:
            return os.readlink(at[-1], dir_fd=parent)

    def resolve_links(self, at: Parts, *, follows_last: bool = True) -> Parts:
        """Return the path without links, and as it is spelled on disk."""
        todo, done, links = list(reversed(at)), list[str](), 0
        while todo:
            name = todo.pop()
            if name == "..":
                if not done:
                    raise UnsafePathError(OUTSIDE)
                done.pop()
                continue
            here = (*done, self._spelling_on_disk(tuple(done), name))
            if (todo or follows_last) and (info := self.stat(here)) and stat.S_ISLNK(info.st_mode):
                links += 1
                if links > _MOST_LINKS:
                    raise UnsafePathError("its links lead in a circle")
                todo += reversed(self._link_steps(self.read_link(here), done))
            else:
                done.append(here[-1])
        if done and self.is_staging_folder(done[0]):
            raise UnsafePathError("it is this server's own folder")
        return tuple(done)

    def _link_steps(self, target: str, done: list[str]) -> list[str]:
        """Return the names in the target of a link. An absolute target starts again from the top."""
        if target.startswith("/"):
            if not f"{target}/".startswith(f"{self.path.rstrip('/')}/"):
                raise UnsafePathError(OUTSIDE)
            done.clear()
            target = target[len(self.path) :]
        return [name for name in target.split("/") if name not in ("", ".")]

    def _spelling_on_disk(self, at: Parts, name: str) -> str:
        """Return the name on disk that is the same in another Unicode normalization."""
        if name.isascii() or self.stat((*at, name)) is not None or (info := self.stat(at)) is None:
            return name
        form = unicodedata.normalize("NFC", name)
        names = self.names(at) if stat.S_ISDIR(info.st_mode) else []
        return next((one for one in names if unicodedata.normalize("NFC", one) == form), name)

    @contextmanager
    def open_file(self, at: Parts) -> Generator[int]:
        """Open a plain file for reading. Anything else is refused and never blocks."""
        if not at:
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        with self.folder(at[:-1]) as parent:
            _require_plain_file(os.stat(at[-1], dir_fd=parent, follow_symlinks=False))
            fd = os.open(at[-1], _FILE, dir_fd=parent)
        try:
            _require_plain_file(os.fstat(fd))
            yield fd
        finally:
            os.close(fd)

    def read(self, at: Parts) -> tuple[bytes, os.stat_result]:
        """Read a file and its status."""
        with self.open_file(at) as fd:
            return b"".join(read_chunks(fd)), os.fstat(fd)

    def paths(self, near: Parts = ()) -> list[str]:
        """Return up to `_MOST_PATHS` paths: those near `near` first, then from the top."""
        todo = deque([near[:depth] for depth in range(len(near), 0, -1)] + [()])
        found: dict[str, None] = {}
        while todo and len(found) < _MOST_PATHS:
            for at in self._inside(todo.popleft()):
                if path_text(at) not in found:
                    found[path_text(at)] = None
                    todo.append(at)
        return list(found)

    def _inside(self, at: Parts) -> list[Parts]:
        """Return the paths in a folder; none if it cannot be read."""
        try:
            names = self.names(at)[:_MOST_PATHS] if at[-1:] != (".git",) else []
        except OSError:
            return []
        return [(*at, name) for name in names if _is_text(name)]


def read_chunks(fd: int) -> Iterator[bytes]:
    """Read an open file in chunks."""
    while data := os.read(fd, _CHUNK):
        yield data


def _open_folder(name: str, fd: int) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=fd)
    except NotADirectoryError:
        if stat.S_ISLNK(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, "a link is in the way") from None
        raise


def _require_plain_file(info: os.stat_result) -> None:
    if stat.S_ISDIR(info.st_mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder")
    if stat.S_ISLNK(info.st_mode):
        raise OSError(errno.ELOOP, "a link is in the way")
    if not stat.S_ISREG(info.st_mode):
        raise UnsafePathError("it is neither a file nor a folder")


def _is_text(name: str) -> bool:
    return name.isascii() or name == name.encode("utf-8", "replace").decode()
