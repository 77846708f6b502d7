"""`get_definition`: an id is a path and a name (`src/auth.py:User.authenticate`) or a line (`src/auth.py:L42`).

So it means the same in every process, and is found without a search before it.
"""

from __future__ import annotations

import re
from typing import Any

from fingerpost import closest
from fingerpost.engine.phrases import join_names, quote
from fingerpost.engine.safety.redact import ECHO_LIMIT
from fingerpost.errors import Reading
from fingerpost.servers.code.errors import NothingFound, escaped
from fingerpost.servers.code.folder import Tree, is_binary, sayable
from fingerpost.servers.code.languages import language_of
from fingerpost.servers.code.outline import Definition, enclosing
from fingerpost.servers.code.paging import call_of
from fingerpost.servers.code.suggestions import Neighbourhood
from fingerpost.servers.served import Answer

_LINE = re.compile(r"L(\d{1,9})")
_WORD = re.compile(r"\w+")
_AROUND, _LONGEST_CODE, _MOST_SHOWN, _MOST_PATHS = 10, 100_000, 8, 500


def answer(asked: str, files: list[str], tree: Tree, near: Neighbourhood) -> Answer:
    """The definition with this id."""
    said, _, what = asked.rpartition(":")
    path = tree.place(said, "id")
    if not said or path not in set(files):
        raise _nowhere(asked, files, tree, near)
    source, definitions = _read_in(tree, path, asked), tree.definitions(path)
    if found := next((one for one in definitions if one.qualified == what), None):
        return _shown(found, path, definitions, source)
    if line := _LINE.fullmatch(what):
        return _at_line(int(line[1]), path, definitions, source, asked)
    raise _unknown(path, what, definitions, near)


def _read_in(tree: Tree, path: str, asked: str) -> bytes:
    """A text file that is listed, unless it went away since, or a link came in the way."""
    try:
        source = tree.source(path)
    except OSError:
        raise _unreadable(path, asked, "cannot be read", "Search again: it may be gone, or elsewhere") from None
    if is_binary(source):
        raise _unreadable(path, asked, "is a binary file", "Name a text file: only these have lines and definitions")
    return source


def _unreadable(path: str, asked: str, why: str, hint: str) -> NothingFound:
    steps = {"alternatives": ["list_files()"]}
    return NothingFound(f"{quote(sayable(path))} {why}", "id", (), details={"got": asked}, hint=hint, next_steps=steps)


def _shown(found: Definition, path: str, definitions: tuple[Definition, ...], source: bytes) -> Answer:
    where = sayable(path)
    code = _code(source, found.start, found.end)
    members = [f"{where}:{one.qualified}" for one in definitions if one.parent == found.qualified]
    data: dict[str, Any] = {
        "id": f"{where}:{found.qualified}", "name": found.qualified, "kind": found.kind, "path": where,
        "start_line": found.start, "end_line": found.end, "language": language_of(path), "signature": found.signature,
        "parent": f"{where}:{found.parent}" if found.parent else None, "members": members[:50],
        "documentation": found.doc or None, "code": code[:_LONGEST_CODE],
        "truncated": True if len(code) > _LONGEST_CODE else None,
        "next_steps": _steps(found, where),
    }  # fmt: skip
    kept = {name: value for name, value in data.items() if value not in (None, [])}
    head = f"{kept['id']} ({found.kind}, lines {found.start}-{found.end})"
    return Answer("\n".join([head, kept["code"], *_said(kept["next_steps"])]), kept)


def _steps(found: Definition, where: str) -> dict[str, str]:
    name = escaped(found.name)
    uses = call_of("search", pattern=rf"\b{name}\b" if _WORD.fullmatch(found.name) else name)
    steps = {"find_uses": uses}
    return {**steps, "see_parent": call_of("get_definition", id=f"{where}:{found.parent}")} if found.parent else steps


def _at_line(line: int, path: str, definitions: tuple[Definition, ...], source: bytes, asked: str) -> Answer:
    """What a line is in: the innermost definition, else the lines around it."""
    if around := enclosing(definitions, line):
        text, data = _shown(around, path, definitions, source)
        return Answer(text, {**data, "line": line})
    last = len(source.splitlines())
    if not 1 <= line <= last:
        raise NothingFound(
            f"{quote(sayable(path))} has no line {line}: it ends at line {last}", "id", (), details={"got": asked},
            hint=f"Try: {call_of('get_definition', id=f'{sayable(path)}:L{last}')}" if last else "The file is empty",
            next_steps={"alternatives": ["list_files()"]},
        )  # fmt: skip
    start, end = max(line - _AROUND, 1), min(line + _AROUND, last)
    where, code = sayable(path), _code(source, start, end)
    data: dict[str, Any] = {
        "id": asked, "name": _code(source, line, line).strip()[:200], "kind": "match", "path": where, "line": line,
        "start_line": start, "end_line": end, "language": language_of(path), "code": code[:_LONGEST_CODE],
    }  # fmt: skip
    kept = {name: value for name, value in data.items() if value is not None}
    return Answer(f"{asked} (no definition around it, lines {start}-{end})\n{kept['code']}", kept)


def _code(source: bytes, start: int, end: int) -> str:
    lines = source.split(b"\n")[start - 1 : end]
    return "\n".join(line.decode("utf-8", "replace").rstrip("\r") for line in lines)


def _said(steps: dict[str, str]) -> list[str]:
    return [f"{name.replace('_', ' ').capitalize()}: {step}" for name, step in steps.items()]


def _unknown(path: str, what: str, definitions: tuple[Definition, ...], near: Neighbourhood) -> NothingFound:
    """There is such a file, but not that in it: what is like it there, or where it went."""
    where = sayable(path)
    names = [one.qualified for one in definitions]
    readings = tuple(
        Reading(f"{where}:{match.name}", f"{where}:{match.name}", match.confidence, match.is_clear)
        for match in closest(what, names, "value")[:3]
    ) or _elsewhere(near.ids(what))
    known = f"It defines {join_names(names, limit=_MOST_SHOWN)}" if names else "It defines nothing that is known here"
    return NothingFound(
        f"{quote(where)} defines no {quote(what)}", "id", readings,
        hint=_hint(readings) if readings else known, details={"got": f"{where}:{what}"},
        next_steps={"alternatives": _ways(readings, what, near)},
    )  # fmt: skip


def _nowhere(asked: str, files: list[str], tree: Tree, near: Neighbourhood) -> NothingFound:
    """There is no such file: the same name in another one, or a file that is called alike."""
    said, _, what = asked.rpartition(":")
    if asked in set(files):
        _read_in(tree, asked, asked)
        names = [one.qualified for one in tree.definitions(asked)]
        example = call_of("get_definition", id=f"{asked}:{names[0] if names else 'L1'}")
        return NothingFound(
            f"{quote(asked)} is a file, not a definition", "id", (), details={"got": asked},
            hint=f"It defines {join_names(names, limit=_MOST_SHOWN)}" if names else "Name one of its lines",
            next_steps={"example": example},
        )  # fmt: skip
    readings = _elsewhere(near.ids(what)) or tuple(_alike(said, what, files, tree))
    return NothingFound(
        f"No definition has the id {quote(asked)}", "id", readings, details={"got": asked},
        hint=_hint(readings) if readings else "Ids are a path and a name, as search gives them",
        next_steps={"alternatives": _ways(readings, what, near)},
    )  # fmt: skip


def _hint(readings: tuple[Reading, ...]) -> str | None:
    """The call to make, where the id in it is too long to stand in a corrected call."""
    return f"Try: {_read(readings[0])}" if len(readings[0].value) > ECHO_LIMIT else None


def _ways(readings: tuple[Reading, ...], what: str, near: Neighbourhood) -> list[str]:
    """The calls by which a definition is found."""
    found = [call_of("search", pattern=leaf) for leaf in _WORD.findall(what)[-1:] if near.has(leaf)]
    return [*map(_read, readings), *found, "list_files()"]


def _read(reading: Reading) -> str:
    return call_of("get_definition", id=reading.value)


def _elsewhere(ids: list[str]) -> tuple[Reading, ...]:
    is_only = len(ids) == 1
    return tuple(Reading(one, one, 0.95 if is_only else 0.5, is_only) for one in ids[:3])


def _alike(said: str, what: str, files: list[str], tree: Tree) -> list[Reading]:
    """The same in a file that is called alike."""
    wanted = said.rpartition("/")[2]
    named = [path for path in files if path.rpartition("/")[2].lower() == wanted.lower()]
    pool = named or [path for path in files if abs(len(path) - len(said)) <= 3 and path[:1] == said[:1]]
    matches = closest(said, pool[:_MOST_PATHS], "value")[:3]
    there = [match for match in matches if _has(tree, match.name, what)]
    return [Reading(f"{m.name}:{what}", f"{m.name}:{what}", m.confidence, m.is_clear) for m in there]


def _has(tree: Tree, path: str, what: str) -> bool:
    """Whether a file defines this, or has such a line."""
    if any(one.qualified == what for one in tree.definitions(path)):
        return True
    return bool(line := _LINE.fullmatch(what)) and tree.has_line(path, int(line[1]))
