"""The kinds of failure: categories, the code that each has by default, and what may be done about one.

Codes are open: a server author adds their own. Categories are closed, so that a program can branch on them.
"""

from __future__ import annotations

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
"""Each category with the code that an error of it has when it names none."""

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
"""What passes by itself: there the same call may be right later, and sending it again is no mistake."""

_MENDABLE = frozenset({"validation", "patch"})


def category_of(code: str) -> str:
    """The category that a code belongs to, as far as the code alone tells."""
    if code in _VALIDATION:
        return "validation"
    return _CATEGORY_OF.get(code, "patch" if code.startswith("PATCH_") else "")


def is_retryable(category: str) -> bool:
    """Whether another call, the same or a corrected one, may well succeed."""
    return category in TRANSIENT_CATEGORIES or category in _MENDABLE
