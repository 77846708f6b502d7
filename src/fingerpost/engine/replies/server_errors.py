"""Read errors in the shapes that servers already use.

These are full envelopes, `{error, error_detail}`, a bare `error_detail`, `{error, hint}`, `{"ok": false}` and
`{"status": "failed"}`, as structure or as JSON in a text. Data about a failure (a build whose status is `failed`) is
not a failed call: without `isError`, only an object with nothing but such fields counts.
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
"""The keys of an object that describes a failure and nothing else."""


def failure_fields(payload: Mapping[str, Any], *, is_error: bool) -> Mapping[str, Any] | None:
    """Return what an object says about a failure, under the names of `FIELDS`; None if it describes none.

    `message` is the first message, `said` is all of them.
    """
    detail = as_object(payload.get("error_detail") or payload.get("errorDetail"))
    nested = as_object(payload.get("error"))
    if not payload or not (is_error or _says_failed(payload, detail or nested)):
        return None
    merged = {**payload, **nested, **detail}
    messages = _messages(detail, nested, payload)
    message = next(iter(messages), "")
    fields = {name: merged[name] for name in FIELDS if name in merged and name != "readings"}
    for name, other in (("routing_hint", "routingHint"), ("next_steps", "nextSteps")):
        if other in merged:
            fields.setdefault(name, merged[other])
    return {**fields, "message": message, "said": " ".join(messages)} if fields or message or not is_error else None


def _says_failed(payload: Mapping[str, Any], inner: Mapping[str, Any]) -> bool:
    """Whether an object in a successful reply says that the call failed, and nothing else."""
    if payload.get("ok") is True or payload.get("success") is True or not _VOCABULARY.issuperset(payload):
        return False
    status = payload.get("status")
    is_not_ok = payload.get("ok") is False or payload.get("success") is False
    is_failed = isinstance(status, str) and status.lower() in _FAILED
    error = payload.get("error")
    return is_not_ok or is_failed or bool(inner) or (isinstance(error, str) and bool(error.strip()))


def _messages(*holders: Mapping[str, Any]) -> list[str]:
    values = [holder.get(name) for holder in holders for name in _MESSAGES]
    return [one for one in values if isinstance(one, str) and one]
