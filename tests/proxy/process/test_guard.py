"""No server outlives a proxy that is killed, whatever the server and its children ignore."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from fingerpost.proxy.process import guard_program
from fingerpost.proxy.process.child import Child
from fingerpost.proxy.process.guard import Guard
from tests.support.waiting import PATIENCE, until

STUBBORN = """
import json, os, signal, subprocess, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"], stdin=subprocess.DEVNULL)
with open(sys.argv[1], "a") as file:
    file.write(f"{os.getpid()}\\n{child.pid}\\n")
for line in sys.stdin:
    if "id" in (message := json.loads(line)):
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": about}), flush=True)
time.sleep(600)
"""
"""A server that ignores signals and the end of its input, as its child does: ignored signals are inherited."""

GENTLE = """
import sys, time
for line in sys.stdin: pass
time.sleep(0.1)
open(sys.argv[1], "w").write("saved")
"""
"""A server that needs a moment to save its work."""

INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


def pids_in(file: Path) -> list[int]:
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def start_proxy(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "fingerpost", "proxy", *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)


def children_of(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def greet_by_http(process: subprocess.Popen[bytes]) -> None:
    assert process.stderr
    port = int(process.stderr.readline().decode().rpartition(":")[2].partition("/")[0])
    for _ in range(2):
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("POST", "/mcp", json.dumps(INITIALIZE), {"Content-Type": "application/json"})
        assert connection.getresponse().status == 200
        connection.close()


def greet_by_stdio(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    process.stdin.flush()
    assert b"result" in process.stdout.readline()


@pytest.mark.parametrize(
    ("options", "greet", "count"), [((), greet_by_stdio, 2), (("--listen", "127.0.0.1:0"), greet_by_http, 4)]
)
def test_a_killed_proxy_leaves_no_process_behind(
    tmp_path: Path, options: tuple[str, ...], greet: Callable[[Any], None], count: int
) -> None:
    file = tmp_path / "pids"
    process = start_proxy(*options, "--", sys.executable, "-S", "-c", STUBBORN, str(file))
    with process:
        greet(process)
        pids = pids_in(file)
        everything = {*pids, *children_of(process.pid)}
        assert len(pids) == count and len(everything) == count + 1 and all(map(is_running, everything))
        process.kill()
        until(lambda: not any(map(is_running, everything)))


def test_a_server_has_time_to_end_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "saved"
    with start_proxy("--", sys.executable, "-S", "-c", GENTLE, str(file)) as process:
        until(lambda: len(children_of(process.pid)) == 2)
        process.kill()
        assert until(lambda: file.exists() and file.read_text()) == "saved"


def test_the_guard_ends_with_the_proxy() -> None:
    with start_proxy("--", "cat") as process:
        until(lambda: len(children_of(process.pid)) == 2)
        children = children_of(process.pid)
        assert process.stdin
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
        assert not any(map(is_running, children))


def test_a_killed_guard_does_not_matter() -> None:
    with Guard() as guard:
        child = Child(["cat"], 1_000, guard=guard)
        [pid] = [
            one for one in children_of(os.getpid()) if b"guard_program" in Path(f"/proc/{one}/cmdline").read_bytes()
        ]
        os.kill(pid, signal.SIGKILL)
        until(lambda: not is_running(pid))
        guard.add(1)
        child.stop()
        assert child.has_exited()


def test_without_a_guard_servers_run_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with Guard() as guard:
        child = Child(["cat"], 1_000, guard=guard)
        child.stop()
        assert child.has_exited()


def test_a_guard_that_does_not_end_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.proxy.process.guard._LONGEST_END", 0.0)
    with Guard() as guard:
        process = guard._process  # pyright: ignore[reportPrivateUsage]
    assert process is not None and process.wait(PATIENCE) == 0


# the program of the guard


def test_groups_that_have_ended_are_forgotten() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"+11\n+22\n-11\n+3")
    os.write(writer, b"3\n-44\n")
    os.close(writer)
    assert guard_program.watch(reader) == {22, 33}
    os.close(reader)


def test_the_program_stops_the_groups_it_was_told_about(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    server = subprocess.Popen(
        [sys.executable, "-S", "-c", STUBBORN, str(file)], stdin=subprocess.DEVNULL, start_new_session=True
    )
    until(lambda: len(pids_in(file)) == 2)
    subprocess.run(
        [sys.executable, "-m", guard_program.__name__], input=b"+%d\n" % server.pid, timeout=PATIENCE, check=True
    )
    assert server.wait(PATIENCE) == -signal.SIGKILL
    until(lambda: not any(map(is_running, pids_in(file))))


def test_the_guard_is_not_ended_by_signals() -> None:
    command = [sys.executable, "-S", guard_program.__file__]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        ignored = sum(1 << (number - 1) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
        until(lambda: _ignored_signals(process.pid) & ignored == ignored)


def _ignored_signals(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1], 16) for line in lines if line.startswith("SigIgn"))


def test_a_group_that_has_ended_is_not_waited_for() -> None:
    with subprocess.Popen(["true"], start_new_session=True) as process:
        process.wait(PATIENCE)
    guard_program.stop_groups({process.pid}, grace=float("inf"))


def test_a_group_that_may_not_be_signalled_is_tried_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []

    def refuse(group: int, number: int) -> None:
        sent.append(number)
        raise PermissionError

    monkeypatch.setattr(os, "killpg", refuse)
    guard_program.stop_groups({1}, grace=0.0)
    assert [number for number in sent if number] == [signal.SIGTERM, signal.SIGKILL]
