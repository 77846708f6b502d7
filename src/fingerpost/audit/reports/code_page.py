"""The page of an error code as HTML. Its Markdown has only headings, paragraphs, inline code and fences."""

from __future__ import annotations

import re
from importlib import resources

from fingerpost.audit.reports.html_blocks import Html, escape, fill, join

_PIECE = re.compile(r"^```(?P<caption>[^\n]*)\n(?P<fence>.*?)^```$|(?P<text>[^\n]+(?:\n(?!```)[^\n]+)*)", re.M | re.S)
_CODE = re.compile(r"`([^`]+)`")
_CAPTIONS = {
    "tools": "The server's tools",
    "policy": "The policy",
    "call": "A call",
    "result": "The server's reply",
    "guidance": "Added to the reply, for programs",
    "added": "Added to the server's reply",
    "refuse": "The reply: refused",
    "repair": "The reply: repaired, then run",
    "forward": "The reply: run, with this next to the result",
    "ask": "The reply: a question",
}


def page_of_code(code: str) -> Html:
    """Render the page of a code as a closed `details` element, with its first sentence as the summary."""
    markdown = (resources.files("fingerpost") / "codes" / f"{code}.md").read_text(encoding="utf-8")
    _, summary, *rest = _PIECE.finditer(markdown)
    return fill("page", code=code, summary=_line(summary["text"]), text=join(map(_piece, rest)))


def _piece(piece: re.Match[str]) -> Html:
    if (text := piece["text"]) is None:
        kind = piece["caption"].split(" ")[-1]
        return fill("page_fence", caption=_CAPTIONS.get(kind, kind.capitalize()), text=piece["fence"].rstrip("\n"))
    if text.startswith("#"):
        return fill("page_heading", text=_line(text.lstrip("# ")))
    return fill("page_paragraph", text=_line(text))


def _line(text: str) -> Html:
    """Render a line of text. Splitting at inline code leaves the code at every odd index."""
    parts = enumerate(_CODE.split(text.replace("\n", " ")))
    return join((fill("page_code", text=part) if place % 2 else escape(part) for place, part in parts), "")
