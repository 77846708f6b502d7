"""Audit events made by hand, and the reports made from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fingerpost.audit.events import AuditEnded, AuditStarted, CallJudged, CallsSkipped, Event, Note, Outcome, Subject
from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.audit.judge.checklist import CHECKLIST, Check
from fingerpost.audit.report import Report, fold_events
from fingerpost.engine.model import Call

HOSTILE = (
    "]]></failure><script>alert(1)</script> & <!-- \" ' \x00\x07\x1b[31m\r\n::error::x\n## h\n| a | b |\n```\n~~~ "
    "[x](http://evil.example) ![i](//evil.example/i.png) @admin #1 www.evil.example <a href='x'>{0} %0A, : \ud800 "
    "\ufffe \u2028 \u202e \\\n'''\"\"\" \\N{x} {hidden} $x$ - `````` *b* _e_ \x85 é 漢字 🎈"
)


def subject(name: str = "shop", tools: int = 2, target: str = "shop --stdio") -> Subject:
    return Subject(target, name, "1.2.0", "2025-11-25", "stdio", tools)


def began(about: Subject | None = None, calls: int = 10) -> AuditStarted:
    return AuditStarted(about or subject(), 7, calls)


def tried(
    item: str,
    *,
    why: str = "",
    tool: str = "search",
    kind: str = "parameter.misspelt",
    number: int = 0,
    arguments: dict[str, Any] | None = None,
    reply: str | None = "Error: bad input",
    lost: str = "",
    culprit: str = "pattern",
    is_repaired: bool | None = None,
) -> CallJudged:
    """A wrong call that was checked for one item; it passes if there is no `why`."""
    right = Call(tool, {"pattern": "User"})
    wrong = Call(tool, {"patern": "User"} if arguments is None else arguments)
    result = None if reply is None else {"content": [{"type": "text", "text": reply}], "isError": True}
    mistake = Mistake(kind, wrong, right, culprit)
    return CallJudged(number, tool, mistake, Outcome(result, lost), (Check(item, not why, why),), is_repaired)


def failing() -> list[Event]:
    """An audit with findings of every weight, one of them in two calls."""
    return [
        began(),
        CallsSkipped("buy", "calls that could execute", "it is not declared read-only"),
        tried("not_dropped", why="drops 'patern' silently", number=1, is_repaired=False),
        tried("not_dropped", why="drops 'limt' silently", number=2, culprit="limit", is_repaired=False),
        tried("unknown_param", why="does not name the nearest parameter", number=3, is_repaired=False),
        tried("brief", why="is 9,000 tokens long", number=4, kind="required.missing"),
        tried("alive", why="gave no answer", tool="buy", number=5, reply=None, lost="gave no answer within 10 s"),
        tried("honest", number=6, is_repaired=True),
        Note("buy", "had to be started again"),
        AuditEnded(),
    ]


def perfect() -> list[Event]:
    tries = [tried(item.id, number=place, is_repaired=True) for place, item in enumerate(CHECKLIST)]
    return [began(), *tries, AuditEnded()]


def hostile(text: str = HOSTILE, ended: bool = True) -> list[Event]:
    """An audit in which every text that a server or a caller controls is `text`."""
    about = Subject(text, text, text, text, "http", 1)
    answered = tried(
        "discreet",
        why=text,
        tool=text,
        arguments={text: text, "deep": [{text: [text, 1e5, None, float("inf")]}]},
        reply=text,
        culprit=text,
    )
    lost = tried("alive", why=text, tool=text, kind="range.above", reply=None, lost=text, culprit=text)
    end: list[Event] = [AuditEnded(text)] if ended else []
    return [began(about), CallsSkipped(text, text, text), answered, lost, Note(text, text), *end]


def large(tools: int = 300) -> list[Event]:
    tries = [
        tried(
            item.id,
            why="is unmet" if place % 2 and at % 2 else "",
            tool=f"t{at}",
            number=at * 17 + place,
            reply="no " * 66,
        )
        for at in range(tools)
        for place, item in enumerate(CHECKLIST)
    ]
    return [began(subject(tools=tools)), *tries, AuditEnded()]


def report(events: Iterable[Event], *, behind: Iterable[Event] | None = None, stale: Iterable[str] = ()) -> Report:
    made = fold_events(events)
    made.behind = fold_events(behind) if behind is not None else None
    made.stale = list(stale)
    return made


def reports() -> dict[str, Report]:
    """Reports of every kind of outcome."""
    known = report(failing(), stale=["tips/list/range.above"])
    known.findings[0].is_known = True
    return {
        "nothing": report([]),
        "no tools": report([began(subject(tools=0)), AuditEnded()]),
        "never started": report([AuditEnded("the server did not start: exit code 1")]),
        "perfect": report(perfect()),
        "failing": report(failing()),
        "known": known,
        "interrupted": report(failing()[:5]),
        "compared": report(failing(), behind=perfect()),
        "hostile": report(hostile(), behind=hostile(ended=False), stale=[f"brief/{HOSTILE}/x", "tips//"]),
        "long": report(hostile("n" * 5_000)),
        "large": report(large()),
    }
