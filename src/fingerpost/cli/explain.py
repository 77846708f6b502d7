"""`fingerpost explain`: print the page of an error code, or list all codes."""

from __future__ import annotations

import argparse
import sys
from importlib import resources
from typing import Any, TextIO

from fingerpost.engine.matching import closest
from fingerpost.terminal.command_error import CommandError
from fingerpost.terminal.style import Style


def add_to(commands: Any) -> None:
    """Register the command."""
    explain = commands.add_parser(
        "explain",
        help="explain an error code; without a code, list them all",
        description="Print the page of an error code. Without a code, list all codes.",
    )
    explain.add_argument("code", nargs="?", metavar="CODE", help="a code such as UNKNOWN_PARAM; case does not matter")
    explain.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    pages = {page.name.removesuffix(".md"): page for page in (resources.files("fingerpost") / "codes").iterdir()}
    if options.code is None:
        for code in sorted(pages):
            print(f"{code:20} {_summary(pages[code].read_text(encoding='utf-8'))}")
        return 0
    code = options.code.upper().replace("-", "_")
    if code not in pages:
        matches = closest(code, pages, "value")
        suggestion = f"Did you mean {matches[0].name}? " if matches else ""
        raise CommandError(f"there is no code {options.code}", f"{suggestion}Run 'fingerpost explain' to list them.")
    _print_page(pages[code].read_text(encoding="utf-8"), sys.stdout)
    return 0


def _summary(page: str) -> str:
    return page.split("\n\n", 2)[1].replace("\n", " ")


def _print_page(page: str, out: TextIO) -> None:
    style = Style.of(out)
    for line in page.splitlines():
        print(
            style.strong(line) if line.startswith("#") else style.faint(line) if line.startswith("```") else line,
            file=out,
        )
