"""Write docs/field.md: the rules, and what was found at each server."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from importlib import metadata
from inspect import getdoc

from bench.field.case import Case, Outcome
from bench.field.likeness import Likeness
from bench.field.right import RightCalls
from bench.field.rules import RULES, judge
from bench.field.servers import language_of
from bench.published import Peer

_MOST_FINDINGS = 5
"""How many findings of a kind at a server are shown."""


@dataclass(frozen=True)
class Row:
    """A server, how its right calls compare, and what became of its wrong ones."""

    peer: Peer
    right: RightCalls
    wrong: Sequence[Case]
    seconds: float

    @property
    def is_identical(self) -> bool:
        return not self.right.differences and not self.right.altered

    @property
    def findings(self) -> list[str]:
        """What is wrong, the rule first."""
        found = [f"right call answered otherwise: {one}" for one in self.right.differences]
        found += [f"right call altered on its way: {one}" for one in self.right.altered]
        counts = Counter[str]()
        for case in self.wrong:
            for rule, fault in judge(case).items():
                counts[rule] += bool(fault)
                if fault and counts[rule] <= _MOST_FINDINGS:
                    found.append(f"{rule}: {fault} ({case.describe()})")
        return found

    @property
    def outcomes(self) -> Counter[Outcome]:
        return Counter(case.outcome for case in self.wrong)

    @property
    def broken(self) -> int:
        return sum(any(judge(case).values()) for case in self.wrong)


def render_page(rows: Sequence[Row], *, seed: int, is_isolated: bool) -> str:
    """The whole page."""
    return "\n".join([*_introduction(rows, seed, is_isolated), *_tables(rows), *_rules(rows), *_findings(rows)]) + "\n"


def _introduction(rows: Sequence[Row], seed: int, is_isolated: bool) -> list[str]:
    network = "a network that has only a loopback" if is_isolated else "an environment without a way out"
    right = sum((row.right.counts for row in rows), Counter[Likeness]())
    wrong, broken = sum(len(row.wrong) for row in rows), sum(row.broken for row in rows)
    same = right.total() - right[Likeness.DIFFERENT]
    return [
        "# Published servers behind the proxy",
        "",
        f"{len(rows)} published servers: {same:,} of {right.total():,} right requests got the server's own reply, and",
        f"{wrong - broken:,} of {wrong:,} wrong calls were answered by the rules below.",
        "",
        f"Written by `make field` on {date.today().isoformat()} with Fingerpost {metadata.version('fingerpost')}, "
        f"seed {seed}. Each server runs in a",
        f"folder of its own, with no credential that works, in {network}.",
        "",
    ]


_ABOUT_RIGHT = """\
## Right calls

Every server gets the same requests three times: directly, behind `fingerpost proxy --no-info-tool`, and directly
again. They are `initialize`, `ping`, the lists of tools, prompts and resources, an unknown method, and correct calls
of its tools, in three spellings of JSON. Each has to reach the server in the bytes that were sent.

- *identical*: the reply is the direct one, byte for byte.
- *varying*: the two direct replies differ (a time, a random id). What they have in common is the same behind the
  proxy. That run lies between the direct ones, so a clock that did not move is compared too. If a reply differs, up
  to seven more direct runs show whether it varies.
- *failure kept*: the call fails, most often because nothing outside can be reached. The reply is the direct one with
  guidance added, as [proxy.md](proxy.md#what-the-proxy-changes) says, and nothing else changed.

| server | version | language | made with | tools | requests | identical | varying | failure kept | different |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"""

_ABOUT_WRONG = """
## Wrong calls

Wrong calls are made from the server's own list of tools: misspelt, restyled and invented names, the name of another
server in front of a tool, missing and unknown parameters, wrong types, choices and ranges, `null`, and arguments in
another shape. They go through the proxy with its default options. A recorder between the proxy and the server shows
which call the server got. If the answer has a corrected call, that is sent too.

- *repaired*: the proxy changed the call, the server got it, and the reply says what was changed.
- *corrected call*: the reply has the call to send instead.
- *explained*: the proxy refused the call, and the reply says what is wrong and what is missing.
- *server's error*: the server refused it; the client got the server's words, with or without guidance.
- *accepted*: the server carried the call out as it was sent.
- *broken*: the answer breaks a rule below.
"""

_ABOUT_RULES = """
## Rules

The program in `bench/field/rules.py` applies these rules to every wrong call; the texts are its own. Schemas are
checked with another validator than the proxy's.

| rule | what it says | answers | broken |
| --- | --- | ---: | ---: |"""


def _tables(rows: Sequence[Row]) -> Iterator[str]:
    yield _ABOUT_RIGHT
    for row in rows:
        yield _cells([*_name(row), language_of(row.peer), row.peer.made_with, *_right_numbers(row)])
    yield _cells(["all", "", "", "", *map(sum, zip(*map(_right_numbers, rows), strict=True))])
    yield _ABOUT_WRONG
    yield _cells(["server", "calls", *Outcome, "broken"])
    yield "| --- |" + " ---: |" * (len(Outcome) + 2)
    for row in rows:
        yield _cells([row.peer.package, *_wrong_numbers(row)])
    yield _cells(["all", *map(sum, zip(*map(_wrong_numbers, rows), strict=True))])


def _name(row: Row) -> list[str]:
    return [row.peer.package, row.peer.version]


def _right_numbers(row: Row) -> list[int]:
    counts = row.right.counts
    return [len(row.right.offer.tools), counts.total(), *(counts[one] for one in Likeness)]


def _wrong_numbers(row: Row) -> list[int]:
    return [len(row.wrong), *(row.outcomes[outcome] for outcome in Outcome), row.broken]


def _cells(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _rules(rows: Sequence[Row]) -> Iterator[str]:
    """The rules in the words of their functions, and how many answers each concerned."""
    concerned, broken = Counter[str](), Counter[str]()
    for row in rows:
        for case in row.wrong:
            verdict = judge(case)
            concerned.update(verdict.keys())
            broken.update(rule for rule, fault in verdict.items() if fault)
    yield _ABOUT_RULES
    for rule in RULES:
        text = re.sub(r"\s+", " ", getdoc(rule) or "").replace("|", "\\|")
        yield _cells([f"`{rule.__name__}`", text, concerned[rule.__name__], broken[rule.__name__]])


def _findings(rows: Sequence[Row]) -> Iterator[str]:
    yield from ("", "## Findings", "")
    found = [f"- {row.peer.package}: {_as_text(one)}" for row in rows for one in row.findings]
    yield from found or ["None in this run."]
    reasons: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for tool, why in row.peer.without.items():
            reasons.setdefault((row.peer.package, why), []).append(f"`{tool}`")
    yield from ("", "Tools that were not called:", "")
    yield from (f"- {', '.join(tools)} of {package}: {why}" for (package, why), tools in reasons.items())


def _as_text(finding: str) -> str:
    """Text of a server on one line of Markdown, without its markup and without the folder of this run."""
    text = re.sub(r"/\S*?/field-\w+/box", "$box", re.sub(r"\s+", " ", finding))
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", text)
