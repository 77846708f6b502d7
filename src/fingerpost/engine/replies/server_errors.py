"""Read errors in the shapes that servers already use.

These are full envelopes, `{error, error_detail}`, a bare `error_detail`, `{error, hint}`, `{"ok": false}` and
`{"status": "failed"}`, as structure or as JSON in a text. Data about a failure (a build whose status is `failed`) is
not a failed call: without `isError`, only an object with nothing but such fields counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from fingerpost.engine.failure_kinds import FailureFacts, kind_of_code
from fingerpost.engine.replies.author_diagnosis import ENVELOPE_FIELDS, FIELDS
from fingerpost.engine.replies.payload import payload_of, unwrap
from fingerpost.engine.replies.unexplained import FRAMEWORK_PREFIX
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings, is_number, parse_json

_NESTED = ("error", "Error", "err", "fault", "failure", "exception")
"""Where APIs put the object that describes the failure."""
_MESSAGES = (
    "error", "message", "Message", "error_message", "errorMessage", "error_description", "error_msg", "errorMsg",
    "faultstring", "msg", "detail", "reason", "title", *_NESTED[1:],
)  # fmt: skip
_KIND_NAMES = (
    "code",
    "Code",
    "type",
    "error_type",
    "errorType",
    "error_code",
    "errorCode",
    "status",
    "statusCode",
    "error",
)
"""Where APIs name the kind of a failure."""
_RETRY_AFTER = ("retry_after", "retryAfter", "retry_after_seconds", "retryAfterSeconds")
_FAILED = frozenset({"error", "failed", "failure", "fail"})
_VOCABULARY = {
    *FIELDS, *ENVELOPE_FIELDS, "error", "message", "error_message", "error_detail", "error_type", "errorDetail",
    "ok", "status", "success", "isError", "suggestions", "routingHint", "nextSteps", "documentationUrl",
}  # fmt: skip
"""The keys of an object that describes a failure and nothing else."""


_OTHER_SPELLINGS = (
    ("routing_hint", "routingHint"),
    ("next_steps", "nextSteps"),
    ("documentation_url", "documentationUrl"),
)
_LONGEST_WAIT = 10**6
_MOST_BLOCKS = 20
_LONGEST_BLOCK = 64 * 1024


def error_payload(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the object in a failed result that describes the failure: its structured content or one of its texts."""
    payload = payload_of(result)
    if _describes_failure(payload):
        return payload
    blocks = as_list(result.get("content"))[:_MOST_BLOCKS]
    texts = as_strings([as_object(block).get("text") for block in blocks])
    objects = (_read_object(text) for text in texts if len(text) <= _LONGEST_BLOCK)
    return next((one for one in objects if _describes_failure(one)), payload)


def _read_object(text: str) -> Mapping[str, Any]:
    """Read JSON in a text, also behind the words that a framework puts in front of an exception's text."""
    return unwrap(as_object(parse_json(FRAMEWORK_PREFIX.sub("", text.strip()))))


def _describes_failure(payload: Mapping[str, Any]) -> bool:
    return bool(failure_fields(payload, is_error=True))


def failure_fields(payload: Mapping[str, Any], *, is_error: bool) -> Mapping[str, Any] | None:
    """Return what an object says about a failure, under the names of `FIELDS`; None if it describes none.

    `message` is the first message, `said` is all of them.
    """
    detail = as_object(payload.get("error_detail") or payload.get("errorDetail"))
    nested = next(filter(None, (as_object(payload.get(name)) for name in _NESTED)), None) or _first_error(payload)
    if not payload or not (is_error or _says_failed(payload, detail or nested)):
        return None
    merged = {**payload, **nested, **detail}
    messages = _messages(detail, nested, payload)
    message = next(iter(messages), "")
    known = (*FIELDS, *ENVELOPE_FIELDS)
    fields = {name: merged[name] for name in known if name in merged and name != "readings"}
    for name, other in _OTHER_SPELLINGS:
        if other in merged:
            fields.setdefault(name, merged[other])
    if not (fields or message or not is_error):
        return None
    return {
        **fields,
        "message": message,
        "said": " ".join(messages),
        "facts": _facts(detail, nested, payload, _first_of(payload)),
    }


def _first_error(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first of several errors, as GraphQL and other APIs list them."""
    return {} if payload.get("message") else _first_of(payload)


def _first_of(payload: Mapping[str, Any]) -> dict[str, Any]:
    return as_object(next(iter(as_list(payload.get("errors"))), None))


def _facts(*holders: Mapping[str, Any]) -> FailureFacts | None:
    """Return the kind of failure and the time to wait that other systems' errors name; None if they name neither."""
    codes = [holder.get(name) for holder in holders for name in _KIND_NAMES]
    codes += [as_object(holder.get("extensions")).get("code") for holder in holders]
    kind = next(filter(None, map(kind_of_code, codes)), None)
    waits = [holder.get(name) for holder in holders for name in _RETRY_AFTER]
    wait = next((ceil(one) for one in waits if is_number(one) and 0 <= one < _LONGEST_WAIT), None)
    return FailureFacts(kind, wait) if kind or wait is not None else None


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
