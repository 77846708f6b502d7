"""Read and write a client's config file safely, with a backup.

A config often contains secrets, and a client may read it at any time. So it is replaced as a whole, keeps its mode, and
is not written if nothing changes or another program has changed it.
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
    mode: int

    @classmethod
    def read(cls, name: str) -> ConfigFile:
        path = Path(os.path.realpath(name))
        try:
            content = path.read_bytes()
            return cls(name, path, content, content.decode("utf-8"), stat.S_IMODE(path.stat().st_mode))
        except OSError as error:
            raise CommandError(f"cannot read {name}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise CommandError(f"{name} is not UTF-8 text", "Save it as UTF-8 and try again.") from error

    def write(self, text: str) -> None:
        try:
            content = text.encode("utf-8")
            if self.path.read_bytes() != self.content:
                raise CommandError(f"{self.name} was changed by another program", "Run the command again.")
            _replace_file(self.path, content, self.mode)
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
            _replace_file(self.backup, self.content, self.mode)
        except OSError as error:
            raise CommandError(f"cannot write {self.backup.name}: {error.strerror}") from error

    def drop_backup_of(self, text: str) -> None:
        """Delete the backup if it equals the config, because it only duplicates secrets then."""
        try:
            if self.backup.read_bytes() == text.encode("utf-8"):
                self.backup.unlink()
        except OSError:
            pass  # it does not exist or cannot be read; nothing depends on it


def _replace_file(path: Path, content: bytes, mode: int) -> None:
    """Replace a file atomically: a client that reads it sees the old content or the new one."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
