"""Helpers for tests of the workspace server: trees, calls, diffs, and an `os` module that fails."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import asyncio
import difflib
import os
import random
import signal
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from mcp.client import Client

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace import create_server, journal, new_files, rollback, transactions, tree
from fingerpost.servers.workspace.content import split_lines
from fingerpost.servers.workspace.paths import is_staging_name, staging_name
from tests.support.adopted_servers import ERAS, called

FAULTY = ("open", "write", "fchmod", "fsync", "rename", "link", "unlink", "mkdir", "rmdir", "listdir", "stat", "chmod")
"""The functions of `os` that may fail, or be the last call of a killed process."""


def snapshot(root: Path) -> dict[str, tuple[str, int, bytes | str]]:
    """Return the content of a tree, byte for byte, with modes."""
    found: dict[str, tuple[str, int, bytes | str]] = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            info = path.lstat()
            held = os.readlink(path) if path.is_symlink() else path.read_bytes() if stat.S_ISREG(info.st_mode) else b""
            found[str(path.relative_to(root))] = (stat.filemode(info.st_mode), stat.S_IMODE(info.st_mode), held)
    return found


def write_files(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write these files into a tree."""
    for name, held in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(held if isinstance(held, bytes) else held.encode())
    return root


def diff(old: str, new: str, name: str = "x.txt", *, context: int = 3) -> str:
    """Return the unified diff between two texts, as git writes it."""
    made = difflib.unified_diff(split_lines(old), split_lines(new), f"a/{name}", f"b/{name}", n=context)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in made)


class Faults:
    """The `os` module, whose call number `at` fails or does not return."""

    def __init__(
        self, at: int, fail: Callable[[], Any], *, for_good: bool = False, names: tuple[str, ...] = FAULTY
    ) -> None:
        self.count = 0
        self._at, self._fail, self._for_good, self._names = at, fail, for_good, names

    def __getattr__(self, name: str) -> Any:
        return self.wrap(name, getattr(os, name))

    def wrap(self, name: str, real: Callable[..., Any]) -> Any:
        """Count the calls of a function, and let it fail in its turn."""
        if name not in self._names:
            return real

        def call(*args: Any, **kwargs: Any) -> Any:
            self.count += 1
            if self.count == self._at or (self._for_good and self.count > self._at):
                self._fail()
            return real(*args, **kwargs)

        return call


def replace_os(patch: pytest.MonkeyPatch, faults: Faults) -> None:
    """Let everything that changes a tree use this `os` module."""
    for module in (journal, new_files, rollback, transactions, tree):
        patch.setattr(module, "os", faults)
    patch.setattr(new_files, "_rename_exclusively", faults.wrap("rename", new_files._rename_exclusively))


def fail_with(number: int) -> Callable[[], Any]:
    def fail() -> Any:
        raise OSError(number, os.strerror(number))

    return fail


def kill_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def run_in_child(do: Callable[[], Any]) -> bool:
    """Run something in its own process; return whether it ran to the end."""
    child = os.fork()
    if child == 0:
        try:
            do()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def error_in_child(do: Callable[[], Any], prepare: Callable[[], Any]) -> str:
    """Run something in its own process; return the code or else the category of its error, or `done`."""
    receive, send = os.pipe()

    def report() -> None:
        prepare()
        try:
            do()
            answer = "done"
        except ToolOperationError as error:
            answer = error.code or str(error.category)
        os.write(send, answer.encode())

    run_in_child(report)
    os.close(send)
    with os.fdopen(receive) as answer:
        return answer.read()


def edit_randomly(text: str, rng: random.Random) -> str:
    """Change, remove and add some lines."""
    lines = split_lines(text)
    for _ in range(rng.randint(1, 4)):
        at = rng.randint(0, len(lines))
        lines[at : at + rng.randint(0, 2)] = [f"new {rng.random()}\n"] * rng.randint(0, 2)
    return "".join(lines)


FRAMEWORKS = ("on_sdk", "on_fastmcp")
NOTES = "one\ntwo\nthree\nfour\nfive\n"


APP = "def f():\n    return 1\n\n\ndef g():\n    return 1\n"


LINE = st.sampled_from(
    [
        "a",
        "b",
        "",
        " x",
        "-- y",
        "++ z",
        "- q",
        "+w",
        "\\ n",
        "@@ -1 +1 @@",
        "--- a/x",
        "+++ b/x",
        "*** End Patch",
        "```",
    ]
) | st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), max_size=6)


def failure(do: Any, *args: Any, **arguments: Any) -> ToolOperationError:
    with pytest.raises(ToolOperationError) as caught:
        do(*args, **arguments)
    return caught.value


def call_tools(
    root: Path, *calls: tuple[str, dict[str, Any]], framework: str = "on_sdk", era: str = ERAS[1], **options: Any
) -> Any:
    """Send calls; return the replies, and the tools as listed before the first call and after the last."""

    async def main() -> Any:
        server = getattr(create_server(root), framework)(**options)
        mode = "legacy" if era == ERAS[0] else "auto"
        async with Client(getattr(server, "_mcp_server", server), mode=mode) as client:
            before = (await client.list_tools()).tools
            replies = [await called(client, name, arguments) for name, arguments in calls]
            return (
                replies,
                {one.name: one for one in before},
                {one.name: one for one in (await client.list_tools()).tools},
            )

    return asyncio.run(main())


def call_tool(root: Path, name: str, arguments: dict[str, Any], **options: Any) -> Any:
    return call_tools(root, (name, arguments), **options)[0][0]


def staging_folder(root: Path) -> str:
    """The name of a staging folder that only a server of this folder can make."""
    return staging_name("0123abcd", root.stat().st_ino)


def left_over(root: Path) -> list[str]:
    """The staging folders that a server has left over."""
    return [name for name in os.listdir(root) if is_staging_name(name, root.stat().st_ino)]


HEAD = "--- a/x.txt\n+++ b/x.txt\n"
