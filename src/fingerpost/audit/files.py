"""Read and write the audit's files. `-` is standard output. Failures become errors of the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from fingerpost.audit.reports.registry import STANDARD_OUTPUT
from fingerpost.terminal.command_error import CommandError


def read_file(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot read {name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{name} is not UTF-8 text") from error


def write_file(name: str, text: str) -> None:
    with closing(Output(name)) as output:
        output.write(text)


class Output:
    """A file or standard output. The file is opened, and emptied, by `open` or by the first `write`."""

    def __init__(self, name: str, encoding: str = "utf-8") -> None:
        self._name, self._encoding = name, encoding
        self._file: BinaryIO | None = None

    def open(self) -> BinaryIO:
        if self._file is None:
            with _report_failure(self._name):
                self._file = _open_binary(self._name)
        return self._file

    def write(self, text: str) -> None:
        file = self.open()
        with _report_failure(self._name):
            file.write(text.encode(self._encoding))
            file.flush()

    def close(self) -> None:
        if self._file is not None and self._name != STANDARD_OUTPUT:
            with suppress(OSError):  # `write` has reported it
                self._file.close()


def _open_binary(name: str) -> BinaryIO:
    if name == STANDARD_OUTPUT:
        sys.stdout.flush()
        return sys.stdout.buffer
    return open(name, "wb")


@contextmanager
def _report_failure(name: str) -> Generator[None]:
    try:
        yield
    except BrokenPipeError:  # the reader has closed the pipe
        raise
    except OSError as error:
        if name == STANDARD_OUTPUT:  # the interpreter would flush it again at exit, and fail again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        place = "to standard output" if name == STANDARD_OUTPUT else name
        raise CommandError(f"cannot write {place}: {error.strerror}") from error


def check_places(names: Sequence[str]) -> None:
    """Fail before the audit starts if a report cannot be written, or if two have the same file."""
    taken = set[str]()
    for name in names:
        place = name if name == STANDARD_OUTPUT else os.path.realpath(name)
        if place in taken and not _is_device(name):
            shared = "standard output" if name == STANDARD_OUTPUT else name
            raise CommandError(f"two reports would be written to {shared}", "Give each a file of its own.")
        taken.add(place)
        if name != STANDARD_OUTPUT and not _can_be_written(name):
            raise CommandError(f"cannot write {name}", "Check that the folder exists and that you may write there.")


def _is_device(name: str) -> bool:
    """Whether any number of reports can go there, as to /dev/null."""
    return Path(name).is_char_device()


def _can_be_written(name: str) -> bool:
    folder = os.path.dirname(name) or "."
    if os.path.exists(name):
        return not os.path.isdir(name) and os.access(name, os.W_OK)
    return os.path.isdir(folder) and os.access(folder, os.W_OK)
