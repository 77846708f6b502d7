"""`python -m tests.proxy.promises [ROW …] [--count N] [--seed N]`: rows at full length; exit code 1 if one fails."""

from __future__ import annotations

import argparse
import random
import sys
import time

from . import ROWS, Broken, measured


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.proxy.promises", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"one of {', '.join(ROWS)} (default: all)")
    parser.add_argument("--count", type=int, help="how often, in place of the number of the table")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32), help="default: a fresh one")
    options = parser.parse_args()
    if unknown := [row for row in options.rows if row not in ROWS]:
        parser.error(f"there is no row {unknown[0]}; there are {', '.join(ROWS)}")
    print(f"seed {options.seed}", file=sys.stderr)
    return max(_told(row, options.count, options.seed) for row in options.rows or ROWS)


def _told(row: str, count: int | None, seed: int) -> int:
    """Measure a row and print what came of it."""
    began = time.monotonic()
    try:
        found = measured(row, count or ROWS[row].full, seed, is_talkative=True)
    except Broken as broken:
        print(broken, flush=True)
        return 1
    for what, number in found.numbers.items():
        print(f"{row}: {what}: {number}", flush=True)
    print(f"{row}: kept, in {time.monotonic() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
