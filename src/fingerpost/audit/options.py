"""The options of `fingerpost audit`. What carries it out is loaded when it is asked for: the others start sooner."""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple


class Form(NamedTuple):
    """A form of the report, and the module that writes it."""

    module: str
    what: str


FORMS = {
    "json": Form("plain_json", "everything, for programs"),
    "ndjson": Form("ndjson", "every event as it happens, a line each"),
    "junit": Form("junit", "JUnit XML, for CI"),
    "sarif": Form("sarif", "SARIF 2.1.0, for code scanning"),
    "html": Form("html", "one page, for people"),
    "md": Form("markdown", "a summary in Markdown, for a pull request"),
    "pytest": Form("pytest_file", "a test file that makes each finding again"),
}


def add_to(commands: Any) -> None:
    """Register the command."""
    audit = commands.add_parser(
        "audit",
        help="grade how well a server's errors guide",
        usage="fingerpost audit [options] -- CMD ARGS…\n       fingerpost audit [options] URL",
        description="Make wrong calls from a server's own schemas, send them, and judge what comes back. Only tools "
        "that declare readOnlyHint: true get calls that they could carry out, unless --allow-writes is given.",
        epilog="Exit code: 0 when all is well, 1 when the grade is under --fail-under or the baseline does not match, "
        "2 when there was no audit, or no grade to hold against --fail-under, 130 or 143 when it was stopped; then too "
        "the reports hold what there is.",
    )
    audit.add_argument("url", nargs="?", metavar="URL", help="a streamable HTTP server; or put '-- CMD ARGS…' last")
    for name, form in FORMS.items():
        audit.add_argument(f"--{name}", metavar="FILE", help=f"write {form.what}; - is standard output")
    audit.add_argument("--github", action="store_true", help="annotations for GitHub Actions on standard output")
    audit.add_argument("--compare", action="store_true", help="the same calls with Fingerpost in front, side by side")
    audit.add_argument(
        "--fail-under",
        type=float,
        metavar="N",
        help="exit with 1 when the grade is lower (0 to 100); with --compare too, that of the server as it is",
    )
    audit.add_argument("--baseline", metavar="FILE", help="known findings do not fail; new and stale ones do")
    audit.add_argument("--write-baseline", action="store_true", help="write what is found to the baseline file")
    audit.add_argument("--examples", metavar="FILE", help='right calls, as JSON: {"tool": {"path": "/srv/a.txt"}}')
    audit.add_argument("--write-examples", metavar="FILE", help="only write the right calls that would be made")
    audit.add_argument(
        "--allow-writes", action="store_true", help="try everything on every tool; calls may take effect"
    )
    audit.add_argument("--only", action="append", default=[], metavar="TOOL", help="audit this tool (repeatable)")
    audit.add_argument("--without", action="append", default=[], metavar="TOOL", help="leave this tool alone")
    audit.add_argument("--seed", type=int, default=1, metavar="N", help="for the same mistakes again (default: 1)")
    audit.add_argument("--most", type=int, default=60, metavar="N", help="most wrong calls a tool (default: 60)")
    audit.add_argument("--in-flight", type=int, default=4, metavar="N", help="calls at a time (default: 4)")
    audit.add_argument(
        "--timeout", type=float, default=10.0, metavar="S", help="seconds for the answer to a call (default: 10)"
    )
    audit.add_argument(
        "--start-timeout",
        type=float,
        default=30.0,
        metavar="S",
        help="seconds for the server to start and greet, never fewer than --timeout (default: 30)",
    )
    audit.add_argument("-q", "--quiet", action="store_true", help="no progress and no table; only the reports")
    audit.set_defaults(run=_run, command=[])


def _run(options: argparse.Namespace) -> int:
    from fingerpost.audit.command import run

    return run(options)
