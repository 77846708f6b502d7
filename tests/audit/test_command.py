"""`fingerpost audit` as a user runs it: options, reports, exit codes, signals, and no processes left behind."""

from __future__ import annotations

import asyncio
import io
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from fingerpost.audit.events import AuditEnded, AuditStarted, Note, Subject
from fingerpost.audit.execute.signals import Signals
from fingerpost.audit.progress import Progress
from fingerpost.audit.report import Report, fold_events
from fingerpost.audit.reports import registry
from fingerpost.audit.reports.common import fit_encoding
from fingerpost.audit.reports.terminal import render
from fingerpost.cli.main import main
from fingerpost.terminal.style import Style
from tests.support.audit_events import failing, hostile, perfect, tried
from tests.support.audited_servers import FAR, NEAR, WORD, by_http, command
from tests.support.misbehaving import TOOLS, tool
from tests.support.waiting import PATIENCE, is_signal_pending, until

FORMATS = ("json", "ndjson", "junit", "sarif", "html", "md", "pytest")
GOOD = ("--", *command(tools=[NEAR]))
FEW = ("--most", "6")


def audit(*words: str) -> int:
    return main(["audit", *words])


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run an audit that is refused, and return the message."""
    assert audit(*words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    return captured.err


# reports


def test_every_format_with_a_file_is_tried_here() -> None:
    assert sorted(FORMATS) == sorted(
        one.name for one in registry.FORMATS if one.selection is registry.Selection.FILE
    ), "add the format to FORMATS, and to `parsed` if its text can be parsed"


def parsed(form: str, text: str) -> Any:
    match form:
        case "json" | "sarif":
            return json.loads(text)
        case "ndjson":
            return [json.loads(line) for line in text.splitlines()]
        case "junit":
            return ElementTree.fromstring(text)
        case "pytest":
            return compile(text, "reproducer", "exec")
        case _:
            assert "look_up" in text
            return text


def test_every_report_is_written_even_if_the_grade_is_too_low(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {form: str(tmp_path / f"report.{form}") for form in FORMATS}
    words = [word for form, name in names.items() for word in (f"--{form}", name)]
    assert audit(*FEW, *words, "--github", "--fail-under", "100", *GOOD) == 1
    captured = capsys.readouterr()
    for form, name in names.items():
        assert parsed(form, Path(name).read_text()), form
    grade = json.loads(Path(names["json"]).read_text())["grade"]
    assert captured.err == f"fingerpost: the grade is {grade}, under 100\n"
    assert "::" in captured.out and f"Grade: {grade} (" in captured.out
    assert "\x1b" not in captured.out


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_on_standard_output_replaces_the_table(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit("--most", "1", f"--{form}", "-", *GOOD) == 0
    assert parsed(form, capsys.readouterr().out)


def test_quiet_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit("-q", "--most", "1", *GOOD) == 0
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_compare_audits_a_url_bare_and_behind_fingerpost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with by_http(tools=[NEAR]) as url:
        assert audit(*FEW, "--compare", "--json", str(tmp_path / "j"), "--ndjson", str(tmp_path / "n"), url) == 0
    made = json.loads((tmp_path / "j").read_text())
    assert made["server"]["transport"] == made["behind"]["server"]["transport"] == "http"
    assert made["behind"]["grade"] > made["grade"]
    assert made["calls"] == made["behind"]["calls"]
    out = capsys.readouterr().out
    assert re.search(r"bare +with Fingerpost", out) and f"With Fingerpost: {made['behind']['grade']} (" in out
    marks = [json.loads(line).get("behind", False) for line in (tmp_path / "n").read_text().splitlines()]
    assert marks == sorted(marks) and marks[-1] is True


def test_the_bare_report_is_kept_if_the_comparison_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    once = f'test -e {tmp_path}/was && exit 7; touch {tmp_path}/was; exec "$@"'
    words = ("sh", "-c", once, "sh", *command(tools=[NEAR]))
    assert audit(*FEW, "--compare", "--json", str(tmp_path / "j"), "--", *words) == 1
    made = json.loads((tmp_path / "j").read_text())
    assert (made["complete"], made["behind"]["complete"], made["calls"]) == (True, False, 6)
    assert "Incomplete with Fingerpost: the server " in capsys.readouterr().out


def test_quiet_shows_no_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    assert audit("-q", "--most", "1", *GOOD) == 0
    assert screen.getvalue() == ""


# exit code and baseline


def test_a_grade_above_fail_under_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit(*FEW, "--fail-under", "0", *GOOD) == 0
    assert capsys.readouterr().err == ""


def test_without_any_call_there_is_no_grade_to_compare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def idle(*_: object) -> tuple[Report, None]:
        return fold_events([AuditEnded()]), None

    monkeypatch.setattr("fingerpost.audit.command.run_audit", idle)
    assert audit("-q", "--json", str(tmp_path / "j"), *GOOD) == 0
    made = json.loads((tmp_path / "j").read_text())
    assert (made["grade"], made["letter"], made["repair_rate"]) == (None, None, None)
    assert "nothing was tried, so there is no grade" in refused(capsys, "-q", "--fail-under", "0", *GOOD)


def test_a_baseline_fails_for_new_and_stale_findings_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    baseline = tmp_path / "baseline.json"
    words = (*FEW, "--baseline", str(baseline))
    assert "cannot read" in refused(capsys, *words, *GOOD)
    assert audit(*words, "--write-baseline", *GOOD) == 0
    assert audit(*words, *GOOD) == 0
    assert "known finding" in capsys.readouterr().out

    known = json.loads(baseline.read_text())
    gone, *rest = known["findings"]
    baseline.write_text(json.dumps({**known, "findings": {name: {} for name in rest}}))
    assert audit(*words, *GOOD) == 1
    assert capsys.readouterr().err.startswith("fingerpost: new: look_up: ")

    extra = gone.replace("/look_up/", "/looked_up/", 1)
    baseline.write_text(json.dumps({**known, "findings": {**known["findings"], extra: {}}}))
    code, captured = audit(*words, *GOOD), capsys.readouterr()
    assert (code, captured.err) == (1, f"fingerpost: stale: {extra} is in the baseline, but no longer found\n")
    assert f"In the baseline but no longer found: {extra}" in captured.out

    baseline.write_text('{"version": 1, "findings": {}}')
    assert audit("--baseline", str(baseline), "--", *command(tools=[NEAR, FAR, *TOOLS])) == 1
    assert re.search(r"fingerpost: and \d+ more\n$", capsys.readouterr().err)
    baseline.write_text("{")
    assert "not JSON" in refused(capsys, *words, *GOOD)


# refused command lines


def test_a_file_that_cannot_be_written_is_refused_before_the_server_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = tmp_path / "pids"
    server = ("--", *command(tools=[NEAR], pids=str(pids)))
    nowhere, name = str(tmp_path / "no" / "where"), str(tmp_path / "a")
    for place in (nowhere, str(tmp_path)):
        for words in (("--html", place), ("--ndjson", place), ("--write-examples", place)):
            assert f"cannot write {place}\nCheck that the folder exists" in refused(capsys, *words, *server)
    assert "cannot write" in refused(capsys, "--write-baseline", "--baseline", nowhere, *server)
    assert f"two reports would be written to {name}\n" in refused(capsys, "--json", name, "--md", name, *server)
    assert "two reports would be written to standard output\n" in refused(capsys, "--json", "-", "--github", *server)
    again = str(tmp_path / "." / "x" / ".." / "a")
    assert f"two reports would be written to {again}\n" in refused(capsys, "--json", name, "--md", again, *server)
    Path(name).touch()

    def is_forbidden(*_: object) -> bool:
        return False

    with monkeypatch.context() as others:
        others.setattr(os, "access", is_forbidden)
        assert f"cannot write {name}\n" in refused(capsys, "--json", name, *server)
    assert not pids.exists()


def test_a_write_that_fails_later_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit("--most", "1", "--json", "/dev/full", *GOOD) == 2
    assert capsys.readouterr().err == "fingerpost: cannot write /dev/full: No space left on device\n"
    assert audit("--most", "1", "--ndjson", "/dev/full", *GOOD) == 2
    assert capsys.readouterr().err == "fingerpost: cannot write /dev/full: No space left on device\n"
    too_long = str(tmp_path / ("n" * 300))
    assert "cannot write" in refused(capsys, "--ndjson", too_long, *GOOD)


@pytest.mark.parametrize("more", [(), ("--json", "-"), ("--ndjson", "-")], ids=["table", "JSON", "events"])
def test_a_full_standard_output_is_reported(more: tuple[str, ...]) -> None:
    words = [sys.executable, "-m", "fingerpost", "audit", "--most", "1", *more, *GOOD]
    with open("/dev/full", "w") as full:
        ran = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
    message = "fingerpost: cannot write to standard output: No space left on device\n"
    assert (ran.returncode, ran.stderr) == (2, message)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--fail-under", "101"], "--fail-under must be between 0 and 100, got 101"),
        (["--fail-under", "nan"], "--fail-under must be between 0 and 100, got nan"),
        (["--timeout", "0"], "--timeout must be a number of seconds, got 0"),
        (["--timeout", "inf"], "--timeout must be a number of seconds, got inf"),
        (["--start-timeout", "nan"], "--start-timeout must be a number of seconds, got nan"),
        (["--most", "0"], "--most must be at least 1, got 0"),
        (["--in-flight", "-1"], "--in-flight must be at least 1, got -1"),
        (["--write-baseline"], "--write-baseline needs a file\nAdd --baseline FILE."),
        (["--only", "lok_up"], "the server has no tool lok_up\nDid you mean look_up?"),
        (["--without", "xyzzy"], "the server has no tool xyzzy\n"),
        (["--examples", "nowhere.json"], "cannot read nowhere.json: No such file or directory"),
        (["--seed", "x"], "argument --seed: invalid int value: 'x'"),
        (["http://127.0.0.1:1/mcp"], "give either a command or a URL"),
    ],
)
def test_invalid_options_are_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, *words, *GOOD).startswith(f"fingerpost: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\xff", "is not UTF-8 text"),
        (b"{", "is not JSON"),
        (b'{"lookup": {"word": "x"}}', "which is no tool of this server\nDid you mean look_up?"),
        (b'{"look_up": {"wrod": "x"}}', "an example for look_up is not a right call\n"),
    ],
)
def test_invalid_examples_are_refused(
    text: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    examples, record = tmp_path / "examples.json", tmp_path / "record"
    examples.write_bytes(text)
    assert message in refused(capsys, "--examples", str(examples), "--", *command(tools=[NEAR], record=str(record)))
    assert not record.exists() or b"tools/call" not in record.read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--htlm", "x.html", *GOOD], "Did you mean '--html'?"),
        (["--fail-undr", "3", "http://127.0.0.1:1/mcp"], "Did you mean '--fail-under'?"),
        (["python", "server.py"], "Put -- before a server's command: fingerpost audit -- python server.py."),
        (["npx", "-y", "some-server"], "Put -- before a server's command: fingerpost audit -- python server.py."),
        (["--only", "--", "npx", "--jsno", "x"], "--only: expected one argument\nRun 'fingerpost"),
        ([], "give either a command or a URL"),
        (["--"], "give either a command or a URL"),
        (
            ["server.py"],
            "server.py is not a URL\nFor a command, put -- before it: fingerpost audit -- python server.py\n",
        ),
        (["http://[/mcp"], "http://[/mcp is not a URL\n"),
        (["ftp://127.0.0.1/mcp"], "ftp://127.0.0.1/mcp is not a URL\n"),
    ],
)
def test_a_misspelled_command_line_gets_a_suggestion(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["fingerpost", "audit", *words])
    assert message in refused(capsys, *words)


def test_invalid_headers_are_refused(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINGERPOST_HEADERS", "Authorization: x")
    message = refused(capsys, "http://127.0.0.1:1/mcp")
    assert message == "fingerpost: FINGERPOST_HEADERS is not a JSON object of names and values\n"


def test_an_unreachable_url_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "http://127.0.0.1:1/mcp").startswith("fingerpost: the server cannot be reached (")


def test_examples_can_be_written_filled_in_and_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    examples, record = tmp_path / "examples.json", tmp_path / "record"
    server = ("--", *command(tools=[NEAR, tool("none", {"a": {"not": {}}}, ("a",))], record=str(record)))
    assert audit("--write-examples", str(examples), *server) == 0
    assert b"tools/call" not in record.read_bytes()
    made = json.loads(examples.read_text())
    assert made == {
        "look_up": {"word": made["look_up"]["word"]},
    }
    assert "left out: none\n" in capsys.readouterr().err
    examples.write_text(json.dumps({"look_up": {"word": "the owner's"}}))
    assert audit("-q", *FEW, "--only", "look_up", "--examples", str(examples), *server) == 0
    assert b"the owner's" in record.read_bytes()


def test_write_examples_prints_no_warning_if_every_tool_has_a_call(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert audit("--write-examples", "-", "--", *command(tools=[NEAR])) == 0
    printed = capfdbinary.readouterr()
    assert [*json.loads(printed.out)] == ["look_up"]
    assert printed.err == b""


def test_a_closed_pipe_is_not_an_error() -> None:
    words = shlex.join([sys.executable, "-m", "fingerpost", "audit", "--json", "-", *FEW, "--", *command(tools=[NEAR])])
    done = subprocess.run(["bash", "-c", f"{words} | true; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_the_start_is_no_longer_shown_once_the_audit_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("fingerpost.audit.progress._SECONDS_BETWEEN_START_UPDATES", 0)
    progress = Progress(screen := Screen())
    progress.take(AuditStarted(Subject("s", "s", "1", "2025-11-25", "stdio", 1), 1, 10))
    asyncio.run(progress.show_start(5))
    assert screen.getvalue().count("starting") == 1


# signals


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("number", "code", "more"),
    [(signal.SIGINT, 130, ()), (signal.SIGTERM, 143, ("--compare",))],
    ids=["bare", "compared"],
)
def test_a_signal_stops_the_server_and_writes_the_reports_so_far(
    number: int, code: int, more: tuple[str, ...], tmp_path: Path
) -> None:
    pids, events, made = tmp_path / "pids", tmp_path / "events", tmp_path / "made"
    tools, steps = [NEAR, tool("guilty", WORD, ("word",))], [["spawn", 600], ["hang"]]
    server = command(tools=tools, does={"guilty": steps}, pids=str(pids))
    if more:  # the second time it is started
        first = shlex.join(command(tools=tools, pids=str(pids)))
        server = ("sh", "-c", f"test -e {pids} && exec {shlex.join(server)}; exec {first}")
    words = ["--most", "8", "--ndjson", str(events), "--json", str(made), *more, "--", *server]
    process = subprocess.Popen(
        [sys.executable, "-m", "fingerpost", "audit", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        until(lambda: Path(f"{pids}.spawned").exists() and '"tried"' in events.read_text())
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, err) == (code, "")
    report = json.loads(made.read_text())
    report = report["behind"] if more else report
    assert (report["complete"], report["ended"]) == (False, "it was stopped")
    assert f"Incomplete{' with Fingerpost' if more else ''}: it was stopped." in out
    assert json.loads(events.read_text().splitlines()[-1])["event"] == "ended"
    for pid in (pids.read_text() + Path(f"{pids}.spawned").read_text()).split():
        assert not is_running(int(pid))


def test_a_signal_while_the_server_starts_gives_an_empty_report(tmp_path: Path) -> None:
    pids, made = tmp_path / "pids", tmp_path / "made"
    server = command(tools=[NEAR], start=[["sleep", 60]], pids=str(pids))
    process = subprocess.Popen(
        [sys.executable, "-m", "fingerpost", "audit", "-q", "--json", str(made), "--", *server], stderr=subprocess.PIPE
    )
    try:
        until(pids.exists)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, err) == (143, b"")
    assert json.loads(made.read_text())["server"] is None
    assert not is_running(int(pids.read_text()))


def test_signals_do_not_interrupt_the_writing_of_a_report(tmp_path: Path) -> None:
    events, made = tmp_path / "events", tmp_path / "made"
    os.mkfifo(made)
    words = ["audit", "--most", "1", "--ndjson", str(events), "--json", str(made), *GOOD]
    process = subprocess.Popen([sys.executable, "-m", "fingerpost", *words], stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: events.exists() and '"ended"' in events.read_text())
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            until(lambda: not is_signal_pending(process.pid, signal.SIGINT))
        assert json.loads(made.read_text())["calls"] == 1
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, err) == (130, "")


def test_an_early_signal_stops_the_audit_and_five_signals_stop_everything() -> None:
    async def work() -> None:
        raise AssertionError("it was begun")

    before = signal.getsignal(signal.SIGINT)
    with Signals() as signals:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(signals.run_until_signal(work()))
        for _ in range(3):
            signal.raise_signal(signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    assert signals.exit_code == 130
    assert signal.getsignal(signal.SIGINT) is before


# the terminal


def test_a_terminal_gets_color_and_progress() -> None:
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "60"}
    env.pop("NO_COLOR", None)
    words = [sys.executable, "-m", "fingerpost", "audit", "--most", "6", *GOOD]
    process = subprocess.Popen(words, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    output = b"".join(_read_all(ours)).decode()
    assert process.wait(30) == 0
    progress, _, table = output.rpartition("\r\x1b[K")
    assert progress.startswith("\r\x1b[Kstarting the server …\r\x1b[K")
    assert "░" in progress and "look_up" in progress
    assert "\x1b[31m✗\x1b[0m" in table and "\x1b[1mmisbehaving 1\x1b[0m" in table


def _read_all(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            yield os.read(descriptor, 65_536)
        except OSError:  # how a terminal says that the other side is closed
            os.close(descriptor)
            return


@pytest.mark.parametrize("more", [(), ("--json", "-")], ids=["table", "JSON"])
def test_an_ascii_standard_output_gets_replacement_characters_in_the_table_only(
    more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert audit("--most", "2", *more, "--", *command(tools=[NEAR, tool("größe", WORD, ("word",))])) == 0
    text = out.buffer.getvalue().decode()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    if more:
        assert "größe" in text and json.loads(text)
    else:
        assert text.isascii() and "\nx " in text


class Screen(io.StringIO):
    encoding = "ascii"

    def isatty(self) -> bool:
        return True


def test_progress_shows_no_escape_codes_of_the_server_and_fits_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.setenv("TERM", "xterm")
    event = tried("brief", why="", tool="\x1b[2Jevil" + "n" * 90, number=1)
    progress = Progress(screen := Screen(), "bare  ")
    for one in (AuditStarted(Subject("", "", "", "", "stdio", 1), 1, 2), event, event, AuditEnded()):
        progress.take(one)
    progress.close()
    (line,) = [part for part in screen.getvalue().split("\r\x1b[K") if part]
    assert line.startswith("bare  ############............  50%  1/2  ") and "\x1b" not in line
    assert len(line) == 69
    monkeypatch.setenv("TERM", "dumb")
    silent = Progress(screen := Screen())
    silent.take(event)
    silent.close()
    assert screen.getvalue() == ""


def test_progress_shows_how_long_a_slow_server_has_been_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("fingerpost.audit.progress._SECONDS_BETWEEN_START_UPDATES", 0.1)
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    slow = command(tools=[NEAR], start=[["sleep", 0.5]])
    assert audit("--most", "1", "--json", os.devnull, "--start-timeout", "40", "--", *slow) == 0
    lines = screen.getvalue().split("\r\x1b[K")
    assert lines[1] == "starting the server ."
    assert re.fullmatch(r"starting the server \. \d+ s of 40", lines[2])


def test_start_timeout_limits_the_wait_for_a_silent_server(capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, "--timeout", "0.5", "--start-timeout", "0.6", "--", "sleep", "60")
    assert message == (
        "fingerpost: the server gave no answer within 0.6 s during the MCP handshake\n"
        "Is it an MCP server? --start-timeout gives it more time.\n"
    )


def test_only_characters_that_the_encoding_lacks_are_replaced() -> None:
    assert fit_encoding("✓ é", io.StringIO()) == "✓ é"
    assert fit_encoding("✓ é", Screen()) == "+ ?"


def test_the_terminal_report_has_grade_failures_notes_and_advice() -> None:
    plain = Style(False)
    assert "Grade: 100 (A)" in render(fold_events(perfect()), plain)
    stopped = render(Report(), plain)
    assert stopped == "\nGrade: none, no call was tried\nIncomplete: stopped.\n"
    unrepairable = render(fold_events([tried("brief", is_repaired=None), AuditEnded()]), plain)
    assert unrepairable.startswith("✓ [1] An error is short enough to be read")
    assert "Grade: 100 (A)  nothing to repair\n" in unrepairable
    notes = [Note(f"t{number}", "a right call fails: no", needs_examples=True) for number in range(5)]
    long = tried("honest", why="is not", number=7, reply="\n".join("abcdefgh"))
    text = render(fold_events([*failing(), long, *notes]), plain)
    assert "Note on buy: had to be started again\n" in text and "And 3 more notes.\n" in text
    assert "    < f\n    < … 2 more lines\n" in text
    assert "Provide working values with --examples FILE" in text
    assert "One line fixes most of this:" in text


@pytest.mark.parametrize("is_compared", [False, True])
def test_the_table_fits_a_narrow_terminal(is_compared: bool) -> None:
    made = fold_events(perfect())
    made.behind = fold_events(perfect()) if is_compared else None
    for width in (62, 80, 110):
        table = render(made, Style(False), width).partition("In brackets")[0].splitlines()
        assert max(map(len, table)) <= width
    assert max(map(len, table)) > 80


def test_text_from_a_server_cannot_control_the_terminal() -> None:
    for events in (hostile(), hostile(ended=False)):
        assert all(line.isprintable() for line in render(fold_events(events), Style(False)).splitlines())


# the pytest file


def test_the_pytest_file_fails_until_the_server_is_fixed(tmp_path: Path) -> None:
    made, server = tmp_path / "test_made.py", tmp_path / "server.py"
    answer = '{"isError": True, "content": [{"type": "text", "text": TEXT}]}'
    program = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    if 'id' in asked:\n"
        f"        said = {{'tools': {[NEAR]!r}}} if asked['method'] == 'tools/list' else {answer}\n"
        "        print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], 'result': said}), flush=True)\n"
    )
    leaky = "Traceback (most recent call last):\\n  File 'x.py', line 1, in f\\nValueError: no"
    server.write_text(program.replace("TEXT", repr(leaky.replace("\\n", "\n"))))
    assert audit("-q", "--most", "1", "--pytest", str(made), "--", sys.executable, "-S", str(server)) == 0
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "discreet", str(made)]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    before = subprocess.run(run, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=tmp_path, env=env)
    assert before.returncode == 1 and "1 failed" in before.stdout, before.stdout
    server.write_text(program.replace("TEXT", "'There is no tool of that name.'"))
    after = subprocess.run(run, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=tmp_path, env=env)
    assert after.returncode == 0 and "1 passed" in after.stdout, after.stdout
