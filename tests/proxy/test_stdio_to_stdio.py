"""The stdio proxy as a process: how it starts and ends, and how it handles a server that misbehaves."""

from __future__ import annotations

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fingerpost.proxy.log import Log
from fingerpost.proxy.process.pipe import Pipe
from fingerpost.proxy.process.supervisor import RestartPolicy, Supervisor
from fingerpost.proxy.protocol.session import Session
from tests.support.stdio_proxy import PROXY, SAYSO, Proxy, assert_neither_side_stalls, is_running, text
from tests.support.waiting import (
    PATIENCE,
    PIPE_SIZE,
    buffered_bytes,
    is_signal_pending,
    until,
    with_longer_timeouts,
)


@pytest.fixture
def proxies() -> Iterator[Any]:
    made: list[Proxy] = []

    def start(*words: str, **more: Any) -> Proxy:
        made.append(Proxy(*words, **more))
        return made[-1]

    yield start
    for proxy in made:
        proxy.close()


def test_the_proxy_is_quiet_and_ends_with_the_client_and_stops_the_server(proxies: Any) -> None:
    proxy = proxies("--", *SAYSO)
    pid = proxy.pid()
    assert "UNKNOWN_PARAM" in json.dumps(proxy.call("echo", m=1))
    assert proxy.end() == (0, "")
    assert not is_running(pid)


def test_the_log_has_a_line_for_each_guided_call_without_values(proxies: Any) -> None:
    proxy = proxies("-v", "--", *SAYSO)
    proxy.call("echo", m="hunter2")
    assert proxy.end()[1] == "fingerpost: refused 'echo': UNKNOWN_PARAM\n"
    machine = proxies("--log-json", "--", *SAYSO)
    machine.call("echo", m="hunter2")
    line = json.loads(machine.end()[1])
    assert (line["event"], line["tool"], line["code"]) == ("refused", "echo", "UNKNOWN_PARAM")


def test_output_that_is_not_a_message_is_kept_from_the_client_and_logged(proxies: Any) -> None:
    program = "print('ready', flush=True); import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')"
    proxy = proxies("-v", "--", sys.executable, "-c", program, SAYSO[-1])
    assert proxy.pid()
    assert proxy.end()[1] == "fingerpost: kept back a line that is no message\n"


def test_arguments_and_environment_reach_the_server_unchanged(proxies: Any) -> None:
    program = "import json, os, sys; print(json.dumps([sys.argv[1:], os.environ['GIVEN']]), file=sys.stderr)"
    proxy = proxies("--", sys.executable, "-c", program, "$(id);'x y'", "--", "-v", env={"GIVEN": "a b"})
    assert json.loads(proxy.end()[1].splitlines()[0]) == [["$(id);'x y'", "--", "-v"], "a b"]


def test_the_exit_code_is_the_servers_if_it_ended_first(proxies: Any) -> None:
    proxy = proxies("--", sys.executable, "-c", "import sys; sys.stdin.readline(); sys.exit(7)")
    proxy.send({"id": 1, "method": "ping"})
    assert "exited with code 7" in proxy.next()["error"]["message"]
    code, errors = proxy.end()
    assert code == 7
    assert errors == "fingerpost: the server exited with code 7; it will be restarted for the next request\n"


@pytest.mark.parametrize(
    ("number", "reason"), [(9, "was killed by SIGKILL"), (15, "was killed by SIGTERM"), (40, "signal 40")]
)
def test_a_killed_server_is_restarted_for_the_next_call(proxies: Any, number: int, reason: str) -> None:
    proxy = proxies("--", *SAYSO)
    pid = proxy.pid()
    proxy.begin_call("hang")
    os.kill(pid, number)
    assert reason in text(proxy.next())
    assert proxy.pid() != pid
    assert proxy.end()[0] == 0


def test_a_server_that_closes_its_output_is_stopped(proxies: Any) -> None:
    program = "import os, sys, time; sys.stdin.readline(); os.close(1); time.sleep(60)"
    proxy = proxies("--", sys.executable, "-S", "-c", program)
    proxy.send({"id": 1, "method": "ping"})
    assert "closed its output" in proxy.next()["error"]["message"]


def test_a_request_is_answered_if_the_server_ends_in_the_middle_of_a_frame(proxies: Any) -> None:
    program = 'import sys; sys.stdin.readline(); print(\'{"jsonrpc":"2.0","id":1,"res\', end=\'\', flush=True)'
    proxy = proxies("--", sys.executable, "-S", "-c", program)
    proxy.send({"id": 1, "method": "ping"})
    assert "exited with code 0" in proxy.next()["error"]["message"]


def test_a_reply_without_a_final_newline_is_read(proxies: Any) -> None:
    program = (
        'import sys; sys.stdin.readline(); sys.stdout.write(\'{"jsonrpc":"2.0","id":1,"result":{}}\'); sys.exit(1)'
    )
    proxy = proxies("--", sys.executable, "-S", "-c", program)
    proxy.send({"id": 1, "method": "ping"})
    assert proxy.next() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_server_that_never_answers_is_not_restarted_after_some_attempts(proxies: Any) -> None:
    proxy = proxies("--", sys.executable, "-S", "-c", "import sys; sys.exit(9)")
    messages = list[str]()
    for id in range(8):
        proxy.send({"id": id, "method": "ping"})
        messages.append(proxy.next()["error"]["message"])
    assert messages[0].startswith("The server exited with code 9")
    assert messages[-1] == "The server exited with code 9 each time it was started; the request was not sent"


def test_a_failed_restart_is_reported(proxies: Any, tmp_path: Path) -> None:
    program = tmp_path / "server"
    program.write_text(f"#!{sys.executable} -S\nimport os\nos.remove(__file__)\ninput()\n")
    program.chmod(0o755)
    proxy = proxies("--", str(program))
    for id, reason in enumerate(("exited with code 0", "could not be started")):
        proxy.send({"id": id, "method": "ping"})
        assert reason in proxy.next()["error"]["message"]


def test_stopping_the_server_stops_everything_it_started(proxies: Any, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program = (
        "import subprocess, sys; child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(60)']);"
        f"open({str(note)!r}, 'w').write(str(child.pid)); sys.stdin.readline(); print('x', flush=True); child.wait()"
    )
    proxy = proxies("--", sys.executable, "-S", "-c", program)
    until(lambda: note.exists() and note.read_text())
    code, _ = proxy.end()
    assert code == 0
    assert not is_running(int(note.read_text()))


def test_a_server_that_ignores_sigterm_is_killed(proxies: Any) -> None:
    program = (
        "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "print('x', file=sys.stderr, flush=True); time.sleep(60)"
    )
    proxy = proxies("--", sys.executable, "-S", "-c", program)
    proxy.stderr.readline()
    assert proxy.end()[0] == 0


def test_after_a_signal_calls_in_flight_are_answered(proxies: Any) -> None:
    proxy = proxies("--", *SAYSO)
    proxy.pid()
    proxy.begin_call("slow")
    proxy.process.terminate()
    assert text(proxy.next()) == "late"
    assert proxy.process.wait(PATIENCE) == 0


def test_after_a_second_signal_the_proxy_ends_at_once_and_reports_lost_calls(proxies: Any) -> None:
    proxy = proxies("--", *SAYSO)
    proxy.pid()
    proxy.begin_call("hang")
    proxy.process.send_signal(signal.SIGINT)
    until(lambda: not is_signal_pending(proxy.process.pid, signal.SIGINT))
    proxy.process.send_signal(signal.SIGINT)
    assert "was stopped before it answered" in text(proxy.next())
    assert proxy.process.wait(PATIENCE) == 130


def test_a_last_line_without_a_newline_is_a_message(proxies: Any) -> None:
    proxy = proxies("--", *SAYSO)
    proxy.raw(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')
    proxy.stdin.close()
    assert proxy.next() == {"jsonrpc": "2.0", "id": "last", "result": {}}
    assert proxy.process.wait(PATIENCE) == 0


def test_calls_that_wait_for_the_tool_list_are_sent_after_the_client_closes_its_side(proxies: Any) -> None:
    proxy = proxies("--", *SAYSO)
    proxy.send({"id": 1, "method": "tools/call", "params": {"name": "pid", "arguments": {}}})
    proxy.stdin.close()
    assert text(proxy.next()).isdigit()


def test_the_proxy_ends_if_the_client_closes_its_input(proxies: Any) -> None:
    proxy = proxies("--", *SAYSO)
    pid = proxy.pid()
    proxy.stdout.close()
    proxy.send({"id": 1, "method": "ping"})
    assert proxy.process.wait(PATIENCE) == 0
    assert not is_running(pid)


def test_neither_side_can_stall_the_other(proxies: Any) -> None:
    assert_neither_side_stalls(proxies("--", *SAYSO))


def test_an_exit_is_noticed_although_a_grandchild_keeps_the_output_open(proxies: Any) -> None:
    proxy = proxies("--", *SAYSO)
    assert "exited with code 5" in text(proxy.call("leave"))
    assert proxy.pid()


def test_a_silent_server_causes_a_timeout(proxies: Any) -> None:
    def hang(seconds: float) -> None:
        proxy = proxies("--timeout", f"{seconds:g}", "--", *SAYSO)
        assert text(proxy.call("pid")).isdigit()
        assert f"within {seconds:g} s" in text(proxy.call("hang"))
        assert text(proxy.call("cancelled")) == "1"

    with_longer_timeouts(hang, 0.3)


def test_a_terminal_can_be_the_client_and_may_close(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen([*PROXY, "--", *SAYSO], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    os.write(ours, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    got = b""
    while b'"result"' not in got:
        got += os.read(ours, 1_000)
    os.close(ours)
    assert process.wait(PATIENCE) == 0


def test_a_log_without_a_reader_does_no_harm() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as out:
        Log(out=out).notice("up")
        with suppress(BrokenPipeError):
            out.close()


def test_a_file_can_be_the_client(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    asked.write_text('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    answered = tmp_path / "answered"
    with asked.open() as stdin, answered.open("w") as stdout:
        subprocess.run([*PROXY, "--", *SAYSO], stdin=stdin, stdout=stdout, check=True, timeout=PATIENCE)
    assert json.loads(answered.read_text()) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_server_that_kept_failing_is_restarted_after_a_cool_down() -> None:
    restarts = RestartPolicy()
    for second in range(RestartPolicy.MAX_FAILURES):
        assert not restarts.is_suspended(second)
        restarts.record_exit("died", has_served=False, now=second)
        assert restarts.restart_at >= second
    assert restarts.is_suspended(RestartPolicy.MAX_FAILURES)
    assert not restarts.is_suspended(RestartPolicy.MAX_FAILURES + RestartPolicy.COOL_DOWN)
    restarts.record_exit("died", has_served=True, now=100)
    assert restarts.restart_at == 100


def test_output_before_an_exit_is_read_even_if_the_exit_is_noticed_first() -> None:
    session = Session(None)
    program = """import sys; sys.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}' + chr(10) + '{"half')"""
    server = Supervisor([sys.executable, "-S", "-c", program], session, limit=1_000, notice=print)
    server.start()
    session.from_client(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    until(server.has_exited)
    server.handle_exit()
    assert session.to_client == [b'{"jsonrpc":"2.0","id":1,"result":{}}']


@pytest.mark.parametrize("closed", ["<&-", "2>&-"])
def test_a_standard_stream_closed_from_the_start_is_not_mistaken_for_another_file(closed: str) -> None:
    line = 'printf \'%s\\n\' \'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"die"}}\' | '
    command = shlex.join([*PROXY, "--", *SAYSO])
    script = f"{command} {closed}" if closed == "<&-" else f"{line}{command} {closed}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    assert b"fingerpost" not in done.stdout.replace(b"dev.fingerpost", b"")
    assert done.returncode == (0 if closed == "<&-" else 3)


def test_a_server_that_closes_its_input_is_stopped(proxies: Any) -> None:
    program = "import os, sys, time; os.close(0); print('x', file=sys.stderr, flush=True); time.sleep(60)"
    proxy = proxies("--", sys.executable, "-S", "-c", program)
    proxy.stderr.readline()
    proxy.send({"id": 1, "method": "ping"})
    assert "closed its input" in proxy.next()["error"]["message"]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT])
def test_sighup_and_sigquit_end_the_proxy_cleanly(proxies: Any, number: int) -> None:
    proxy = proxies("--", *SAYSO)
    pid = proxy.pid()
    proxy.process.send_signal(number)
    assert proxy.process.wait(PATIENCE) == 0
    assert not is_running(pid)


@pytest.mark.parametrize("how", ["a signal", "the end"])
def test_the_proxy_ends_although_its_client_does_not_read(proxies: Any, how: str) -> None:
    proxy = proxies("--", *SAYSO)
    pid = proxy.pid()
    proxy.send({"id": 1, "method": "mirror", "params": {"large": "x" * 3_000_000}})
    until(lambda: buffered_bytes(proxy.stdout.fileno()) == PIPE_SIZE)
    if how == "a signal":
        proxy.process.terminate()
    else:
        proxy.stdin.close()
    assert proxy.process.wait(PATIENCE) == 0
    assert not is_running(pid)


def test_a_timeout_may_be_very_long(proxies: Any) -> None:
    assert proxies("--timeout", "1e300", "--", *SAYSO).pid() > 0


def test_unreadable_input_counts_as_its_end(tmp_path: Path) -> None:
    with (tmp_path / "written").open("wb") as only_written:
        done = subprocess.run(
            [*PROXY, "--", *SAYSO], stdin=only_written, capture_output=True, timeout=PATIENCE, check=False
        )
    assert (done.returncode, done.stdout) == (0, b"")


def test_a_buffer_is_dropped_when_its_reader_is_gone() -> None:
    reader, writer = os.pipe()
    pipe = Pipe(writer)
    pipe.write([b"x" * 1_000_000])
    assert pipe.size
    os.close(reader)
    pipe.finish()
    assert pipe.is_broken and not pipe.size
    os.close(writer)
