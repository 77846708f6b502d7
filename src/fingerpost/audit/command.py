"""Run `fingerpost audit`: audit the server, write the reports, and choose the exit code.

The reports are written before the exit code is chosen, so that a failed build has them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

from fingerpost.audit import baseline as baselines
from fingerpost.audit.baseline import EMPTY_BASELINE, Baseline
from fingerpost.audit.events import AuditEnded, Event
from fingerpost.audit.execute.run_audit import STOPPED, Settings, make_plan, run_audit
from fingerpost.audit.execute.signals import Signals
from fingerpost.audit.execute.target import Target, parse_target
from fingerpost.audit.files import Output, check_places, read_file, write_file
from fingerpost.audit.generate.right_calls import read_examples, right_calls
from fingerpost.audit.progress import Progress
from fingerpost.audit.report import Report, fold_events
from fingerpost.audit.reports.format import Context, ReportFormat
from fingerpost.audit.reports.registry import Selected, select_formats
from fingerpost.engine.safety.redact import clean
from fingerpost.terminal.command_error import CommandError

_MOST_FAILURES = 20


def run(options: argparse.Namespace) -> int:
    target, settings = parse_target(options.command, options.url), _settings(options)
    if options.write_examples:
        return _write_examples(target, settings, options.write_examples)
    selected = select_formats(options)
    places = [one.place for one in selected if one.claims_place]
    check_places([*places, *[options.baseline] * options.write_baseline])
    known = _read_baseline(options)
    with Signals() as signals, closing(_Reports(selected)) as reports:
        report = _audit(target, settings, signals, reports.take, is_quiet=options.quiet)
        baselines.apply_baseline(report, known)
        if options.write_baseline:
            write_file(options.baseline, baselines.render_baseline(report, known))
        reports.finish(report, Context(target.without_secrets, settings.allow_writes))
    return signals.exit_code or _exit_code(report, options)


def _settings(options: argparse.Namespace) -> Settings:
    if options.fail_under is not None and not 0 <= options.fail_under <= 100:
        raise CommandError(f"--fail-under must be between 0 and 100, got {options.fail_under:g}")
    if options.write_baseline and not options.baseline:
        raise CommandError("--write-baseline needs a file", "Add --baseline FILE.")
    for name in ("timeout", "start_timeout"):
        if not 0 < getattr(options, name) < math.inf:
            raise CommandError(f"{_option(name)} must be a number of seconds, got {getattr(options, name):g}")
    for name in ("most", "in_flight"):
        if getattr(options, name) < 1:
            raise CommandError(f"{_option(name)} must be at least 1, got {getattr(options, name)}")
    return Settings(
        seed=options.seed,
        examples=read_examples(read_file(options.examples), options.examples) if options.examples else {},
        allow_writes=options.allow_writes,
        only=frozenset(options.only),
        without=frozenset(options.without),
        most=options.most,
        in_flight=options.in_flight,
        timeout=options.timeout,
        start_timeout=max(options.start_timeout, options.timeout),
        compare=options.compare,
    )


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _read_baseline(options: argparse.Namespace) -> Baseline:
    if not options.baseline or (options.write_baseline and not os.path.exists(options.baseline)):
        return EMPTY_BASELINE
    return baselines.parse_baseline(read_file(options.baseline))


def _write_examples(target: Target, settings: Settings, name: str) -> int:
    """Write the correct calls that the audit would start from, so that the owner can fill in working values."""
    check_places([name])
    plan = asyncio.run(make_plan(target, settings))
    calls = {tool.name: right_calls(tool, plan.examples.get(tool.name, ())) for tool in plan.tools}
    first: dict[str, Any] = {tool: made[0].arguments for tool, made in calls.items() if made}
    write_file(name, json.dumps(first, indent=2, ensure_ascii=False) + "\n")
    if left_out := [clean(tool, 60) for tool in calls if tool not in first]:
        print(f"fingerpost: no correct call is known, so left out: {', '.join(left_out)}", file=sys.stderr)
    return 0


class _Reports:
    """The reports that were asked for, each with its output."""

    def __init__(self, selected: Sequence[Selected]) -> None:
        self._reports: list[tuple[ReportFormat, Output]] = []
        for registration, place in selected:
            report_format = registration.load()
            self._reports.append((report_format, output := Output(place, report_format.encoding)))
            if report_format.is_live:
                output.open()

    def take(self, event: Event, is_behind: bool) -> None:
        for report_format, output in self._reports:
            if text := report_format.on_event(event, is_behind=is_behind):
                output.write(text)

    def finish(self, report: Report, context: Context) -> None:
        for report_format, output in self._reports:
            if text := report_format.on_end(report, context):
                output.write(text)

    def close(self) -> None:
        for _, output in self._reports:
            output.close()


def _audit(
    target: Target,
    settings: Settings,
    signals: Signals,
    take: Callable[[Event, bool], None],
    *,
    is_quiet: bool,
) -> Report:
    """Audit the server. After a signal, return the report so far."""
    bare = Progress(sys.stderr, "bare  " if settings.compare else "", is_quiet=is_quiet)
    behind = Progress(sys.stderr, "with Fingerpost  ", is_quiet=is_quiet)

    def listen(event: Event, is_behind: bool) -> None:
        take(event, is_behind)
        (behind if is_behind else bare).take(event)

    async def run_until_signal() -> Report:
        starting = asyncio.ensure_future(bare.show_start(settings.start_timeout))
        try:
            return (await signals.run_until_signal(run_audit(target, settings, listen)))[0]
        except asyncio.CancelledError:  # before the first event
            return fold_events([AuditEnded(STOPPED)])
        finally:
            starting.cancel()

    with closing(bare), closing(behind):
        return asyncio.run(run_until_signal())


def _exit_code(report: Report, options: argparse.Namespace) -> int:
    if options.fail_under is not None and not report.is_graded:
        raise CommandError("nothing was tried, so there is no grade to compare with --fail-under")
    is_low = options.fail_under is not None and report.grade < options.fail_under
    if is_low:
        print(f"fingerpost: the grade is {report.grade}, under {options.fail_under:g}", file=sys.stderr)
    failures = baselines.failure_lines(report) if options.baseline and not options.write_baseline else []
    for line in failures[:_MOST_FAILURES]:
        print(f"fingerpost: {line}", file=sys.stderr)
    if len(failures) > _MOST_FAILURES:
        print(f"fingerpost: and {len(failures) - _MOST_FAILURES} more", file=sys.stderr)
    is_whole = report.is_whole and (report.behind is None or report.behind.is_whole)
    return 1 if is_low or failures or not is_whole else 0
