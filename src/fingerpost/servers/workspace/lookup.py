"""What a caller's words lead to in the tree, and what is said where they lead nowhere."""

from __future__ import annotations

import errno
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeAlias

from fingerpost import closest
from fingerpost.engine.phrases import literal
from fingerpost.errors import Reading, ToolOperationError
from fingerpost.servers.workspace.places import OUTSIDE, SANDBOX_HINT, Name, Parts, Refusal, named, shown
from fingerpost.servers.workspace.tree import Tree

_UNSAFE = (errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL, errno.ENXIO)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


Fits: TypeAlias = Callable[[Parts], bool]
"""Whether a tool can work with what is at a place."""


class Missing(ToolOperationError):
    """A place where nothing is; the nearest ones in the same tree that fit are found for you."""

    code = "NOT_FOUND"
    category = "not_found"
    origin = "call"

    def __init__(self, said: str, tree: Tree, parts: Parts, fits: Fits, prefix: str = "", **more: Any) -> None:
        super().__init__(f"There is no {literal(said[:200])} in the workspace", **more)
        found = closest(shown(parts), tree.paths(parts[:-1]), kind="value")
        fitting = (one for one in found if leads(tree, prefix + one.name, fits))
        self.readings = tuple(
            Reading(prefix + one.name, prefix + one.name, one.confidence, one.is_clear) for one in islice(fitting, 3)
        )
        if not self.readings and self.hint is None:
            self.hint = "See what there is: list_paths()"


def placed(tree: Tree, said: str, parameter: str, fits: Fits | None = None, *, follows_last: bool = True) -> Parts:
    """Where a path leads to, whether anything is there or not. Without `fits`, no path can stand for the parameter."""
    name = named(said, tree.path)
    at = _found(tree, name, follows_last)
    if name.is_foreign:
        raise _foreign(tree, said, at, parameter, fits)
    return at


def existing(tree: Tree, said: str, parameter: str, fits: Fits, *, follows_last: bool = True) -> Parts:
    """Where a path leads to, and something is."""
    at = placed(tree, said, parameter, fits, follows_last=follows_last)
    if tree.stat(at) is None:
        prefix = named(said, tree.path).prefix
        raise Missing(said, tree, at, fits, prefix, parameter=parameter, hint=SANDBOX_HINT)
    return at


def leads(tree: Tree, said: str, fits: Fits) -> bool:
    """Whether a path can be sent as it stands, and leads to what fits, whether or not links are followed to it."""
    try:
        name = named(said, tree.path)
        return not name.is_foreign and all(fits(_found(tree, name, follows)) for follows in (True, False))
    except (Refusal, OSError, ToolOperationError):
        return False


def _found(tree: Tree, name: Name, follows_last: bool) -> Parts:
    places = [tree.resolved(one, follows_last=follows_last) for one in name.readings]
    return next((one for one in places if tree.stat(one) is not None), places[0])


def _foreign(tree: Tree, said: str, at: Parts, parameter: str, fits: Fits | None) -> Exception:
    """An absolute path: meant for the workspace if its beginning is there, and otherwise not to be spoken of."""
    if len(at) > 1 and tree.stat(at[:1]) is None:
        return Refusal(OUTSIDE)
    prefix = "sandbox:/" if parameter == "content_url" else ""
    meant = prefix + shown(at)
    is_meant = fits is not None and leads(tree, meant, fits)
    if fits is not None and not is_meant and tree.stat(at) is None:
        return Missing(said, tree, at, fits, prefix, parameter=parameter, hint=SANDBOX_HINT)
    return ToolOperationError(
        f"{literal(said[:200])} is an absolute path, and not one of the workspace",
        code="NOT_FOUND",
        category="not_found",
        origin="call",
        parameter=parameter,
        likely_fix=meant if is_meant else None,
        hint=SANDBOX_HINT,
    )


@contextmanager
def told(parameter: str) -> Generator[None]:
    """What goes wrong inside, as callers hear of it."""
    try:
        yield
    except Refusal as refusal:
        message = f"Parameter '{parameter}' is refused: {refusal}"
        raise _unsafe(message, parameter) from None
    except OSError as error:
        raise _failed(error, parameter) from None


def _unsafe(message: str, parameter: str) -> ToolOperationError:
    return ToolOperationError(
        message, code="UNSAFE_INPUT", category="validation", origin="call", retryable=False, parameter=parameter
    )


def _failed(error: OSError, parameter: str) -> ToolOperationError:
    """A failure of the file system, without the name of any place outside the workspace."""
    if error.errno in _UNSAFE:
        return _unsafe(f"Parameter '{parameter}' is refused: a link or a special file is in the way", parameter)
    if error.errno in _FULL:
        return ToolOperationError(
            "There is no room left where the workspace is, and nothing was changed",
            code="NO_SPACE",
            category="internal",
            hint="Ask the user to make room",
        )
    if isinstance(error, IsADirectoryError):
        return ToolOperationError(
            "This is a folder, and a file is wanted",
            code="INVALID_INPUT",
            category="validation",
            parameter=parameter,
            hint="Name a file in it; list_paths shows what there is",
        )
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return ToolOperationError("The system does not permit this here", category="permission")
    if isinstance(error, FileNotFoundError | NotADirectoryError | FileExistsError):
        return ToolOperationError(
            "The workspace was changed by someone else in the meantime", category="conflict", retryable=True
        )
    return ToolOperationError(f"The file system failed: {error.strerror or 'unknown'}", category="internal")
