"""What an exception says to the caller, and how much of it may be said.

An author's guidance gets through, also where the framework masks exceptions: `ToolOperationError`, and any
exception with such attributes. Of every other exception only its kind is used (its type, errno or HTTP
status), and never its text: what the framework masks stays masked.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from itertools import islice
from json import JSONDecodeError
from typing import Any, cast

from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.model import Call, Diagnosis
from fingerpost.engine.replies.author_diagnosis import FIELDS, diagnosed, guides, said_category, said_code
from fingerpost.engine.safety.json_input import as_list, as_object, is_number
from fingerpost.engine.tool_errors import ToolOperationError

_DEEPEST_CAUSE = 8
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]{1,63}")
_FRAMEWORKS = ("mcp", "fastmcp")
_WRAPPING = (
    "Error executing tool ", "Error calling tool ", "Rate limited by upstream API", "Upstream request timed out",
)  # fmt: skip
"""How what the frameworks themselves raise around an exception begins."""

_TIMES_OUT = re.compile(r"Timed?(?:o|O)ut(?:Error|Exception|Expired)?$")


def root_cause(exception: BaseException) -> BaseException:
    """What the tool raised, behind what frameworks and task groups wrap around it.

    Only what a framework itself put around an exception is taken off. A `ToolError` that the author raised
    from another exception has the word: what is behind it is the author's to hide.
    """
    for _ in range(_DEEPEST_CAUSE):
        if (inner := _inside(exception)) is None:
            break
        exception = inner
    return exception


def _inside(exception: BaseException) -> BaseException | None:
    if isinstance(exception, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", exception).exceptions
        return group[0] if len(group) == 1 else None
    is_wrapping = _is_of_a_framework(exception) and message_of(exception).startswith(_WRAPPING)
    return exception.__cause__ if is_wrapping else None


def _is_of_a_framework(exception: BaseException) -> bool:
    return type(exception).__module__.partition(".")[0] in _FRAMEWORKS


def message_of(exception: BaseException) -> str:
    """The text of an exception; nothing where it has none that can be read."""
    try:
        return str(exception)
    except Exception:
        return ""


def diagnose_exception(
    exception: BaseException, call: Call, tool: Tool, catalog: Catalog, *, is_masked: bool
) -> Diagnosis | None:
    """What the author of a tool says by an exception, if it is one that was made to be read by callers.

    Where the framework masks exceptions, the text of one that is not ours gets through only if it says of
    what kind it is (`code` or `category`): some libraries put hints of their own on their exceptions.
    """
    fields = {name: _attribute(exception, name) for name in FIELDS}
    is_ours = isinstance(exception, ToolOperationError)
    if not is_ours and not guides(fields):
        return None
    is_open = is_ours or not is_masked or said_category(fields) or _CONSTANT.fullmatch(said_code(fields))
    words = message_of(exception) if is_open else ""
    return diagnosed(fields, words, call, tool, catalog, kind=kind_of(exception, call))


def _attribute(holder: Any, name: str) -> Any:
    try:
        return getattr(holder, name, None)
    except Exception:  # a property may raise
        return None


def kind_of(exception: BaseException, call: Call) -> str:
    """What the kind of an exception tells, in words that `hints` reads; nothing of its own text is in it."""
    kinds = " ".join(dict.fromkeys(_kinds(exception, call)))
    return kinds or ("" if _is_of_a_framework(exception) else "unexpected error")


_BY_TYPE: tuple[tuple[type[BaseException], str], ...] = (
    (TimeoutError, "timed out"),
    (ConnectionRefusedError, "ECONNREFUSED"),
    (ConnectionError, "connection closed"),
    (FileExistsError, "EEXIST"),
    (IsADirectoryError, "EISDIR"),
    (FileNotFoundError, "ENOENT"),
    (PermissionError, "EACCES"),
    (MemoryError, "result too large"),
)


def _kinds(exception: BaseException, call: Call) -> Iterator[str]:
    if status := _status(exception):
        yield f"HTTP {status}"
    if wait := _wait(exception):
        yield f"Retry-After: {wait}"
    if isinstance(exception, OSError):
        yield from _kinds_of_file(exception, call)
    yield from (words for kind, words in _BY_TYPE if isinstance(exception, kind) and _concerns(exception, call))
    if isinstance(exception, JSONDecodeError) and exception.doc in _strings(call):
        yield "invalid JSON"
    if isinstance(exception, LookupError) and exception.args and str(exception.args[0]) in _strings(call):
        yield "not found"
    if not status and _TIMES_OUT.search(type(exception).__name__):
        yield "timed out"


def _kinds_of_file(error: OSError, call: Call) -> Iterator[str]:
    if (name := errno.errorcode.get(error.errno or 0)) and _concerns(error, call):
        yield name


def _concerns(exception: BaseException, call: Call) -> bool:
    """Whether a file that is missing is one that the call names; with one of the server's own no call can help."""
    if not isinstance(exception, FileNotFoundError | IsADirectoryError) or not isinstance(exception.filename, str):
        return True
    tail = re.split(r"[/\\]", exception.filename.rstrip("/\\"))[-1]
    return any(tail and tail in said for said in _strings(call))


def _status(exception: BaseException) -> int | None:
    """The HTTP status that an exception carries, wherever the usual clients put it."""
    response = _attribute(exception, "response")
    places = [(response, "status_code"), (response, "status"), (exception, "status_code"), (exception, "status")]
    found = [_attribute(holder, name) for holder, name in [*places, (exception, "code")]]
    return next((one for one in found if isinstance(one, int) and 400 <= one <= 599), None)


def _wait(exception: BaseException) -> int | None:
    """How many seconds the other side asks to wait."""
    headers: Any = _attribute(_attribute(exception, "response"), "headers") or _attribute(exception, "headers")
    given: Any = _attribute(exception, "retry_after")
    if given is None and hasattr(headers, "get"):
        given = headers.get("retry-after") or headers.get("Retry-After")
    if is_number(given) and 0 <= given < 10**6:
        return int(given)
    return int(given) if isinstance(given, str) and given.isdigit() and len(given) < 7 else None


def _strings(call: Call) -> list[str]:
    """The values of a call as text: boundedly many, two levels deep."""
    leaves: list[Any] = []
    for value in islice(as_object(call.arguments).values(), 64):
        leaves += [value, *as_list(value)[:64], *islice(as_object(value).values(), 64)]
    return [str(leaf) for leaf in leaves if isinstance(leaf, str | int)]
