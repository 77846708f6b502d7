"""Open files of a folder without following links.

Each path component is opened relative to its parent with `O_NOFOLLOW`. So a link that is created between a check of a
path and its use causes an `OSError` instead of opening a file outside the folder.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@contextmanager
def open_file(root: Path, path: str) -> Generator[int]:
    """Open a regular file for reading; refuse pipes and devices without waiting for them."""
    *parents, name = _components(path)
    with open_folder(root, parents) as parent:
        fd = os.open(name, _FILE_FLAGS, dir_fd=parent)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "is no plain file")
        yield fd
    finally:
        os.close(fd)


@contextmanager
def open_folder(root: Path, components: list[str]) -> Generator[int]:
    fd = os.open(root, _FOLDER_FLAGS)
    try:
        for name in components:
            inner = os.open(name, _FOLDER_FLAGS, dir_fd=fd)
            os.close(fd)
            fd = inner
        yield fd
    finally:
        os.close(fd)


def is_folder(root: Path, path: str) -> bool:
    try:
        with open_folder(root, _components(path)):
            return True
    except OSError:
        return False


def read_bytes(fd: int, limit: int) -> bytes:
    """Read an open file from the start, at most `limit` bytes."""
    with open(fd, "rb", closefd=False) as stream:
        return stream.read(limit)


def _components(path: str) -> list[str]:
    components = [name for name in path.split("/") if name not in ("", ".")]
    if not components or ".." in components:
        raise OSError(errno.EINVAL, "is no place in the folder")
    return components
