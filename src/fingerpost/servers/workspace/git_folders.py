"""Keep the folders of Git as they are: what is in them decides which programs Git runs.

A hook is a program, and a configuration names programs. So nothing is changed below `.git`, nor in a folder that Git
takes for a repository without having that name (a bare repository), nor is a folder completed to be one.
"""

from __future__ import annotations

from collections.abc import Collection

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace.paths import Parts, is_git_path, path_text
from fingerpost.servers.workspace.tree import Tree

_MARKS_OF_REPOSITORY = (("HEAD", "objects", "refs"), ("HEAD", "commondir"))


def is_changeable(tree: Tree, *places: Parts) -> bool:
    """Whether a change of all these places leaves the folders of Git alone."""
    return _first_git_place(tree, places) is None


def require_changeable(tree: Tree, *places: Parts) -> None:
    """Raise an error if a change of these places would change a folder of Git."""
    if at := _first_git_place(tree, places):
        raise ToolOperationError(
            f"{path_text(at)} is not changed here: a .git folder decides which programs Git runs",
            code="PERMISSION_DENIED",
            category="permission",
            origin="call",
            retryable=False,
            hint="Ask the user to make this change, or to run git",
        )


def _first_git_place(tree: Tree, places: Collection[Parts]) -> Parts | None:
    planned = {_fold(at[:depth]) for at in places for depth in range(1, len(at) + 1)}
    folders = {at[:depth]: False for at in places for depth in range(len(at))}
    for folder in folders:
        folders[folder] = _is_repository(tree, folder, planned)
    for at in places:
        if is_git_path(at) or any(folders[at[:depth]] for depth in range(len(at))):
            return at
    return None


def _is_repository(tree: Tree, folder: Parts, planned: Collection[Parts]) -> bool:
    """Whether Git takes a folder for a repository, now or once the planned files exist."""
    return any(all(_exists(tree, (*folder, name), planned) for name in names) for names in _MARKS_OF_REPOSITORY)


def _exists(tree: Tree, at: Parts, planned: Collection[Parts]) -> bool:
    return _fold(at) in planned or tree.stat(at) is not None


def _fold(at: Parts) -> Parts:
    return tuple(name.casefold() for name in at)
