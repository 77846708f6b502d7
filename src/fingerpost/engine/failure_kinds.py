"""The kinds of failure: what went wrong, its category, and the code that each category has by default.

Codes are open: a server author may add more. Categories are closed, so that a program can branch on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto


class FailureKind(Enum):
    """What went wrong while a tool ran. Where several kinds apply, the first in this order wins."""

    RATE_LIMITED = auto()
    AUTH_REQUIRED = auto()
    PERMISSION_DENIED = auto()
    IS_A_DIRECTORY = auto()
    FILE_NOT_FOUND = auto()
    TIMEOUT = auto()
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
    502: FailureKind.UNREACHABLE,
    503: FailureKind.UNREACHABLE,
    504: FailureKind.TIMEOUT,
}
"""The HTTP statuses that tell the kind of a failure."""


@dataclass(frozen=True, slots=True)
class FailureFacts:
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
