"""The served folder: files by the paths that callers use, and the definitions in them.

Nothing outside the folder can be reached, neither by path nor through links. Paths are checked first, to give a clear
error; the actual protection is that every file is opened by `safe_open`.
"""

from __future__ import annotations

import codecs
import os
import re
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from urllib.parse import quote_from_bytes, unquote_to_bytes

from fingerpost.servers.code import safe_open
from fingerpost.servers.code.errors import outside_folder_error
from fingerpost.servers.code.languages import language_of
from fingerpost.servers.code.outline import Definition, find_definitions
from fingerpost.servers.code.ripgrep import MAX_FILE_SIZE

MAX_PARSED_SIZE = 512 * 1024
"""Bytes. Larger files are hardly written by hand and are not parsed."""

_PARENT_REFERENCE = re.compile(r"(?:^|[/\\{,])\.\.(?:[/\\},]|$)")
_ABSOLUTE = re.compile(r"[/\\~]|[A-Za-z]:[/\\]")
_CACHE_SIZE = 4096
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class ServedFolder:
    """One folder, with a cache of the definitions in recently parsed files."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._cache: OrderedDict[str, tuple[tuple[int, int], tuple[Definition, ...]]] = OrderedDict()
        self._lock = Lock()

    def definitions(self, path: str) -> tuple[Definition, ...]:
        """The definitions in a file; none if its language is unknown, or if it is too large or missing."""
        if (language := language_of(path)) is None:
            return ()
        try:
            with safe_open.open_file(self.root, path) as fd:
                return self._parse_or_recall(fd, path, language)
        except OSError:
            return ()

    def _parse_or_recall(self, fd: int, path: str, language: str) -> tuple[Definition, ...]:
        status = os.fstat(fd)
        version = (status.st_mtime_ns, status.st_size)
        if status.st_size > MAX_PARSED_SIZE:
            return ()
        with self._lock:
            if (entry := self._cache.get(path)) and entry[0] == version:
                self._cache.move_to_end(path)
                return entry[1]
        found = find_definitions(_to_utf8(safe_open.read_bytes(fd, MAX_PARSED_SIZE)), language)
        with self._lock:
            self._cache[path] = (version, found)
            if len(self._cache) > _CACHE_SIZE:
                self._cache.popitem(last=False)
        return found

    def source(self, path: str) -> bytes:
        """The content of a file as UTF-8; `OSError` if it is not a file of the folder."""
        with safe_open.open_file(self.root, path) as fd:
            return _to_utf8(safe_open.read_bytes(fd, MAX_FILE_SIZE))

    def contains_text(self, path: str, text: str) -> bool:
        try:
            return text.encode() in self.source(path)
        except OSError:
            return False

    def has_line(self, path: str, line: int) -> bool:
        """Whether a file is a text file with at least this many lines."""
        try:
            source = self.source(path)
        except OSError:
            return False
        return 1 <= line <= len(source.splitlines()) and not is_binary(source)

    def is_folder(self, path: str) -> bool:
        return safe_open.is_folder(self.root, path)

    def relative_path(self, path: str, parameter: str) -> str:
        """Normalize a caller's path, whether or not the file exists; refuse paths that lead outside."""
        refuse_outside_path(path, parameter)
        plain = os.path.normpath(path)
        if "%" in path and not os.path.lexists(self.root / plain):
            plain = os.path.normpath(os.fsdecode(unquote_to_bytes(path)))
        if "\0" in plain or self._leads_outside(plain):
            raise outside_folder_error(parameter)
        return plain

    def _leads_outside(self, path: str) -> bool:
        """Whether links lead out of the folder, or cannot be resolved because they change meanwhile."""
        try:
            return not Path(os.path.realpath(self.root / path)).is_relative_to(self.root)
        except OSError:
            return True


def _to_utf8(content: bytes) -> bytes:
    """Decode UTF-16 and strip the byte order mark, as ripgrep does."""
    if content.startswith(_UTF16_MARKS):
        return content.decode("utf-16", "replace").encode("utf-8", "replace")
    return content.removeprefix(codecs.BOM_UTF8)


def is_binary(source: bytes) -> bool:
    """Whether a file contains NUL, by which ripgrep recognizes binary files."""
    return b"\0" in source


def refuse_outside_path(path: str, parameter: str) -> None:
    """Refuse absolute paths and `..`, without looking at the file system."""
    if _PARENT_REFERENCE.search(path) or _ABSOLUTE.match(path):
        raise outside_folder_error(parameter)


def printable_path(path: str) -> str:
    """A path that can be sent as JSON: percent-encoded if it is not valid UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return quote_from_bytes(os.fsencode(path), safe="/ !#$&'()*+,;=:@-._~[]{}")
    return path
