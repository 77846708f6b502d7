"""ripgrep as a subprocess: what it finds in one folder, never past a deadline and never past a number of hits.

It walks in the order of paths, so that the same tree gives the same hits in the same order, also where it is
stopped early. It follows no link that it sees, and reads what .gitignore and .ignore leave, but nothing hidden or
binary. It opens files by their paths, though, and a link may come in between: so what it says is where to look, and
what is shown is read by `Tree`.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, cast

import msgspec

from fingerpost.terminal.command_error import CommandError

LARGEST_FILE = 4 * 1024 * 1024
"""Bytes; larger files are passed over: they are data, and one line of them may be all of them."""

_LARGEST_EVENT = 8 * LARGEST_FILE
"""Bytes that are read of one line of JSON: enough for a file in one line, not for a match in each of its letters."""

_LONGEST_LINE, _MOST_SPANS = 8192, 100
_INSIDE = bytes(range(0x80, 0xC0))
"""What may be left of a letter that was cut."""

_COMMON = (
    "--no-config", "--no-require-git", "--no-ignore-messages", "--sort=path", f"--max-filesize={LARGEST_FILE}",
)  # fmt: skip
_UNREADABLE = re.compile(r"^(?:rg: )?(?:\./)?(.+?): (.+) \(os error \d+\)$", re.MULTILINE)


class Rejected(Exception):
    """ripgrep does not take the pattern or the glob; its own words say why."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One line that matches; the spans are those of the matches, in bytes, after `begin` bytes that are left out."""

    path: str
    line: int
    text: str
    spans: tuple[tuple[int, int], ...]
    begin: int = 0

    def read_in(self, line: bytes) -> Hit:
        """The same place, with the text of this line."""
        return replace(self, text=_text(line[self.begin :])[:_LONGEST_LINE].rstrip("\r\n"))


@dataclass(slots=True)
class Outcome:
    """How a run ended: which paths could not be read, and whether it was stopped before it was through."""

    unreadable: list[str] = field(default_factory=list[str])
    is_late: bool = False
    is_full: bool = False


class Ripgrep:
    """The engine over one folder."""

    def __init__(self, root: Path, *, binary: str | None = None, seconds: float = 10.0, most: int = 20_000) -> None:
        self.root, self.seconds, self.most = root, seconds, most
        self._binary = binary or found_binary()

    def hits(self, pattern: str, glob: str | None = None) -> tuple[list[Hit], Outcome]:
        """Every line that matches, by path and line; no more than `most`."""
        visible = self._shown_by(glob)
        found: list[Hit] = []
        asked = ("--smart-case", f"--max-count={self.most + 1}", *_globbed(glob), "-e", pattern)
        with self._running("--json", *asked) as (stdout, outcome):
            for of_file in _by_file(stdout):
                if visible is None or of_file[0].path in visible:
                    found += of_file
                if len(found) > self.most:
                    outcome.is_full = True
                    break
        return found[: self.most], outcome

    def files(self, glob: str | None = None) -> tuple[list[str], Outcome]:
        """Every file that is searched."""
        visible = self._shown_by(glob)
        with self._running("--files", "--null", "--sort=none", *_globbed(glob)) as (stdout, outcome):
            every = [_relative(name) for name in stdout.read().split(b"\0")[:-1]]
        return sorted(one for one in every if visible is None or one in visible), outcome

    def words(
        self, patterns: list[str], glob: str | None = None, *, seconds: float = 1.0, lines: int = 20
    ) -> dict[str, str]:
        """What these patterns match, and a file it is in: in so many lines of each, as far as a short time reaches."""
        visible = self._shown_by(glob)
        asked = [part for pattern in patterns for part in ("-e", pattern)]
        options = (
            "--only-matching",
            "--null",
            "--no-line-number",
            "--with-filename",
            "--ignore-case",
            "--sort=none",
            f"-m{lines}",
        )
        with self._running(*options, *_globbed(glob), *asked, seconds=seconds) as (stdout, _):
            pairs = (line.rstrip(b"\r\n").partition(b"\0") for line in stdout)
            found = ((_relative(path), _text(word)) for path, _, word in pairs)
            return {word: path for path, word in found if visible is None or path in visible}

    def has(self, pattern: str, glob: str | None = None) -> bool:
        """Whether a search for this finds anything in a short time."""
        visible, asked = self._shown_by(glob), ("--smart-case", *_globbed(glob), "-e", pattern)
        with self._running("--json", "--sort=none", "--max-count=1", *asked, seconds=2.0) as (stdout, outcome):
            for of_file in _by_file(stdout):
                if visible is None or of_file[0].path in visible:
                    outcome.is_full = True
                    break
        return outcome.is_full

    def _shown_by(self, glob: str | None) -> set[str] | None:
        """The files that are there without the glob: a glob alone would also show what is hidden or ignored."""
        return None if glob is None or glob.startswith("!") else set(self.files()[0])

    @contextmanager
    def _running(self, *arguments: str, seconds: float | None = None) -> Generator[tuple[IO[bytes], Outcome]]:
        """What it writes, while it runs; it is ended with the block, or when the time is over."""
        outcome = Outcome()
        command = [self._binary, *_COMMON, *arguments, "--", "./"]
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                command, cwd=self.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
            )
            timer = threading.Timer(self.seconds if seconds is None else seconds, _end, (process, outcome))
            timer.daemon = True
            timer.start()
            stdout = cast("IO[bytes]", process.stdout)
            try:
                yield stdout, outcome
                code = None if outcome.is_full else process.wait()
            finally:
                timer.cancel()
                process.kill()
                process.wait()
                stdout.close()
            _read_errors(errors, code, outcome)


def found_binary() -> str:
    """Where ripgrep is: beside this Python, where its package puts programs, or on the path."""
    folders = (os.path.dirname(sys.executable), sysconfig.get_path("scripts"), None)
    for folder in folders:
        if found := shutil.which("rg", path=folder):
            return found
    raise CommandError(
        "the code server needs ripgrep, which is not installed", "Install it: pip install 'fingerpost[code]'"
    )


def _end(process: subprocess.Popen[bytes], outcome: Outcome) -> None:
    outcome.is_late = True
    process.kill()


def _read_errors(errors: IO[bytes], code: int | None, outcome: Outcome) -> None:
    errors.seek(0)
    said = errors.read(64 * 1024).decode("utf-8", "replace").strip()
    outcome.unreadable = [path for path, _ in _UNREADABLE.findall(said)]
    if code == 2 and not outcome.unreadable:
        raise Rejected(said.removeprefix("rg: "))


def _globbed(glob: str | None) -> tuple[str, ...]:
    return () if glob is None else ("--glob", glob)


class _Text(msgspec.Struct):
    text: str | None = None
    bytes: str | None = None

    def decoded(self) -> bytes:
        return self.text.encode() if self.text is not None else base64.b64decode(self.bytes or "")


class _Span(msgspec.Struct):
    start: int
    end: int


class _Data(msgspec.Struct):
    path: _Text | None = None
    lines: _Text | None = None
    line_number: int = 0
    submatches: list[_Span] = []
    binary_offset: int | None = None


class _Event(msgspec.Struct):
    type: str
    data: _Data


_decode = msgspec.json.Decoder(_Event).decode


def _by_file(stdout: IO[bytes]) -> Iterator[list[Hit]]:
    """The hits of each file in turn. One that turns out to be binary has none."""
    hits: list[Hit] = []
    for line in _events(stdout):
        event = _decode(line)
        if event.type == "match":
            hits.append(_hit(event.data))
        elif event.type == "end":
            if hits and event.data.binary_offset is None:
                yield hits
            hits = []


def _events(stdout: IO[bytes]) -> Iterator[bytes]:
    """Each line; of one with matches without end, the first of them."""
    while line := stdout.readline(_LARGEST_EVENT):
        if line.endswith(b"\n"):
            yield line
            continue
        while (rest := stdout.readline(_LARGEST_EVENT)) and not rest.endswith(b"\n"):
            pass
        start = line.find(b'"submatches":[')
        if rest and start > 0:
            yield line[: line.rfind(b',{"match"', start, start + 64 * 1024)] + b"]}}"


def _hit(data: _Data) -> Hit:
    path, line = data.path or _Text(""), data.lines or _Text("")
    text = line.text if line.text is not None else _text(line.decoded())
    spans = tuple((span.start, span.end) for span in data.submatches[:_MOST_SPANS])
    begin = 0
    if len(text) > _LONGEST_LINE:
        text, spans, begin = _around(line.decoded(), spans)
    return Hit(_relative(path.decoded()), data.line_number, text.rstrip("\r\n"), spans, begin)


def _around(line: bytes, spans: tuple[tuple[int, int], ...]) -> tuple[str, tuple[tuple[int, int], ...], int]:
    """The part of a long line that is around its first match: thousands of them would not fit in memory."""
    begin = max(spans[0][0] - _LONGEST_LINE // 4, 0) if spans else 0
    part = line[begin : begin + _LONGEST_LINE]
    kept = part.lstrip(_INSIDE)
    begin += len(part) - len(kept)
    moved = ((start - begin, min(end - begin, len(kept))) for start, end in spans)
    return _text(kept), tuple((start, end) for start, end in moved if start < len(kept)), begin


def _relative(path: bytes) -> str:
    return os.fsdecode(path.removeprefix(b"./")).replace(os.sep, "/")


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
