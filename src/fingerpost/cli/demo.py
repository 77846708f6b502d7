"""`fingerpost demo`: register the command. Its work is in `demonstration`, which imports asyncio."""

from __future__ import annotations

import argparse
import sys
from typing import Any


def add_to(commands: Any) -> None:
    """Register the command."""
    demo = commands.add_parser(
        "demo",
        help="show wrong calls with and without guidance",
        description="Send ten wrong calls to the code server, with and without Fingerpost, and compare the replies.",
    )
    demo.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    from fingerpost.cli.demonstration import demonstrate  # lazy: every other command starts without asyncio

    return demonstrate(sys.stdout)
