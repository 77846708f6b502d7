"""Data for the benchmarks: a tool with ten parameters, wrong calls of it, and lists of many tools."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from fingerpost import Call

TEN: dict[str, Any] = {
    "name": "search_issues",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {
        "type": "object",
        "properties": {
            "repo_path": {"type": "string", "description": "Path of the repository"},
            "query": {"type": "string", "minLength": 1, "description": "What to search for"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
            "offset": {"type": "integer", "minimum": 0},
            "sort": {"enum": ["created", "updated", "comments"]},
            "labels": {"type": "array", "items": {"type": "string"}},
            "draft": {"type": "boolean"},
            "since": {"type": "string"},
            "author": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "score": {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": ["repo_path", "query"],
    },
}
TEN_ARGUMENTS: dict[str, Any] = {
    "repo_path": "src/app", "query": "login fails", "limit": 10, "offset": 0, "sort": "created",
    "labels": ["bug", "ui"], "draft": False, "since": "2026-01-31", "author": "kim", "score": 0.5,
}  # fmt: skip


def _change(*without: str, **changes: Any) -> Call:
    rest = {key: value for key, value in TEN_ARGUMENTS.items() if key not in without}
    return Call("search_issues", {**rest, **changes})


WRONG = (
    _change("query", qeury="login fails"),
    _change("query"),
    _change(limit="ten"),
    _change(limit=5000),
    _change(sort="craeted"),
)
TWICE_WRONG = (_change("query", qeury="login fails", limit="ten"), _change("query", limit=5000))

_REAL = Path(__file__).parents[2] / "shared" / "matching" / "catalogs.public.jsonl"
_WORDS = ("search", "list", "get", "create", "update", "delete", "user", "issue", "file", "repo", "branch", "message")
_TYPES: tuple[dict[str, Any], ...] = (
    {"type": "string", "description": "A text that the tool is about"},
    {"type": "integer", "minimum": 1, "maximum": 100},
    {"type": "boolean", "default": False},
    {"enum": ["asc", "desc"]},
    {"type": "array", "items": {"type": "string"}},
)


def many_tools(count: int) -> list[dict[str, Any]]:
    """Return numbered tools of published servers if available, else generated tools of similar size."""
    real = list(_real_tools()) if _REAL.exists() else list(_generate_tools(500))
    return [{**real[index % len(real)], "name": f"{real[index % len(real)]['name']}_{index}"} for index in range(count)]


def _real_tools() -> Iterator[dict[str, Any]]:
    for line in _REAL.read_text(encoding="utf-8").splitlines():
        listed = json.loads(line)
        if listed["kind"] == "param" and listed.get("types"):
            descriptions = listed["descriptions"]
            params = {
                name: {"type": kind, "description": descriptions.get(name, "")}
                for name, kind in listed["types"].items()
            }
            known = {name: schema for name, schema in params.items() if schema["type"] in _JSON_TYPES}
            schema = {"type": "object", "properties": known, "required": listed["required"]}
            yield {"name": listed["id"].rsplit("/", 1)[-1], "inputSchema": schema}


_JSON_TYPES = {"string", "integer", "number", "boolean", "array", "object"}


def _generate_tools(count: int) -> Iterator[dict[str, Any]]:
    random_source = random.Random(7)
    for index in range(count):
        params = {f"{random_source.choice(_WORDS)}_{number}": dict(random_source.choice(_TYPES)) for number in range(6)}
        schema = {"type": "object", "properties": params, "required": list(params)[:2], "additionalProperties": False}
        yield {"name": f"{random_source.choice(_WORDS)}_{random_source.choice(_WORDS)}_{index}", "inputSchema": schema}


_ANSWER = re.compile(r"^```text (?:refuse|added)\n(.+?)\n```$", re.MULTILINE | re.DOTALL)


def page_texts() -> Iterator[str]:
    """Yield the text of every error on the code pages."""
    for page in (resources.files("fingerpost") / "codes").iterdir():
        yield from _ANSWER.findall(page.read_text(encoding="utf-8"))
