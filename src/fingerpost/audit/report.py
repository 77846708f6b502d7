"""What an audit comes to: the events folded into items, findings and one grade. It grows with the tools, no faster."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from fingerpost.audit.events import AuditEnded, AuditStarted, CallJudged, CallsSkipped, Event, Note, Subject
from fingerpost.audit.judge.checklist import CHECKLIST, ITEMS, Check, Item
from fingerpost.audit.redacted import as_json, call_shown, reply_shown
from fingerpost.engine.phrases import count_noun
from fingerpost.engine.safety.redact import clean

_MOST_CULPRITS = 20
_LETTERS = ((90, "A"), (80, "B"), (70, "C"), (60, "D"), (0, "F"))


@dataclass(slots=True)
class Tally:
    """How often an item was met."""

    item: Item
    passed: int = 0
    tried: int = 0

    @property
    def share(self) -> float:
        return self.passed / self.tried if self.tried else 1.0


@dataclass(slots=True)
class Finding:
    """Where a tool does not meet an item, by one kind of mistake; the first call shows it."""

    item: Item
    tool: str
    kind: str
    number: int
    why: str
    call: str
    """The wrong call as JSON, cleaned."""
    right: str
    """The call that was meant, as JSON."""
    reply: str
    """What came back, cleaned: its text, or why there was none."""
    culprits_by_number: dict[int, str]
    is_repairable: bool = True
    """Whether the call holds all that is needed to find the right one."""
    count: int = 1
    is_known: bool = False
    """Whether a baseline has it already."""

    @property
    def culprits(self) -> list[str]:
        """What is got wrong in the calls that show it, that of the call above first."""
        return list(dict.fromkeys(self.culprits_by_number.values()))

    @property
    def id(self) -> str:
        """What it is known by from one audit to the next."""
        return f"{self.item.id}/{self.tool}/{self.kind}"

    @property
    def told(self) -> str:
        """The finding as one sentence."""
        often = f", {count_noun(self.count, 'call')}" if self.count > 1 else ""
        return f"{self.tool}: {self.why} ({self.kind}{often})"


@dataclass(slots=True)
class Report:
    """The audit so far."""

    subject: Subject | None = None
    seed: int = 0
    calls: int = 0
    """How many there will be, about."""
    done: int = 0
    tallies: dict[str, Tally] = field(default_factory=lambda: {item.id: Tally(item) for item in CHECKLIST})
    repaired: int = 0
    repairable: int = 0
    skipped: list[CallsSkipped] = field(default_factory=list[CallsSkipped])
    notes: list[Note] = field(default_factory=list[Note])
    ended: AuditEnded | None = None
    tried: set[str] = field(default_factory=set[str])
    """Which kinds of mistakes were made with which tools, as `tool/kind`."""
    stale: list[str] = field(default_factory=list[str])
    """Ids of findings that a baseline has and that were not found."""
    behind: Report | None = None
    """The same calls with Fingerpost in front, where that was asked for."""
    _findings: dict[tuple[str, str, str], Finding] = field(default_factory=dict[tuple[str, str, str], Finding])

    def take(self, event: Event) -> None:
        """Add what has happened."""
        match event:
            case AuditStarted():
                self.subject, self.seed, self.calls = event.subject, event.seed, event.calls
            case CallsSkipped():
                self.skipped.append(event)
            case Note():
                self.notes.insert(0 if event.is_urgent else len(self.notes), event)
            case CallJudged():
                self._tried(event)
            case _:
                self.ended = event

    def _tried(self, event: CallJudged) -> None:
        self.done += 1
        self.tried.add(f"{clean(event.tool, 200)}/{event.mistake.kind}")
        if event.is_repaired is not None:
            self.repairable += 1
            self.repaired += event.is_repaired
        for check in event.checks:
            tally = self.tallies[check.item]
            tally.tried += 1
            tally.passed += check.passed
            if not check.passed:
                self._found(check, event)

    def _found(self, check: Check, event: CallJudged) -> None:
        """Add a finding to those of its kind. Calls are answered in any order; the first of the plan is shown."""
        key = (check.item, event.tool, event.mistake.kind)
        known = self._findings.get(key)
        if known is None:
            self._findings[key] = finding(check, event)
            return
        culprits, count = {event.number: clean(event.mistake.culprit, 200), **known.culprits_by_number}, known.count + 1
        shown = finding(check, event) if event.number < known.number else known
        few = dict(sorted(culprits.items())[:_MOST_CULPRITS])
        self._findings[key] = replace(shown, count=count, culprits_by_number=few)

    @property
    def findings(self) -> list[Finding]:
        """All of them, the weightiest first."""
        order = {item.id: (-item.weight, place) for place, item in enumerate(CHECKLIST)}
        return sorted(self._findings.values(), key=lambda one: (order[one.item.id], one.number))

    @property
    def items(self) -> list[Tally]:
        """Those that were tried, in the order of the checklist."""
        return [tally for tally in self.tallies.values() if tally.tried]

    @property
    def is_graded(self) -> bool:
        """Whether anything was tried, so that the grade says something."""
        return any(tally.tried for tally in self.tallies.values())

    @property
    def grade(self) -> int:
        """0 to 100: the share of each item that was met, by its weight. 100 is kept for those without a finding."""
        weights = sum(tally.item.weight for tally in self.items)
        met = sum(tally.item.weight * tally.share for tally in self.items)
        return int(100 * met / weights + 1e-9) if weights else 0

    @property
    def letter(self) -> str:
        return next(letter for least, letter in _LETTERS if self.grade >= least)

    @property
    def repair_rate(self) -> float:
        return self.repaired / self.repairable if self.repairable else 1.0

    @property
    def is_whole(self) -> bool:
        return self.ended is not None and not self.ended.why


def folded(events: Iterable[Event]) -> Report:
    report = Report()
    for event in events:
        report.take(event)
    return report


def finding(check: Check, event: CallJudged) -> Finding:
    mistake = event.mistake
    return Finding(
        item=ITEMS[check.item],
        tool=clean(event.tool, 200),
        kind=mistake.kind,
        number=event.number,
        why=clean(check.why, 300),
        call=as_json(call_shown(mistake.call)),
        right=as_json(call_shown(mistake.right)),
        reply=reply_shown(event.outcome.reply) if event.outcome.reply is not None else clean(event.outcome.loss, 300),
        culprits_by_number={event.number: clean(mistake.culprit, 200)},
        is_repairable=mistake.is_repairable,
    )
