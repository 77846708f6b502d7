"""Keep changes from making files executable, unless the operator allows it."""

from __future__ import annotations

from dataclasses import replace

from fingerpost.servers.workspace.paths import Parts, path_text
from fingerpost.servers.workspace.plan import Plan
from fingerpost.servers.workspace.tree import Tree


def drop_new_executables(tree: Tree, plan: Plan) -> None:
    """Make no file executable that is not so now, at its place or at the place from which it is moved."""
    moved = {one["path"]: tuple(one["from"].split("/")) for one in plan.changed if one["action"] == "moved"}
    for at, file in plan.files.items():
        if file is None:
            continue
        wanted = file.mode if file.mode is not None else 0o100 * file.is_executable
        if extra := wanted & 0o111 & ~_mode(tree, moved.get(path_text(at), at)):
            plan.files[at] = replace(file, mode=file.mode and file.mode & ~extra, is_executable=False)
            plan.warnings.append(
                f"{path_text(at)} is not made executable: the operator has not allowed it (option --allow-exec)"
            )


def _mode(tree: Tree, at: Parts) -> int:
    info = tree.stat(at)
    return info.st_mode if info else 0
