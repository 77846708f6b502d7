"""Fill the HTML templates in `page/`. Every value is escaped unless it is `Html` already."""

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
    """A string that is HTML. Any other string is text to escape."""

    __slots__ = ()


EMPTY_HTML = Html()


def fill(block: str, **values: object) -> Html:
    """Fill a template block with these values."""
    template, attributes = _blocks()[block]
    return Html(template.substitute({name: escape(value, quote=name in attributes) for name, value in values.items()}))


def join(parts: Iterable[Html], between: str = "\n") -> Html:
    return Html(between.join(parts))


def escape(value: object, *, quote: bool = False) -> Html:
    """Escape a value for an element, or with `quote` for an attribute, without invisible and bidi characters."""
    return value if isinstance(value, Html) else Html(html.escape(_strip_invisible(str(value)), quote))


def _strip_invisible(text: str) -> str:
    if text.replace("\n", "").isprintable():
        return text
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char)[0] != "C")


def read_page_file(name: str) -> Html:
    """Read a file of the page, such as `page.css`."""
    return Html((resources.files("fingerpost.audit.reports") / "page" / name).read_text(encoding="utf-8"))


def csp_hash(source: str) -> str:
    """The hash of a style or script for the Content-Security-Policy."""
    return f"sha256-{b64encode(sha256(source.encode()).digest()).decode()}"


@cache
def _blocks() -> dict[str, tuple[Template, frozenset[str]]]:
    """Each block by name, with the names of the values that it has in attributes."""
    return {
        name: (Template(text), _names_in_attributes(text))
        for name, text in _BLOCK.findall(read_page_file("blocks.html"))
    }


def _names_in_attributes(block: str) -> frozenset[str]:
    return frozenset(name for attribute in _ATTRIBUTE.findall(block) for name in Template(attribute).get_identifiers())
