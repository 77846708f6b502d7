"""The content of a patch in either form, and the errors of patches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fingerpost.errors import ToolOperationError

FORM_HINT = (
    "Begin each hunk of a unified diff with its line ranges, as @@ -1,3 +1,4 @@, "
    "or send the form *** Begin Patch / *** Update File: name / @@ / … / *** End Patch, where a bare @@ is right"
)
NO_NEWLINE = "\\"
"""The beginning of the line that says that the line before it has no newline."""


class PatchError(ToolOperationError):
    """A patch that is not applied. Nothing has been changed."""

    category = "patch"
    origin = "call"


def patch_syntax_error(message: str, line: int | None = None, hint: str = "") -> PatchError:
    """Build the error for a patch that cannot be parsed, with the line of the patch if it is known."""
    details: dict[str, Any] = {} if line is None else {"line": line}
    text = message if line is None else f"Line {line} of the patch: {message}"
    return PatchError(text, code="PATCH_MALFORMED", details=details, hint=hint or FORM_HINT)


def bare_hunk_error(line: int, reason: PatchError | None = None) -> PatchError:
    """Build the error for a hunk without line ranges, and if its place is not found either, with the reason."""
    message = "'@@' without line ranges" + (f". {reason.message}" if reason else "")
    error = patch_syntax_error(message, line, str(reason.hint) if reason else "")
    error.details |= reason.details if reason else {}
    error.hints = reason.hints if reason else ()
    return error


def truncated_error(line: int, place: str, missing: int, why: str, **details: Any) -> PatchError:
    """Build the error for a patch that breaks off. It has no corrected patch, as nobody knows what was lost."""
    count = f"at least {missing} {'line is' if missing == 1 else 'lines are'} missing"
    message = f"The patch breaks off at its line {line}{place}: {count} ({why}). Nothing was changed"
    hint = "Send the whole patch again; if it is long, send it in several smaller patches"
    facts = {"is_truncated": True, "line": line, "missing_lines": missing, **details}
    return PatchError(message, code="PATCH_MALFORMED", details=facts, hint=hint)


@dataclass(frozen=True, slots=True)
class Hunk:
    """One change in a file: context, removed and added lines, each with its mark (` `, `-`, `+`) and its ending."""

    lines: tuple[tuple[str, str], ...]
    line: int
    """The first line in the patch, counted from 1."""
    start: int | None = None
    """The first line in the old file, counted from 0; none if the patch has no line numbers."""
    headers: tuple[str, ...] = ()
    """Lines somewhere above it."""
    is_last: bool = False
    """Whether it reaches to the end of the file."""
    numbers: tuple[int, ...] = ()
    """The index of each of its lines in the patch."""
    is_bare: bool = False
    """Whether it is a hunk of a diff without the line ranges that it has to have."""

    @property
    def old(self) -> list[str]:
        return [text for mark, text in self.lines if mark != "+"]

    @property
    def new(self) -> list[str]:
        return [text for mark, text in self.lines if mark != "-"]

    def header(self, old: int, new: int) -> str:
        """Return its header, if it begins at these lines of the old and the new file, counted from 0."""
        counts = len(self.old), len(self.new)
        ranges = [f"{at + 1 if count else at},{count}" for at, count in zip((old, new), counts, strict=True)]
        return f"@@ -{ranges[0]} +{ranges[1]} @@"

    def inverted(self, shift: int) -> Hunk:
        """Return the hunk that undoes this one in a file that earlier hunks made `shift` lines longer."""
        lines = tuple(({"+": "-", "-": "+"}.get(mark, mark), text) for mark, text in self.lines)
        start = None if self.start is None else self.start + shift
        return Hunk(lines, self.line, start, self.headers, self.is_last)


@dataclass(frozen=True, slots=True)
class FilePatch:
    """The change of one file."""

    old: str | None
    """Its old name; none if it is created."""
    new: str | None
    """Its new name; none if it is deleted."""
    hunks: tuple[Hunk, ...] = ()
    is_diff: bool = False
    """Whether it comes from a diff: names may have a prefix that is no folder, and deleted lines are listed."""
    is_prefixed: bool = False
    """Whether the name of a new file certainly has such a prefix."""
    is_copy: bool = False
    moves: bool = False
    mode: int | None = None
    line: int = 1


@dataclass(slots=True)
class Patch:
    """The change of every file, and warnings about errors that were accepted."""

    files: list[FilePatch] = field(default_factory=list[FilePatch])
    warnings: list[str] = field(default_factory=list[str])

    def warn(self, message: str) -> None:
        if message not in self.warnings:
            self.warnings.append(message)


class Reader:
    """The lines of a patch, the index of the next one, and the patch parsed so far."""

    def __init__(self, text: str) -> None:
        self.lines = _lines(text)
        self.at = 0
        self.patch = Patch()


def _lines(text: str) -> list[str]:
    """Split a patch into lines. If all its headers end with CRLF, the CR is not part of the lines."""
    lines = text.removesuffix("\n").split("\n")
    heads = [line for line in lines if line.startswith(("--- ", "+++ ", "@@", "*** ", "diff --git "))]
    return [line.removesuffix("\r") for line in lines] if all(line.endswith("\r") for line in heads) else lines
