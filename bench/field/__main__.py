"""Put published servers behind the proxy, send them right and wrong calls, and write docs/field.md: `make field`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.field.network import leave_network
from bench.field.page import Row, render_page
from bench.field.right import compare_right_calls
from bench.field.servers import FIELD
from bench.field.stage import Stage
from bench.field.wrong import run_wrong_calls
from bench.published import ROOT, Peer
from bench.sandbox import serve_page

_PAGE = ROOT / "docs" / "field.md"


def main() -> int:
    options = _parse_options()
    is_isolated = leave_network()
    if not (is_isolated or options.share_network):
        print("This system does not let a process leave the network. --share-network runs the servers all the same.")
        return 2
    chosen = [peer for peer in FIELD if not options.names or peer.name in options.names]
    rows: list[Row] = []
    for row in _run(chosen, seed=options.seed, most=options.most):
        rows.append(row)
        _print_row(row, len(rows), len(chosen))
    if not options.names:
        _PAGE.write_text(render_page(rows, seed=options.seed, is_isolated=is_isolated), encoding="utf-8")
        print(f"written: {_PAGE.relative_to(ROOT)}")
    return 0 if not any(row.findings for row in rows) else 1


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.field", description=__doc__)
    parser.add_argument("names", nargs="*", help="try only these servers, and write no page")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=300, help="wrong calls per server")
    parser.add_argument(
        "--share-network",
        action="store_true",
        help="if the network cannot be left, keep the servers from it only by their environment",
    )
    return parser.parse_args()


def _run(peers: Sequence[Peer], *, seed: int, most: int) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="field-", ignore_cleanup_errors=True) as name, serve_page() as site:
        for peer in peers:
            start = time.monotonic()
            stage = Stage(peer, Path(name).resolve() / "box", site)
            right = compare_right_calls(stage)
            wrong = list(run_wrong_calls(stage, right.offer, seed=seed, most=most))
            yield Row(peer, right, wrong, time.monotonic() - start)


def _print_row(row: Row, number: int, total: int) -> None:
    right = "  ".join(f"{count} {likeness.value}" for likeness, count in row.right.counts.items())
    wrong = "  ".join(f"{count} {outcome.value}" for outcome, count in row.outcomes.items())
    print(f"{number:2}/{total} {row.peer.package} {row.peer.version}  {row.seconds:.1f} s", flush=True)
    print(f"      right: {right}\n      wrong: {wrong}", flush=True)
    for finding in row.findings:
        print(f"      {finding[:1200]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
