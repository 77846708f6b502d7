"""The kinds of failure: what went wrong, its category, and the code that each category has by default.

Codes are open: a server author may add more. Categories are closed, so that a program can branch on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto
from typing import NamedTuple

from fingerpost.engine.lazy_pattern import lazy_pattern


class FailureKind(Enum):
    """What went wrong while a tool ran. Where several kinds apply, the first in this order wins."""

    RATE_LIMITED = auto()
    AUTH_REQUIRED = auto()
    PERMISSION_DENIED = auto()
    INVALID_CALL = auto()
    IS_A_DIRECTORY = auto()
    FILE_NOT_FOUND = auto()
    TIMEOUT = auto()
    INTERRUPTED = auto()
    UNREACHABLE = auto()
    CONFLICT = auto()
    CANCELLED = auto()
    INVALID_JSON = auto()
    TOO_LARGE = auto()
    NOT_FOUND = auto()
    INTERNAL = auto()

    @staticmethod
    def first(kinds: Iterable[FailureKind | None]) -> FailureKind | None:
        """Return the kind that takes precedence, or None if no kind is given."""
        return min((kind for kind in kinds if kind), key=lambda kind: kind.value, default=None)


STATUS_KINDS = {
    401: FailureKind.AUTH_REQUIRED,
    403: FailureKind.PERMISSION_DENIED,
    404: FailureKind.NOT_FOUND,
    408: FailureKind.TIMEOUT,
    409: FailureKind.CONFLICT,
    413: FailureKind.TOO_LARGE,
    429: FailureKind.RATE_LIMITED,
    500: FailureKind.INTERNAL,
    502: FailureKind.INTERRUPTED,
    503: FailureKind.INTERRUPTED,
    504: FailureKind.TIMEOUT,
}
"""The HTTP statuses that tell the kind of a failure."""


_CODE_WORDS: tuple[tuple[str, FailureKind], ...] = (
    (r"rate_?limit|throttl|too_?many_?requests|slow_?down|quota|resource_?exhausted", FailureKind.RATE_LIMITED),
    (r"unauthenticated|unauthori[sz]ed|authentication|not_?authenticated|invalid_?(?:api_?key|credential)"
     r"|expired_?token|token_?expired|login_?required", FailureKind.AUTH_REQUIRED),
    (r"access_?denied|permission|forbidden|not_?allowed|insufficient_?scope", FailureKind.PERMISSION_DENIED),
    (r"time_?d?_?out|deadline_?exceeded", FailureKind.TIMEOUT),
    (r"connection_?refused", FailureKind.UNREACHABLE),
    (r"unavailable|bad_?gateway|overloaded|connection_?reset|upstream", FailureKind.INTERRUPTED),
    (r"conflict|already_?exists|duplicate|precondition_?failed|unique_?violation", FailureKind.CONFLICT),
    (r"cancel+ed|aborted", FailureKind.CANCELLED),
    (r"too_?large", FailureKind.TOO_LARGE),
    (r"not_?found|no_?such|does_?not_?exist", FailureKind.NOT_FOUND),
    (r"validation|invalid_?(?:argument|param|request|input|value)|bad_?(?:user_?input|request)|unprocessable"
     r"|missing_?field|malformed", FailureKind.INVALID_CALL),
)  # fmt: skip
"""The words by which APIs name a failure in a code or type, with the kind that they mean."""
_CODE_KINDS = tuple((lazy_pattern(words), kind) for words, kind in _CODE_WORDS)
_HUMP = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])")
_INVALID_PARAMS = -32602


def kind_of_code(code: object) -> FailureKind | None:
    """Return the kind that the code, type or status of another system's error means; None if it is not known."""
    if isinstance(code, int) and not isinstance(code, bool):
        is_refused = code in (400, 422, _INVALID_PARAMS)
        return FailureKind.INVALID_CALL if is_refused else STATUS_KINDS.get(code)
    if not isinstance(code, str) or not 0 < len(code) <= 64 or " " in code:
        return None
    if code.lstrip("-").isdecimal() and len(code) <= 6:
        return kind_of_code(int(code))
    name = _HUMP.sub("_", code).replace("-", "_").lower()
    return next((kind for words, kind in _CODE_KINDS if words.search(name)), None)


class FailureFacts(NamedTuple):
    """What is known about a failure besides its text: from an exception, or from a `retry_after` field."""

    kind: FailureKind | None = None
    retry_after: int | None = None
    """Seconds to wait before the next call."""


CATEGORIES = {
    "internal": "INTERNAL_ERROR",
    "validation": "INVALID_INPUT",
    "not_found": "NOT_FOUND",
    "auth": "AUTH_REQUIRED",
    "permission": "PERMISSION_DENIED",
    "write_approval_required": "WRITE_APPROVAL_REQUIRED",
    "rate_limited": "RATE_LIMITED",
    "timeout": "TIMEOUT",
    "conflict": "CONFLICT",
    "upstream": "UPSTREAM_ERROR",
    "patch": "PATCH_FAILED",
    "cancelled": "CANCELLED",
}
"""Each category, with the code of an error that names the category but no code."""

_CATEGORY_OF = {
    **{code: category for category, code in CATEGORIES.items()},
    "UNKNOWN_TOOL": "not_found",
    "UNKNOWN_PROMPT": "not_found",
    "UNKNOWN_RESOURCE": "not_found",
    "FILE_NOT_FOUND": "not_found",
}
_VALIDATION = (
    "UNKNOWN_PARAM", "MISSING_REQUIRED", "INVALID_TYPE", "INVALID_CHOICE", "OUT_OF_RANGE", "INVALID_FORMAT",
    "INVALID_LENGTH", "WRONG_SHAPE", "CONFLICTING_PARAMS", "EMPTY_ARGUMENTS", "DEPRECATED_PARAM", "UNSAFE_INPUT",
)  # fmt: skip

TRANSIENT_CATEGORIES = frozenset({"rate_limited", "timeout", "upstream"})
"""Categories of failures that pass by themselves: the same call may succeed later."""

_CORRECTABLE = frozenset({"validation", "patch"})


def category_of(code: str) -> str:
    """Return the category that a code belongs to, or an empty string if the code alone does not tell."""
    if code in _VALIDATION:
        return "validation"
    return _CATEGORY_OF.get(code, "patch" if code.startswith("PATCH_") else "")


def is_retryable(category: str) -> bool:
    """Whether another call, the same or a corrected one, may succeed."""
    return category in TRANSIENT_CATEGORIES or category in _CORRECTABLE
