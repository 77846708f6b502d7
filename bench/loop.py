"""The converging loop, measured: a client without a mind of its own against each reference server, bare and guided.

It makes mistakes out of calls that are right, sends them, and does what the error says: it sends the corrected call,
or, where there is none, it stops and would ask its user. What counts is the share that comes to the right result in
one retry, and that nothing is done on the way that was not asked for.
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
from fingerpost.audit.generate.mistakes import Mistake, mistakes
from fingerpost.audit.generate.mutations import slip
from fingerpost.audit.judge.follow_error import corrected_call_in
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import Call
from fingerpost.servers.command import create_server

Row = tuple[str, str, str]
Outcome = tuple[dict[str, Any], Any]
"""A reply, and what the folder looks like then."""
Ask = Callable[[Call], Awaitable[Outcome]]

_FILES = {
    "README.md": "# Notes\n\nFirst line\nSecond line\n",
    "src/app.py": "def main():\n    print('hello')\n",
    "src/util.py": "def helper(value):\n    return value * 2\n",
    "docs/guide.md": "Read me first.\n",
}
_PATCH = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1,2 +1,2 @@\n def main():\n-    print('hello')\n+    print('bye')\n"


@dataclass(frozen=True)
class Subject:
    """A server, calls that are right on it, and which of their values name something."""

    kind: str
    calls: tuple[Call, ...]
    named: tuple[str, ...]
    makes_folder: Callable[[], Path | None]
    writes: bool = False


def subjects() -> Iterator[Subject]:
    package = Path(fingerpost.__file__).parent / "engine"
    yield Subject(
        "code",
        (
            Call("search", {"pattern": "Catalog", "filter": "*.py", "max": 5}),
            Call("search", {"pattern": "def admit", "max": 3, "offset": 0}),
            Call("list_files", {"filter": "rules/**", "max": 10}),
            Call("get_definition", {"id": "catalog.py:Catalog.listed"}),
        ),
        ("id",),
        lambda: package,
    )
    factors = [{"value": 2.2046, "numerator": "pound", "denominator": "kilogram"}]
    yield Subject(
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
    yield Subject(
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
        _workspace,
        writes=True,
    )


def _workspace() -> Path:
    root = Path(tempfile.mkdtemp(prefix="fingerpost-loop-"))
    for name, text in _FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    for path in (root, *root.rglob("*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))  # so that every copy looks alike
    return root


@dataclass
class Tally:
    """What became of the mistakes."""

    mistakes: int = 0
    repairable: int = 0
    recovered: int = 0
    """Of the repairable, those that came to the right result in one retry at most."""
    wrong: list[Mistake] = field(default_factory=list[Mistake])
    """Those after which something was done that was not asked for, or something else was answered as if it were."""
    attempts: list[int] = field(default_factory=list[int])
    lost: list[Mistake] = field(default_factory=list[Mistake])

    @property
    def share(self) -> float:
        return self.recovered / self.repairable if self.repairable else 1.0


def loop() -> list[Row]:
    logging.disable(logging.CRITICAL)
    rows: list[Row] = []
    for subject in subjects():
        for is_guided in (False, True):
            tally = asyncio.run(run(subject, is_guided=is_guided))
            way = "guided" if is_guided else "bare"
            tries = f"{statistics.mean(tally.attempts):.2f}" if tally.attempts else "-"
            rows += [
                (
                    f"loop, {subject.kind} server, {way}: recovered of {tally.repairable} repairable",
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


async def run(subject: Subject, *, is_guided: bool, rounds: int = 8, seed: int = 7) -> Tally:
    """Make mistakes and see what becomes of each. Where calls change something, each has a server of its own."""
    tally, expected = Tally(), dict[str, Outcome]()
    made = await _made(subject, rounds, Random(seed))
    async with AsyncExitStack() as stack:
        shared = None if subject.writes else await stack.enter_async_context(_facing(subject, is_guided=is_guided))
        for mistake in made:
            async with AsyncExitStack() as own:
                if (right := repr(mistake.right)) not in expected:
                    fresh = shared or await own.enter_async_context(_facing(subject, is_guided=is_guided))
                    expected[right] = await fresh(mistake.right)
                ask = shared or await own.enter_async_context(_facing(subject, is_guided=is_guided))
                await _tried(ask, mistake, expected[right], tally)
    return tally


async def _made(subject: Subject, rounds: int, random: Random) -> list[Mistake]:
    folder = subject.makes_folder()
    async with Client(create_server(subject.kind, folder and str(folder)).on_sdk()) as client:
        listed = (await client.list_tools()).model_dump(by_alias=True, exclude_none=True)["tools"]
    if subject.writes and folder:
        shutil.rmtree(folder)
    catalog = Catalog.listed(listed)
    made = list[Mistake]()
    for right in [*subject.calls] * rounds:
        made += [*mistakes(right, catalog, random), *_misnamed(right, subject, random)]
    sendable = [one for one in made if isinstance(one.call.arguments, dict)]  # the client refuses any other itself
    return list({(one.kind, repr(one.call)): one for one in sendable}.values())


def _misnamed(right: Call, subject: Subject, random: Random) -> Iterator[Mistake]:
    """Values with a slip in them that name something, in the part that names it."""
    for name in subject.named:
        if isinstance(value := right.arguments.get(name), str):
            head, _, last = value.rpartition("/")
            wrong = f"{head}/{slip(last, random)}" if head else slip(last, random)
            if wrong != value:
                yield Mistake("value.misspelt", Call(right.tool, {**right.arguments, name: wrong}), right, name)


async def _tried(ask: Ask, mistake: Mistake, expected: Outcome, tally: Tally) -> None:
    """Send a wrong call, and what the answer says to send, once."""
    tally.mistakes += 1
    tally.repairable += mistake.is_repairable
    call = mistake.call
    for attempt in (1, 2):
        reply, tree = await ask(call)
        following = corrected_call_in(reply, call)
        if following is not None:
            call = following
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
        tally.lost.append(mistake)


@asynccontextmanager
async def _facing(subject: Subject, *, is_guided: bool) -> AsyncGenerator[Ask]:
    """A server to ask; what each call is answered with, and what its folder looks like then."""
    folder = subject.makes_folder()

    async def ask(call: Call) -> Outcome:
        return await _reply(client, call), _tree(folder) if subject.writes and folder else None

    try:
        async with Client(create_server(subject.kind, folder and str(folder)).on_sdk(is_guided=is_guided)) as client:
            yield ask
    finally:
        if subject.writes and folder:
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
