"""Errors in the shapes that servers already use, read as one.

Full envelopes, `{error, error_detail}`, a bare `error_detail`, `{error, hint}`, `{"ok": false}`,
`{"status": "failed"}`, as structure or as JSON in a text. A reply that is data about a failure (a build
whose status is `failed`) is no failed call: without `isError`, only an object that says nothing else is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fingerpost.engine.replies.author_diagnosis import FIELDS
from fingerpost.engine.safety.json_input import as_object

_MESSAGES = ("error", "message", "error_message", "detail", "reason", "title")
_FAILED = frozenset({"error", "failed", "failure", "fail"})
_VOCABULARY = {
    *FIELDS, "error", "message", "error_message", "error_detail", "error_type", "errorDetail", "ok", "status",
    "success", "isError", "warnings", "trace", "debug", "suggestions", "routingHint", "nextSteps",
}  # fmt: skip
"""What an object consists of that tells of a failure and of nothing else."""


def failure_in(payload: Mapping[str, Any], *, is_error: bool) -> Mapping[str, Any] | None:
    """What an object says about a failure, under the names of `authored.FIELDS`; else nothing.

    `message` is what it says first, `said` is all it says.
    """
    detail = as_object(payload.get("error_detail") or payload.get("errorDetail"))
    nested = as_object(payload.get("error"))
    if not payload or not (is_error or _is_failure(payload, detail or nested)):
        return None
    said = {**payload, **nested, **detail}
    spoken = _spoken(detail, nested, payload)
    message = next(iter(spoken), "")
    fields = {name: said[name] for name in FIELDS if name in said and name != "readings"}
    for name, other in (("routing_hint", "routingHint"), ("next_steps", "nextSteps")):
        if other in said:
            fields.setdefault(name, said[other])
    return {**fields, "message": message, "said": " ".join(spoken)} if fields or message or not is_error else None


def _is_failure(payload: Mapping[str, Any], inner: Mapping[str, Any]) -> bool:
    """Whether an object that came as a success says that the call failed, and nothing else."""
    if payload.get("ok") is True or payload.get("success") is True or not _VOCABULARY.issuperset(payload):
        return False
    status = payload.get("status")
    says_so = payload.get("ok") is False or payload.get("success") is False
    is_failed = isinstance(status, str) and status.lower() in _FAILED
    error = payload.get("error")
    return says_so or is_failed or bool(inner) or (isinstance(error, str) and bool(error.strip()))


def _spoken(*holders: Mapping[str, Any]) -> list[str]:
    words = [holder.get(name) for holder in holders for name in _MESSAGES]
    return [one for one in words if isinstance(one, str) and one]
