"""Detect attacks in argument values: path traversal and injection.

Only values that should be an identifier are checked: a path, an id, a host or an address. Text, code, queries and
URLs may contain anything. A relative path may go up. An attack goes up to a sensitive file, hides that in an
encoding, or contains a whole shell, SQL or template attack. Whatever could be a valid call passes: the server has
its own checks, and refusing a valid call would be our fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fingerpost.engine.model import Path
from fingerpost.engine.safety.json_input import as_list, as_object

_MAX_LENGTH, _MAX_ITEMS, _MAX_DEPTH = 4096, 50, 8
_SUSPICIOUS = re.compile(r"\.\.|%2[eEfF]|%25|%5[cC]|\x00|[;|`$<{']|\b[uU](?:nion|NION)\b")
_PATH_NAME = re.compile(r"(?:^|_)(?:path|file|dir|folder|directory|filename|filepath)s?$")
_ID_NAME = re.compile(r"(?:^|_)(?:id|ids|uuid|slug|host|hostname|email|username)$")
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


def is_identifier_name(name: str) -> bool:
    """Whether a parameter of this name holds a path or an identifier, not text."""
    words = _snake_case(name)
    return _PATH_NAME.search(words) is not None or _ID_NAME.search(words) is not None


def is_hazardous(value: Any, name: str) -> bool:
    """Whether the value of this parameter contains an attack. Fast if it does not."""
    if isinstance(value, str) and not _SUSPICIOUS.search(value, 0, _MAX_LENGTH):
        return False
    return next(find_hazards(value, name), None) is not None


def find_hazards(value: Any, name: str = "", at: Path = ()) -> Iterator[tuple[Path, str]]:
    """Find each place that contains an attack, and the kind of attack."""
    if isinstance(value, str):
        if _SUSPICIOUS.search(value, 0, _MAX_LENGTH) and (kind := _attack_kind(_snake_case(name), value[:_MAX_LENGTH])):
            yield at, kind
    elif isinstance(value, list) and len(at) < _MAX_DEPTH:
        for index, item in enumerate(as_list(value)[:_MAX_ITEMS]):
            yield from find_hazards(item, name, (*at, index))
    elif isinstance(value, dict) and len(at) < _MAX_DEPTH:
        for key, item in list(as_object(value).items())[:_MAX_ITEMS]:
            yield from find_hazards(item, key, (*at, key))


def _snake_case(name: str) -> str:
    return _HUMP.sub("_", name[:64]).replace("-", "_").lower()


def _attack_kind(name: str, value: str) -> str | None:
    if "\n" in value or _URL.match(value):
        return None
    if _PATH_NAME.search(name) and _is_traversal(value):
        return "a path traversal"
    return "an injection" if _ID_NAME.search(name) and _INJECTION.search(value) else None


def _is_traversal(value: str) -> bool:
    """Whether a path goes up to a sensitive file, or hides that it goes up. Going up alone is normal."""
    from urllib.parse import unquote  # needed only for suspicious values

    plain = unquote(unquote(value)).replace("\\", "/")
    if "\x00" in plain or _SENSITIVE.fullmatch(plain):
        return True
    return plain.split("/").count("..") > value.replace("\\", "/").split("/").count("..")
