"""The parts of the HTML page, as they stand in `page/`, and the one way to fill them: whatever is put in is escaped."""

from __future__ import annotations

import html
import re
import unicodedata
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib import resources
from string import Template

_BLOCK = re.compile(r"^<!-- block: (\w+) -->\n(.*?)\n(?=<!-- block: |\Z)", re.MULTILINE | re.DOTALL)
_ATTRIBUTE = re.compile(r'="[^"]*"')


class Html(str):
    """What is HTML already. Any other string is text."""

    __slots__ = ()


EMPTY_OBJECT = Html()


def filled(block: str, **values: object) -> Html:
    """A block with these values in it."""
    template, quoted = _blocks()[block]
    return Html(template.substitute({name: escaped(value, quote=name in quoted) for name, value in values.items()}))


def joined(parts: Iterable[Html], between: str = "\n") -> Html:
    return Html(between.join(parts))


def escaped(value: object, *, quote: bool = False) -> Html:
    """A value as HTML, fit for an element (or an attribute), without characters that hide or reorder others."""
    return value if isinstance(value, Html) else Html(html.escape(_visible(str(value)), quote))


def _visible(text: str) -> str:
    if text.replace("\n", "").isprintable():
        return text
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char)[0] != "C")


def part(name: str) -> Html:
    """A whole file of the page, such as `page.css`."""
    return Html((resources.files("fingerpost.audit.reports") / "page" / name).read_text(encoding="utf-8"))


def hashed(part: str) -> str:
    """What a Content-Security-Policy knows it by."""
    return f"sha256-{b64encode(sha256(part.encode()).digest()).decode()}"


@cache
def _blocks() -> dict[str, tuple[Template, frozenset[str]]]:
    """Each block, and which of its values stand in an attribute."""
    return {name: (Template(text), _quoted(text)) for name, text in _BLOCK.findall(part("blocks.html"))}


def _quoted(block: str) -> frozenset[str]:
    return frozenset(name for attribute in _ATTRIBUTE.findall(block) for name in Template(attribute).get_identifiers())
