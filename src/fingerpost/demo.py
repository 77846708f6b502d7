"""Wrong calls against the code server's own tools: what a bare validator says, and what Fingerpost says.

The tools are shipped as data. The bare side is not written by hand: it is what the JSON Schema
validator answers, or, where it accepts a call with a stray argument, the silence in which that is lost.
"""

from __future__ import annotations

import json
from importlib import resources
from textwrap import indent
from typing import Any, TextIO

from fingerpost.catalog import Catalog
from fingerpost.diagnosis import Call
from fingerpost.envelope import render
from fingerpost.guide import Verdict, admit
from fingerpost.style import Style
from fingerpost.voice import written

_OUTCOMES = {
    "forward": "sent on",
    "repair": "sent on, repaired",
    "refuse": "answered at once",
    "ask": "asked",
}


def code_tools() -> list[dict[str, Any]]:
    """The tools of the code server, as its `tools/list` gives them."""
    return json.loads((resources.files("fingerpost") / "data" / "code_tools.json").read_text(encoding="utf-8"))


WRONG_CALLS: tuple[tuple[str, Call], ...] = (
    ("a misspelt tool", Call("serach", {"pattern": "User"})),
    ("two misspelt parameters", Call("search", {"patern": "User", "filtr": "*.ts"})),
    ("a number as text, and a client's prefix", Call("functions.search", {"pattern": "User", "max": "50"})),
    ("a word for a number", Call("search", {"pattern": "User", "max": "fifty"})),
    ("nothing at all", Call("search", {})),
    ("too much", Call("search", {"pattern": "User", "max": 5000})),
    ("one wrapper too many", Call("list_files", {"input": {"filter": "src/**"}})),
    ("a lost safety switch", Call("rename_symbol", {"id": "r1", "name": "Account", "dryrun": True})),
    ("a near miss on a tool that writes", Call("rename_symbol", {"id": "r1", "nmae": "Account", "dry_run": True})),
    ("a path that climbs out", Call("list_files", {"path": "../../../../etc/passwd"})),
)


def demonstrate(out: TextIO) -> int:
    """Print every wrong call with both answers, then how to go on."""
    style, catalog = Style.of(out), Catalog.listed(code_tools())
    verdicts = [admit(call, catalog) for _, call in WRONG_CALLS]
    for (title, call), verdict in zip(WRONG_CALLS, verdicts, strict=True):
        _show(title, call, verdict, catalog, style, out)
    repaired = sum(verdict.action == "repair" for verdict in verdicts)
    corrected = sum(verdict.action == "refuse" and verdict.report.corrected is not None for verdict in verdicts)
    print(
        style.strong(f"{len(verdicts)} wrong calls: {repaired} repaired, {corrected} answered with the call to send."),
        file=out,
    )
    print(
        "Try your own: fingerpost check CATALOG.json CALL.json    Read on: fingerpost explain UNKNOWN_PARAM", file=out
    )
    return 0


def _show(title: str, call: Call, verdict: Verdict, catalog: Catalog, style: Style, out: TextIO) -> None:
    print(style.strong(f"{title}: {written(call)}"), file=out)
    print(style.faint(indent(_bare(call, catalog), "  without     ", lambda _: True)), file=out)
    colour = style.notice if verdict.action == "repair" else style.good
    lines = render(verdict.report).text.splitlines() or ["the call is right"]
    print(colour(f"  fingerpost  {_OUTCOMES[verdict.action]}: {lines[0]}"), file=out)
    for line in lines[1:]:
        print(colour(f"              {line}"), file=out)
    print(file=out)


def _bare(call: Call, catalog: Catalog) -> str:
    """What the caller would be told otherwise."""
    tool = catalog.get(call.tool)
    if tool is None:
        return f"Unknown tool: {call.tool}"
    strays = [key for key in call.arguments if key not in tool.params]
    if complaint := tool.complaint(call.arguments):
        return complaint
    return f"(runs, and ignores {', '.join(strays)})" if strays else "(runs)"
