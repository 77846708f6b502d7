"""Resolve the paths of callers in the tree, and build the errors for paths that lead nowhere."""

from __future__ import annotations

import errno
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeAlias

from fingerpost.engine.matching import closest
from fingerpost.engine.phrases import literal
from fingerpost.errors import Reading, ToolOperationError
from fingerpost.servers.workspace.paths import (
    OUTSIDE,
    SANDBOX_HINT,
    ParsedPath,
    Parts,
    UnsafePathError,
    parse_path,
    path_text,
)
from fingerpost.servers.workspace.tree import Tree

_UNSAFE_ERRORS = (errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL, errno.ENXIO)
_DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


PathCheck: TypeAlias = Callable[[Parts], bool]
"""Whether a tool can work with a path."""


class PathNotFoundError(ToolOperationError):
    """A path that does not exist. It suggests the closest paths that the tool can work with."""

    code = "NOT_FOUND"
    category = "not_found"
    origin = "call"

    def __init__(self, text: str, tree: Tree, parts: Parts, fits: PathCheck, prefix: str = "", **more: Any) -> None:
        super().__init__(f"There is no {literal(text[:200])} in the workspace", **more)
        found = closest(path_text(parts), tree.paths(parts[:-1]), kind="value")
        usable = (one for one in found if is_usable(tree, prefix + one.name, fits))
        self.readings = tuple(
            Reading(prefix + one.name, prefix + one.name, one.confidence, one.is_clear) for one in islice(usable, 3)
        )
        if not self.readings and self.hint is None:
            self.hint = "See what there is: list_paths()"


def resolve_path(
    tree: Tree, text: str, parameter: str, fits: PathCheck | None = None, *, follows_last: bool = True
) -> Parts:
    """Resolve a path that may not exist. Without `fits`, errors suggest no other path."""
    path = parse_path(text, tree.path)
    at = _resolve(tree, path, follows_last)
    if path.is_foreign:
        raise _foreign_path_error(tree, text, at, parameter, fits)
    return at


def resolve_existing(tree: Tree, text: str, parameter: str, fits: PathCheck, *, follows_last: bool = True) -> Parts:
    """Resolve a path that must exist."""
    at = resolve_path(tree, text, parameter, fits, follows_last=follows_last)
    if tree.stat(at) is None:
        prefix = parse_path(text, tree.path).prefix
        raise PathNotFoundError(text, tree, at, fits, prefix, parameter=parameter, hint=SANDBOX_HINT)
    return at


def is_usable(tree: Tree, text: str, fits: PathCheck) -> bool:
    """Whether a path can be sent as it is and fits, whether or not its last link is followed."""
    try:
        path = parse_path(text, tree.path)
        return not path.is_foreign and all(fits(_resolve(tree, path, follows)) for follows in (True, False))
    except (UnsafePathError, OSError, ToolOperationError):
        return False


def _resolve(tree: Tree, path: ParsedPath, follows_last: bool) -> Parts:
    places = [tree.resolve_links(one, follows_last=follows_last) for one in path.readings]
    return next((one for one in places if tree.stat(one) is not None), places[0])


def _foreign_path_error(tree: Tree, text: str, at: Parts, parameter: str, fits: PathCheck | None) -> Exception:
    """Build the error for an absolute path. It is unsafe unless its first name exists in the workspace."""
    if len(at) > 1 and tree.stat(at[:1]) is None:
        return UnsafePathError(OUTSIDE)
    prefix = "sandbox:/" if parameter == "content_url" else ""
    suggestion = prefix + path_text(at)
    can_suggest = fits is not None and is_usable(tree, suggestion, fits)
    if fits is not None and not can_suggest and tree.stat(at) is None:
        return PathNotFoundError(text, tree, at, fits, prefix, parameter=parameter, hint=SANDBOX_HINT)
    return ToolOperationError(
        f"{literal(text[:200])} is an absolute path, and not one of the workspace",
        code="NOT_FOUND",
        category="not_found",
        origin="call",
        parameter=parameter,
        likely_fix=suggestion if can_suggest else None,
        hint=SANDBOX_HINT,
    )


@contextmanager
def report_errors(parameter: str) -> Generator[None]:
    """Turn unsafe paths and failures of the file system into errors for callers."""
    try:
        yield
    except UnsafePathError as error:
        message = f"Parameter '{parameter}' is refused: {error}"
        raise _unsafe_error(message, parameter) from None
    except OSError as error:
        raise _file_system_error(error, parameter) from None


def _unsafe_error(message: str, parameter: str) -> ToolOperationError:
    return ToolOperationError(
        message, code="UNSAFE_INPUT", category="validation", origin="call", retryable=False, parameter=parameter
    )


def _file_system_error(error: OSError, parameter: str) -> ToolOperationError:
    """Build the error for a failure of the file system, without any path outside the workspace."""
    if error.errno in _UNSAFE_ERRORS:
        return _unsafe_error(f"Parameter '{parameter}' is refused: a link or a special file is in the way", parameter)
    if error.errno in _DISK_FULL_ERRORS:
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
