"""`make bench-load`: many connections for a while, direct, through our proxy and through bare Envoy.

The ways take turns on one server, so that a busy machine affects all of them. Throughput per core is the number of
calls for each second of CPU that the process in between has spent. `python -m bench.load SECONDS` changes the time.
"""

from __future__ import annotations

import selectors
import socket
import statistics
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field

from bench.http_peers import Way, open_ways
from bench.processes import cpu_of, resident
from bench.proxy_http import Post, right_call
from bench.table import Row, print_rows, show_spread

_CONNECTIONS = 32
_SLICE = 1.0
"""Seconds of a turn. The server closes connections that are idle for five seconds."""


@dataclass(slots=True)
class Load:
    """What one way has done: one value per turn, and the time of every call."""

    rates: list[float] = field(default_factory=list[float])
    per_core: list[float] = field(default_factory=list[float])
    taken: list[float] = field(default_factory=list[float])
    memory: list[float] = field(default_factory=list[float])


def load(seconds: float = 30.0) -> list[Row]:
    with ExitStack() as stack:
        ways = open_ways(stack, "fingerpost", "envoy")
        clients = {name: stack.enter_context(Connections(way.port)) for name, way in ways.items()}
        loads = {name: Load() for name in ways}
        for client in clients.values():
            client.run(0.5)  # connects, and lets the proxies learn what they keep
        for name, way in ways.items():
            loads[name].memory.append(resident(way.pid))
        for _ in range(max(2, round(seconds / _SLICE))):
            for name, way in ways.items():
                _take_turn(loads[name], way, clients[name])
    return [row for name, one in loads.items() for row in _rows(name, one, loads["direct"])]


def _take_turn(load: Load, way: Way, client: Connections) -> None:
    before, start = cpu_of(way.pid), time.perf_counter()
    taken = client.run(_SLICE)
    load.rates.append(len(taken) / (time.perf_counter() - start))
    load.per_core.append(len(taken) / (cpu_of(way.pid) - before))
    load.taken += taken
    load.memory.append(resident(way.pid))


def _rows(name: str, load: Load, direct: Load) -> list[Row]:
    start, middle, end = load.memory[0], load.memory[len(load.memory) // 2], load.memory[-1]
    title = f"{name}, {_CONNECTIONS} connections, {len(load.rates) * _SLICE:.0f} s, {len(load.taken):,} calls"
    rows: list[Row] = [(f"{title}: calls per second", f"{statistics.median(load.rates):,.0f}", "")]
    if load is not direct:
        rows.append(("  throughput / direct", show_spread(load.rates, direct.rates), ""))
    return [
        *rows,
        ("  calls per CPU second of its process", f"{statistics.median(load.per_core):,.0f}", ""),
        ("  p50", f"{statistics.median(load.taken) * 1e3:.1f} ms", ""),
        ("  p99", f"{statistics.quantiles(load.taken, n=100)[98] * 1e3:.1f} ms", ""),
        ("  memory at the start, in the middle, at the end", f"{start:.1f}, {middle:.1f}, {end:.1f} MB", "flat"),
    ]


class Connections:
    """Connections that each send the same call again as soon as it is answered."""

    def __init__(self, port: int) -> None:
        head = {"Host": f"127.0.0.1:{port}", **Post.HEADERS, "Content-Length": str(len(right_call()))}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        self._request = f"POST /mcp HTTP/1.1\r\n{lines}\r\n{right_call()}".encode()
        self._selector = selectors.DefaultSelector()
        self._sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(_CONNECTIONS)]
        for one in self._sockets:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(one, selectors.EVENT_READ)

    def __enter__(self) -> Connections:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        for one in self._sockets:
            one.close()

    def run(self, seconds: float) -> list[float]:
        """Call for a while, then wait for the last answers; the seconds that each call took."""
        sent, got, taken = dict[socket.socket, float](), dict.fromkeys(self._sockets, b""), list[float]()
        for one in self._sockets:
            self._send(one, sent)
        ends_at = time.perf_counter() + seconds
        while sent:
            for key, _ in self._selector.select(10):
                one: socket.socket = key.fileobj  # pyright: ignore[reportAssignmentType]
                data = one.recv(65_536)
                assert data, "the connection was closed"
                got[one] += data
                if not _is_whole(got[one]):
                    continue
                taken.append(time.perf_counter() - sent.pop(one))
                assert b"User 5" in got[one], got[one][:500]
                got[one] = b""
                if time.perf_counter() < ends_at:
                    self._send(one, sent)
        return taken

    def _send(self, one: socket.socket, sent: dict[socket.socket, float]) -> None:
        sent[one] = time.perf_counter()
        one.sendall(self._request)


def _is_whole(data: bytes) -> bool:
    """Whether a response with a length has arrived."""
    head, separator, body = data.partition(b"\r\n\r\n")
    length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
    return bool(separator) and len(body) == int(length)


if __name__ == "__main__":
    print_rows(load(*map(float, sys.argv[1:])))
