"""`fingerpost closest`: which known name a misspelled one stands for, with the evidence."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, get_args

from fingerpost.engine.matching import Kind, Reading, explain_evidence, readings
from fingerpost.engine.phrases import quote
from fingerpost.engine.safety.redact import clean
from fingerpost.terminal.style import Style


def add_to(commands: Any) -> None:
    """Register the command."""
    closest = commands.add_parser(
        "closest",
        help="find the known name that a misspelled one stands for",
        description="Compare a misspelled name with the known names and print the evidence.",
        epilog="Exit code: 0 if one name is a clear match, 1 if none is, 2 if the command could not run.",
    )
    closest.add_argument("mistake", metavar="MISTAKE", help="the misspelled name; put -- before one that begins with -")
    closest.add_argument("names", nargs="+", metavar="NAME", help="the known names; '-' reads them from standard input")
    closest.add_argument("--kind", choices=get_args(Kind), default="tool", help="what the names name (default: tool)")
    closest.add_argument("--server", default="", help="the name of the server; as a prefix of a tool it is ignored")
    closest.add_argument("--json", action="store_true", help="print the matches as JSON")
    closest.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    found = readings(options.mistake, _read_names(options.names), options.kind, {"server": options.server})
    if options.json:
        print(json.dumps([_as_json(reading) for reading in found], indent=2, ensure_ascii=False))
    else:
        _print_readings(options.mistake, found)
    return 0 if any(reading.match.is_clear for reading in found) else 1


def _read_names(words: list[str]) -> list[str]:
    lines = [line for word in words for line in (sys.stdin.read().splitlines() if word == "-" else [word])]
    return [line.strip() for line in lines if line.strip()]


def _as_json(reading: Reading) -> dict[str, Any]:
    return {
        "name": reading.match.name,
        "confidence": reading.match.confidence,
        "is_clear": reading.match.is_clear,
        "evidence": list(explain_evidence(reading.evidence)),
    }


def _print_readings(mistake: str, found: list[Reading]) -> None:
    style = Style.of(sys.stdout)
    if not found:
        print(f"No name is close to {quote(mistake)}.")
    for reading in found:
        match = reading.match
        print(f"{style.strong(clean(match.name))}  {match.confidence:.2f}  {'a fix' if match.is_clear else 'listed'}")
        for line in explain_evidence(reading.evidence):
            print(style.faint(f"  {clean(line)}") if line.startswith("  ") else f"  {line}")
