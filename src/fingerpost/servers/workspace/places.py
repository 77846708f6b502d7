"""How callers name a place in the workspace, and which place that is: words in, the parts of a path out.

Nothing is touched here. What climbs out of the workspace, or could not be a name at all, is refused.
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
"""How the name of a folder begins in which a change is prepared. It is there only while one is made."""

SANDBOX_HINT = "Files are named from the top of the workspace, as sandbox:/folder/file.txt or folder/file.txt"
OUTSIDE = "it leads outside the workspace"

_LONGEST_NAME, _LONGEST_PATH = 255, 4000
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]+):(?=/)")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


class Refusal(Exception):
    """A name that is not even looked at; says why, and never repeats it."""


@dataclass(frozen=True, slots=True)
class Name:
    """A place as a caller named it."""

    readings: tuple[Parts, ...]
    """What it may mean, the likelier first."""
    prefix: str = ""
    """What the caller put in front of paths."""
    is_foreign: bool = False
    """Whether it is an absolute path that does not begin where the workspace is."""


def named(said: str, root: str) -> Name:
    """The place that is meant by a content URL or a path; `root` is where the workspace is on disk."""
    scheme = _SCHEME.match(said)
    rest = said[scheme.end() :] if scheme else said
    match scheme[1].lower() if scheme else "":
        case "":
            return _absolute((said,), root) if said.startswith("/") or _DRIVE.match(said) else Name((parts_of(said),))
        case "sandbox":
            return Name(_distinct(rest, unquote(rest)), "sandbox:/")
        case "file":
            path = re.sub(r"^//(?:localhost)?(?=/)", "", rest)
            return _absolute((unquote(path), path), root)
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


def parts_of(path: str) -> Parts:
    """The names that a relative path goes through, with what climbs inside it taken out."""
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        raise Refusal("it is not text") from None
    if "\0" in path:
        raise Refusal("it holds a null character")
    if size > _LONGEST_PATH or any(len(os.fsencode(name)) > _LONGEST_NAME for name in path.split("/")):
        raise Refusal("it is too long for a path")
    _climbed(path.replace("\\", "/"))
    return _climbed(path)


def shown(parts: Parts) -> str:
    """A place as callers write it."""
    return "/".join(parts) or "."


def staged(token: str, inode: int) -> str:
    """The name of a folder of ours: sealed, so that nothing has it by chance, or by being copied from elsewhere."""
    seal = hashlib.sha256(f"{inode}:{token}".encode()).hexdigest()[:16]
    return f"{STAGING}-{token}-{seal}"


def is_staged(name: str, inode: int) -> bool:
    """Whether a name is that of a folder of ours, also to a file system that does not mind the case."""
    said = unicodedata.normalize("NFKC", name).casefold().rstrip(". ")
    if not said.startswith(f"{STAGING}-"):
        return False
    return said == staged(said.removeprefix(f"{STAGING}-").rpartition("-")[0], inode)


def _climbed(path: str) -> Parts:
    done: list[str] = []
    for name in path.split("/"):
        if name == "..":
            if not done:
                raise Refusal(OUTSIDE)
            done.pop()
        elif name not in ("", "."):
            done.append(name)
    return tuple(done)


def _distinct(*paths: str) -> tuple[Parts, ...]:
    return tuple(dict.fromkeys(map(parts_of, paths)))


def _absolute(paths: tuple[str, ...], root: str) -> Name:
    """An absolute path: inside the workspace, or read as if the workspace were all there is."""
    if _DRIVE.match(paths[0]):
        raise Refusal(OUTSIDE)
    for path in paths:
        if (clean := os.path.normpath("/" + path.lstrip("/"))) == root or clean.startswith(f"{root.rstrip('/')}/"):
            return Name((parts_of(clean[len(root.rstrip("/")) :]),))
    return Name(_distinct(*paths), is_foreign=True)
