"""Read and write a client's config file safely, with a backup.

A config often contains secrets, and a client may read it at any time. So it is replaced as a whole, keeps its owner and
mode, and is not written if nothing changes or another program has changed it. Nothing here needs POSIX: Windows has no
owners to keep.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path

from fingerpost.terminal.command_error import CommandError


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A config file as it was read; `name` is the path that the user gave, `path` is without links."""

    name: str
    path: Path
    content: bytes
    text: str
    status: os.stat_result

    @classmethod
    def read(cls, name: str) -> ConfigFile:
        path = Path(os.path.realpath(name))
        try:
            status = path.stat()
            _require_regular(name, status.st_mode)
            _require_one_name(name, status.st_nlink)
            content = path.read_bytes()
            return cls(name, path, content, content.decode("utf-8"), status)
        except OSError as error:
            raise CommandError(f"cannot read {name}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise CommandError(f"{name} is not UTF-8 text", "Save it as UTF-8 and try again.") from error

    def write(self, text: str) -> None:
        try:
            content = text.encode("utf-8")
            if self.path.read_bytes() != self.content:
                raise CommandError(f"{self.name} was changed by another program", "Run the command again.")
            _replace_file(self.path, content, self.status)
        except UnicodeEncodeError as error:
            raise CommandError(f"{self.name} cannot be written in UTF-8") from error
        except OSError as error:
            raise CommandError(f"cannot write {self.name}: {error.strerror}") from error

    @property
    def backup(self) -> Path | None:
        """The last backup that was written; none if there is none."""
        return next(reversed(self._existing_backups()), None)

    def _backups(self) -> Iterator[Path]:
        first = f"{self.path.name}.fingerpost-backup"
        yield self.path.with_name(first)
        yield from (self.path.with_name(f"{first}-{number}") for number in count(2))

    def _existing_backups(self) -> list[Path]:
        return list(takewhile(os.path.lexists, self._backups()))

    def back_up(self) -> Path:
        """Save the config as it was read, and return where. Other files at that place stay: they may not be ours."""
        taken = self._existing_backups()
        free = next(path for path in self._backups() if path not in taken)
        path = next((path for path in taken if _has_content(path, self.content)), free)
        try:
            _replace_file(path, self.content, self.status)
        except OSError as error:
            raise CommandError(f"cannot write {path.name}: {error.strerror}") from error
        return path

    def drop_backup_of(self, text: str) -> None:
        """Delete the backups that equal the config, because they only duplicate secrets then."""
        for path in self._existing_backups():
            if _has_content(path, text.encode("utf-8")):
                with suppress(OSError):  # nothing depends on it
                    path.unlink()


def _has_content(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False  # a folder, or not ours to read


def _require_regular(name: str, mode: int) -> None:
    """Refuse what is no file: to open a pipe would wait for its writer, and a device is not replaced by a file."""
    if not stat.S_ISREG(mode):
        kind = next((word for is_kind, word in _KINDS if is_kind(mode)), "a special file")
        raise CommandError(f"{name} is {kind}", "Give the client's config file.")


def _require_one_name(name: str, links: int) -> None:
    """Refuse a file with other names (hard links): they would keep the old content, because the file is replaced."""
    if links > 1:
        raise CommandError(
            f"{name} is one of {links} hard links to the same file, and the others would not be changed",
            f"Make it a file of its own first (cp -p {name} COPY && mv COPY {name}), or use a symbolic link.",
        )


_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def _replace_file(path: Path, content: bytes, like: os.stat_result) -> None:
    """Replace a file atomically: a client that reads it sees the old content or the new one."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        _keep_owner(temporary, like)
        os.chmod(temporary, stat.S_IMODE(like.st_mode))  # after the owner: a change of owner clears bits of the mode
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _keep_owner(path: str, like: os.stat_result) -> None:
    """Give a file the owner of another one, so that root does not lock the user out of it."""
    own = os.stat(path)
    if hasattr(os, "chown") and (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
        os.chown(path, like.st_uid, like.st_gid)
