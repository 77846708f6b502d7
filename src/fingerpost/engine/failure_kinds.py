"""The kinds of failure: their categories, the default code of each, and whether a retry may help.

Server authors may add codes. The categories are fixed, so that a program can branch on them.
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
"""The default code of each category."""

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
"""Failures that go away by themselves: the same call may succeed later."""

_FIXABLE_CATEGORIES = frozenset({"validation", "patch"})


def category_of(code: str) -> str:
    """Return the category of a code; empty if the code alone does not tell."""
    if code in _VALIDATION:
        return "validation"
    return _CATEGORY_OF.get(code, "patch" if code.startswith("PATCH_") else "")


def is_retryable(category: str) -> bool:
    """Whether another call, the same or a corrected one, may succeed."""
    return category in TRANSIENT_CATEGORIES or category in _FIXABLE_CATEGORIES
