"""Read guidance from exceptions, and the kind of failure from those that carry none.

The guidance of a `ToolOperationError`, or of any exception with such attributes, gets through even where the
framework masks exceptions. Of other exceptions only the type, errno and HTTP status are used, never the text.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from itertools import islice
from json import JSONDecodeError
from math import ceil
from typing import Any, cast

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.failure_kinds import STATUS_KINDS, FailureFacts, FailureKind
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Call, Diagnosis
from fingerpost.engine.replies.author_diagnosis import (
    FIELDS,
    author_category,
    author_code,
    diagnose_fields,
    has_guidance,
)
from fingerpost.engine.replies.claims import strings_of
from fingerpost.engine.safety.json_input import is_number
from fingerpost.engine.tool import Tool
from fingerpost.engine.tool_errors import ToolOperationError

_DEEPEST_CAUSE = 8
_CONSTANT = lazy_pattern(r"[A-Z][A-Z0-9_]{1,63}")
_FRAMEWORKS = ("mcp", "fastmcp")
_WRAPPING = (
    "Error executing tool ", "Error calling tool ", "Rate limited by upstream API", "Upstream request timed out",
)  # fmt: skip
"""How the messages begin of exceptions that the frameworks raise around the tool's own exception."""

_TIMEOUT_NAME = lazy_pattern(r"Timed?(?:o|O)ut(?:Error|Exception|Expired)?$")


def root_cause(exception: BaseException) -> BaseException:
    """Return the exception that the tool raised, without the wrappers of frameworks and task groups.

    A `ToolError` that the author raised from another exception is not unwrapped: the author may mean to hide the cause.
    """
    for _ in range(_DEEPEST_CAUSE):
        if (inner := _unwrap(exception)) is None:
            break
        exception = inner
    return exception


def _unwrap(exception: BaseException) -> BaseException | None:
    if isinstance(exception, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", exception).exceptions
        return group[0] if len(group) == 1 else None
    is_wrapping = _is_from_framework(exception) and message_of(exception).startswith(_WRAPPING)
    return exception.__cause__ if is_wrapping else None


def _is_from_framework(exception: BaseException) -> bool:
    return type(exception).__module__.partition(".")[0] in _FRAMEWORKS


def message_of(exception: BaseException) -> str:
    """Return the text of an exception, or an empty string if `str` fails."""
    try:
        return str(exception)
    except Exception:
        return ""


def diagnose_exception(
    exception: BaseException, call: Call, tool: Tool, catalog: Catalog, *, is_masked: bool
) -> Diagnosis | None:
    """Diagnose an exception that carries guidance for callers; return None for any other.

    If the framework masks exceptions, the text of a foreign one gets through only if it has a `code` or `category`:
    some libraries put hints on their exceptions that are not meant for callers.
    """
    fields = {name: _attribute(exception, name) for name in FIELDS}
    is_ours = isinstance(exception, ToolOperationError)
    if not is_ours and not has_guidance(fields):
        return None
    may_quote = is_ours or not is_masked or author_category(fields) or _CONSTANT.fullmatch(author_code(fields))
    message = message_of(exception) if may_quote else ""
    return diagnose_fields(fields, message, call, tool, catalog, facts=facts_of(exception, call))


def _attribute(holder: Any, name: str) -> Any:
    try:
        return getattr(holder, name, None)
    except Exception:  # a property may raise
        return None


def facts_of(exception: BaseException, call: Call) -> FailureFacts | None:
    """Return what the type, errno and attributes of an exception reveal; its text is not used.

    An exception that reveals nothing is a bug in the tool, unless a framework raised it: then the result is None.
    """
    status, wait = _status(exception), _wait(exception)
    kinds = list(_kinds(exception, status, call))
    if status or wait or kinds:
        return FailureFacts(FailureKind.first(kinds), wait or None)
    return None if _is_from_framework(exception) else FailureFacts(FailureKind.INTERNAL)


_TYPE_KINDS: tuple[tuple[type[BaseException], FailureKind], ...] = (
    (TimeoutError, FailureKind.TIMEOUT),
    (ConnectionRefusedError, FailureKind.UNREACHABLE),
    (ConnectionError, FailureKind.INTERRUPTED),
    (FileExistsError, FailureKind.CONFLICT),
    (IsADirectoryError, FailureKind.IS_A_DIRECTORY),
    (FileNotFoundError, FailureKind.FILE_NOT_FOUND),
    (PermissionError, FailureKind.PERMISSION_DENIED),
    (MemoryError, FailureKind.TOO_LARGE),
)
_ERRNO_KINDS = {
    errno.EACCES: FailureKind.PERMISSION_DENIED,
    errno.EPERM: FailureKind.PERMISSION_DENIED,
    errno.EISDIR: FailureKind.IS_A_DIRECTORY,
    errno.ENOENT: FailureKind.FILE_NOT_FOUND,
    errno.ETIMEDOUT: FailureKind.TIMEOUT,
    errno.ECONNREFUSED: FailureKind.UNREACHABLE,
    errno.ECONNRESET: FailureKind.INTERRUPTED,
    errno.EEXIST: FailureKind.CONFLICT,
}


def _kinds(exception: BaseException, status: int | None, call: Call) -> Iterator[FailureKind | None]:
    """Yield every kind that applies; None stands for an errno that is known but maps to no kind."""
    if status in STATUS_KINDS:
        yield STATUS_KINDS[status]
    if _concerns_call(exception, call):
        if isinstance(exception, OSError) and exception.errno in errno.errorcode:
            yield _ERRNO_KINDS.get(exception.errno or 0)
        yield from islice((kind for type_, kind in _TYPE_KINDS if isinstance(exception, type_)), 1)
    if isinstance(exception, JSONDecodeError) and exception.doc in strings_of(call):
        yield FailureKind.INVALID_JSON
    if isinstance(exception, LookupError) and exception.args and str(exception.args[0]) in strings_of(call):
        yield FailureKind.NOT_FOUND
    if not status and _TIMEOUT_NAME.search(type(exception).__name__):
        yield FailureKind.TIMEOUT


def _concerns_call(exception: BaseException, call: Call) -> bool:
    """Whether the call names the file that is missing. If not, it is the server's own file and no call can help."""
    if not isinstance(exception, FileNotFoundError | IsADirectoryError) or not isinstance(exception.filename, str):
        return True
    tail = re.split(r"[/\\]", exception.filename.rstrip("/\\"))[-1]
    return any(tail and tail in text for text in strings_of(call))


def _status(exception: BaseException) -> int | None:
    """Return the HTTP status of an exception, from any place where common HTTP clients put it."""
    response = _attribute(exception, "response")
    places = [(response, "status_code"), (response, "status"), (exception, "status_code"), (exception, "status")]
    found = [_attribute(holder, name) for holder, name in [*places, (exception, "code")]]
    return next((one for one in found if isinstance(one, int) and 400 <= one <= 599), None)


def _wait(exception: BaseException) -> int | None:
    """Return how many seconds the other side asks to wait."""
    headers: Any = _attribute(_attribute(exception, "response"), "headers") or _attribute(exception, "headers")
    given: Any = _attribute(exception, "retry_after")
    if given is None and hasattr(headers, "get"):
        given = headers.get("retry-after") or headers.get("Retry-After")
    if is_number(given) and 0 <= given < 10**6:
        return ceil(given)
    return int(given) if isinstance(given, str) and given.isdigit() and len(given) < 7 else None
