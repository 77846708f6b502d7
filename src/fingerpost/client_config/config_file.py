"""Read and write a client's config file safely, with a backup.

A config often contains secrets, and a client may read it at any time. So it is replaced as a whole, keeps its owner and
mode, and is not written if nothing changes or another program has changed it. Nothing here needs POSIX: Windows has no
owners to keep.
"""

from __future__ import annotations

import os
import stat
import tempfile
from dataclasses import dataclass
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
    def backup(self) -> Path:
        return self.path.with_name(f"{self.path.name}.fingerpost-backup")

    def back_up(self) -> None:
        """Write the config as it was read to the backup."""
        try:
            _replace_file(self.backup, self.content, self.status)
        except OSError as error:
            raise CommandError(f"cannot write {self.backup.name}: {error.strerror}") from error

    def drop_backup_of(self, text: str) -> None:
        """Delete the backup if it equals the config, because it only duplicates secrets then."""
        try:
            if self.backup.read_bytes() == text.encode("utf-8"):
                self.backup.unlink()
        except OSError:
            pass  # it does not exist or cannot be read; nothing depends on it


def _require_regular(name: str, mode: int) -> None:
    """Refuse what is no file: to open a pipe would wait for its writer, and a device is not replaced by a file."""
    if not stat.S_ISREG(mode):
        kind = next((word for is_kind, word in _KINDS if is_kind(mode)), "a special file")
        raise CommandError(f"{name} is {kind}", "Give the client's config file.")


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
