"""Run ripgrep as a subprocess on one folder, with a time limit and a limit on hits.

It walks files in path order, so that the same folder gives the same hits in the same order, even if it is stopped
early. It skips links, hidden and binary files, and what .gitignore and .ignore exclude. But it opens files by path,
and a link may appear in between. So its output only says where to look; the text of results is read by `ServedFolder`.
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

MAX_FILE_SIZE = 4 * 1024 * 1024
"""Bytes. Larger files are skipped: they are data, often on a single line."""

_MAX_EVENT_SIZE = 8 * MAX_FILE_SIZE
"""Bytes that are read of one JSON line: enough for a file on one line, not for a match at each of its letters."""

_MAX_LINE, _MAX_SPANS = 8192, 100
_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))
"""UTF-8 continuation bytes, which remain at the start if a character is cut."""

_COMMON_OPTIONS = (
    "--no-config", "--no-require-git", "--no-ignore-messages", "--sort=path", f"--max-filesize={MAX_FILE_SIZE}",
)  # fmt: skip
_UNREADABLE_PATH = re.compile(r"^(?:rg: )?(?:\./)?(.+?): (.+) \(os error \d+\)$", re.MULTILINE)


class RipgrepError(Exception):
    """ripgrep refuses the pattern or the glob; the message is its own."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One matching line. `spans` are the matches, in bytes, in the text after its first `begin` bytes were cut."""

    path: str
    line: int
    text: str
    spans: tuple[tuple[int, int], ...]
    begin: int = 0

    def with_line(self, line: bytes) -> Hit:
        """The same hit with the text of this line."""
        return replace(self, text=_decode_text(line[self.begin :])[:_MAX_LINE].rstrip("\r\n"))


@dataclass(slots=True)
class Outcome:
    """How a run ended: unreadable paths, and whether a limit stopped it early."""

    unreadable: list[str] = field(default_factory=list[str])
    is_timed_out: bool = False
    is_truncated: bool = False


class Ripgrep:
    """ripgrep on one folder."""

    def __init__(self, root: Path, *, binary: str | None = None, seconds: float = 10.0, max_hits: int = 20_000) -> None:
        self.root, self.seconds, self.max_hits = root, seconds, max_hits
        self._binary = binary or find_ripgrep()

    def hits(self, pattern: str, glob: str | None = None) -> tuple[list[Hit], Outcome]:
        """Every matching line, by path and line; at most `max_hits`."""
        visible = self._visible_files(glob)
        found: list[Hit] = []
        arguments = ("--smart-case", f"--max-count={self.max_hits + 1}", *_glob_option(glob), "-e", pattern)
        with self._run("--json", *arguments) as (stdout, outcome):
            for file_hits in _hits_by_file(stdout):
                if visible is None or file_hits[0].path in visible:
                    found += file_hits
                if len(found) > self.max_hits:
                    outcome.is_truncated = True
                    break
        return found[: self.max_hits], outcome

    def files(self, glob: str | None = None) -> tuple[list[str], Outcome]:
        """Every file, binary ones included."""
        visible = self._visible_files(glob)
        with self._run("--files", "--null", "--sort=none", *_glob_option(glob)) as (stdout, outcome):
            paths = [_relative(name) for name in stdout.read().split(b"\0")[:-1]]
        return sorted(path for path in paths if visible is None or path in visible), outcome

    def words(
        self, patterns: list[str], glob: str | None = None, *, seconds: float = 1.0, lines: int = 20
    ) -> dict[str, str]:
        """The words that match these patterns, each with a file; limited in lines per file and in time."""
        visible = self._visible_files(glob)
        expressions = [part for pattern in patterns for part in ("-e", pattern)]
        options = (
            "--only-matching",
            "--null",
            "--no-line-number",
            "--with-filename",
            "--ignore-case",
            "--sort=none",
            f"-m{lines}",
        )
        with self._run(*options, *_glob_option(glob), *expressions, seconds=seconds) as (stdout, _):
            pairs = (line.rstrip(b"\r\n").partition(b"\0") for line in stdout)
            found = ((_relative(path), _decode_text(word)) for path, _, word in pairs)
            return {word: path for path, word in found if visible is None or path in visible}

    def has(self, pattern: str, glob: str | None = None) -> bool:
        """Whether a short search finds anything."""
        visible, arguments = self._visible_files(glob), ("--smart-case", *_glob_option(glob), "-e", pattern)
        with self._run("--json", "--sort=none", "--max-count=1", *arguments, seconds=2.0) as (stdout, outcome):
            for file_hits in _hits_by_file(stdout):
                if visible is None or file_hits[0].path in visible:
                    outcome.is_truncated = True
                    break
        return outcome.is_truncated

    def _visible_files(self, glob: str | None) -> set[str] | None:
        """The files visible without the glob, because ripgrep's globs also match hidden and ignored files."""
        return None if glob is None or glob.startswith("!") else set(self.files()[0])

    @contextmanager
    def _run(self, *arguments: str, seconds: float | None = None) -> Generator[tuple[IO[bytes], Outcome]]:
        """Run ripgrep and yield its output. It is killed at the end of the block, or at the time limit."""
        outcome = Outcome()
        command = [self._binary, *_COMMON_OPTIONS, *arguments, "--", "./"]
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                command, cwd=self.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
            )
            timer = threading.Timer(self.seconds if seconds is None else seconds, _stop, (process, outcome))
            timer.daemon = True
            timer.start()
            stdout = cast("IO[bytes]", process.stdout)
            try:
                yield stdout, outcome
                code = None if outcome.is_truncated else process.wait()
            finally:
                timer.cancel()
                process.kill()
                process.wait()
                stdout.close()
            _read_errors(errors, code, outcome)


def find_ripgrep() -> str:
    """The path of ripgrep: next to this Python, in its scripts folder, or on PATH."""
    folders = (os.path.dirname(sys.executable), sysconfig.get_path("scripts"), None)
    for folder in folders:
        if binary := shutil.which("rg", path=folder):
            return binary
    raise CommandError(
        "the code server needs ripgrep, which is not installed", "Install it: pip install 'fingerpost[code]'"
    )


def _stop(process: subprocess.Popen[bytes], outcome: Outcome) -> None:
    outcome.is_timed_out = True
    process.kill()


def _read_errors(errors: IO[bytes], code: int | None, outcome: Outcome) -> None:
    errors.seek(0)
    message = errors.read(64 * 1024).decode("utf-8", "replace").strip()
    outcome.unreadable = [path for path, _ in _UNREADABLE_PATH.findall(message)]
    if code == 2 and not outcome.unreadable:
        raise RipgrepError(message.removeprefix("rg: "))


def _glob_option(glob: str | None) -> tuple[str, ...]:
    return () if glob is None else ("--glob", glob)


class _EncodedText(msgspec.Struct):
    text: str | None = None
    bytes: str | None = None

    def to_bytes(self) -> bytes:
        return self.text.encode() if self.text is not None else base64.b64decode(self.bytes or "")


class _Span(msgspec.Struct):
    start: int
    end: int


class _Data(msgspec.Struct):
    path: _EncodedText | None = None
    lines: _EncodedText | None = None
    line_number: int = 0
    submatches: list[_Span] = []
    binary_offset: int | None = None


class _Event(msgspec.Struct):
    type: str
    data: _Data


_decode = msgspec.json.Decoder(_Event).decode


def _hits_by_file(stdout: IO[bytes]) -> Iterator[list[Hit]]:
    """The hits of each file in turn, without files that turn out to be binary."""
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
    """Each JSON line; an overlong one is cut after its first matches."""
    while line := stdout.readline(_MAX_EVENT_SIZE):
        if line.endswith(b"\n"):
            yield line
            continue
        while (rest := stdout.readline(_MAX_EVENT_SIZE)) and not rest.endswith(b"\n"):
            pass
        start = line.find(b'"submatches":[')
        if rest and start > 0:
            yield line[: line.rfind(b',{"match"', start, start + 64 * 1024)] + b"]}}"


def _hit(data: _Data) -> Hit:
    path, line = data.path or _EncodedText(""), data.lines or _EncodedText("")
    text = line.text if line.text is not None else _decode_text(line.to_bytes())
    spans = tuple((span.start, span.end) for span in data.submatches[:_MAX_SPANS])
    begin = 0
    if len(text) > _MAX_LINE:
        text, spans, begin = _cut_around_match(line.to_bytes(), spans)
    return Hit(_relative(path.to_bytes()), data.line_number, text.rstrip("\r\n"), spans, begin)


def _cut_around_match(line: bytes, spans: tuple[tuple[int, int], ...]) -> tuple[str, tuple[tuple[int, int], ...], int]:
    """The part of a long line around its first match, to limit memory."""
    begin = max(spans[0][0] - _MAX_LINE // 4, 0) if spans else 0
    part = line[begin : begin + _MAX_LINE]
    kept = part.lstrip(_CONTINUATION_BYTES)
    begin += len(part) - len(kept)
    shifted = ((start - begin, min(end - begin, len(kept))) for start, end in spans)
    return _decode_text(kept), tuple((start, end) for start, end in shifted if start < len(kept)), begin


def _relative(path: bytes) -> str:
    return os.fsdecode(path.removeprefix(b"./")).replace(os.sep, "/")


def _decode_text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
