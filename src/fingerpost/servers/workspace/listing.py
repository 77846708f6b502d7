"""List folders, a page at a time."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any

from fingerpost.servers.workspace.paths import Parts, path_text
from fingerpost.servers.workspace.tree import Tree

_MAX_ENTRIES = 100_000


def list_folder(tree: Tree, at: Parts, depth: int, glob: str, offset: int, limit: int) -> dict[str, Any]:
    """Return one page of the entries of a folder, down to `depth` levels."""
    info = tree.stat(at)
    if info is None or not stat.S_ISDIR(info.st_mode):
        return {"entries": [_entry(tree, at)], "total": 1, "has_more": False}
    found: list[Parts] = []
    for place in _walk(tree, at, depth):
        if _matches(place[len(at) :], glob):
            found.append(place)
        if len(found) == _MAX_ENTRIES:
            break
    page = found[offset : offset + limit]
    has_more = offset + len(page) < len(found)
    return {"entries": [_entry(tree, one) for one in page], "total": len(found), "has_more": has_more}


def _walk(tree: Tree, at: Parts, depth: int) -> Iterator[Parts]:
    for name in tree.names(at):
        yield (*at, name)
        if depth > 1 and (info := tree.stat((*at, name))) and stat.S_ISDIR(info.st_mode):
            with suppress(PermissionError, FileNotFoundError):
                yield from _walk(tree, (*at, name), depth - 1)


def _matches(parts: Parts, glob: str) -> bool:
    return not glob or fnmatchcase(path_text(parts) if "/" in glob else parts[-1], glob)


def _entry(tree: Tree, at: Parts) -> dict[str, Any]:
    path = os.fsencode(path_text(at)).decode("utf-8", "backslashreplace")
    if (info := tree.stat(at)) is None:
        return {"path": path, "type": "gone"}
    modified = datetime.fromtimestamp(int(info.st_mtime), UTC).isoformat()
    entry: dict[str, Any] = {"path": path, "type": _kind(info), "modified": modified}
    if stat.S_ISREG(info.st_mode):
        entry["size"] = info.st_size
    if stat.S_ISLNK(info.st_mode):
        entry["target"] = os.fsencode(tree.read_link(at)).decode("utf-8", "backslashreplace")
    return entry


def _kind(info: os.stat_result) -> str:
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    return kinds.get(stat.S_IFMT(info.st_mode), "special")
