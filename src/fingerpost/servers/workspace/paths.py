"""Parse the URLs and paths of callers into the parts of a path inside the workspace.

Nothing here touches the file system. A path that leads outside the workspace or cannot be a name is refused.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import unquote

from fingerpost.errors import ToolOperationError

Parts: TypeAlias = tuple[str, ...]

STAGING = ".fingerpost-workspace"
"""The beginning of the name of a staging folder, in which a change is prepared."""

SANDBOX_HINT = "Files are named from the top of the workspace, as sandbox:/folder/file.txt or folder/file.txt"
OUTSIDE = "it leads outside the workspace"

_LONGEST_NAME, _LONGEST_PATH = 255, 4000
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]+):(?=/)")
_GIT_NAME = re.compile(r"\.git|git~\d+")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


class UnsafePathError(Exception):
    """A path that is refused unseen. The message says why and never repeats the path."""


@dataclass(frozen=True, slots=True)
class ParsedPath:
    """The possible meanings of a path that a caller sent."""

    readings: tuple[Parts, ...]
    """What it may mean, the likeliest first."""
    prefix: str = ""
    """The prefix that the caller uses, such as `sandbox:/`."""
    is_foreign: bool = False
    """Whether it is an absolute path outside the folder of the workspace."""


def parse_path(text: str, root: str) -> ParsedPath:
    """Parse a content URL or a path; `root` is the folder of the workspace on disk."""
    scheme = _SCHEME.match(text)
    rest = text[scheme.end() :] if scheme else text
    match scheme[1].lower() if scheme else "":
        case "":
            is_absolute = text.startswith("/") or _DRIVE.match(text)
            return _parse_absolute((text,), root) if is_absolute else ParsedPath((split_path(text),))
        case "sandbox":
            return ParsedPath(_distinct_paths(rest, unquote(rest)), "sandbox:/")
        case "file":
            path = re.sub(r"^//(?:localhost)?(?=/)", "", rest)
            return _parse_absolute((unquote(path), path), root)
        case "http" | "https":
            raise ToolOperationError(
                "This server does not fetch from the network",
                code="PERMISSION_DENIED",
                category="permission",
                hint="Save the page as a file of the workspace, and read that: sandbox:/page.html",
            )
        case _:
            raise ToolOperationError(
                "Only sandbox:, file: and plain paths can be read here", code="INVALID_FORMAT", hint=SANDBOX_HINT
            )


def split_path(path: str) -> Parts:
    """Split a relative path into names and resolve `.` and `..`. Raises `UnsafePathError`."""
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        raise UnsafePathError("it is not text") from None
    if "\0" in path:
        raise UnsafePathError("it holds a null character")
    if size > _LONGEST_PATH or any(len(os.fsencode(name)) > _LONGEST_NAME for name in path.split("/")):
        raise UnsafePathError("it is too long for a path")
    _resolve_dots(path.replace("\\", "/"))
    return _resolve_dots(path)


def path_text(parts: Parts) -> str:
    """Join the parts of a path as callers write it."""
    return "/".join(parts) or "."


def staging_name(token: str, inode: int) -> str:
    """Return the name of a staging folder. Its seal shows that a server made it for this very folder."""
    seal = hashlib.sha256(f"{inode}:{token}".encode()).hexdigest()[:16]
    return f"{STAGING}-{token}-{seal}"


def is_staging_name(name: str, inode: int) -> bool:
    """Whether a name is one of a staging folder, also on a file system that ignores case."""
    folded = unicodedata.normalize("NFKC", name).casefold().rstrip(". ")
    if not folded.startswith(f"{STAGING}-"):
        return False
    return folded == staging_name(folded.removeprefix(f"{STAGING}-").rpartition("-")[0], inode)


def is_git_path(parts: Parts) -> bool:
    """Whether a path is `.git` or below one, in any spelling that a file system takes for it.

    What is below decides which programs Git runs: hooks, and commands in the configuration. Git refuses the same
    spellings: case, dots and spaces at the end, NTFS streams and short names, characters that HFS+ ignores.
    """
    return any(map(_is_git_name, parts))


def _is_git_name(name: str) -> bool:
    visible = "".join(one for one in unicodedata.normalize("NFKC", name) if unicodedata.category(one) != "Cf")
    return bool(_GIT_NAME.fullmatch(visible.casefold().partition(":")[0].rstrip(". ")))


def _resolve_dots(path: str) -> Parts:
    parts: list[str] = []
    for name in path.split("/"):
        if name == "..":
            if not parts:
                raise UnsafePathError(OUTSIDE)
            parts.pop()
        elif name not in ("", "."):
            parts.append(name)
    return tuple(parts)


def _distinct_paths(*paths: str) -> tuple[Parts, ...]:
    return tuple(dict.fromkeys(map(split_path, paths)))


def _parse_absolute(paths: tuple[str, ...], root: str) -> ParsedPath:
    """Parse an absolute path: inside the workspace, or else as if the workspace were the root."""
    if _DRIVE.match(paths[0]):
        raise UnsafePathError(OUTSIDE)
    for path in paths:
        if (clean := os.path.normpath("/" + path.lstrip("/"))) == root or clean.startswith(f"{root.rstrip('/')}/"):
            return ParsedPath((split_path(clean[len(root.rstrip("/")) :]),))
    return ParsedPath(_distinct_paths(*paths), is_foreign=True)
