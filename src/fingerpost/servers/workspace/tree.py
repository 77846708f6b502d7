"""The folder that is served, and nothing else: every place in it is reached step by step, following no link.

A link that stays inside is looked up first (`Tree.resolved`), and what it leads to is then reached as strictly as
anything else. So whoever puts a link in the way between the two gets an error, and never another file.
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

from fingerpost.servers.workspace.places import OUTSIDE, Parts, Refusal, is_staged, shown, staged

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MOST_LINKS, _MOST_PATHS = 40, 5_000
_CHUNK = 1 << 20


class Tree:
    """A folder, held open."""

    def __init__(self, root: Path) -> None:
        self.path = os.path.realpath(root)
        self.fd = os.open(self.path, _FOLDER)
        self._inode = os.fstat(self.fd).st_ino
        weakref.finalize(self, os.close, self.fd)

    @contextmanager
    def folder(self, at: Parts) -> Generator[int]:
        """An open folder of the tree."""
        fd = os.dup(self.fd)
        try:
            for name in at:
                inner = _entered(name, fd)
                os.close(fd)
                fd = inner
            yield fd
        finally:
            os.close(fd)

    def stat(self, at: Parts) -> os.stat_result | None:
        """What is there, a link itself rather than what it leads to; none where there is nothing."""
        if not at:
            return os.fstat(self.fd)
        try:
            with self.folder(at[:-1]) as parent:
                return os.stat(at[-1], dir_fd=parent, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def names(self, at: Parts) -> list[str]:
        """What a folder holds, sorted; without what is ours."""
        with self.folder(at) as fd:
            return sorted(name for name in os.listdir(fd) if at or not self._is_ours(name))

    def staging(self) -> str:
        """The name of a new folder to prepare a change in."""
        return staged(secrets.token_hex(4), self._inode)

    def stagings(self) -> list[str]:
        """The folders in which changes were prepared, and that are still there."""
        ours = [name for name in os.listdir(self.fd) if self._is_ours(name)]
        return [name for name in ours if (info := self.stat((name,))) and stat.S_ISDIR(info.st_mode)]

    def _is_ours(self, name: str) -> bool:
        return is_staged(name, self._inode)

    def link(self, at: Parts) -> str:
        """What a link says."""
        with self.folder(at[:-1]) as parent:
            return os.readlink(at[-1], dir_fd=parent)

    def resolved(self, at: Parts, *, follows_last: bool = True) -> Parts:
        """The same place without links on the way, and in the spelling that it has on disk."""
        todo, done, links = list(reversed(at)), list[str](), 0
        while todo:
            name = todo.pop()
            if name == "..":
                if not done:
                    raise Refusal(OUTSIDE)
                done.pop()
                continue
            here = (*done, self._spelled(tuple(done), name))
            if (todo or follows_last) and (info := self.stat(here)) and stat.S_ISLNK(info.st_mode):
                links += 1
                if links > _MOST_LINKS:
                    raise Refusal("its links lead in a circle")
                todo += reversed(self._steps(self.link(here), done))
            else:
                done.append(here[-1])
        if done and self._is_ours(done[0]):
            raise Refusal("it is this server's own folder")
        return tuple(done)

    def _steps(self, target: str, done: list[str]) -> list[str]:
        """The steps that a link stands for, from where it stands or from the top."""
        if target.startswith("/"):
            if not f"{target}/".startswith(f"{self.path.rstrip('/')}/"):
                raise Refusal(OUTSIDE)
            done.clear()
            target = target[len(self.path) :]
        return [name for name in target.split("/") if name not in ("", ".")]

    def _spelled(self, at: Parts, name: str) -> str:
        """The name of an entry that reads the same, where accents are composed in another way."""
        if name.isascii() or self.stat((*at, name)) is not None or (info := self.stat(at)) is None:
            return name
        form = unicodedata.normalize("NFC", name)
        names = self.names(at) if stat.S_ISDIR(info.st_mode) else []
        return next((one for one in names if unicodedata.normalize("NFC", one) == form), name)

    @contextmanager
    def opened(self, at: Parts) -> Generator[int]:
        """A file, open for reading; anything that is no plain file is refused, and is never waited for."""
        if not at:
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        with self.folder(at[:-1]) as parent:
            _plain(os.stat(at[-1], dir_fd=parent, follow_symlinks=False))
            fd = os.open(at[-1], _FILE, dir_fd=parent)
        try:
            _plain(os.fstat(fd))
            yield fd
        finally:
            os.close(fd)

    def read(self, at: Parts) -> tuple[bytes, os.stat_result]:
        """All that a file holds, and the file as it was then."""
        with self.opened(at) as fd:
            return b"".join(chunks(fd)), os.fstat(fd)

    def paths(self, near: Parts = ()) -> list[str]:
        """The files and folders there are, as far as they can be counted up quickly: nearby, then from the top."""
        todo = deque([near[:depth] for depth in range(len(near), 0, -1)] + [()])
        found: dict[str, None] = {}
        while todo and len(found) < _MOST_PATHS:
            for at in self._inside(todo.popleft()):
                if shown(at) not in found:
                    found[shown(at)] = None
                    todo.append(at)
        return list(found)

    def _inside(self, at: Parts) -> list[Parts]:
        """What a folder holds; nothing where there is no folder that may be looked into."""
        try:
            names = self.names(at)[:_MOST_PATHS] if at[-1:] != (".git",) else []
        except OSError:
            return []
        return [(*at, name) for name in names if _is_text(name)]


def chunks(fd: int) -> Iterator[bytes]:
    """What an open file holds, a piece at a time."""
    while data := os.read(fd, _CHUNK):
        yield data


def _entered(name: str, fd: int) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=fd)
    except NotADirectoryError:
        if stat.S_ISLNK(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, "a link is in the way") from None
        raise


def _plain(info: os.stat_result) -> None:
    if stat.S_ISDIR(info.st_mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder")
    if stat.S_ISLNK(info.st_mode):
        raise OSError(errno.ELOOP, "a link is in the way")
    if not stat.S_ISREG(info.st_mode):
        raise Refusal("it is neither a file nor a folder")


def _is_text(name: str) -> bool:
    return name.isascii() or name == name.encode("utf-8", "replace").decode()
