"""What folders hold, a page at a time."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any

from fingerpost.servers.workspace.places import Parts, shown
from fingerpost.servers.workspace.tree import Tree

_MOST = 100_000


def listed(tree: Tree, at: Parts, depth: int, glob: str, offset: int, limit: int) -> dict[str, Any]:
    """One page of what is in a folder, as deep as was asked for."""
    info = tree.stat(at)
    if info is None or not stat.S_ISDIR(info.st_mode):
        return {"entries": [_entry(tree, at)], "total": 1, "has_more": False}
    found: list[Parts] = []
    for place in _below(tree, at, depth):
        if _matches(place[len(at) :], glob):
            found.append(place)
        if len(found) == _MOST:
            break
    page = found[offset : offset + limit]
    has_more = offset + len(page) < len(found)
    return {"entries": [_entry(tree, one) for one in page], "total": len(found), "has_more": has_more}


def _below(tree: Tree, at: Parts, depth: int) -> Iterator[Parts]:
    for name in tree.names(at):
        yield (*at, name)
        if depth > 1 and (info := tree.stat((*at, name))) and stat.S_ISDIR(info.st_mode):
            with suppress(PermissionError, FileNotFoundError):
                yield from _below(tree, (*at, name), depth - 1)


def _matches(parts: Parts, glob: str) -> bool:
    return not glob or fnmatchcase(shown(parts) if "/" in glob else parts[-1], glob)


def _entry(tree: Tree, at: Parts) -> dict[str, Any]:
    path = os.fsencode(shown(at)).decode("utf-8", "backslashreplace")
    if (info := tree.stat(at)) is None:
        return {"path": path, "type": "gone"}
    modified = datetime.fromtimestamp(int(info.st_mtime), UTC).isoformat()
    entry: dict[str, Any] = {"path": path, "type": _kind(info), "modified": modified}
    if stat.S_ISREG(info.st_mode):
        entry["size"] = info.st_size
    if stat.S_ISLNK(info.st_mode):
        entry["target"] = os.fsencode(tree.link(at)).decode("utf-8", "backslashreplace")
    return entry


def _kind(info: os.stat_result) -> str:
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    return kinds.get(stat.S_IFMT(info.st_mode), "special")
