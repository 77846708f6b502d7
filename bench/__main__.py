"""`make bench`: what the engine, the middleware, the proxy and the servers cost, next to peers in the same run.

Every result is a median or a ratio, measured on this machine in turns with what it is compared to. Goals are printed
but not asserted, because machines are noisy. Each table is printed as soon as it is measured.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from functools import partial

from bench import core, proxy
from bench.audit import rows as audit
from bench.bounds import bounds
from bench.code_server import rows as code_server
from bench.loop import loop
from bench.middleware import middleware
from bench.proxy_http import over_http
from bench.table import Row, print_rows
from bench.units_typos import rows as units_typos

TABLES: dict[str, Callable[[], Iterable[Row]]] = {
    "right calls": core.right_calls,
    "wrong calls": core.wrong_calls,
    "large inputs": bounds,
    "unknown tools": core.unknown_tools,
    "matching names": core.matching,
    "tool lists": core.listing,
    "guided errors": core.texts,
    "imports": core.imports,
    "middleware": middleware,
    "proxy over stdio": partial(proxy.over_stdio, rounds=10),
    "proxy over HTTP": partial(over_http, rounds=8),
    "guided errors through the proxy": partial(proxy.guided_errors, sampled=20),
    "start of the proxy": partial(proxy.cold_start, runs=3),
    "imports of the proxy": proxy.heavy_imports,
    "code server": code_server,
    "units server": partial(units_typos, each=3, step=2),
    "following errors to the right call": loop,
    "audit": audit,
}


def main() -> int:
    start, failed = time.monotonic(), list[str]()
    for title, measure in TABLES.items():
        _announce(f"measuring: {title} …")
        try:
            rows = list(measure())
        except Exception as error:  # the other tables are still worth measuring
            rows = [("FAILED", repr(error), "")]
            failed.append(title)
        _announce("")
        print(f"\n{title}", flush=True)
        print_rows(rows)
    print(f"\n{time.monotonic() - start:.0f} s{''.join(f'; FAILED: {title}' for title in failed)}", flush=True)
    return 1 if failed else 0


def _announce(line: str) -> None:
    """Show a line on the terminal in place of the one before."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
