"""Measure how many wrong calls a simple client gets right in one retry, on each reference server, bare and guided.

The client turns right calls into wrong ones and sends them. It then sends the corrected call that the error gives; if
there is none, it stops, as it would to ask its user. The benchmark counts the calls that reach the right result, and
those that did something nobody asked for.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import statistics
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from mcp.client import Client

import fingerpost
from fingerpost.audit.generate.mistakes import Mistake, generate_mistakes
from fingerpost.audit.generate.mutations import misspell
from fingerpost.audit.judge.follow_error import read_corrected_call
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import Call
from fingerpost.servers.command import create_server

Row = tuple[str, str, str]
Outcome = tuple[dict[str, Any], Any]
"""A reply, and the files of the folder after it."""
Ask = Callable[[Call], Awaitable[Outcome]]

_FILES = {
    "README.md": "# Notes\n\nFirst line\nSecond line\n",
    "src/app.py": "def main():\n    print('hello')\n",
    "src/util.py": "def helper(value):\n    return value * 2\n",
    "docs/guide.md": "Read me first.\n",
}
_PATCH = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1,2 +1,2 @@\n def main():\n-    print('hello')\n+    print('bye')\n"


@dataclass(frozen=True)
class ReferenceServer:
    """A server, right calls for it, and the parameters whose values are names."""

    kind: str
    calls: tuple[Call, ...]
    name_parameters: tuple[str, ...]
    make_folder: Callable[[], Path | None]
    writes: bool = False


def reference_servers() -> Iterator[ReferenceServer]:
    yield from (_code_server(), _units_server(), _workspace_server())


def _code_server() -> ReferenceServer:
    return ReferenceServer(
        "code",
        (
            Call("search", {"pattern": "Catalog", "filter": "*.py", "max": 5}),
            Call("search", {"pattern": "def admit", "max": 3, "offset": 0}),
            Call("list_files", {"filter": "rules/**", "max": 10}),
            Call("get_definition", {"id": "catalog.py:Catalog.listed"}),
        ),
        ("id",),
        lambda: Path(fingerpost.__file__).parent / "engine",
    )


def _units_server() -> ReferenceServer:
    factors = [{"value": 2.2046, "numerator": "pound", "denominator": "kilogram"}]
    return ReferenceServer(
        "units",
        (
            Call("convert", {"value": 2.5, "from_unit": "kilogram", "to_unit": "pound"}),
            Call("convert", {"value": 100, "from_unit": "kilometer/hour", "to_unit": "meter/second"}),
            Call("compute", {"initial_value": 100, "initial_unit": "kilogram", "factors": factors}),
            Call("check_dimensions", {"a": "newton", "b": "kilogram*meter/second^2"}),
            Call("list_units", {"dimension": "length"}),
        ),
        ("from_unit", "to_unit", "initial_unit", "a", "dimension"),
        lambda: None,
    )


def _workspace_server() -> ReferenceServer:
    return ReferenceServer(
        "workspace",
        (
            Call("read_content", {"content_url": "sandbox:/src/app.py"}),
            Call("list_paths", {"path": "src"}),
            Call("write_file", {"path": "src/new.py", "text": "x = 1\n", "dry_run": True}),
            Call("write_file", {"path": "src/new.py", "text": "x = 1\n"}),
            Call("apply_patch", {"patch": _PATCH, "dry_run": True}),
            Call("move", {"from_path": "src/util.py", "to_path": "src/tools.py", "dry_run": False}),
            Call("delete", {"path": "docs/guide.md", "dry_run": True}),
        ),
        ("content_url", "from_path"),
        _make_workspace,
        writes=True,
    )


def _make_workspace() -> Path:
    root = Path(tempfile.mkdtemp(prefix="fingerpost-loop-"))
    for name, text in _FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    for path in (root, *root.rglob("*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))  # so that every copy looks the same
    return root


@dataclass
class Tally:
    """The outcomes of the mistakes."""

    mistakes: int = 0
    repairable: int = 0
    recovered: int = 0
    """Repairable mistakes that reached the right result after at most one retry."""
    wrong: list[Mistake] = field(default_factory=list[Mistake])
    """Mistakes that did something nobody asked for, or got another result as if it were the right one."""
    attempts: list[int] = field(default_factory=list[int])
    not_recovered: list[Mistake] = field(default_factory=list[Mistake])

    @property
    def share(self) -> float:
        return self.recovered / self.repairable if self.repairable else 1.0


def loop() -> list[Row]:
    logging.disable(logging.CRITICAL)
    rows: list[Row] = []
    for server in reference_servers():
        for is_guided in (False, True):
            tally = asyncio.run(run(server, is_guided=is_guided))
            way = "guided" if is_guided else "bare"
            tries = f"{statistics.mean(tally.attempts):.2f}" if tally.attempts else "-"
            rows += [
                (
                    f"loop, {server.kind} server, {way}: recovered of {tally.repairable} repairable",
                    f"{tally.share:.1%}",
                    "at least 95 %" if is_guided else "",
                ),
                ("  attempts to success", tries, ""),
                (
                    f"  of all {tally.mistakes} mistakes, done or answered wrongly",
                    str(len(tally.wrong)),
                    "none" if is_guided else "",
                ),
            ]
    logging.disable(logging.NOTSET)
    return rows


async def run(server: ReferenceServer, *, is_guided: bool, rounds: int = 8, seed: int = 7) -> Tally:
    """Send every mistake. If calls change something, each gets a new server."""
    tally, expected = Tally(), dict[str, Outcome]()
    mistakes = await _make_mistakes(server, rounds, Random(seed))
    async with AsyncExitStack() as stack:
        shared = None if server.writes else await stack.enter_async_context(_connect(server, is_guided=is_guided))
        for mistake in mistakes:
            async with AsyncExitStack() as own:
                if (right := repr(mistake.right)) not in expected:
                    fresh = shared or await own.enter_async_context(_connect(server, is_guided=is_guided))
                    expected[right] = await fresh(mistake.right)
                ask = shared or await own.enter_async_context(_connect(server, is_guided=is_guided))
                await _retry(ask, mistake, expected[right], tally)
    return tally


async def _make_mistakes(server: ReferenceServer, rounds: int, random: Random) -> list[Mistake]:
    folder = server.make_folder()
    async with Client(create_server(server.kind, folder and str(folder)).on_sdk()) as client:
        listed = (await client.list_tools()).model_dump(by_alias=True, exclude_none=True)["tools"]
    if server.writes and folder:
        shutil.rmtree(folder)
    catalog = Catalog.listed(listed)
    mistakes = list[Mistake]()
    for right in [*server.calls] * rounds:
        mistakes += [*generate_mistakes(right, catalog, random), *_misspell_values(right, server, random)]
    sendable = [
        one for one in mistakes if isinstance(one.call.arguments, dict)
    ]  # the client itself refuses anything else
    return list({(one.kind, repr(one.call)): one for one in sendable}.values())


def _misspell_values(right: Call, server: ReferenceServer, random: Random) -> Iterator[Mistake]:
    """Misspell values that are names, such as the last part of a path."""
    for name in server.name_parameters:
        if isinstance(value := right.arguments.get(name), str):
            head, _, last = value.rpartition("/")
            wrong = f"{head}/{misspell(last, random)}" if head else misspell(last, random)
            if wrong != value:
                yield Mistake("value.misspelt", Call(right.tool, {**right.arguments, name: wrong}), right, name)


async def _retry(ask: Ask, mistake: Mistake, expected: Outcome, tally: Tally) -> None:
    """Send a wrong call and, once, the corrected call that the reply gives."""
    tally.mistakes += 1
    tally.repairable += mistake.is_repairable
    call = mistake.call
    for attempt in (1, 2):
        reply, tree = await ask(call)
        corrected = read_corrected_call(reply, call)
        if corrected is not None:
            call = corrected
        elif reply.get("isError") is True:
            break
        elif (reply.get("structuredContent"), tree) == (expected[0].get("structuredContent"), expected[1]):
            tally.recovered += mistake.is_repairable
            tally.attempts.append(attempt)
            return
        else:
            if attempt == 1 or mistake.is_repairable:
                tally.wrong.append(mistake)
            return
    if mistake.is_repairable:
        tally.not_recovered.append(mistake)


@asynccontextmanager
async def _connect(server: ReferenceServer, *, is_guided: bool) -> AsyncGenerator[Ask]:
    """Connect to a new server; the function returns the reply to a call and the files of the folder after it."""
    folder = server.make_folder()

    async def ask(call: Call) -> Outcome:
        return await _reply(client, call), _tree(folder) if server.writes and folder else None

    try:
        async with Client(create_server(server.kind, folder and str(folder)).on_sdk(is_guided=is_guided)) as client:
            yield ask
    finally:
        if server.writes and folder:
            shutil.rmtree(folder)


async def _reply(client: Client, call: Call) -> dict[str, Any]:
    try:
        result = await client.call_tool(call.tool, call.arguments)
    except Exception as error:  # a protocol error
        return {"isError": True, "content": [{"type": "text", "text": str(error)}]}
    return result.model_dump(by_alias=True, exclude_none=True, mode="json")


def _tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


if __name__ == "__main__":
    for name, measured, goal in loop():
        print(f"{name:66}  {measured:>9}  {goal}")
