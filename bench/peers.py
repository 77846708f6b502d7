"""Audit published servers, bare and behind the proxy: `make audit-peers` writes docs/peers.md."""

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
from fingerpost.audit.execute.run_audit import Settings, run_audit
from fingerpost.audit.execute.server import Target
from fingerpost.audit.report import Report

_PAGE = ROOT / "docs" / "peers.md"
_LEAST_GRADE, _LEAST_REPAIR = 90, 0.95


@dataclass(frozen=True)
class Row:
    """The reports of a server without and with the proxy."""

    peer: Peer
    bare: Report
    behind: Report
    seconds: float

    @property
    def is_good(self) -> bool:
        return self.behind.grade >= _LEAST_GRADE and self.behind.repair_rate >= _LEAST_REPAIR


def audit_peer(peer: Peer, *, is_guided: bool, seed: int) -> Report:
    """Audit a server in a fresh sandbox."""
    with peer.sandbox() as box:
        ours = {"info"} if is_guided else set[str]()  # the proxy's own tool is not audited
        settings = Settings(
            seed=seed,
            examples=peer.examples(box),
            allow_writes=True,  # writes stay in the sandbox
            without=frozenset({*peer.without, *ours}),
            in_flight=peer.in_flight,
        )
        environment = [f"{key}={value}" for key, value in peer.environment(box).items()]
        target = Target(command=("/usr/bin/env", "-i", *environment, *peer.command(box)), is_guided=is_guided)
        return asyncio.run(run_audit(target, settings))[0]


def measure_peer(peer: Peer, seed: int) -> Row:
    start = time.monotonic()
    bare, behind = (audit_peer(peer, is_guided=is_guided, seed=seed) for is_guided in (False, True))
    return Row(peer, bare, behind, time.monotonic() - start)


def render_page(rows: Sequence[Row], seed: int) -> str:
    lines = [
        "# Published servers, graded",
        "",
        f"Written by `make audit-peers` on {date.today().isoformat()} "
        f"with Fingerpost {metadata.version('fingerpost')}, seed {seed}.",
        "Each server runs in a sandbox, once bare and once behind `fingerpost proxy` with default options. Both runs",
        "get the same wrong calls, made from the server's own schemas. [audit.md](audit.md) describes the checklist.",
        "",
        "| server | version | made with | tools | calls | bare grade | with proxy | bare repair rate | with proxy |",
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
    reasons: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for tool, why in row.peer.without.items():
            reasons.setdefault((row.peer.package, why), []).append(f"`{tool}`")
    return [
        "The repair rate is the share of repairable mistakes after which the reply leads to the correct call.",
        "",
        "Tools that were not audited:",
        "",
        *(f"- {', '.join(tools)} of {package}: {why}" for (package, why), tools in reasons.items()),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="audit only these servers, and write no page")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--findings", action="store_true", help="print the findings behind the proxy")
    options = parser.parse_args()
    chosen = [peer for peer in PEERS if not options.names or peer.name in options.names]
    rows: list[Row] = []
    for peer in chosen:
        row = measure_peer(peer, options.seed)
        rows.append(row)
        _print_row(row, shows_findings=options.findings)
    if not options.names:
        _PAGE.write_text(render_page(rows, options.seed), encoding="utf-8")
        print(f"written: {Path(_PAGE).relative_to(ROOT)}")
    return 0 if all(row.is_good for row in rows) else 1


def _print_row(row: Row, *, shows_findings: bool) -> None:
    bare, behind = row.bare, row.behind
    print(
        f"{row.peer.name:20} {row.peer.version:11} {bare.done:5} calls  {bare.grade:3} {bare.letter} > "
        f"{behind.grade:3} {behind.letter}  repaired {bare.repair_rate:5.1%} > {behind.repair_rate:6.1%} "
        f"({behind.repaired} of {behind.repairable})  {row.seconds:.1f} s{'' if row.is_good else '  BELOW THE GOAL'}",
        flush=True,
    )
    for report in (bare, behind):
        if not report.is_whole:
            print(f"    incomplete: {report.ended.why if report.ended else ''}")
    for note in behind.notes if shows_findings else ():
        print(f"    {note.tool}: {note.text}")
    for finding in behind.findings if shows_findings else ():
        print(f"    {finding.id}: {finding.summary}\n        > {finding.call[:300]}\n        < {finding.reply[:300]!r}")


if __name__ == "__main__":
    sys.exit(main())
