"""The calls on the pages of the codes, each with the lists, the policy and the server's answer that belong to it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, TypeAlias

Case: TypeAlias = dict[str, Any]
"""What a server lists, the policy, the request (`method` and `params`), how often it is sent, and the `result`."""

Cases: TypeAlias = dict[str, Case]

_BLOCK = re.compile(r"^```\w+ (?P<kind>\w+)\n(?P<body>.*?)^```$|^## (?P<heading>[^\n]+)$", re.MULTILINE | re.DOTALL)
_ANSWERS = ("forward", "repair", "refuse", "ask", "added", "data", "rendered")
_OF_SECTION: Case = {"policy": {}, "result": None, "attempts": 1}
_OF_PAGE: Case = {"tools": [], "prompts": [], "resources": {"resources": [], "resourceTemplates": []}}


def read_pages() -> Cases:
    """Every case, named by its code and its place on the page: headings may be rewritten."""
    cases = {
        f"{page.name.removesuffix('.md')} {number:02}": case
        for page in files("fingerpost").joinpath("codes").iterdir()
        if page.name.endswith(".md")
        for number, case in enumerate(_read_page(page.read_text(encoding="utf-8")), 1)
    }
    return dict(sorted(cases.items()))


def _read_page(page: str) -> Iterator[Case]:
    case: Case = {**_OF_PAGE, **_OF_SECTION}
    for block in _BLOCK.finditer(page):
        if block["heading"]:
            case |= _OF_SECTION
        elif block["kind"] in _ANSWERS:
            yield dict(case)
        elif block["kind"] != "guidance":
            case |= _read_block(block["kind"], json.loads(block["body"]))


def _read_block(kind: str, value: Any) -> Case:
    match kind:
        case "call":
            return {"method": "tools/call", "params": value, "result": None}
        case "prompt":
            return {"method": "prompts/get", "params": value, "result": None}
        case "uri":
            return {"method": "resources/read", "params": {"uri": value}, "result": None}
        case "attempt":
            return {"attempts": value}
        case _:
            return {kind: value}
