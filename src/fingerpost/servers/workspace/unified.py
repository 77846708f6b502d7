"""Parse unified diffs, as git, `diff -u` and language models write them.

Errors with only one possible meaning are accepted with a warning: wrong line counts, text and fences around the diff,
blank lines without their leading space.

A last hunk with fewer lines than its header announces has another possible meaning: the rest of the patch was lost.
Such a patch is refused, and so is one that ends inside a header.
"""

from __future__ import annotations

import re

from fingerpost.servers.workspace.cut_headers import find_missing_header, is_cut_header
from fingerpost.servers.workspace.diff_file_names import parse_git_pair, parse_header_name, parse_name, strip_prefix
from fingerpost.servers.workspace.patch import (
    NO_NEWLINE,
    FilePatch,
    Hunk,
    Patch,
    PatchError,
    Reader,
    patch_syntax_error,
    truncated_error,
)

_RANGES = re.compile(r"@@\s*-(\d{1,9})(?:,(\d{1,9}))?\s+\+(\d{1,9})(?:,(\d{1,9}))?\s*@@")
_EXTENDED = re.compile(
    r"(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|similarity index"
    r"|dissimilarity index|index)\s(.*)"
)
_BETWEEN = re.compile(
    r"(?:diff |Index: |===|Only in |```|\*\*\* |From [0-9a-f]{7,}|commit [0-9a-f]{7,}|index [0-9a-f]+)"
)
_NOISE = re.compile(r"(?:diff |Index: |={3,}\s*$|```|index [0-9a-f]|\s*$)")
_BINARY = re.compile(r"GIT binary patch|Binary files .* differ")
_ANY_COUNT = 10**9
_FILE_MODES = {"100644": 0o644, "100755": 0o755}


def parse(text: str) -> Patch:
    """Parse a unified diff."""
    return _Reader(text).read()


class _Reader(Reader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._file, self._hunk_number = "", 0
        self._last = max((at for at, line in enumerate(self.lines) if line.strip()), default=0)
        self._shortage: PatchError | None = None
        """The error for the last hunk so far, if its lines are fewer than announced and nothing comes after it."""

    def read(self) -> Patch:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.startswith("diff --git "):
                self._git_file()
            elif self._is_head(self.at):
                self._plain_file()
            else:
                self._between(line)
        if self._shortage:
            raise self._shortage
        return self.patch

    def _is_head(self, at: int) -> bool:
        return self._line(at).startswith("--- ") and self._line(at + 1).startswith("+++ ")

    def _is_last(self, at: int) -> bool:
        """Whether only blank lines follow a line."""
        return at >= self._last

    def _line(self, at: int) -> str:
        return self.lines[at] if at < len(self.lines) else ""

    def _between(self, line: str) -> None:
        if line.startswith("@@"):
            raise patch_syntax_error(
                "no file is named before this hunk", self.at + 1, "Name it: --- a/file and +++ b/file"
            )
        if _BINARY.match(line):
            raise patch_syntax_error("binary patches cannot be applied", self.at + 1, "Send text, or use write_file")
        if line.startswith("***************"):
            raise patch_syntax_error("this is a context diff", self.at + 1, "Send a unified diff, as diff -u makes it")
        if self._is_last(self.at) and self.patch.files and is_cut_header(line):
            raise truncated_error(self.at + 1, "", 1, "it ends inside a header")
        if line.startswith("```"):
            self.patch.warn("The fence around the patch was ignored")
        elif not _NOISE.match(line):
            self.patch.warn("Text around the patch was ignored")
        self.at += 1

    def _plain_file(self) -> None:
        first = self.at
        old, new = self._heads()
        hunks = self._hunks()
        if not hunks:
            raise patch_syntax_error("there is no hunk for this file", first + 1)
        is_prefixed = (new or "").startswith("b/")
        self._add(FilePatch(old, new, hunks, is_diff=True, is_prefixed=is_prefixed, line=first + 1))

    def _heads(self) -> tuple[str | None, str | None]:
        old, new = (parse_header_name(self.lines[self.at + step][4:]) for step in (0, 1))
        self.at += 2
        self._file, self._hunk_number = new or old or "", 0
        return old, new

    def _git_file(self) -> None:
        first = self.at
        pair = parse_git_pair(self.lines[first].removeprefix("diff --git ").rstrip("\r"))
        fields = self._parse_extended_headers()
        mode = _file_mode(fields, first)
        name_pair, is_copy = pair, "copy from" in fields
        moves = is_copy or "rename from" in fields
        if moves:
            pair = _moved_pair(fields, "copy" if is_copy else "rename")
        old, new = pair or (None, None)
        hunks: tuple[Hunk, ...] = ()
        if self._is_head(self.at) and not (moves and self._names_others(pair)):
            heads = self._heads()
            old, new = (old, new) if moves else heads
            hunks = self._hunks()
        if _BINARY.match(self._line(self.at)):
            raise patch_syntax_error("binary patches cannot be applied", self.at + 1, "Send text, or use write_file")
        old = None if "new file mode" in fields else old
        new = None if "deleted file mode" in fields else new
        _require_change(old, new, hunks, fields, first)
        if not hunks:
            self._require_whole_headers(fields, name_pair)
        is_prefixed = pair is None or pair[0] != pair[1]
        self._add(FilePatch(old, new, hunks, True, is_prefixed, is_copy, moves, mode, first + 1))

    def _require_whole_headers(self, fields: dict[str, str], pair: tuple[str, str] | None) -> None:
        self._shortage = None
        if self.at < len(self.lines) and not self._is_last(self.at - 1):
            return
        if missing := find_missing_header(fields, pair):
            raise truncated_error(self.at, "", 1, f"{missing} of the last file")

    def _names_others(self, pair: tuple[str, str] | None) -> bool:
        """Whether the next file header names other files: a move without hunks has no header of its own."""
        names = (parse_header_name(self.lines[self.at + step][4:]) for step in (0, 1))
        return not all(name in (pair or ()) or strip_prefix(name or "") in (pair or ()) for name in names)

    def _add(self, one: FilePatch) -> None:
        if one.old == "" or one.new == "" or (one.old is None and one.new is None):
            raise patch_syntax_error("a file name is missing", one.line, "Name it: --- a/file and +++ b/file")
        self.patch.files.append(one)

    def _parse_extended_headers(self) -> dict[str, str]:
        fields: dict[str, str] = {}
        self.at += 1
        while found := _EXTENDED.match(self._line(self.at)):
            fields[found[1]] = found[2]
            self.at += 1
        return fields

    def _hunks(self) -> tuple[Hunk, ...]:
        hunks: list[Hunk] = []
        while True:
            ahead = self.at
            while ahead < len(self.lines) and not self.lines[ahead].strip():
                ahead += 1
            if not self._line(ahead).startswith("@@"):
                return tuple(hunks)
            self.at = ahead
            hunks.append(self._hunk())

    def _hunk(self) -> Hunk:
        first = self.at
        ranges = _parse_ranges(self.lines[first], first)
        if ranges is None:
            return self._bare_hunk()
        start, before, after = ranges
        self.at += 1
        body, numbers = self._body(before, after)
        old = sum(mark != "+" for mark, _ in body)
        new = sum(mark != "-" for mark, _ in body)
        self._hunk_number += 1
        self._shortage = self._short_hunk_error(first, (before, after), (old, new))
        if self._shortage and self._is_last(self.at - 1):
            raise self._shortage
        if not body or (before and not old):
            raise patch_syntax_error("this hunk has no line that says where it belongs", first + 1)
        if (old, new) != (before, after):
            self.patch.warn(f"Line {first + 1} of the patch counts its lines wrongly; they were taken as they stand")
        return Hunk(tuple(body), first + 1, start if old else start + 1, numbers=numbers)

    def _bare_hunk(self) -> Hunk:
        """Parse a hunk without line ranges: it reaches to the next header."""
        first = self.at
        self.at += 1
        body, numbers = self._body(_ANY_COUNT, _ANY_COUNT)
        self._hunk_number, self._shortage = self._hunk_number + 1, None
        if not body and self._is_last(self.at - 1):
            raise truncated_error(first + 1, f", in {strip_prefix(self._file)}", 1, "a hunk has no lines")
        return Hunk(tuple(body), first + 1, numbers=numbers, is_bare=True)

    def _short_hunk_error(self, first: int, announced: tuple[int, int], found: tuple[int, int]) -> PatchError | None:
        missing = max(one - other for one, other in zip(announced, found, strict=True))
        if missing <= 0:
            return None
        last = max(at for at in range(first, self.at) if self.lines[at].strip() or at == first)
        place = f", in hunk {self._hunk_number} of {strip_prefix(self._file)} that begins at line {first + 1}"
        why = f"its header announces {announced[0]} old and {announced[1]} new lines, found {found[0]} and {found[1]}"
        details = {"path": strip_prefix(self._file), "hunk": self._hunk_number, "patch_line": first + 1}
        return truncated_error(last + 1, place, missing, why, **details)

    def _body(self, before: int, after: int) -> tuple[list[tuple[str, str]], tuple[int, ...]]:
        """Parse the lines of a hunk: as many as its header announces, and those that can only belong to it."""
        body, numbers = list[tuple[str, str]](), list[int]()
        bare = blanks = 0
        while self.at < len(self.lines) and not self._ends(before, after):
            line = self.lines[self.at]
            if line.startswith(NO_NEWLINE):
                if body:
                    body[-1] = body[-1][0], body[-1][1].removesuffix("\n")
            elif line[:1] in (" ", "+", "-") or line.strip("\r") == "":
                is_bare = not line.strip("\r")
                bare, blanks = bare + is_bare, blanks + 1 if is_bare else 0
                mark = line[:1] if line[:1] in (" ", "+", "-") else " "
                body.append((mark, (line[1:] if line[:1] == mark else line) + "\n"))
                numbers.append(self.at)
                before -= mark != "+"
                after -= mark != "-"
            else:
                hint = "Begin each line of a hunk with a space, + or -"
                raise patch_syntax_error("it begins with none of space, + and -", self.at + 1, hint)
            self.at += 1
        surplus = blanks if before > 0 or after > 0 else 0  # they belong to what follows
        if bare > surplus:
            self.patch.warn("Blank lines without a space in front were taken as lines that stay")
        whole = len(body) - surplus
        return body[:whole], tuple(numbers[:whole])

    def _ends(self, before: int, after: int) -> bool:
        """Whether the hunk ends before this line; its header still announces `before` and `after` lines."""
        line, is_full = self.lines[self.at], before <= 0 and after <= 0
        if line.startswith(NO_NEWLINE):
            return False
        if line.startswith("@@") or _BETWEEN.match(line):
            return True
        if (
            self._is_head(self.at)
            and (is_full or self._line(self.at + 2).startswith("@@"))
            and (before, after) != (1, 1)
        ):
            return True  # not if they are the last two lines of the hunk, which can look like a file header
        if is_full and self._is_last(self.at) and is_cut_header(line):
            return True
        return is_full and (line[:1] not in (" ", "+", "-") or line.rstrip("\r") in ("-- ", "--"))


def _parse_ranges(line: str, at: int) -> tuple[int, int, int] | None:
    """Parse a hunk header: the first line, counted from 0, and the number of old and new lines; none if it is bare."""
    found = _RANGES.match(line)
    if found is None:
        if line.startswith("@@@"):
            raise patch_syntax_error("this is the diff of a merge", at + 1, "Send a diff against one version")
        return None
    start, before, _, after = (int(one) if one else 1 for one in found.groups())
    return start - 1, before, after


def _moved_pair(fields: dict[str, str], kind: str) -> tuple[str, str]:
    return parse_name(fields[f"{kind} from"]), parse_name(fields.get(f"{kind} to", ""))


def _require_change(old: str | None, new: str | None, hunks: tuple[Hunk, ...], fields: dict[str, str], at: int) -> None:
    if old is None and new is None:
        raise patch_syntax_error(
            "the name of the file cannot be made out", at + 1, "Name it: --- a/file and +++ b/file"
        )
    if not (hunks or fields.keys() - {"index"}):
        raise patch_syntax_error("nothing is changed in this file", at + 1)


def _file_mode(fields: dict[str, str], at: int) -> int | None:
    for key in ("old mode", "deleted file mode", "new file mode", "new mode"):
        if (given := fields.get(key, "100644").strip()) not in _FILE_MODES:
            raise patch_syntax_error(
                "only plain files can be patched, no links", at + 1, "Send the change of plain files alone"
            )
    given = fields.get("new file mode") or fields.get("new mode")
    return _FILE_MODES[given.strip()] if given else None
