"""The stdio proxy on Windows, as far as that can be simulated: without POSIX modules, signals and waiting for pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT
from tests.support.stdio_proxy import SAYSO, Proxy, assert_neither_side_stalls, is_running, text
from tests.support.waiting import PATIENCE

WINDOWS = [sys.executable, "-m", "tests.support.simulated_windows", "proxy"]


@pytest.fixture
def proxies(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    made: list[Proxy] = []

    def start(*words: str) -> Proxy:
        made.append(Proxy(*words, command=WINDOWS))
        return made[-1]

    yield start
    for proxy in made:
        proxy.close()


@pytest.mark.parametrize(
    "statement",
    [
        "import fcntl",
        "import os; os.killpg",
        "import os; os.set_blocking",
        "import signal; signal.SIGHUP",
        "import signal; signal.signal(17, print)",
        "import select; select.poll",
        "import os, select; select.select([os.pipe()[0]], [], [], 0)",
        "import os, socket; os.read(socket.socketpair()[0].fileno(), 1)",
        "import asyncio; asyncio.SelectorEventLoop().add_signal_handler(2, print)",
        "import asyncio, os; asyncio.SelectorEventLoop().add_reader(os.pipe()[0], print)",
        "import asyncio, socket; asyncio.Runner().get_loop().add_reader(socket.socketpair()[0], print)",
        "import subprocess; subprocess.Popen(['true'], preexec_fn=print)",
        "import subprocess; subprocess.Popen(['true']).send_signal(1)",
    ],
)
def test_the_simulation_refuses_what_windows_refuses(statement: str) -> None:
    program = (
        f"from tests.support.simulated_windows import simulate; simulate(); print('ready', flush=True); {statement}"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], cwd=ROOT, capture_output=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout) == (1, b"ready\n")


def test_calls_are_relayed_and_guided_and_the_server_ends_with_the_client(proxies: Any) -> None:
    proxy = proxies("--", *SAYSO)
    pid = proxy.pid()
    assert text(proxy.call("echo", n=5)) == "5"
    assert "UNKNOWN_PARAM" in json.dumps(proxy.call("echo", m=1))
    assert proxy.end() == (0, "")
    assert not is_running(pid)


def test_neither_side_can_stall_the_other(proxies: Any) -> None:
    proxy = proxies("--", *SAYSO)
    assert_neither_side_stalls(proxy)
    assert proxy.end() == (0, "")


@pytest.mark.parametrize(("name", "reason"), [("die", "exited with code 3"), ("leave", "exited with code 5")])
def test_a_server_that_ended_is_restarted_even_if_a_child_holds_its_output(
    proxies: Any, name: str, reason: str
) -> None:
    proxy = proxies("--", *SAYSO)
    assert reason in text(proxy.call(name))
    assert proxy.pid()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_signal_ends_the_proxy_after_the_calls_in_flight(proxies: Any, number: int, code: int) -> None:
    proxy = proxies("--", *SAYSO)
    proxy.begin_call("slow")
    proxy.process.send_signal(number)
    assert text(proxy.next()) == "late"
    assert proxy.process.wait(PATIENCE) == code


def test_a_server_that_ignores_the_end_of_its_input_is_asked_to_end_and_then_killed(proxies: Any) -> None:
    for handler in ("signal.SIG_DFL", "signal.SIG_IGN"):
        program = (
            f"import os, signal, sys, time; signal.signal(signal.SIGHUP, {handler}); "
            "print(os.getpid(), file=sys.stderr, flush=True); time.sleep(600)"
        )
        proxy = proxies("--", sys.executable, "-S", "-c", program)
        pid = int(proxy.stderr.readline())
        assert proxy.end()[0] == 0
        assert not is_running(pid)


def test_a_client_that_is_gone_ends_the_proxy(proxies: Any) -> None:
    proxy = proxies("--", *SAYSO)
    pid = proxy.pid()
    proxy.stdout.close()
    proxy.send({"id": 1, "method": "ping"})
    proxy.stdin.close()
    assert proxy.process.wait(PATIENCE) == 0
    assert not is_running(pid)


def test_a_command_is_found_by_its_name_without_the_extension(
    proxies: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim = tmp_path / "sayso.cmd"
    shim.write_text(f'#!/bin/sh\nexec "{SAYSO[0]}" -S "{SAYSO[2]}"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert proxies("--", "sayso").pid()


def test_a_missing_command_is_reported(proxies: Any) -> None:
    code, errors = proxies("--", "no-such-command").end()
    assert (code, "there is no command no-such-command" in errors) == (2, True)


def test_a_server_behind_http_and_http_is_reached_from_stdio(proxies: Any) -> None:
    front = proxies("--listen", "127.0.0.1:0", "--guidance", "off", "--", *SAYSO)
    between = proxies("--listen", "127.0.0.1:0", "--guidance", "off", front.stderr.readline().decode().split()[-1])
    proxy = proxies(between.stderr.readline().decode().split()[-1])
    proxy.initialize()
    pid = proxy.pid()
    assert "UNKNOWN_PARAM" in json.dumps(proxy.call("echo", m=1))
    assert proxy.end() == (0, "")
    for one in (between, front):
        one.process.send_signal(signal.SIGINT)
        assert one.process.wait(PATIENCE) == 130
    assert not is_running(pid)


def test_a_signal_ends_the_proxy_in_front_of_http(proxies: Any) -> None:
    front = proxies("--listen", "127.0.0.1:0", "--", *SAYSO)
    proxy = proxies(front.stderr.readline().decode().split()[-1])
    proxy.initialize()
    proxy.process.send_signal(signal.SIGINT)
    assert proxy.process.wait(PATIENCE) == 130
    front.process.send_signal(signal.SIGTERM)
    assert front.process.wait(PATIENCE) == 0
