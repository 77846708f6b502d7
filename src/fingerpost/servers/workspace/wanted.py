"""What a tool can work with: by this a path is tried before it is put forward as the one to send instead."""

from __future__ import annotations

import stat

from fingerpost.servers.workspace.content import decoded, lines_of
from fingerpost.servers.workspace.places import Parts
from fingerpost.servers.workspace.plan import folders
from fingerpost.servers.workspace.tree import Tree


def is_readable(tree: Tree, at: Parts, offset: int = 0) -> bool:
    """Whether there is a file with more lines than are to be skipped."""
    info = tree.stat(at)
    if info is None or not stat.S_ISREG(info.st_mode):
        return False
    text = decoded(tree.read(at)[0]) if offset else None
    return text is None or offset < len(lines_of(text.text))


def is_writable(tree: Tree, at: Parts) -> bool:
    """Whether there is a file, or room for one."""
    info = tree.stat(at)
    return is_free(tree, at) if info is None else stat.S_ISREG(info.st_mode)


def is_free(tree: Tree, at: Parts) -> bool:
    """Whether something can be put there."""
    if tree.stat(at) is not None:
        return False
    folders(tree, [at])  # raises where a file is in the way
    return True


def is_deletable(tree: Tree, at: Parts) -> bool:
    """Whether there is anything but a folder that holds something."""
    info = tree.stat(at)
    return bool(at) and info is not None and (not stat.S_ISDIR(info.st_mode) or not tree.names(at))
