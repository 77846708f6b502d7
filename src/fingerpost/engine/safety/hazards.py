"""Which values are attacks: path traversal and injection, where a value names a thing.

Judged only in a path, an id, a host or an address: names, text, code, queries and URLs may hold anything. A
relative path may climb; what counts climbs to a place nobody reaches by accident, hides its climbing in
an encoding, or carries a whole shell, SQL or template attack where a name belongs. Whatever could be a
right call passes: a server has guards of its own, and a right call refused is our fault alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fingerpost.engine.model import Path
from fingerpost.engine.safety.json_input import as_list, as_object

_LONGEST_READ, _MOST_ITEMS, _DEEPEST = 4096, 50, 8
_TELLTALE = re.compile(r"\.\.|%2[eEfF]|%25|%5[cC]|\x00|[;|`$<{']|\b[uU](?:nion|NION)\b")
_PATH_NAME = re.compile(r"(?:^|_)(?:path|file|dir|folder|directory|filename|filepath)s?$")
_THING_NAME = re.compile(r"(?:^|_)(?:id|ids|uuid|slug|host|hostname|email|username)$")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*://")
_SENSITIVE = re.compile(
    r"(?:.*/)?(?:\.{2,4}/{1,2})+(?:etc/(?:passwd|shadow|sudoers)|proc/self/\w+|(?:root/|home/\w+/)?\.ssh/(?:id_\w+|authorized_keys)"
    r"|windows/(?:system32(?:/.*)?|win\.ini)|boot\.ini)/?",
    re.IGNORECASE,
)
_COMMAND = (
    r"(?:cat\s{1,9}[/~]|rm\s{1,9}-|(?:curl|wget)\s{1,9}https?:|nc\s{1,9}-|(?:ba|z)?sh\s{1,9}-c|powershell\s{1,9}-)"
)
_INJECTION = re.compile(
    r"'\s{0,9}(?:or|and)\s{1,9}(?:'\w{0,40}'|\d{1,9})\s{0,9}=\s{0,9}['\d]|'\s{0,9};\s{0,9}--"
    r"|\d'?\s{1,9}union\s{1,9}(?:all\s{1,9})?select\b.{0,200}\bfrom\b"
    r"|'?\s{0,9};\s{0,9}(?:drop\s{1,9}(?:table|database|schema)|truncate\s{1,9}table|delete\s{1,9}from)\s{1,9}\w"
    rf"|[;|&`]\s{{0,9}}{_COMMAND}|\$\(\s{{0,9}}(?:{_COMMAND}|whoami\)|id\))|`(?:whoami|id)`"
    r"|\|\s{0,9}(?:ba|z)?sh\s{0,9}$|\$\{jndi:|\{\{\s{0,9}\d{1,9}\s{0,9}\*\s{0,9}\d{1,9}\s{0,9}\}\}"
    r"|<script\b[^>]{0,80}>.{0,200}(?:\(|</script)",
    re.IGNORECASE,
)


def names_a_thing(name: str) -> bool:
    """Whether a parameter of this name holds a name rather than text."""
    words = _words(name)
    return _PATH_NAME.search(words) is not None or _THING_NAME.search(words) is not None


def is_hazardous(value: Any, name: str) -> bool:
    """Whether an attack stands in the value of this parameter; quick where there is none."""
    if isinstance(value, str) and not _TELLTALE.search(value, 0, _LONGEST_READ):
        return False
    return next(hazards(value, name), None) is not None


def hazards(value: Any, name: str = "", at: Path = ()) -> Iterator[tuple[Path, str]]:
    """Each place where an attack stands, with its kind."""
    if isinstance(value, str):
        if _TELLTALE.search(value, 0, _LONGEST_READ) and (kind := _kind(_words(name), value[:_LONGEST_READ])):
            yield at, kind
    elif isinstance(value, list) and len(at) < _DEEPEST:
        for index, item in enumerate(as_list(value)[:_MOST_ITEMS]):
            yield from hazards(item, name, (*at, index))
    elif isinstance(value, dict) and len(at) < _DEEPEST:
        for key, item in list(as_object(value).items())[:_MOST_ITEMS]:
            yield from hazards(item, key, (*at, key))


def _words(name: str) -> str:
    return _HUMP.sub("_", name[:64]).replace("-", "_").lower()


def _kind(words: str, value: str) -> str | None:
    if "\n" in value or _URL.match(value):
        return None
    if _PATH_NAME.search(words) and _is_traversal(value):
        return "a path traversal"
    return "an injection" if _THING_NAME.search(words) and _INJECTION.search(value) else None


def _is_traversal(value: str) -> bool:
    """Climbing alone is how relative paths work; climbing straight to a secret, or in disguise, is not."""
    from urllib.parse import unquote  # for the few values that look suspicious at all

    plain = unquote(unquote(value)).replace("\\", "/")
    if "\x00" in plain or _SENSITIVE.fullmatch(plain):
        return True
    return plain.split("/").count("..") > value.replace("\\", "/").split("/").count("..")
