"""The program of the guard process: stop the process groups of a proxy that was killed.

It reads lines from standard input: `+GROUP` for a group that has started, `-GROUP` for one that has ended. The end of
the input is the end of the proxy. It runs without site packages and imports nothing else of the package, so that it
starts in milliseconds and needs little memory.
"""

import os
import signal
import time

GRACE = 0.3
"""Seconds between the end of the input, SIGTERM and SIGKILL."""


def watch(fd: int) -> set[int]:
    """Read lines until the end of the input; return the groups that have not ended."""
    groups, rest = set[int](), b""
    while chunk := os.read(fd, 4096):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            change = groups.add if line.startswith(b"+") else groups.discard
            change(int(line[1:]))
    return groups


def stop_groups(groups: set[int], grace: float = GRACE) -> None:
    """Stop groups whose input has been closed: wait, send SIGTERM, wait, send SIGKILL."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + grace
        while (groups := {one for one in groups if _send(one, 0)}) and time.monotonic() < deadline:
            time.sleep(0.01)
        for one in groups:
            _send(one, number)


def _send(group: int, number: int) -> bool:
    """Send a signal to a group; whether it still exists."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # some of its processes are not ours any more; the others got the signal
        pass
    return True


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    stop_groups(watch(0))


if __name__ == "__main__":
    main()
