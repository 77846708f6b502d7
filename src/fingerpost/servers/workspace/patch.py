"""What a patch says, whichever form it is written in; and what is said of one that cannot be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fingerpost.errors import ToolOperationError

FORM_HINT = (
    "Begin each hunk of a unified diff with its line ranges, as @@ -1,3 +1,4 @@, "
    "or send the form *** Begin Patch / *** Update File: name / @@ / … / *** End Patch, where a bare @@ is right"
)
NO_NEWLINE = "\\"
"""How the line begins that says of the one before that no newline ends it."""


class PatchError(ToolOperationError):
    """A patch that is not applied; nothing has been changed."""

    category = "patch"
    origin = "call"


def malformed(message: str, line: int | None = None, hint: str = "") -> PatchError:
    """A patch that cannot be read, with the line of it where that shows."""
    where: dict[str, Any] = {} if line is None else {"line": line}
    said = message if line is None else f"Line {line} of the patch: {message}"
    return PatchError(said, code="PATCH_MALFORMED", details=where, hint=hint or FORM_HINT)


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of a file: lines that stay, go and come, each with its mark (` `, `-`, `+`) and its ending."""

    lines: tuple[tuple[str, str], ...]
    line: int
    """Where it begins in the patch, counted from 1."""
    start: int | None = None
    """The line of the old file that it begins at, counted from 0, as far as the patch says it."""
    headers: tuple[str, ...] = ()
    """Lines that stand somewhere above it."""
    is_last: bool = False
    """Whether it reaches to the end of the file."""

    @property
    def old(self) -> list[str]:
        return [text for mark, text in self.lines if mark != "+"]

    @property
    def new(self) -> list[str]:
        return [text for mark, text in self.lines if mark != "-"]

    def reversed(self, shift: int) -> Hunk:
        """The hunk that undoes this one, of a file that earlier ones made so many lines longer."""
        lines = tuple(({"+": "-", "-": "+"}.get(mark, mark), text) for mark, text in self.lines)
        start = None if self.start is None else self.start + shift
        return Hunk(lines, self.line, start, self.headers, self.is_last)


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What becomes of one file."""

    old: str | None
    """Its name before; none if it is created."""
    new: str | None
    """Its name after; none if it is deleted."""
    hunks: tuple[Hunk, ...] = ()
    is_diff: bool = False
    """Whether it is of a diff: its names may have a prefix that is no folder, and what is deleted is shown."""
    is_prefixed: bool = False
    """Whether the name of a new file surely has such a prefix."""
    is_copy: bool = False
    moves: bool = False
    mode: int | None = None
    line: int = 1


@dataclass(slots=True)
class Patch:
    """What becomes of every file, and what had to be overlooked in reading that."""

    files: list[FilePatch] = field(default_factory=list[FilePatch])
    warnings: list[str] = field(default_factory=list[str])

    def warn(self, said: str) -> None:
        if said not in self.warnings:
            self.warnings.append(said)


class Reader:
    """The lines of a patch, the one that is read next, and what has been read so far."""

    def __init__(self, text: str) -> None:
        self.lines = _lines(text)
        self.at = 0
        self.patch = Patch()


def _lines(text: str) -> list[str]:
    """The lines of a patch; where all of it was sent with CRLF, that is the sender's, and no part of the lines."""
    lines = text.removesuffix("\n").split("\n")
    heads = [line for line in lines if line.startswith(("--- ", "+++ ", "@@", "*** ", "diff --git "))]
    return [line.removesuffix("\r") for line in lines] if all(line.endswith("\r") for line in heads) else lines
