"""`fingerpost audit`, carried out: the audit, the reports, and the exit code.

Reports are written before the exit code is decided: what failed a build can be read.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import shutil
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from fingerpost.audit import baseline as baselines
from fingerpost.audit.baseline import EMPTY_BASELINE, Baseline
from fingerpost.audit.events import AuditEnded, Event
from fingerpost.audit.execute.run_audit import STOPPED, Settings, make_plan, run_audit
from fingerpost.audit.execute.signals import Signals
from fingerpost.audit.execute.target import Target, parse_target
from fingerpost.audit.generate.right_calls import read_examples, right_calls
from fingerpost.audit.options import FORMS
from fingerpost.audit.report import Report, folded
from fingerpost.audit.reports import github, ndjson, terminal
from fingerpost.engine.safety.redact import clean
from fingerpost.terminal.command_error import CommandError
from fingerpost.terminal.style import Style


def run(options: argparse.Namespace) -> int:
    target, settings = parse_target(options.command, options.url), _settings(options)
    if options.write_examples:
        return _write_examples(target, settings, options.write_examples)
    files = {form: getattr(options, form) for form in FORMS if getattr(options, form)}
    _check_places([*files.values(), *["-"] * options.github, *[options.baseline] * options.write_baseline])
    known, has_stdout = _baseline(options), "-" in files.values()
    with Signals() as signals:
        with _Events(files.pop("ndjson", None)) as events:
            report = _conducted(target, settings, options, events.take, signals)
        baselines.apply_baseline(report, known)
        for form, name in files.items():
            _write(name, _written(form, report, target, settings))
        if options.github:
            _write("-", github.written(report))
        if options.write_baseline:
            _write(options.baseline, baselines.render_baseline(report, known))
        if not options.quiet and not has_stdout:
            _print(report)
    return signals.exit_code or _exit_code(report, options)


def _settings(options: argparse.Namespace) -> Settings:
    if options.fail_under is not None and not 0 <= options.fail_under <= 100:
        raise CommandError(f"--fail-under must be between 0 and 100, got {options.fail_under:g}")
    if options.write_baseline and not options.baseline:
        raise CommandError("--write-baseline needs to know where", "Add --baseline FILE.")
    for name in ("timeout", "start_timeout"):
        if not 0 < getattr(options, name) < math.inf:
            raise CommandError(f"{_option(name)} must be a number of seconds, got {getattr(options, name):g}")
    for name in ("most", "in_flight"):
        if getattr(options, name) < 1:
            raise CommandError(f"{_option(name)} must be at least 1, got {getattr(options, name)}")
    return Settings(
        seed=options.seed,
        examples=read_examples(_read(options.examples), options.examples) if options.examples else {},
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


# the audit itself


def _conducted(
    target: Target,
    settings: Settings,
    options: argparse.Namespace,
    take: Callable[[Event, bool], None],
    signals: Signals,
) -> Report:
    """The report, of what there is where a signal has cut it short."""
    shown = [
        terminal.Progress(sys.stderr, "bare  " if settings.compare else ""),
        terminal.Progress(sys.stderr, "with Fingerpost  "),
    ]

    def listen(event: Event, is_behind: bool) -> None:
        take(event, is_behind)
        if not options.quiet:
            shown[is_behind].take(event)

    async def until_told() -> Report:
        waiting = asyncio.ensure_future(shown[0].waiting(settings.start_timeout)) if not options.quiet else None
        try:
            return (await signals.run_until_signal(run_audit(target, settings, listen)))[0]
        except asyncio.CancelledError:  # before there was anything to report
            return folded([AuditEnded(STOPPED)])
        finally:
            if waiting is not None:
                waiting.cancel()

    try:
        return asyncio.run(until_told())
    finally:
        for one in shown:
            one.close()


def _write_examples(target: Target, settings: Settings, name: str) -> int:
    """Write the right calls that would be made, for the owner to put values in that work."""
    _check_places([name])
    plan = asyncio.run(make_plan(target, settings))
    calls = {tool.name: right_calls(tool, plan.examples.get(tool.name, ())) for tool in plan.tools}
    first: dict[str, Any] = {tool: made[0].arguments for tool, made in calls.items() if made}
    _write(name, json.dumps(first, indent=2, ensure_ascii=False) + "\n")
    if left_out := [clean(tool, 60) for tool in calls if tool not in first]:
        print(f"fingerpost: no right call is known, so left out: {', '.join(left_out)}", file=sys.stderr)
    return 0


# reports


class _Events:
    """The events as lines in a file, each as soon as it happens."""

    def __init__(self, name: str | None) -> None:
        self._name, self._file = name, None

    def __enter__(self) -> _Events:
        if self._name == "-":
            self._file: TextIO | None = sys.stdout
        elif self._name is not None:
            with _writing(self._name):
                self._file = open(self._name, "w", encoding="utf-8")
        return self

    def take(self, event: Event, is_behind: bool) -> None:
        if self._file is not None:
            with _writing(self._name or ""):
                self._file.write(ndjson.line(event, is_behind=is_behind) + "\n")
                self._file.flush()

    def __exit__(self, *_: object) -> None:
        if self._file is not None and self._file is not sys.stdout:
            with suppress(OSError):  # it was told when it was written
                self._file.close()


def _written(form: str, report: Report, target: Target, settings: Settings) -> str:
    module = import_module(f"fingerpost.audit.reports.{FORMS[form].module}")
    if form == "pytest":
        return module.written(report, target.without_secrets, allow_writes=settings.allow_writes)
    return module.written(report)


def _print(report: Report) -> None:
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    text = terminal.written(report, Style.of(sys.stdout), width)
    with _writing("-"):
        sys.stdout.write(terminal.fitting(text, sys.stdout))
        sys.stdout.flush()


def _exit_code(report: Report, options: argparse.Namespace) -> int:
    if options.fail_under is not None and not report.is_graded:
        raise CommandError("nothing was tried, so there is no grade that --fail-under could be held against")
    is_low = options.fail_under is not None and report.grade < options.fail_under
    if is_low:
        print(f"fingerpost: the grade is {report.grade}, under {options.fail_under:g}", file=sys.stderr)
    news = baselines.failure_lines(report) if options.baseline and not options.write_baseline else []
    for line in news[:20]:
        print(f"fingerpost: {line}", file=sys.stderr)
    if len(news) > 20:
        print(f"fingerpost: and {len(news) - 20} more", file=sys.stderr)
    is_whole = report.is_whole and (report.behind is None or report.behind.is_whole)
    return 1 if is_low or news or not is_whole else 0


# the baseline


def _baseline(options: argparse.Namespace) -> Baseline:
    if not options.baseline or (options.write_baseline and not os.path.exists(options.baseline)):
        return EMPTY_BASELINE
    return baselines.parse_baseline(_read(options.baseline))


# files


def _check_places(names: Sequence[str]) -> None:
    """See whether files can be written before the work is done that they are to hold."""
    taken = set[str]()
    for name in names:
        place = name if name == "-" else os.path.realpath(name)
        if place in taken and not _is_device(name):
            told = "standard output" if name == "-" else name
            raise CommandError(f"two reports are to be written to {told}", "Give each a file of its own.")
        taken.add(place)
        if name != "-" and not _can_be_written(name):
            raise CommandError(f"cannot write {name}", "Is there such a folder, and may you write there?")


def _is_device(name: str) -> bool:
    """Whether it takes any number of reports, as /dev/null does."""
    return Path(name).is_char_device()


def _can_be_written(name: str) -> bool:
    folder = os.path.dirname(name) or "."
    if os.path.exists(name):
        return not os.path.isdir(name) and os.access(name, os.W_OK)
    return os.path.isdir(folder) and os.access(folder, os.W_OK)


def _read(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot read {name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{name} is not UTF-8 text") from error


def _write(name: str, text: str) -> None:
    """Write a report, in UTF-8 wherever it goes, since that is what the report says of itself."""
    with _writing(name):
        if name == "-":
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode())
            sys.stdout.flush()
            return
        Path(name).write_text(text, encoding="utf-8")


@contextmanager
def _writing(name: str) -> Generator[None]:
    try:
        yield
    except BrokenPipeError:  # the reader has seen enough
        raise
    except OSError as error:
        if name == "-":  # where the interpreter would try again when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        place = "to standard output" if name == "-" else name
        raise CommandError(f"cannot write {place}: {error.strerror}") from error
