"""Load the tool lists that the forms are generated over: every list in the repository, or lists from files.

A line of a file is one list: `{"name": …, "tools": [{name, description, inputSchema, annotations}, …]}`. In tests/data,
`tool_lists.jsonl.gz` comes from published servers (`record.py`), and `rich_tool_lists.jsonl` is written by hand for
nested objects, units, formats and tools that undo each other.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from mcp.client import Client

from fingerpost import Catalog
from fingerpost.engine.safety.json_input import as_list
from fingerpost.servers.command import create_server

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "tests" / "data" / "tool_lists.jsonl.gz"
_WRITTEN = ROOT / "tests" / "data" / "rich_tool_lists.jsonl"
_NAMES = ROOT / "tests" / "data" / "matching" / "lists.jsonl.gz"
_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object"})
_READING = re.compile(r"(?:get|list|search|find|read|fetch|query|show|view|describe|count|check|lookup)(?![a-z])", re.I)
_PAGE_TOOLS = re.compile(r"^```json tools\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, eq=False)
class ToolList:
    """The tools of one server."""

    name: str
    tools: list[Any]

    @cached_property
    def catalog(self) -> Catalog:
        return Catalog.listed(self.tools)


def load_lists(files: Iterable[Path] = ()) -> list[ToolList]:
    """Load the lists of the files; without files, every list in the repository."""
    chosen = [one for file in files for one in _read_file(file)]
    return chosen or list(_lists_of_repository())


def _lists_of_repository() -> Iterator[ToolList]:
    for file in (_WRITTEN, RECORDED):
        yield from _read_file(file) if file.exists() else ()
    yield ToolList("code_tools", json.loads((ROOT / "tests" / "data" / "code_tools.json").read_bytes()))
    yield from asyncio.run(_list_reference_servers())
    yield from _lists_on_pages()
    yield from _lists_of_names()


def _read_file(file: Path) -> Iterator[ToolList]:
    text = gzip.decompress(file.read_bytes()).decode() if file.suffix == ".gz" else file.read_text(encoding="utf-8")
    if text.lstrip().startswith("["):
        yield ToolList(file.stem, json.loads(text))
        return
    for number, line in enumerate(filter(str.strip, text.splitlines())):
        row = json.loads(line)
        yield ToolList(str(row.get("name", f"{file.stem}:{number}")), row["tools"])


async def _list_reference_servers() -> list[ToolList]:
    found = list[ToolList]()
    logging.disable(logging.INFO)
    for kind in ("code", "units", "workspace"):
        folder = None if kind == "units" else str(ROOT / "docs")
        async with Client(create_server(kind, folder).on_sdk()) as client:
            listed = (await client.list_tools()).model_dump(by_alias=True, exclude_none=True, mode="json")["tools"]
        found.append(ToolList(f"serve {kind}", listed))
    logging.disable(logging.NOTSET)
    return found


def _lists_on_pages() -> Iterator[ToolList]:
    for page in sorted((resources.files("fingerpost") / "codes").iterdir(), key=lambda one: one.name):
        for number, found in enumerate(_PAGE_TOOLS.finditer(page.read_text(encoding="utf-8"))):
            if tools := as_list(json.loads(found[1])):
                yield ToolList(f"{page.name}:{number}", tools)


def _lists_of_names() -> Iterator[ToolList]:
    """Rebuild tools from the names and types that published servers declare; descriptions are not stored."""
    with gzip.open(_NAMES, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    params = defaultdict[int, dict[frozenset[str], Any]](dict)
    for row in rows:
        if row["kind"] == "param" and row.get("types"):
            params[row["server"]][frozenset(row["names"])] = row
    for row in rows:
        if row["kind"] == "tool" and row.get("takes"):
            known = params[row["server"]]
            yield ToolList(f"names:{row['server']}", [_build_tool(name, row["takes"], known) for name in row["names"]])


def _build_tool(name: str, takes: Mapping[str, Any], known: Mapping[frozenset[str], Any]) -> dict[str, Any]:
    names: list[str] = list(takes.get(name, ()))
    row = known.get(frozenset(names), {})
    kinds: dict[str, Any] = row.get("types", {})
    declared = {one: {"type": kind} if (kind := kinds.get(one)) in _TYPES else {"type": "string"} for one in names}
    schema = {"type": "object", "properties": declared, "required": row.get("required", names[:1])}
    is_reading = bool(_READING.search(name))
    return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": is_reading}}
