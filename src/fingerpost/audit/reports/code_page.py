"""The page of a code as HTML: its Markdown has headings, paragraphs, words in backquotes and fences, no more."""

from __future__ import annotations

import re
from importlib import resources

from fingerpost.audit.reports.html_blocks import Html, escaped, filled, joined

_PIECE = re.compile(r"^```(?P<caption>[^\n]*)\n(?P<fence>.*?)^```$|(?P<text>[^\n]+(?:\n(?!```)[^\n]+)*)", re.M | re.S)
_CODE = re.compile(r"`([^`]+)`")
_CAPTIONS = {
    "tools": "The server's tools",
    "policy": "The policy",
    "call": "A call",
    "result": "The server's reply",
    "guidance": "What comes with the reply, for programs",
    "added": "Added to the server's reply",
    "refuse": "The reply: refused",
    "repair": "The reply: repaired, then run",
    "forward": "The reply: run, with this beside the result",
    "ask": "The reply: a question",
}


def page_of_code(code: str) -> Html:
    """The page, closed, under its code and its first sentence."""
    markdown = (resources.files("fingerpost") / "codes" / f"{code}.md").read_text(encoding="utf-8")
    _, summary, *rest = _PIECE.finditer(markdown)
    return filled("page", code=code, summary=_line(summary["text"]), text=joined(map(_piece, rest)))


def _piece(piece: re.Match[str]) -> Html:
    if (text := piece["text"]) is None:
        kind = piece["caption"].split(" ")[-1]
        return filled("page_fence", caption=_CAPTIONS.get(kind, kind.capitalize()), text=piece["fence"].rstrip("\n"))
    if text.startswith("#"):
        return filled("page_heading", text=_line(text.lstrip("# ")))
    return filled("page_paragraph", text=_line(text))


def _line(text: str) -> Html:
    """Every second part of what is split at backquotes stood between them."""
    parts = enumerate(_CODE.split(text.replace("\n", " ")))
    return joined((filled("page_code", text=part) if place % 2 else escaped(part) for place, part in parts), "")
