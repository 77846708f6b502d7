"""Check whether a tool can work with a path, before that path is suggested."""

from __future__ import annotations

import stat

from fingerpost.servers.workspace.content import decode, split_lines
from fingerpost.servers.workspace.git_folders import is_changeable
from fingerpost.servers.workspace.paths import Parts
from fingerpost.servers.workspace.plan import MAX_CHANGED_BYTES, plan_folders
from fingerpost.servers.workspace.tree import Tree

_MAX_READ_BYTES = 32 << 20


def is_readable(tree: Tree, at: Parts, offset: int = 0) -> bool:
    """Whether there is a file with more than `offset` lines. The lines of a very large file are not counted."""
    info = tree.stat(at)
    if info is None or not stat.S_ISREG(info.st_mode) or (offset and info.st_size > _MAX_READ_BYTES):
        return False
    text = decode(tree.read(at)[0]) if offset else None
    return text is None or offset < len(split_lines(text.text))


def is_writable(tree: Tree, at: Parts) -> bool:
    """Whether there is a file, or room for one."""
    info = tree.stat(at)
    if info is None:
        return is_free(tree, at)
    return stat.S_ISREG(info.st_mode) and info.st_size <= MAX_CHANGED_BYTES and is_changeable(tree, at)


def is_free(tree: Tree, at: Parts) -> bool:
    """Whether something can be created there."""
    if tree.stat(at) is not None:
        return False
    plan_folders(tree, [at])  # raises if a file is in the way
    return is_changeable(tree, at)


def is_deletable(tree: Tree, at: Parts) -> bool:
    """Whether there is something other than a folder with content."""
    info = tree.stat(at)
    if not at or info is None or not is_changeable(tree, at):
        return False
    return not stat.S_ISDIR(info.st_mode) or not tree.names(at)
