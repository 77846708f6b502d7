"""Published servers, audited bare and behind the proxy: `make audit-peers` writes docs/peers.md."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from importlib import metadata
from pathlib import Path

from bench.published import PEERS, ROOT, Peer
from fingerpost.audit.execute.run_audit import Settings, conducted
from fingerpost.audit.execute.server import Target
from fingerpost.audit.report import Report

_PAGE = ROOT / "docs" / "peers.md"
_LEAST_GRADE, _LEAST_REPAIR = 90, 0.95


@dataclass(frozen=True)
class Row:
    """A server before and after."""

    peer: Peer
    bare: Report
    behind: Report
    seconds: float

    @property
    def is_good(self) -> bool:
        return self.behind.grade >= _LEAST_GRADE and self.behind.repair_rate >= _LEAST_REPAIR


def audited(peer: Peer, *, is_guided: bool, seed: int) -> Report:
    """One audit in a sandbox of its own, which nobody has written in before."""
    with peer.sandbox() as box:
        ours = {"info"} if is_guided else set[str]()  # the proxy's own tool is not on trial
        settings = Settings(
            seed=seed,
            examples=peer.examples(box),
            allow_writes=True,  # whatever is written is written in the sandbox
            without=frozenset({*peer.without, *ours}),
            in_flight=peer.in_flight,
        )
        given = [f"{key}={value}" for key, value in peer.environment(box).items()]
        target = Target(command=("/usr/bin/env", "-i", *given, *peer.command(box)), is_guided=is_guided)
        return asyncio.run(conducted(target, settings))[0]


def row_of(peer: Peer, seed: int) -> Row:
    before = time.monotonic()
    bare, behind = (audited(peer, is_guided=is_guided, seed=seed) for is_guided in (False, True))
    return Row(peer, bare, behind, time.monotonic() - before)


def page(rows: Sequence[Row], seed: int) -> str:
    lines = [
        "# Published servers, graded",
        "",
        f"Made by `make audit-peers` on {date.today().isoformat()} with Fingerpost {metadata.version('fingerpost')}, "
        f"seed {seed}.",
        "Each server runs in a sandbox, once as it is and once behind `fingerpost proxy` with its defaults. Both get",
        "the same wrong calls, made from the server's own schemas; what is asked for is in [audit.md](audit.md).",
        "",
        "| server | version | made with | tools | calls | grade | behind | repaired | behind |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        tools = row.bare.subject.tools if row.bare.subject else 0
        lines.append(
            f"| {row.peer.package} | {row.peer.version} | {row.peer.made_with} | {tools} | {row.bare.done} "
            f"| {row.bare.grade} {row.bare.letter} | {row.behind.grade} {row.behind.letter} "
            f"| {_rate(row.bare)} | {_rate(row.behind)} |"
        )
    return "\n".join([*lines, "", *_remarks(rows)]) + "\n"


def _rate(report: Report) -> str:
    return f"{report.repair_rate:.0%}" if report.repairable else "none to repair"


def _remarks(rows: Sequence[Row]) -> list[str]:
    left: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for tool, why in row.peer.without.items():
            left.setdefault((row.peer.package, why), []).append(f"`{tool}`")
    return [
        "Repaired is the share of the mistakes that hold all that is needed to find the right call.",
        "",
        "Left alone:",
        "",
        *(f"- {', '.join(tools)} of {package}: {why}" for (package, why), tools in left.items()),
    ]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", help="only these servers; then no page is written")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--findings", action="store_true", help="print what is found behind the proxy")
    asked = options.parse_args()
    chosen = [peer for peer in PEERS if not asked.names or peer.name in asked.names]
    rows: list[Row] = []
    for peer in chosen:
        row = row_of(peer, asked.seed)
        rows.append(row)
        _say(row, shows_findings=asked.findings)
    if not asked.names:
        _PAGE.write_text(page(rows, asked.seed), encoding="utf-8")
        print(f"written: {Path(_PAGE).relative_to(ROOT)}")
    return 0 if all(row.is_good for row in rows) else 1


def _say(row: Row, *, shows_findings: bool) -> None:
    bare, behind = row.bare, row.behind
    print(
        f"{row.peer.name:20} {row.peer.version:11} {bare.done:5} calls  {bare.grade:3} {bare.letter} > "
        f"{behind.grade:3} {behind.letter}  repaired {bare.repair_rate:5.1%} > {behind.repair_rate:6.1%} "
        f"({behind.repaired} of {behind.repairable})  {row.seconds:.1f} s{'' if row.is_good else '  NOT REACHED'}",
        flush=True,
    )
    for report in (bare, behind):
        if not report.is_whole:
            print(f"    not all was tried: {report.ended.why if report.ended else ''}")
    for note in behind.notes if shows_findings else ():
        print(f"    {note.tool}: {note.text}")
    for finding in behind.findings if shows_findings else ():
        print(f"    {finding.id}: {finding.summary}\n        > {finding.call[:300]}\n        < {finding.reply[:300]!r}")


if __name__ == "__main__":
    sys.exit(main())
