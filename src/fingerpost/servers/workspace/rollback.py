"""Undo the steps of a change, one by one. Only what the change itself has made is taken away."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from fingerpost.servers.workspace.journal import Record
from fingerpost.servers.workspace.new_files import inode, rename_new
from fingerpost.servers.workspace.tree import Tree


def undo(tree: Tree, number: int, record: Record, stage: int) -> None:
    """Undo one step if it was carried out; doing so twice does no harm."""
    try:
        with tree.folder(record.at[:-1]) as parent:
            match record.do:
                case "put" | "drop":
                    _restore_file(number, record, parent, stage)
                case "mkdir":
                    with suppress(OSError):  # not created yet, or used by others
                        os.rmdir(record.at[-1], dir_fd=parent)
                case "rmdir":
                    _restore_folder(tree, record, parent)
                case _:
                    _move_back(tree, record, parent)
    except (FileNotFoundError, NotADirectoryError):
        return  # the folder was not created yet


def _restore_file(number: int, record: Record, parent: int, stage: int) -> None:
    """Bring the old file back, unless somebody has put another one there."""
    name, old, there = record.at[-1], f"old-{number}", inode(record.at[-1], parent)
    if there is None:
        if record.had:
            rename_new(old, stage, name, parent)
    elif there == record.ino and record.had:
        os.rename(old, name, src_dir_fd=stage, dst_dir_fd=parent)
    elif there == record.ino:
        os.unlink(name, dir_fd=parent)


def _restore_folder(tree: Tree, record: Record, parent: int) -> None:
    name, mode = record.at[-1], record.mode or 0
    if inode(name, parent) is None:
        os.mkdir(name, dir_fd=parent)
    if stat.S_IMODE(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode) != mode:
        with tree.folder(record.at) as folder:
            os.fchmod(folder, mode)


def _move_back(tree: Tree, record: Record, parent: int) -> None:
    moved, there = tree.stat(record.to), inode(record.at[-1], parent)
    if moved is None or moved.st_ino != record.ino:
        return
    with tree.folder(record.to[:-1]) as target:
        if there is None:
            rename_new(record.to[-1], target, record.at[-1], parent)
        elif there == record.ino and moved.st_nlink > 1:  # it was linked to the new name, and not yet unlinked
            os.unlink(record.to[-1], dir_fd=target)
