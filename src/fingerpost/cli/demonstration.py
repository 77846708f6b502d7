"""The same wrong calls to the code server, with and without guidance, side by side.

The server is real, and it searches this package. On each side a mechanical agent sends the corrected call that an
error contains. If the error contains none, the agent is stuck.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from enum import Enum
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TextIO

from fingerpost.audit.judge.follow_error import read_corrected_call
from fingerpost.engine.model import KEY, Call
from fingerpost.engine.phrases import count_noun, format_call
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.servers.command import create_server
from fingerpost.terminal.style import Style

if TYPE_CHECKING:
    from mcp.client import Client

    from fingerpost.servers.tool_server import ToolServer

_MOST_LINES = 5
_ADOPT = """\
Adopt it, one line each:
  MCPServer("name", middleware=[Guidance()])    # from fingerpost.sdk import Guidance
  mcp.add_middleware(Guidance())                # from fingerpost.fastmcp import Guidance
  fingerpost proxy -- COMMAND OF ANY SERVER     # in front of a server that you did not write"""


@dataclass(frozen=True, slots=True)
class WrongCall:
    """A wrong call and the intended one; none if only the user can know it."""

    title: str
    call: Call
    intended: Call | None = None
    is_attack: bool = False


WRONG_CALLS = (
    WrongCall("a misspelled tool", Call("serach", {"pattern": "Catalog"}), Call("search", {"pattern": "Catalog"})),
    WrongCall(
        "two misspelled parameters",
        Call("search", {"patern": "Catalog", "filtr": "rules/**"}),
        Call("search", {"pattern": "Catalog", "filter": "rules/**"}),
    ),
    WrongCall(
        "a client's prefix, a number as text",
        Call("functions.search", {"pattern": "Catalog", "max": "3"}),
        Call("search", {"pattern": "Catalog", "max": 3}),
    ),
    WrongCall("a word for a number", Call("search", {"pattern": "Catalog", "max": "a few"})),
    WrongCall("no arguments", Call("search", {})),
    WrongCall(
        "a number above the maximum",
        Call("search", {"pattern": "Catalog", "max": 5000}),
        Call("search", {"pattern": "Catalog", "max": 1000}),
    ),
    WrongCall(
        "one wrapper too many",
        Call("list_files", {"input": {"filter": "rules/**"}}),
        Call("list_files", {"filter": "rules/**"}),
    ),
    WrongCall(
        "text that is no regular expression",
        Call("search", {"pattern": "def admit("}),
        Call("search", {"pattern": r"def admit\("}),
    ),
    WrongCall(
        "a name that is nearly right",
        Call("get_definition", {"id": "catalog.py:Catalog.lsted"}),
        Call("get_definition", {"id": "catalog.py:Catalog.listed"}),
    ),
    WrongCall("a path that leads outside", Call("list_files", {"filter": "../../**"}), is_attack=True),
)


class Outcome(Enum):
    """What a wrong call led to in the end."""

    RIGHT_AT_ONCE = "right at once"
    RIGHT_AFTER_RETRY = "right after one retry"
    WRONG = "wrong and unnoticed"
    REFUSED = "refused"
    GUIDED = "told what to fill in"
    STUCK = "stuck"


@dataclass(frozen=True, slots=True)
class Trial:
    """One wrong call on one side: the text blocks of the first reply, and the outcome."""

    blocks: list[str]
    outcome: Outcome


def demonstrate(out: TextIO) -> int:
    """Print every wrong call with both replies, the totals, and how to adopt Fingerpost."""
    server, page = create_server("code", str(Path(__file__).parents[1] / "engine")), _Page(out)
    with ExitStack() as stack:
        logging.disable(logging.ERROR)
        stack.callback(logging.disable, logging.NOTSET)
        return asyncio.run(_run_trials(server, page))


async def _run_trials(server: ToolServer, page: _Page) -> int:
    from mcp.client import Client

    trials: list[tuple[Trial, Trial]] = []
    async with Client(server.on_sdk(is_guided=False)) as bare, Client(server.on_sdk()) as guided:
        for number, wrong in enumerate(WRONG_CALLS, 1):
            trials.append((await _try(bare, wrong), await _try(guided, wrong)))
            page.print(*page.side_by_side(number, wrong, *trials[-1]), "")
    for side, column in (("Bare", 0), ("With Fingerpost", 1)):
        page.print(page.style.strong(_summary(side, [pair[column] for pair in trials])))
    page.print("", _ADOPT)
    page.close()
    return 0


async def _try(client: Client, wrong: WrongCall) -> Trial:
    """Send a wrong call, then once the corrected call that the reply contains."""
    reply = first = await _send(client, wrong.call)
    if corrected := read_corrected_call(first, wrong.call):
        reply = await _send(client, corrected)
    if reply.get("isError"):
        return Trial(_blocks(first), _failure(wrong, first))
    expected = await _send(client, wrong.intended) if wrong.intended else {}
    if _blocks(reply)[:1] != _blocks(expected)[:1]:  # later blocks are guidance on the call
        return Trial(_blocks(first), Outcome.WRONG)
    return Trial(_blocks(first), Outcome.RIGHT_AT_ONCE if reply is first else Outcome.RIGHT_AFTER_RETRY)


def _failure(wrong: WrongCall, first: dict[str, Any]) -> Outcome:
    if wrong.is_attack:
        return Outcome.REFUSED
    error = as_object(as_object(as_object(first.get("_meta")).get(KEY)).get("error"))
    return Outcome.GUIDED if error.get("corrected_call") else Outcome.STUCK


async def _send(client: Client, call: Call) -> dict[str, Any]:
    result = await client.call_tool(call.tool, call.arguments)
    return result.model_dump(by_alias=True, exclude_none=True, mode="json")


def _blocks(reply: dict[str, Any]) -> list[str]:
    return [str(as_object(block).get("text")) for block in as_list(reply.get("content"))]


def _summary(side: str, trials: list[Trial]) -> str:
    counts = Counter(trial.outcome for trial in trials)
    return f"{side:15}  {', '.join(f'{count} {outcome.value}' for outcome, count in counts.most_common())}"


class _Page:
    """Two columns of text, as wide as the terminal allows."""

    def __init__(self, out: TextIO) -> None:
        self._out, self.style = out, Style.of(out)
        columns = shutil.get_terminal_size((100, 24)).columns if out.isatty() else 100
        self._width = max(24, (min(columns, 100) - 6) // 2)
        self._write_error: OSError | None = None

    def print(self, *lines: str) -> None:
        """Print lines. `close` raises what goes wrong here, because a server is still running now."""
        text = "\n".join(lines) + "\n"
        try:
            text.encode(self._out.encoding or "utf-8")
        except UnicodeEncodeError:
            text = text.translate(_IN_ASCII)
        try:
            self._out.write(text)
            self._out.flush()
        except OSError as error:
            self._write_error = self._write_error or error

    def close(self) -> None:
        if self._write_error is not None:
            raise self._write_error

    def side_by_side(self, number: int, wrong: WrongCall, bare: Trial, guided: Trial) -> Iterator[str]:
        yield self.style.strong(f"{number:2} {wrong.title}: {format_call(wrong.call)}")
        yield self.style.faint(f"   {'bare':{self._width}} │ with Fingerpost")
        for left, right in zip_longest(self._column(bare.blocks), self._column(guided.blocks), fillvalue=""):
            yield f"   {left:{self._width}} │ {right}".rstrip()
        yield f"   {self._colour(bare.outcome, self._width)} │ {self._colour(guided.outcome)}"

    def _column(self, blocks: list[str]) -> Iterator[str]:
        """The reply in lines that fit. All blocks but the last are cut to one line."""
        for block in blocks:
            lines = [part for line in block.splitlines() for part in wrap(line.strip(), self._width)]
            most = _MOST_LINES if block is blocks[-1] else 1
            rest = len(lines) - most
            yield from lines if rest <= 0 else [*lines[:most], f"… {count_noun(rest, 'more line')}"]

    def _colour(self, outcome: Outcome, width: int = 0) -> str:
        colours = {
            Outcome.RIGHT_AT_ONCE: self.style.good,
            Outcome.RIGHT_AFTER_RETRY: self.style.good,
            Outcome.WRONG: self.style.bad,
            Outcome.STUCK: self.style.bad,
        }
        return colours.get(outcome, self.style.notice)(f"→ {outcome.value}".ljust(width))


_IN_ASCII = str.maketrans({"│": "|", "→": ">", "…": "."})
