"""Parse patches that begin with `*** Begin Patch`: places are found by their lines, not by numbers.

Only `*** End Patch` shows that such a patch is whole. Without it nothing is applied.
"""

from __future__ import annotations

import re
from typing import Any

from fingerpost.servers.workspace.patch import (
    NO_NEWLINE,
    FilePatch,
    Hunk,
    Patch,
    Reader,
    patch_syntax_error,
    truncated_error,
)

_BEGIN, _END, _END_OF_FILE, _MOVE = "*** Begin Patch", "*** End Patch", "*** End of File", "*** Move to:"
_SECTION = re.compile(r"\*\*\* (Add|Update|Delete) File:\s*(.*)")
_START = re.compile(r"^\*\*\* (?:Begin Patch\s*$|(?:Add|Update|Delete) File:)", re.MULTILINE)
_RANGES = re.compile(r"@@\s*-(\d{1,9})(?:,\d+)?\s+\+\d+(?:,\d+)?\s*@@")
_UNIFIED = re.compile(r"^(?:diff --git |--- .*\n\+\+\+ )", re.MULTILINE)


def is_freeform(text: str) -> bool:
    """Whether a text is a patch of this form, and not a unified diff that contains one."""
    found, other = _START.search(text), _UNIFIED.search(text)
    return found is not None and (other is None or found.start() < other.start())


def parse(text: str) -> Patch:
    """Parse such a patch."""
    return _Reader(text).read()


class _Reader(Reader):
    def read(self) -> Patch:
        _require_end(self.lines)
        while self._begin():
            while not self._line().startswith(_END):
                self._section()
            self.at += 1
        return self.patch

    def _line(self) -> str:
        return self.lines[self.at] if self.at < len(self.lines) else _END

    def _begin(self) -> bool:
        """Go to the first file of the next patch in the text; return whether there is one."""
        ahead = range(self.at, len(self.lines))
        first = next((at for at in ahead if _START.match(self.lines[at])), len(self.lines))
        if any(line.strip() for line in self.lines[self.at : first]):
            self.patch.warn("Text around the patch was ignored")
        if first == len(self.lines):
            return False
        if self.lines[first].startswith(_BEGIN):
            first += 1
        else:
            self.patch.warn("'*** Begin Patch' is missing in front")
        self.at = first
        return True

    def _section(self) -> None:
        line, first = self._line(), self.at + 1
        found = _SECTION.match(line)
        if found is None:
            if line.strip() and not line.startswith("```"):
                hint = "Name a file: *** Update File: name, *** Add File: name or *** Delete File: name"
                raise patch_syntax_error("a file has to be named here", first, hint)
            self.at += 1
            return
        self.at += 1
        kind, name = found[1], found[2].strip()
        if not name:
            raise patch_syntax_error("a file name is missing", first, "Write the name behind the colon")
        self.patch.files.append(getattr(self, f"_{kind.lower()}")(name, first))

    def _delete(self, name: str, first: int) -> FilePatch:
        return FilePatch(name, None, line=first)

    def _add(self, name: str, first: int) -> FilePatch:
        lines: list[tuple[str, str]] = []
        while not self._line().startswith(("*** ", "```")):
            line = self._line()
            if not line.startswith("+"):
                if line.strip():
                    raise patch_syntax_error(
                        "each line of a new file begins with +", self.at + 1, "Put + in front of each line"
                    )
                break
            lines.append(("+", line[1:] + "\n"))
            self.at += 1
        return FilePatch(None, name, (Hunk(tuple(lines), first),), line=first)

    def _update(self, name: str, first: int) -> FilePatch:
        new = name
        if self._line().startswith(_MOVE):
            new = self._line().removeprefix(_MOVE).strip()
            self.at += 1
        hunks: list[Hunk] = []
        while not self._is_over():
            hunks.append(self._hunk())
        if not new or (not hunks and new == name):
            raise patch_syntax_error("nothing is changed in this file", first)
        return FilePatch(name, new, tuple(hunks), moves=new != name, line=first)

    def _is_over(self) -> bool:
        while self.at < len(self.lines) and not self._line().strip():
            self.at += 1
        return self._line().startswith(("*** ", "```"))

    def _hunk(self) -> Hunk:
        first, headers, start = self.at + 1, list[str](), None
        while self._line().startswith("@@"):
            if ranges := _RANGES.match(self._line()):
                start = max(int(ranges[1]) - 1, 0)
            elif header := self._line()[2:].strip().removesuffix("@@").strip():
                headers.append(header)
            self.at += 1
        lines, numbers = self._body()
        if not any(mark != " " for mark, _ in lines):
            raise patch_syntax_error("this hunk changes nothing", first, "Mark what goes with - and what comes with +")
        is_last = self._line().startswith(_END_OF_FILE)
        self.at += is_last
        return Hunk(tuple(lines), first, start, tuple(headers), is_last, tuple(numbers))

    def _body(self) -> tuple[list[tuple[str, str]], list[int]]:
        """Parse the lines of a hunk; return them and their numbers in the patch."""
        lines, numbers = list[tuple[str, str]](), list[int]()
        while not (line := self._line()).startswith(("@@", "*** ", "```")):
            if line.startswith(NO_NEWLINE) and lines:
                lines[-1] = lines[-1][0], lines[-1][1].removesuffix("\n")
                self.at += 1
                continue
            if line.strip("\r") and line[0] not in " +-":
                hint = "Begin each line of a hunk with a space, + or -"
                raise patch_syntax_error("it begins with none of space, + and -", self.at + 1, hint)
            lines.append((line[:1].strip("\r") or " ", line[1:] + "\n"))
            numbers.append(self.at)
            self.at += 1
        while lines and not self.lines[self.at - 1].strip("\r") and lines[-1] == (" ", "\n"):
            lines.pop()
            self.at -= 1
        self.at += self._blank_lines()
        return lines, numbers[: len(lines)]

    def _blank_lines(self) -> int:
        blank = 0
        while self.at + blank < len(self.lines) and not self.lines[self.at + blank].strip("\r"):
            blank += 1
        return blank


def _require_end(lines: list[str]) -> None:
    """Raise an error unless the last patch in these lines has its end."""
    begun = max(at for at, line in enumerate(lines) if _START.match(line))
    if any(line.startswith(_END) for line in lines[begun:]):
        return
    last = max(at for at, line in enumerate(lines) if line.strip())
    file = _SECTION.match(lines[begun])
    starts = [at for at in range(begun, last + 1) if lines[at].startswith("@@") and not lines[at - 1].startswith("@@")]
    details: dict[str, Any] = {"path": file[2].strip()} if file else {}
    details |= {"hunk": len(starts), "patch_line": starts[-1] + 1} if starts else {}
    hunk = f"hunk {len(starts)} of " if starts else ""
    place = f", in {hunk}{file[2].strip()}" if file else ""
    raise truncated_error(last + 1, place, 1, f"'{_END}' has to end it", **details)
