"""A server that is killed at any moment: whoever waits is told at once, and a fresh process takes its place."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.support.waiting import PATIENCE

from .findings import Findings
from .stand import Json, Stdio, call, closing, is_running, lines_of, request

_WITHIN = 1.0
_NOTICED = 0.15
"""Seconds until the proxy notices that a process was killed while nobody was waiting for it."""

_RESTART_NOTICE = b"it will be restarted for the next request"
_MOMENTS = ("starting", "idle", "in a call", "in a frame", "a hundred in flight")


def run(found: Findings, count: int, seed: int) -> None:
    del seed
    slowest = 0.0
    for era in ("legacy", "both"):
        with tempfile.TemporaryDirectory() as folder:
            slowest = max(slowest, _Scene(found, Path(folder), era).killed(count // 2))
    found.measured("kill -9 of the server at five moments, all answered", f"{count:,}")
    found.measured("slowest answer after a kill", f"{slowest:.2f} s")


class _Scene:
    """A proxy, and a server that notes each process and each execution."""

    def __init__(self, found: Findings, folder: Path, era: str) -> None:
        self._found, self._era = found, era
        self._pids, self._counter = folder / "pids", folder / "counter"
        self._config: Json = {"era": era, "pids": str(self._pids), "counter": str(self._counter)}
        self._config["start"] = [["sleep", 0.05]]
        self._sent: list[str] = []
        self._slowest = 0.0

    def killed(self, count: int) -> float:
        """Kill the server so many times; the seconds that the slowest answer took."""
        with closing(Stdio(config=self._config)) as proxy:
            if self._era == "legacy":
                proxy.shake_hands()
            proxy.ask("list", "tools/list")
            for turn in range(count):
                self._one(proxy, _MOMENTS[turn % len(_MOMENTS)], turn)
                self._found.progress(turn, count)
        self._orphans("at the end", len(lines_of(self._pids)))
        for key, times in Counter(lines_of(self._counter)).items():
            self._found.hold(times == 1, f"{key} was executed {times} times")
        return self._slowest

    def _one(self, proxy: Stdio, moment: str, turn: int) -> None:
        before = len(lines_of(self._pids))
        victim = int(lines_of(self._pids)[-1])
        owed = self._scene(proxy, moment, turn)
        if moment == "starting":
            self._kill_idle(proxy, moment, victim)
            victim, owed = self._starting(proxy, turn, before)
        if owed:
            at = time.monotonic()
            os.kill(victim, signal.SIGKILL)
            all(self._answered(proxy, moment, id, at) for id in owed)
        else:
            self._kill_idle(proxy, moment, victim)
        self._served_again(proxy, moment, turn, victim)
        self._orphans(moment, before)

    def _kill_idle(self, proxy: Stdio, moment: str, victim: int) -> None:
        """Kill a process that nobody waits for; the proxy says when it has noticed."""
        before = proxy.errors.count(_RESTART_NOTICE)
        at = time.monotonic()
        os.kill(victim, signal.SIGKILL)
        is_noticed = proxy.waited(lambda: proxy.errors.count(_RESTART_NOTICE) > before, PATIENCE)
        self._found.hold(is_noticed, f"killed {moment}: not noticed")
        self._found.within(time.monotonic() - at, _NOTICED, f"killed {moment}: noticed late")

    def _starting(self, proxy: Stdio, turn: int, before: int) -> tuple[int, list[str]]:
        """The process that takes the place of the last one, only just started, and the call that waits for it."""
        id = f"{turn}"
        proxy.send(call(id, "count_up", {"key": id}))
        until = time.monotonic() + PATIENCE
        while len(pids := lines_of(self._pids)) <= before and time.monotonic() < until:
            time.sleep(0.002)
        return int(pids[-1]), [id]

    def _scene(self, proxy: Stdio, moment: str, turn: int) -> list[str]:
        """Bring the server to that moment; the ids that are owed an answer then."""
        match moment:
            case "in a call":
                return self._held(proxy, [f"{turn}"], [["spawn", 60], ["count", f"{turn}"], ["hang"]])
            case "in a frame":
                half = f'{{"jsonrpc":"2.0","id":"{turn}","result":{{"content":['
                return self._held(proxy, [f"{turn}"], [["count", f"{turn}"], ["part", half], ["hang"]])
            case "a hundred in flight":
                return self._held(proxy, [f"{turn}-{one}" for one in range(100)], None)
            case _:
                return []

    def _held(self, proxy: Stdio, ids: list[str], steps: Any) -> list[str]:
        """Have the server at work on those calls: all of them have begun."""
        for id in ids:
            proxy.send(call(id, "count_up", {"key": id}, do=steps or [["count", id], ["hang"]]))
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and ids[-1] not in lines_of(self._counter):
            time.sleep(0.002)
        return ids

    def _answered(self, proxy: Stdio, moment: str, id: str, at: float) -> bool:
        reply = proxy.reply_to(id)
        if self._found.hold(reply is not None, f"killed {moment}: no answer to {id}") and reply is not None:
            took = reply[0] - at
            self._slowest = max(self._slowest, took)
            self._found.within(took, _WITHIN, f"killed {moment}: answered late")
            is_error = "isError" in json.dumps(reply[1])
            self._found.hold(is_error or moment == "starting", f"killed {moment}: {reply[1]}")
        return reply is not None

    def _served_again(self, proxy: Stdio, moment: str, turn: int, victim: int) -> None:
        proxy.send(request(f"again-{turn}", "tools/call", {"name": "echo", "arguments": {"text": "a"}}))
        reply = proxy.reply_to(f"again-{turn}")
        text = reply[1].get("result", {}).get("content", [{}])[0].get("text", "") if reply else ""
        pid = json.loads(text).get("pid") if text.startswith("{") else None
        self._found.hold(pid not in (None, victim), f"killed {moment}: the next call got {reply}")

    def _orphans(self, moment: str, before: int) -> None:
        """Nothing is left of the processes up to that one, nor of what any process has started."""
        pids = [*lines_of(self._pids)[:before], *lines_of(self._pids.with_suffix(".spawned"))]
        began = time.monotonic()
        while (left := [pid for pid in pids if is_running(int(pid))]) and time.monotonic() < began + PATIENCE:
            time.sleep(0.01)
        self._found.hold(not left, f"killed {moment}: {len(left)} processes are left")
        self._found.within(time.monotonic() - began, _WITHIN, f"killed {moment}: its processes ended late")
