"""The events of the audit as NDJSON: one JSON object per line, written as it happens."""

from __future__ import annotations

import json
from typing import Any

from fingerpost.audit.events import AuditStarted, CallJudged, CallsSkipped, Event, Note
from fingerpost.audit.redact import redact_call, redact_reply
from fingerpost.audit.reports.common import parse_call, server_object, strip_controls_deep
from fingerpost.audit.reports.format import ReportFormat
from fingerpost.engine.model import Call
from fingerpost.engine.phrases import encode_json
from fingerpost.engine.safety.redact import clean


class Format(ReportFormat):
    is_live = True

    def on_event(self, event: Event, *, is_behind: bool) -> str:
        return render_event(event, is_behind=is_behind) + "\n"


def render_event(event: Event, *, is_behind: bool = False) -> str:
    """Return the event as one line without the newline, marked if Fingerpost was in front.

    ASCII only, since some readers split lines at characters other than a newline.
    """
    mark = {"behind": True} if is_behind else {}
    return json.dumps(strip_controls_deep({**_event_object(event), **mark}))


def _event_object(event: Event) -> dict[str, Any]:
    match event:
        case AuditStarted():
            return {"event": "began", "server": server_object(event.subject), "seed": event.seed, "calls": event.calls}
        case CallsSkipped():
            return {"event": "skipped", "tool": clean(event.tool, 200), "what": event.what, "why": event.why}
        case CallJudged():
            return {"event": "tried", **_trial_fields(event)}
        case Note():
            return {"event": "noted", "tool": clean(event.tool, 200), "text": event.text}
        case _:  # AuditEnded
            return {"event": "ended", "complete": not event.why, "why": event.why}


def _trial_fields(event: CallJudged) -> dict[str, Any]:
    mistake, outcome = event.mistake, event.outcome
    return {
        "number": event.number,
        "tool": clean(event.tool, 200),
        "kind": mistake.kind,
        "culprit": clean(mistake.culprit, 200),
        "call": _call_object(mistake.call),
        "right": _call_object(mistake.right),
        "reply": None if outcome.reply is None else redact_reply(outcome.reply),
        "lost": outcome.loss,
        "checks": [{"item": check.item, "passed": check.passed, "why": check.why} for check in event.checks],
        "repaired": event.is_repaired,
    }


def _call_object(call: Call) -> dict[str, Any]:
    return parse_call(encode_json(redact_call(call)))
