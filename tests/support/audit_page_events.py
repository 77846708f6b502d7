"""Audit events made by hand for the HTML page, whose expected text is known exactly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from fingerpost.audit.events import AuditEnded, AuditStarted, CallJudged, CallsSkipped, Event, Note, Outcome, Subject
from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.audit.judge.checklist import CHECKLIST, Check
from fingerpost.audit.report import Report, fold_events
from fingerpost.engine.model import Call

HOSTILE = (
    "<script>window.ran = 1</script>",
    "</script></style></title></pre></details><img src=x onerror='window.ran = 2'>",
    "]]><!-- --><svg onload=window.ran=3>",
    '"\'><a href="javascript:window.ran=4" onclick=\'window.ran=5\'>" $call ${script} &lt;b&gt;',
    "right \u202eto\u202c left \u2066\u200b\u0000\ud800 \x1b[31mred",
    "n" * 400,
)


def subject(name: str = "files", version: str = "1.4.2", tools: int = 3) -> Subject:
    transport: Literal["stdio"] = "stdio"
    return Subject(f"npx -y {name} /srv/data", name, version, "2025-11-25", transport, tools)


def tried(
    number: int,
    tool: str,
    kind: str,
    sent: dict[str, Any],
    right: dict[str, Any],
    text: str | None,
    checks: dict[str, str],
    *,
    is_repaired: bool | None = False,
) -> CallJudged:
    """One call and its checks; an empty text is a pass."""
    mistake = Mistake(kind, Call(tool, sent), Call(tool, right), next(iter(sent), tool))
    reply = None if text is None else {"isError": True, "content": [{"type": "text", "text": text}]}
    outcome = Outcome(reply, "gave no answer within 10 s" if text is None else "")
    verdicts = tuple(Check(item, not why, why) for item, why in checks.items())
    return CallJudged(number, tool, mistake, outcome, verdicts, is_repaired)


def files(*, is_behind: bool = False) -> Report:
    """A server with some findings, and with fewer behind Fingerpost."""
    return fold_events(_files(is_behind))


def _files(is_behind: bool) -> Iterator[Event]:
    yield AuditStarted(subject(), seed=7, calls=9)
    yield CallsSkipped("write_file", "calls that could be carried out", "the tool is not declared read-only")
    yield CallsSkipped("move_file", "calls that could be carried out", "the tool is not declared read-only")
    yield Note("read_file", "The right call failed: no such file.")
    yield from _misspelled(is_behind)
    yield from _wrong_type(is_behind)
    yield tried(
        7, "list_files", "choice.misspelt", {"order": "nmae"}, {"order": "name"},
        "order: 'nmae' is none of name, size, date", {"choices": "", "next_steps": "", "brief": ""}, is_repaired=True,
    )  # fmt: skip
    yield tried(
        8, "list_files", "range.above", {"depth": 1_000_000}, {"depth": 100},
        None, {"alive": "gave no answer within 10 s"}, is_repaired=None,
    )  # fmt: skip
    yield AuditEnded()


def _misspelled(is_behind: bool) -> Iterator[CallJudged]:
    for number, (wrong, right) in enumerate([("pth", "path"), ("incldue_hidden", "include_hidden"), ("oder", "order")]):
        text = f"Parameter '{wrong}' was auto-corrected to '{right}'." if is_behind else "notes.txt\nphotos"
        why = "" if is_behind else f"'{wrong}' was dropped without a word"
        yield tried(
            number, "list_files", "parameter.misspelt", {wrong: "/srv/data"}, {right: "/srv/data"}, text,
            {"not_dropped": why, "auto_correction": "" if is_behind else "the corrected call is not given"},
            is_repaired=is_behind,
        )  # fmt: skip


def _wrong_type(is_behind: bool) -> Iterator[CallJudged]:
    dump = '[\n  {\n    "code": "invalid_type",\n    "path": ["path"],\n    "message": "Invalid input"\n  }\n]'
    better = "Parameter 'path' takes a string, not a number.\nCorrected call: read_file(path: \"/srv/data/notes.txt\")"
    right = {"path": "/srv/data/notes.txt", "encoding": "utf-8", "from_line": 1, "to_line": 200}
    for number, wrong in enumerate([{"path": 5}, {"path": [right["path"]]}], 3):
        yield tried(
            number, "read_file", "type.wrong", {**right, **wrong}, right, better if is_behind else dump,
            {"wrong_type": "" if is_behind else "what was received is not said", "next_steps": "", "discreet": ""},
            is_repaired=is_behind,
        )  # fmt: skip


def compared() -> Report:
    """The same server, bare and behind Fingerpost; the baseline has one known finding and one stale entry."""
    report = files()
    report.behind = files(is_behind=True)
    report.stale = ["brief/list_files/range.below"]
    report.findings[-1].is_known = True
    return report


def hostile() -> Report:
    """A server whose every text tries to break out of the page."""
    return fold_events(_hostile())


def _hostile() -> Iterator[Event]:
    yield AuditStarted(Subject(HOSTILE[0] * 9, HOSTILE[1], HOSTILE[2], HOSTILE[3], "http", len(HOSTILE)), 1, 99)
    for number, text in enumerate(HOSTILE):
        yield CallsSkipped(text, text, text)
        yield Note(text, text)
        yield tried(number, text, "parameter.misspelt", {text: text}, {"path": text}, text, {"unknown_param": text})
    yield AuditEnded(HOSTILE[1])


def large(tools: int = 300) -> Report:
    """A server with ten findings for each of very many tools."""
    return fold_events(_large(tools))


def _large(tools: int) -> Iterator[Event]:
    items = [item.id for item in CHECKLIST[:10]]
    reply = "no good: " + "?" * 390
    yield AuditStarted(subject("vast", "1", tools), 1, tools * len(items))
    for number in range(tools * len(items)):
        tool, item = f"tool_number_{number // len(items):03}_of_very_many", items[number % len(items)]
        arguments = {"about": f"call {number}, " + "." * 360}
        yield tried(number, tool, "type.wrong", arguments, arguments, f"{reply}\n{reply}", {item: "says too little"})
    yield AuditEnded()
