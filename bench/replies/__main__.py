"""The command line: record all replies, or compare two recordings."""

from __future__ import annotations

import argparse
import fcntl
import json
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from bench.replies.comparison import compare
from bench.replies.engine import record_engine
from bench.replies.integrations import record_frameworks, record_proxies
from bench.replies.pages import Cases, read_pages
from bench.replies.published import record_published

ROOT = Path(__file__).parents[2]
FOLDER = Path(tempfile.gettempdir()) / "fingerpost-replies"
"""Always the same path: its name occurs in calls, and the length of a call decides what is cut from a reply."""


def main() -> int:
    options = _parse_options()
    if options.compare:
        old, new = (json.loads(Path(path).read_text("utf-8")) for path in options.compare)
        return compare(old, new)
    cases = _read_cases(options.cases) if options.cases else read_pages()
    started = time.monotonic()
    with _lock_folder():
        recording = _record(cases, Path(options.servers))
    text = json.dumps(recording, indent=1, sort_keys=True, ensure_ascii=False)
    Path(options.out).write_text(text + "\n", encoding="utf-8")
    _report(f"{len(recording)} entries in {time.monotonic() - started:.0f} s, written to {options.out}")
    return 0


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.replies", description="Record all replies, to compare them.")
    parser.add_argument("out", nargs="?", metavar="OUT.json", help="where the recording is written")
    parser.add_argument("--compare", nargs=2, metavar=("OLD.json", "NEW.json"), help="compare two recordings")
    parser.add_argument("--cases", metavar="OLD.json", help="take the calls from a recording, not from the pages")
    parser.add_argument("--servers", default=ROOT, metavar="DIR", help="the tree with the published servers installed")
    options = parser.parse_args()
    if bool(options.out) == bool(options.compare):
        parser.error("give either OUT.json or --compare OLD.json NEW.json")
    return options


def _read_cases(path: str) -> Cases:
    recording: dict[str, Any] = json.loads(Path(path).read_text("utf-8"))
    pages = (key.partition(" | ")[::2] for key in recording)
    return {name: json.loads(recording[f"page | {name}"]) for group, name in pages if group == "page"}


@contextmanager
def _lock_folder() -> Generator[None]:
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _record(cases: Cases, servers: Path) -> dict[str, Any]:
    recording: dict[str, Any] = {}
    for group, replies in chain(
        [("page", _record_cases(cases)), ("engine", record_engine(cases))],
        record_frameworks(cases, FOLDER),
        record_proxies(cases, FOLDER),
        record_published(servers, FOLDER),
    ):
        _report(f"{group}: {len(replies)}")
        recording |= {f"{group} | {name}": reply for name, reply in replies.items()}
    return recording


def _record_cases(cases: Cases) -> dict[str, Any]:
    """Each case as text: the order of its keys is a part of it, and is not to be sorted."""
    return {name: json.dumps(case, ensure_ascii=False) for name, case in cases.items()}


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
