"""Processes that are measured: their CPU time and memory, and servers that listen on a port."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager

ENV = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def cpu_of(pid: int) -> float:
    """CPU seconds of a process, without its children."""
    tasks = f"/proc/{pid}/task"
    return sum(int(_text(f"{tasks}/{task}/schedstat").split()[0]) for task in os.listdir(tasks)) / 1e9


def resident(pid: int) -> float:
    """Resident memory of a process in MB."""
    found = re.search(r"VmRSS:\s+(\d+)", _text(f"/proc/{pid}/status"))
    return int(found[1]) / 1024 if found else 0.0


def _text(path: str) -> str:
    with open(path, encoding="ascii") as file:
        return file.read()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def listening(command: list[str], port: int) -> Generator[int]:
    """Run a server until the block ends; its process id, once it accepts connections."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENV)
    try:
        for _ in range(400):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield process.pid
    finally:
        process.terminate()
        process.wait(10)
