"""What happens in an audit while it happens: one JSON object for each event, to be written on a line of its own."""

from __future__ import annotations

import json
from typing import Any

from fingerpost.audit.events import AuditStarted, CallJudged, CallsSkipped, Event, Note
from fingerpost.audit.redacted import as_json, call_shown, reply_shown
from fingerpost.audit.reports.common import all_legible, call_of, server_of
from fingerpost.engine.safety.redact import clean


def line(event: Event, *, is_behind: bool = False) -> str:
    """The event without the newline, marked where it was with Fingerpost in front.

    Only ASCII, since some readers end a line at more than a newline.
    """
    mark = {"behind": True} if is_behind else {}
    return json.dumps(all_legible({**_object(event), **mark}))


def _object(event: Event) -> dict[str, Any]:
    match event:
        case AuditStarted():
            return {"event": "began", "server": server_of(event.subject), "seed": event.seed, "calls": event.calls}
        case CallsSkipped():
            return {"event": "skipped", "tool": clean(event.tool, 200), "what": event.what, "why": event.why}
        case CallJudged():
            return {"event": "tried", **_tried(event)}
        case Note():
            return {"event": "noted", "tool": clean(event.tool, 200), "text": event.text}
        case _:  # Ended
            return {"event": "ended", "complete": not event.why, "why": event.why}


def _tried(event: CallJudged) -> dict[str, Any]:
    mistake, outcome = event.mistake, event.outcome
    return {
        "number": event.number,
        "tool": clean(event.tool, 200),
        "kind": mistake.kind,
        "culprit": clean(mistake.culprit, 200),
        "call": call_of(as_json(call_shown(mistake.call))),
        "right": call_of(as_json(call_shown(mistake.right))),
        "reply": None if outcome.reply is None else reply_shown(outcome.reply),
        "lost": outcome.loss,
        "checks": [{"item": check.item, "passed": check.passed, "why": check.why} for check in event.checks],
        "repaired": event.is_repaired,
    }
