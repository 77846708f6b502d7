"""The same wrong calls to the code server, bare and with guidance, side by side.

The server is real and so is what it searches: this package. On either side stands an agent without a mind of its own:
it sends the call that an error tells it to send, and where none is told it can only give up or ask.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TextIO

from fingerpost.audit.judge.follow_error import read_corrected_call
from fingerpost.engine.model import Call
from fingerpost.engine.phrases import count_noun, format_call
from fingerpost.engine.replies.enrich import KEY
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.servers.command import served
from fingerpost.terminal.style import Style

if TYPE_CHECKING:
    from mcp.client import Client

    from fingerpost.servers.served import Served

_MOST_LINES = 5
_ADOPT = """\
Adopt it, one line each:
  MCPServer("name", middleware=[Guidance()])    # from fingerpost.sdk import Guidance
  mcp.add_middleware(Guidance())                # from fingerpost.fastmcp import Guidance
  fingerpost proxy -- COMMAND OF ANY SERVER     # in front of one that you did not write"""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong call, and the one that was meant; none where only the user knows."""

    title: str
    call: Call
    meant: Call | None = None
    is_attack: bool = False


WRONG_CALLS = (
    Wrong("a misspelt tool", Call("serach", {"pattern": "Catalog"}), Call("search", {"pattern": "Catalog"})),
    Wrong(
        "two misspelt parameters",
        Call("search", {"patern": "Catalog", "filtr": "rules/**"}),
        Call("search", {"pattern": "Catalog", "filter": "rules/**"}),
    ),
    Wrong(
        "a client's prefix, a number as text",
        Call("functions.search", {"pattern": "Catalog", "max": "3"}),
        Call("search", {"pattern": "Catalog", "max": 3}),
    ),
    Wrong("a word for a number", Call("search", {"pattern": "Catalog", "max": "a few"})),
    Wrong("nothing at all", Call("search", {})),
    Wrong(
        "more than there may be",
        Call("search", {"pattern": "Catalog", "max": 5000}),
        Call("search", {"pattern": "Catalog", "max": 1000}),
    ),
    Wrong(
        "one wrapper too many",
        Call("list_files", {"input": {"filter": "rules/**"}}),
        Call("list_files", {"filter": "rules/**"}),
    ),
    Wrong(
        "text that is no regular expression",
        Call("search", {"pattern": "def admit("}),
        Call("search", {"pattern": r"def admit\("}),
    ),
    Wrong(
        "a name that is nearly right",
        Call("get_definition", {"id": "catalog.py:Catalog.lsted"}),
        Call("get_definition", {"id": "catalog.py:Catalog.listed"}),
    ),
    Wrong("a path that climbs out", Call("list_files", {"filter": "../../**"}), is_attack=True),
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What an agent saw of a call, block by block, and what came of it in the end."""

    blocks: list[str]
    outcome: str

    @property
    def is_right(self) -> bool:
        return self.outcome.startswith("right")

    @property
    def is_wrong(self) -> bool:
        return self.outcome.startswith("wrong")


def demonstrate(out: TextIO) -> int:
    """Print every wrong call with both answers, what it comes to, and how to go on."""
    server, page = served("code", str(Path(__file__).parents[1] / "engine")), _Page(out)
    with ExitStack() as stack:
        logging.disable(logging.ERROR)
        stack.callback(logging.disable, logging.NOTSET)
        return asyncio.run(_told(server, page))


async def _told(server: Served, page: _Page) -> int:
    from mcp.client import Client

    seen: list[tuple[Seen, Seen]] = []
    async with Client(server.on_sdk(is_guided=False)) as bare, Client(server.on_sdk()) as guided:
        for number, wrong in enumerate(WRONG_CALLS, 1):
            seen.append((await _seen(bare, wrong), await _seen(guided, wrong)))
            page.say(*page.side_by_side(number, wrong, *seen[-1]), "")
    for side, column in (("Bare", 0), ("With Fingerpost", 1)):
        page.say(page.style.strong(_summary(side, [pair[column] for pair in seen])))
    page.say("", _ADOPT)
    page.close()
    return 0


async def _seen(client: Client, wrong: Wrong) -> Seen:
    """Send a wrong call, and what the answer says to send, once."""
    reply = first = await _reply(client, wrong.call)
    if following := read_corrected_call(first, wrong.call):
        reply = await _reply(client, following)
    if not reply.get("isError"):
        meant = await _reply(client, wrong.meant) if wrong.meant else {}
        is_right = _blocks(reply)[:1] == _blocks(meant)[:1]  # what follows is said of the call
        right = "right at once" if reply is first else "right after one retry"
        return Seen(_blocks(first), right if is_right else "wrong and unnoticed")
    if wrong.is_attack:
        return Seen(_blocks(first), "refused")
    error = as_object(as_object(as_object(first.get("_meta")).get(KEY)).get("error"))
    return Seen(_blocks(first), "told what to fill in" if error.get("corrected_call") else "stuck")


async def _reply(client: Client, call: Call) -> dict[str, Any]:
    result = await client.call_tool(call.tool, call.arguments)
    return result.model_dump(by_alias=True, exclude_none=True, mode="json")


def _blocks(reply: dict[str, Any]) -> list[str]:
    return [str(as_object(block).get("text")) for block in as_list(reply.get("content"))]


def _summary(side: str, seen: list[Seen]) -> str:
    counts = Counter(one.outcome for one in seen)
    return f"{side:15}  {', '.join(f'{count} {outcome}' for outcome, count in counts.most_common())}"


class _Page:
    """Two columns on a terminal, or in a file."""

    def __init__(self, out: TextIO) -> None:
        self._out, self.style = out, Style.of(out)
        columns = shutil.get_terminal_size((100, 24)).columns if out.isatty() else 100
        self._width = max(24, (min(columns, 100) - 6) // 2)
        self._trouble: OSError | None = None

    def say(self, *lines: str) -> None:
        """Print lines. Where nobody reads on, that is raised at the end: a server is running meanwhile."""
        text = "\n".join(lines) + "\n"
        try:
            text.encode(self._out.encoding or "utf-8")
        except UnicodeEncodeError:
            text = text.translate(_IN_ASCII)
        try:
            self._out.write(text)
            self._out.flush()
        except OSError as error:
            self._trouble = self._trouble or error

    def close(self) -> None:
        if self._trouble is not None:
            raise self._trouble

    def side_by_side(self, number: int, wrong: Wrong, bare: Seen, guided: Seen) -> Iterator[str]:
        yield self.style.strong(f"{number:2} {wrong.title}: {format_call(wrong.call)}")
        left, right = list(self._column(bare.blocks)), list(self._column(guided.blocks))
        yield self.style.faint(f"   {'bare':{self._width}} │ with Fingerpost")
        for one, other in zip_longest(left, right, fillvalue=""):
            yield f"   {one:{self._width}} │ {other}".rstrip()
        yield f"   {self._coloured(bare, self._width)} │ {self._coloured(guided)}"

    def _column(self, blocks: list[str]) -> Iterator[str]:
        """What was said, in lines that fit. Where guidance stands behind a server's own words, those are cut short."""
        for block in blocks:
            lines = [part for line in block.splitlines() for part in wrap(line.strip(), self._width)]
            most = _MOST_LINES if block is blocks[-1] else 1
            rest = len(lines) - most
            yield from lines if rest <= 0 else [*lines[:most], f"… {count_noun(rest, 'more line')}"]

    def _coloured(self, seen: Seen, width: int = 0) -> str:
        style, is_lost = self.style, seen.is_wrong or seen.outcome == "stuck"
        colour = style.good if seen.is_right else style.bad if is_lost else style.notice
        return colour(f"→ {seen.outcome}".ljust(width))


_IN_ASCII = str.maketrans({"│": "|", "→": ">", "…": "."})
