"""The folder that is served: its files by the paths that callers use, and the definitions in them.

Nothing outside it is reached: not by a path that climbs or starts at the top, and not by a link. What a path says is
looked at first, for a clear refusal; what keeps the folder closed is that every file is read through `inside`.
"""

from __future__ import annotations

import codecs
import os
import re
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from urllib.parse import quote_from_bytes, unquote_to_bytes

from fingerpost.servers.code import safe_open as inside
from fingerpost.servers.code.errors import outside
from fingerpost.servers.code.languages import language_of
from fingerpost.servers.code.outline import Definition, outline
from fingerpost.servers.code.ripgrep import LARGEST_FILE

LARGEST_PARSED = 512 * 1024
"""Bytes; what is larger was hardly written by hand."""

_CLIMBING = re.compile(r"(?:^|[/\\{,])\.\.(?:[/\\},]|$)")
_FROM_THE_TOP = re.compile(r"[/\\~]|[A-Za-z]:[/\\]")
_MOST_KEPT = 4096
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Tree:
    """One folder, and the definitions of the files that were asked for last."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._kept: OrderedDict[str, tuple[tuple[int, int], tuple[Definition, ...]]] = OrderedDict()
        self._lock = Lock()

    def definitions(self, path: str) -> tuple[Definition, ...]:
        """What a file defines; nothing where it is of no known language, too large, or gone."""
        if (language := language_of(path)) is None:
            return ()
        try:
            with inside.opened(self.root, path) as fd:
                return self._defined(fd, path, language)
        except OSError:
            return ()

    def _defined(self, fd: int, path: str, language: str) -> tuple[Definition, ...]:
        about = os.fstat(fd)
        state = (about.st_mtime_ns, about.st_size)
        if about.st_size > LARGEST_PARSED:
            return ()
        with self._lock:
            if (kept := self._kept.get(path)) and kept[0] == state:
                self._kept.move_to_end(path)
                return kept[1]
        found = outline(_as_utf8(inside.start_of(fd, LARGEST_PARSED)), language)
        with self._lock:
            self._kept[path] = (state, found)
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return found

    def source(self, path: str) -> bytes:
        """A file as UTF-8; `OSError` where it is none of the folder."""
        with inside.opened(self.root, path) as fd:
            return _as_utf8(inside.start_of(fd, LARGEST_FILE))

    def holds(self, path: str, text: str) -> bool:
        """Whether a text is in a file."""
        try:
            return text.encode() in self.source(path)
        except OSError:
            return False

    def has_line(self, path: str, line: int) -> bool:
        """Whether a file is a text, and has so many lines."""
        try:
            source = self.source(path)
        except OSError:
            return False
        return 1 <= line <= len(source.splitlines()) and not is_binary(source)

    def is_folder(self, path: str) -> bool:
        return inside.is_folder(self.root, path)

    def place(self, said: str, parameter: str) -> str:
        """The path in the folder that a caller means, whether or not there is such a file."""
        refuse_outside(said, parameter)
        plain = os.path.normpath(said)
        if "%" in said and not os.path.lexists(self.root / plain):
            plain = os.path.normpath(os.fsdecode(unquote_to_bytes(said)))
        if "\0" in plain or self._leads_out(plain):
            raise outside(parameter)
        return plain

    def _leads_out(self, path: str) -> bool:
        """Whether links lead out of the folder, or change while they are looked at."""
        try:
            return not Path(os.path.realpath(self.root / path)).is_relative_to(self.root)
        except OSError:
            return True


def _as_utf8(raw: bytes) -> bytes:
    """As ripgrep reads it: without the mark that some put in front."""
    if raw.startswith(_UTF16):
        return raw.decode("utf-16", "replace").encode("utf-8", "replace")
    return raw.removeprefix(codecs.BOM_UTF8)


def is_binary(source: bytes) -> bool:
    """As ripgrep has it: no text holds a NUL."""
    return b"\0" in source


def refuse_outside(said: str, parameter: str) -> None:
    """Refuse what points out of the folder by its words alone."""
    if _CLIMBING.search(said) or _FROM_THE_TOP.match(said):
        raise outside(parameter)


def sayable(path: str) -> str:
    """A path that can be sent: bytes that are no UTF-8 are percent-encoded."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return quote_from_bytes(os.fsencode(path), safe="/ !#$&'()*+,;=:@-._~[]{}")
    return path
