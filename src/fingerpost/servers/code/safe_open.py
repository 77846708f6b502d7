"""The one way to a file of a folder: from the folder itself, step by step, through no link.

Names alone prove nothing: between a look at a path and its use, a link may be put in the way. Here that ends in an
`OSError`, and never in a file from elsewhere.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@contextmanager
def opened(root: Path, path: str) -> Generator[int]:
    """A plain file, open for reading; what is none is refused, and never waited for."""
    *way, name = _steps(path)
    with folder(root, way) as parent:
        fd = os.open(name, _FILE, dir_fd=parent)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "is no plain file")
        yield fd
    finally:
        os.close(fd)


@contextmanager
def folder(root: Path, way: list[str]) -> Generator[int]:
    """An open folder."""
    fd = os.open(root, _FOLDER)
    try:
        for name in way:
            inner = os.open(name, _FOLDER, dir_fd=fd)
            os.close(fd)
            fd = inner
        yield fd
    finally:
        os.close(fd)


def is_folder(root: Path, path: str) -> bool:
    try:
        with folder(root, _steps(path)):
            return True
    except OSError:
        return False


def start_of(fd: int, most: int) -> bytes:
    """What an open file holds, and no more than so many bytes of it."""
    with open(fd, "rb", closefd=False) as stream:
        return stream.read(most)


def _steps(path: str) -> list[str]:
    steps = [name for name in path.split("/") if name not in ("", ".")]
    if not steps or ".." in steps:
        raise OSError(errno.EINVAL, "is no place in the folder")
    return steps
