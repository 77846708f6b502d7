"""The report of an audit: its events, folded into checklist items, findings and one grade.

Memory grows with the number of tools, not with the number of calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from fingerpost.audit.events import AuditEnded, AuditStarted, CallJudged, CallsSkipped, Event, Note, Subject
from fingerpost.audit.judge.checklist import CHECKLIST, ITEMS, Check, Item
from fingerpost.audit.redact import redact_call, redact_reply
from fingerpost.engine.phrases import count_noun, encode_json
from fingerpost.engine.safety.redact import clean

_MOST_CULPRITS = 20
_LETTERS = ((90, "A"), (80, "B"), (70, "C"), (60, "D"), (0, "F"))


@dataclass(slots=True)
class Tally:
    """How often a checklist item was tried and passed."""

    item: Item
    passed: int = 0
    tried: int = 0

    @property
    def share(self) -> float:
        return self.passed / self.tried if self.tried else 1.0


@dataclass(slots=True)
class Finding:
    """One kind of mistake for which one tool fails one item, with the first such call as the example."""

    item: Item
    tool: str
    kind: str
    number: int
    why: str
    call: str
    """The wrong call as JSON, redacted."""
    right: str
    """The correct call as JSON, redacted."""
    reply: str
    """The text of the reply, redacted; or why there was no reply."""
    culprits_by_number: dict[int, str]
    is_repairable: bool = True
    """Whether the wrong call contains enough information to derive the correct one."""
    count: int = 1
    is_known: bool = False
    """Whether the baseline lists it."""

    @property
    def culprits(self) -> list[str]:
        """The wrong names or values in the failing calls; that of the example call comes first."""
        return list(dict.fromkeys(self.culprits_by_number.values()))

    @property
    def id(self) -> str:
        """Identifier that stays the same from one audit to the next."""
        return f"{self.item.id}/{self.tool}/{self.kind}"

    @property
    def summary(self) -> str:
        """The finding in one sentence."""
        calls = f", {count_noun(self.count, 'call')}" if self.count > 1 else ""
        return f"{self.tool}: {self.why} ({self.kind}{calls})"


@dataclass(slots=True)
class Report:
    """The state of an audit, complete once it has ended."""

    subject: Subject | None = None
    seed: int = 0
    calls: int = 0
    """Planned number of calls, approximately."""
    done: int = 0
    tallies: dict[str, Tally] = field(default_factory=lambda: {item.id: Tally(item) for item in CHECKLIST})
    repaired: int = 0
    repairable: int = 0
    skipped: list[CallsSkipped] = field(default_factory=list[CallsSkipped])
    notes: list[Note] = field(default_factory=list[Note])
    ended: AuditEnded | None = None
    tried_kinds: set[str] = field(default_factory=set[str])
    """The kinds of mistakes made with each tool, as `tool/kind`."""
    stale: list[str] = field(default_factory=list[str])
    """Ids of findings that the baseline lists and that no longer occur."""
    behind: Report | None = None
    """The same calls with Fingerpost in front (`--compare`)."""
    _findings: dict[tuple[str, str, str], Finding] = field(default_factory=dict[tuple[str, str, str], Finding])

    def take(self, event: Event) -> None:
        """Add one event."""
        match event:
            case AuditStarted():
                self.subject, self.seed, self.calls = event.subject, event.seed, event.calls
            case CallsSkipped():
                self.skipped.append(event)
            case Note():
                self.notes.insert(0 if event.is_urgent else len(self.notes), event)
            case CallJudged():
                self._count(event)
            case _:
                self.ended = event

    def _count(self, event: CallJudged) -> None:
        self.done += 1
        self.tried_kinds.add(f"{clean(event.tool, 200)}/{event.mistake.kind}")
        if event.is_repaired is not None:
            self.repairable += 1
            self.repaired += event.is_repaired
        for check in event.checks:
            tally = self.tallies[check.item]
            tally.tried += 1
            tally.passed += check.passed
            if not check.passed:
                self._add_finding(check, event)

    def _add_finding(self, check: Check, event: CallJudged) -> None:
        """Merge a failed check into its finding. Calls end in any order; the first in the plan is the example."""
        key = (check.item, event.tool, event.mistake.kind)
        known = self._findings.get(key)
        if known is None:
            self._findings[key] = make_finding(check, event)
            return
        culprits, count = {event.number: clean(event.mistake.culprit, 200), **known.culprits_by_number}, known.count + 1
        example = make_finding(check, event) if event.number < known.number else known
        few = dict(sorted(culprits.items())[:_MOST_CULPRITS])
        self._findings[key] = replace(example, count=count, culprits_by_number=few)

    @property
    def findings(self) -> list[Finding]:
        """All findings, by weight of their item, heaviest first."""
        order = {item.id: (-item.weight, place) for place, item in enumerate(CHECKLIST)}
        return sorted(self._findings.values(), key=lambda one: (order[one.item.id], one.number))

    @property
    def items(self) -> list[Tally]:
        """The items that were tried, in checklist order."""
        return [tally for tally in self.tallies.values() if tally.tried]

    @property
    def is_graded(self) -> bool:
        """Whether anything was tried; without a trial there is no grade."""
        return any(tally.tried for tally in self.tallies.values())

    @property
    def grade(self) -> int:
        """0 to 100: the weighted average of the items' pass rates. Rounded down, so 100 means no finding."""
        weights = sum(tally.item.weight for tally in self.items)
        passed = sum(tally.item.weight * tally.share for tally in self.items)
        return int(100 * passed / weights + 1e-9) if weights else 0

    @property
    def letter(self) -> str:
        return next(letter for least, letter in _LETTERS if self.grade >= least)

    @property
    def repair_rate(self) -> float:
        return self.repaired / self.repairable if self.repairable else 1.0

    @property
    def is_whole(self) -> bool:
        """Whether every planned call was tried."""
        return self.ended is not None and not self.ended.why


def fold_events(events: Iterable[Event]) -> Report:
    """Make the report of these events."""
    report = Report()
    for event in events:
        report.take(event)
    return report


def make_finding(check: Check, event: CallJudged) -> Finding:
    mistake = event.mistake
    return Finding(
        item=ITEMS[check.item],
        tool=clean(event.tool, 200),
        kind=mistake.kind,
        number=event.number,
        why=clean(check.why, 300),
        call=encode_json(redact_call(mistake.call)),
        right=encode_json(redact_call(mistake.right)),
        reply=redact_reply(event.outcome.reply) if event.outcome.reply is not None else clean(event.outcome.loss, 300),
        culprits_by_number={event.number: clean(mistake.culprit, 200)},
        is_repairable=mistake.is_repairable,
    )
