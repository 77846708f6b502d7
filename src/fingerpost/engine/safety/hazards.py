"""Detect attacks in argument values: path traversal and injection.

Only values that should be an identifier are checked: a path, an id, a host or an address. Text, code, queries and
URLs may contain anything. A relative path may go up. An attack goes up to a sensitive file, hides that in an
encoding, contains a whole shell, SQL or template attack, or begins with an option of a command. Whatever could be a
valid call passes: the server has its own checks, and refusing a valid call would be our fault.

Size is no way around the check: every item, every level and every character is looked at, in linear time. The few
values that would take too long (thousands of operators in one identifier) count as attacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, TypeAlias, cast

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Path
from fingerpost.engine.safety.shell_commands import begins_with_option, contains_command
from fingerpost.engine.safety.traversals import OTHER_FORMS, decode, is_traversal

_Holds: TypeAlias = Literal["path", "id", "host", ""]

_LONG = 512
_MOST_ESCAPES = 5_000
_MOST_CHECKED = 8_192
_BEFORE, _AFTER = 8, 200
"""How much of a long text around a mark is searched for an injection. No pattern is longer."""
_MANY_NAMES = 64
_CONTAINERS = frozenset({dict, list})
_MAX_DEPTH = 2_000
"""Deeper values are refused: no parser of JSON returns them."""

TRAVERSAL = "a path traversal"
INJECTION = "a command or code in place of a name"
UNCHECKABLE = "more than can be checked for attacks"

_OTHER_MARKS = "".join(form for form in map(chr, OTHER_FORMS) if set(OTHER_FORMS[ord(form)]) & set(";|`$<>{'&%."))
_SUSPICIOUS = lazy_pattern(rf"[;|`$<>{{'&%\x00\r\n{_OTHER_MARKS}]|\.\.|-(?<!\S-)-?[A-Za-z]|\b[uU](?:nion|NION)\b")
_MARKS = (*";|`$<>{'&%\x00\r\n", *_OTHER_MARKS, "..", " -", "\t-", "union", "UNION", "Union")
"""The same as `_SUSPICIOUS`. For long text, many searches for one mark each are faster than one for all."""
_INJECTION_MARKS = (*";|`$<>{'&\r\n", "union", "UNION", "Union")
_PATH_NAME = lazy_pattern(
    r"(?:^|_)(?:path|file|dir|workdir|folder|directory|directorie|filename|filepath|pathname|dirname|cwd"
    r"|(?:file|dir|folder|directory|path)_name)s?$"
)
_ID_WORDS = (
    "id", "uuid", "guid", "slug", "email", "username", "repo", "repository", "branch", "tag", "ref", "remote",
    "revision", "commit", "sha", "package", "container", "image", "bucket", "service", "table", "database", "pod",
    "namespace", "cluster", "queue", "project", "org", "owner",
)  # fmt: skip
_ID_NAME = lazy_pattern(rf"(?:^|_)(?:user_name|repositorie|{'|'.join(_ID_WORDS)})(?:e?s)?$")
_HOST_NAME = lazy_pattern(
    r"(?:^|_)(?:host|hostname|host_name|domain|domain_name|ip|ip_address|ipv[46]|ip_addr)(?:e?s)?$"
)
_LAST_WORDS = (
    "path", "file", "dir", "folder", "directory", "directorie", "name", "cwd", *_ID_WORDS, "repositorie",
    "host", "domain", "ip", "address", "addr", "ipv4", "ipv6",
)  # fmt: skip
_ENDINGS = tuple(word + plural for word in _LAST_WORDS for plural in ("", "s", "es"))
"""How the names end that `_PATH_NAME`, `_ID_NAME` and `_HOST_NAME` match: a fast test before the exact one."""
_HUMP = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])")
_SPACE = lazy_pattern(r"\s")
_URL = lazy_pattern(r"[a-zA-Z][a-zA-Z0-9+.\-]*://")
_NOT_IN_URL = lazy_pattern(r"[\s`]|\$\(")
_INJECTION = lazy_pattern(
    r"'\s{0,9}(?:or|and)\s{1,9}(?:'\w{0,40}'|\d{1,9})\s{0,9}=\s{0,9}['\d]|'\s{0,9};\s{0,9}--"
    r"|\d'?\s{1,9}union\s{1,9}(?:all\s{1,9})?select\b.{0,100}\bfrom\b"
    r"|'?\s{0,9};\s{0,9}(?:drop\s{1,9}(?:table|database|schema)|truncate\s{1,9}table|delete\s{1,9}from)\s{1,9}\w"
    r"|\$\{jndi:|\{\{\s{0,9}\d{1,9}\s{0,9}\*\s{0,9}\d{1,9}\s{0,9}\}\}"
    r"|<script\b[^>]{0,40}>.{0,90}(?:\(|</script)",
    re.IGNORECASE,
)


def is_identifier_name(name: str) -> bool:
    """Whether a parameter of this name holds a path or an identifier, not text."""
    return _what_it_holds(name) != ""


def is_hazardous(value: Any, name: str) -> bool:
    """Whether the value of this parameter contains an attack. Fast if it does not."""
    if isinstance(value, str):
        return _find_attack(value, name) is not None
    return next(find_hazards(value, name), None) is not None


def find_hazards(value: Any, name: str = "") -> Iterator[tuple[Path, str]]:
    """Find each place that contains an attack, and the kind of attack, in the order of the value."""
    if isinstance(value, dict | list) and not _is_any_suspicious(value, name):
        return
    pending: list[tuple[Path, str, Any]] = [((), name, value)]
    while pending:
        at, holder, node = pending.pop()
        if isinstance(node, str):
            if kind := _find_attack(node, holder):
                yield at, kind
        elif len(at) > _MAX_DEPTH:
            yield at[:1], UNCHECKABLE
        elif isinstance(node, dict):
            fields = cast("dict[str, Any]", node)
            yield from _check_keys(fields, holder, at)
            pending += [((*at, key), str(key), item) for key, item in reversed(fields.items()) if _may_hold(item)]
        elif isinstance(node, list):
            items = list(enumerate(cast("list[Any]", node)))
            pending += [((*at, index), holder, item) for index, item in reversed(items) if _may_hold(item)]


def _may_hold(item: Any) -> bool:
    return isinstance(item, str | dict | list)


def _is_any_suspicious(value: Any, name: str) -> bool:
    """Whether any identifier in a value is suspicious, or too deep to be checked. Fast, because nearly none is."""
    level: dict[str, list[Any]] = {name: [value]}
    for _ in range(_MAX_DEPTH + 2):
        inner: dict[str, list[Any]] = {}
        for holder, nodes in level.items():
            objects: list[dict[str, Any]] = [node for node in nodes if isinstance(node, dict)]
            items = [item for node in nodes if isinstance(node, list) for item in cast("list[Any]", node)]
            if _is_suspicious(" ".join(_find_identifiers(holder, objects, items))):
                return True
            if nested := [item for item in items if type(item) in _CONTAINERS]:
                inner.setdefault(holder, []).extend(nested)
            values: Iterator[Any] = chain.from_iterable(fields.values() for fields in objects)
            if _CONTAINERS.isdisjoint(map(type, values)):
                continue  # true of most, and faster than the loop
            for fields in objects:
                for key, item in fields.items():
                    if type(item) in _CONTAINERS:
                        inner.setdefault(key, []).append(item)
        if not inner:
            return False
        level = inner
    return True


def _find_identifiers(holder: str, objects: list[dict[str, Any]], items: list[Any]) -> Iterator[str]:
    """Yield the identifiers in what one name holds: all objects and all items of lists, taken together."""
    names = set[str]().union(*objects)
    keys = map(str, names)
    if not _what_it_holds(holder):
        yield from (key for key in keys if not key.isidentifier())
    else:
        yield from keys
        yield from (item for item in items if type(item) is str)
    if len(names) > _MANY_NAMES and not _is_suspicious(" ".join(_find_texts(objects))):
        return  # classifying thousands of names takes longer than looking at their values
    for name in names:
        if _what_it_holds(name):
            yield from (text for fields in objects if type(text := fields.get(name)) is str)


def _find_texts(objects: list[dict[str, Any]]) -> Iterator[str]:
    return (item for fields in objects for item in fields.values() if type(item) is str)


def _check_keys(fields: dict[str, Any], holder: str, at: Path) -> Iterator[tuple[Path, str]]:
    """Check the keys of an object that maps paths or identifiers to something: `files: {"a.txt": "…"}`.

    Other keys may contain anything but a path traversal, because programs also write files that are named by keys.
    """
    if is_identifier_name(holder):
        yield from ((at, kind) for key in fields if (kind := _find_attack(str(key), holder)))
    elif holder:
        yield from ((at, TRAVERSAL) for key in fields if not str(key).isidentifier() and _is_traversal_key(str(key)))


def _is_traversal_key(key: str) -> bool:
    key = key.strip()
    if not _is_suspicious(key) or _SPACE.search(key):
        return False
    plain = decode(key) if key.count("%") <= _MOST_ESCAPES else key
    return ".." in plain and is_traversal(key, plain)


def _find_attack(value: str, name: str) -> str | None:
    if _is_suspicious(value) and (holds := _what_it_holds(name)):
        return _attack_kind(holds, value)
    return None


def _is_suspicious(value: str) -> bool:
    if len(value) < _LONG:
        return _SUSPICIOUS.search(value) is not None
    return value.startswith("-") or any(mark in value for mark in _MARKS)


def _what_it_holds(name: Any) -> _Holds:
    return _classify_name(str(name)[-64:])


@lru_cache(maxsize=4096)
def _classify_name(name: str) -> _Holds:
    if not name.lower().endswith(_ENDINGS):
        return ""
    words = _HUMP.sub("_", name).replace("-", "_").lower()
    if _PATH_NAME.search(words):
        return "path"
    return "id" if _ID_NAME.search(words) else "host" if _HOST_NAME.search(words) else ""


def _attack_kind(holds: _Holds, value: str) -> str | None:
    is_url = _URL.match(value) is not None
    if is_url and not _NOT_IN_URL.search(value):
        return None
    if value.count("%") > _MOST_ESCAPES:
        return UNCHECKABLE
    plain = decode(value)
    if _is_traversal(holds, value, plain, is_url=is_url):
        return TRAVERSAL
    if begins_with_option(plain, is_strict=holds == "host"):
        return INJECTION
    if holds == "path" and plain.strip().count("\n") > 1:
        return None  # the content of a file
    parts = _around_marks(plain)
    if len(parts) > _MOST_CHECKED:
        return UNCHECKABLE
    if contains_command(parts, is_strict=holds == "host" or _hides_operator(value, plain)):
        return INJECTION
    return INJECTION if holds != "path" and not is_url and _INJECTION.search(parts) else None


def _is_traversal(holds: _Holds, value: str, plain: str, *, is_url: bool) -> bool:
    return holds == "path" and not is_url and is_traversal(value.strip(), plain.strip())


def _hides_operator(value: str, plain: str) -> bool:
    """Whether percent-encoding hides the end of a command."""
    return "%" in value and any(plain.count(end) > value.count(end) for end in ";\n")


def _around_marks(text: str) -> str:
    """Return what is around the marks of an injection; of a text with too many, somewhat more than can be checked."""
    if len(text) <= _LONG * 4:
        return text
    windows: list[tuple[int, int]] = []
    for mark in _INJECTION_MARKS:
        last = -1
        while (at := text.find(mark, last + 1)) >= 0 and len(windows) * _BEFORE <= _MOST_CHECKED:
            last = text.rfind(mark, at, at + _AFTER)
            windows.append((max(0, at - _BEFORE), last + _AFTER))
    windows.sort()
    parts, done, size = list[str](), 0, 0
    for start, end in windows:
        parts.append(" " * (start > done) + text[max(start, done) : end])
        done, size = max(done, end), size + len(parts[-1])
        if size > _MOST_CHECKED:
            break
    return "".join(parts)
