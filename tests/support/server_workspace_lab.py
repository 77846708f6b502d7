"""Workspaces to try things in: trees told by what they hold, diffs as tools make them, and a system that fails."""

from __future__ import annotations

import difflib
import os
import random
import signal
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fingerpost.servers.workspace.content import lines_of

FAULTY = ("open", "write", "fchmod", "fsync", "rename", "link", "unlink", "mkdir", "rmdir", "listdir", "stat", "chmod")
"""The calls into the system that may fail, or be the last ones."""


def snapshot(root: Path) -> dict[str, tuple[str, int, bytes | str]]:
    """Everything that a tree holds, byte for byte, with its modes."""
    found: dict[str, tuple[str, int, bytes | str]] = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            info = path.lstat()
            held = os.readlink(path) if path.is_symlink() else path.read_bytes() if stat.S_ISREG(info.st_mode) else b""
            found[str(path.relative_to(root))] = (stat.filemode(info.st_mode), stat.S_IMODE(info.st_mode), held)
    return found


def planted(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """A tree with these files."""
    for name, held in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(held if isinstance(held, bytes) else held.encode())
    return root


def diff(old: str, new: str, name: str = "x.txt", *, context: int = 3) -> str:
    """The unified diff between two texts, as git writes it."""
    made = difflib.unified_diff(lines_of(old), lines_of(new), f"a/{name}", f"b/{name}", n=context)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in made)


class Faults:
    """The `os` module, of which the call by some number fails, or does not return."""

    def __init__(self, at: int, fail: Callable[[], Any], *, for_good: bool = False) -> None:
        self.count = 0
        self._at, self._fail, self._for_good = at, fail, for_good

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in FAULTY:
            return real

        def call(*args: Any, **kwargs: Any) -> Any:
            self.count += 1
            if self.count == self._at or (self._for_good and self.count > self._at):
                self._fail()
            return real(*args, **kwargs)

        return call


def failing(number: int) -> Callable[[], Any]:
    def fail() -> Any:
        raise OSError(number, os.strerror(number))

    return fail


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def in_a_child(do: Callable[[], Any]) -> bool:
    """Do something in a process of its own; whether it lived to the end."""
    child = os.fork()
    if child == 0:
        try:
            do()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def edited(text: str, rng: random.Random) -> str:
    """The text with some lines changed, some gone and some new."""
    lines = lines_of(text)
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(lines))
        lines[at : at + rng.randint(0, 2)] = [f"new {rng.random()}\n"] * rng.randint(0, 2)
    return "".join(lines)
