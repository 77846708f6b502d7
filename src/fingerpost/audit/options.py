"""The options of `fingerpost audit`. The audit itself is imported when it runs, so that other commands start fast."""

from __future__ import annotations

import argparse
from typing import Any

from fingerpost.audit.reports.registry import FORMATS


def add_to(commands: Any) -> None:
    """Register the command."""
    audit = commands.add_parser(
        "audit",
        help="grade how well a server's errors guide",
        usage="fingerpost audit [options] -- CMD ARGS…\n       fingerpost audit [options] URL",
        description="Send wrong calls to a server, made from its own schemas, and grade its replies. Calls that a tool "
        "could carry out go only to tools that declare readOnlyHint: true, unless you give --allow-writes.",
        epilog="Exit codes: 0 success; 1 the grade is below --fail-under, the baseline does not match, or the audit "
        "is incomplete; 2 no audit, or no grade for --fail-under; 130 or 143 stopped by a signal. Reports are written "
        "for 0, 1, 130 and 143.",
    )
    audit.add_argument("url", nargs="?", metavar="URL", help="a streamable HTTP server; or put '-- CMD ARGS…' last")
    for registration in FORMATS:
        registration.add_option(audit)
    _add_grading(audit)
    _add_calls(audit)
    audit.add_argument("-q", "--quiet", action="store_true", help="print no progress and no table")
    audit.set_defaults(run=_run, command=[])


def _add_grading(audit: argparse.ArgumentParser) -> None:
    audit.add_argument("--compare", action="store_true", help="repeat the calls with Fingerpost in front, and compare")
    audit.add_argument(
        "--fail-under", type=float, metavar="N", help="exit with 1 if the server's own grade (0 to 100) is lower"
    )
    audit.add_argument("--baseline", metavar="FILE", help="fail for new and stale findings, not for known ones")
    audit.add_argument("--write-baseline", action="store_true", help="write the findings to the baseline file")


def _add_calls(audit: argparse.ArgumentParser) -> None:
    audit.add_argument("--examples", metavar="FILE", help='correct calls, as JSON: {"tool": {"path": "/srv/a.txt"}}')
    audit.add_argument("--write-examples", metavar="FILE", help="write the planned correct calls, send none, and exit")
    audit.add_argument("--allow-writes", action="store_true", help="try every mistake on every tool, even if it writes")
    audit.add_argument("--only", action="append", default=[], metavar="TOOL", help="audit this tool (repeatable)")
    audit.add_argument("--without", action="append", default=[], metavar="TOOL", help="skip this tool (repeatable)")
    audit.add_argument("--seed", type=int, default=1, metavar="N", help="select other mistakes (default: 1)")
    audit.add_argument("--most", type=int, default=60, metavar="N", help="wrong calls per tool, at most (default: 60)")
    audit.add_argument("--in-flight", type=int, default=4, metavar="N", help="calls at the same time (default: 4)")
    audit.add_argument(
        "--timeout", type=float, default=10.0, metavar="S", help="seconds to wait for a reply (default: 10)"
    )
    audit.add_argument(
        "--start-timeout",
        type=float,
        default=30.0,
        metavar="S",
        help="seconds to wait for the server to start, at least --timeout (default: 30)",
    )


def _run(options: argparse.Namespace) -> int:
    from fingerpost.audit.command import run

    return run(options)
