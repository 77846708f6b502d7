"""`get_definition`: read a definition by its id.

An id is a path with a name (`src/auth.py:User.authenticate`) or with a line (`src/auth.py:L42`). So it means the same
in every process and needs no earlier search.
"""

from __future__ import annotations

import re
from typing import Any

from fingerpost.engine.matching import closest
from fingerpost.engine.phrases import join_names, quote
from fingerpost.engine.safety.redact import ECHO_LIMIT
from fingerpost.errors import Reading
from fingerpost.servers.answer import Answer
from fingerpost.servers.code.errors import NothingFound, escape_pattern
from fingerpost.servers.code.folder import ServedFolder, is_binary, printable_path
from fingerpost.servers.code.languages import language_of
from fingerpost.servers.code.outline import Definition, innermost_definition
from fingerpost.servers.code.paging import format_next_steps, format_tool_call
from fingerpost.servers.code.suggestions import Suggester

_LINE = re.compile(r"L(\d{1,9})")
_WORD = re.compile(r"\w+")
_CONTEXT_LINES, _MAX_CODE, _MAX_NAMES, _MAX_PATHS, _MAX_MEMBERS = 10, 100_000, 8, 500, 50


def get_definition(id: str, files: list[str], folder: ServedFolder, suggester: Suggester) -> Answer:
    """The definition with this id; raises `NothingFound`."""
    file, _, name = id.rpartition(":")
    path = folder.relative_path(file, "id")
    if not file or path not in set(files):
        raise _no_such_file_error(id, files, folder, suggester)
    source, definitions = _read_text(folder, path, id), folder.definitions(path)
    if definition := next((one for one in definitions if one.qualified == name), None):
        return _describe(definition, path, definitions, source)
    if line := _LINE.fullmatch(name):
        return _describe_line(int(line[1]), path, definitions, source, id)
    raise _no_such_name_error(path, name, definitions, suggester)


def _read_text(folder: ServedFolder, path: str, id: str) -> bytes:
    """Read a listed text file; it may be missing by now, or replaced by a link."""
    try:
        source = folder.source(path)
    except OSError:
        hint = "Search again: it may be gone, or elsewhere"
        raise _unreadable_file_error(path, id, "cannot be read", hint) from None
    if is_binary(source):
        hint = "Name a text file: only these have lines and definitions"
        raise _unreadable_file_error(path, id, "is a binary file", hint)
    return source


def _unreadable_file_error(path: str, id: str, reason: str, hint: str) -> NothingFound:
    message = f"{quote(printable_path(path))} {reason}"
    steps = {"alternatives": ["list_files()"]}
    return NothingFound(message, "id", (), details={"got": id}, hint=hint, next_steps=steps)


def _describe(definition: Definition, path: str, definitions: tuple[Definition, ...], source: bytes) -> Answer:
    file = printable_path(path)
    code = _code(source, definition.start, definition.end)
    members = [f"{file}:{one.qualified}" for one in definitions if one.parent == definition.qualified]
    fields: dict[str, Any] = {
        "id": f"{file}:{definition.qualified}", "name": definition.qualified, "kind": definition.kind, "path": file,
        "start_line": definition.start, "end_line": definition.end, "language": language_of(path),
        "signature": definition.signature, "parent": f"{file}:{definition.parent}" if definition.parent else None,
        "members": members[:_MAX_MEMBERS], "documentation": definition.doc or None, "code": code[:_MAX_CODE],
        "truncated": True if len(code) > _MAX_CODE else None, "next_steps": _next_steps(definition, file),
    }  # fmt: skip
    data = {name: value for name, value in fields.items() if value not in (None, [])}
    heading = f"{data['id']} ({definition.kind}, lines {definition.start}-{definition.end})"
    return Answer("\n".join([heading, data["code"], *format_next_steps(data["next_steps"])]), data)


def _next_steps(definition: Definition, file: str) -> dict[str, str]:
    name = escape_pattern(definition.name)
    uses = format_tool_call("search", pattern=rf"\b{name}\b" if _WORD.fullmatch(definition.name) else name)
    if not definition.parent:
        return {"find_uses": uses}
    return {"find_uses": uses, "see_parent": format_tool_call("get_definition", id=f"{file}:{definition.parent}")}


def _describe_line(line: int, path: str, definitions: tuple[Definition, ...], source: bytes, id: str) -> Answer:
    """The innermost definition around a line, or else the lines around it."""
    if enclosing := innermost_definition(definitions, line):
        text, data = _describe(enclosing, path, definitions, source)
        return Answer(text, {**data, "line": line})
    file, last = printable_path(path), len(source.splitlines())
    if not 1 <= line <= last:
        last_line = format_tool_call("get_definition", id=f"{file}:L{last}")
        raise NothingFound(
            f"{quote(file)} has no line {line}: it ends at line {last}", "id", (), details={"got": id},
            hint=f"Try: {last_line}" if last else "The file is empty",
            next_steps={"alternatives": ["list_files()"]},
        )  # fmt: skip
    start, end = max(line - _CONTEXT_LINES, 1), min(line + _CONTEXT_LINES, last)
    fields: dict[str, Any] = {
        "id": id, "name": _code(source, line, line).strip()[:200], "kind": "match", "path": file, "line": line,
        "start_line": start, "end_line": end, "language": language_of(path),
        "code": _code(source, start, end)[:_MAX_CODE],
    }  # fmt: skip
    data = {name: value for name, value in fields.items() if value is not None}
    return Answer(f"{id} (no definition around it, lines {start}-{end})\n{data['code']}", data)


def _code(source: bytes, start: int, end: int) -> str:
    lines = source.split(b"\n")[start - 1 : end]
    return "\n".join(line.decode("utf-8", "replace").rstrip("\r") for line in lines)


def _no_such_name_error(
    path: str, name: str, definitions: tuple[Definition, ...], suggester: Suggester
) -> NothingFound:
    """The file exists but does not define this name: suggest similar names in it, or the name in other files."""
    file = printable_path(path)
    names = [one.qualified for one in definitions]
    readings = tuple(
        Reading(f"{file}:{match.name}", f"{file}:{match.name}", match.confidence, match.is_clear)
        for match in closest(name, names, "value")[:3]
    ) or _readings_of(suggester.definition_ids(name))
    known = f"It defines {join_names(names, limit=_MAX_NAMES)}" if names else "It defines nothing that is known here"
    return NothingFound(
        f"{quote(file)} defines no {quote(name)}", "id", readings,
        hint=_long_id_hint(readings) if readings else known, details={"got": f"{file}:{name}"},
        next_steps={"alternatives": _alternative_calls(readings, name, suggester)},
    )  # fmt: skip


def _no_such_file_error(id: str, files: list[str], folder: ServedFolder, suggester: Suggester) -> NothingFound:
    """The file does not exist: suggest the same name in another file, or a file with a similar name."""
    if id in set(files):
        return _bare_file_error(id, folder)
    file, _, name = id.rpartition(":")
    readings = _readings_of(suggester.definition_ids(name)) or tuple(_in_similar_files(file, name, files, folder))
    return NothingFound(
        f"No definition has the id {quote(id)}", "id", readings, details={"got": id},
        hint=_long_id_hint(readings) if readings else "Ids are a path and a name, as search gives them",
        next_steps={"alternatives": _alternative_calls(readings, name, suggester)},
    )  # fmt: skip


def _bare_file_error(file: str, folder: ServedFolder) -> NothingFound:
    _read_text(folder, file, file)
    names = [one.qualified for one in folder.definitions(file)]
    example = format_tool_call("get_definition", id=f"{file}:{names[0] if names else 'L1'}")
    return NothingFound(
        f"{quote(file)} is a file, not a definition", "id", (), details={"got": file},
        hint=f"It defines {join_names(names, limit=_MAX_NAMES)}" if names else "Name one of its lines",
        next_steps={"example": example},
    )  # fmt: skip


def _long_id_hint(readings: tuple[Reading, ...]) -> str | None:
    """The call to make, if its id is too long for a corrected call."""
    return f"Try: {_call_for(readings[0])}" if len(readings[0].value) > ECHO_LIMIT else None


def _alternative_calls(readings: tuple[Reading, ...], name: str, suggester: Suggester) -> list[str]:
    last_word = _WORD.findall(name)[-1:]
    searches = [format_tool_call("search", pattern=word) for word in last_word if suggester.finds_something(word)]
    return [*map(_call_for, readings), *searches, "list_files()"]


def _call_for(reading: Reading) -> str:
    return format_tool_call("get_definition", id=reading.value)


def _readings_of(ids: list[str]) -> tuple[Reading, ...]:
    is_only = len(ids) == 1
    return tuple(Reading(one, one, 0.95 if is_only else 0.5, is_only) for one in ids[:3])


def _in_similar_files(file: str, name: str, files: list[str], folder: ServedFolder) -> list[Reading]:
    """The same name or line in files with a similar path."""
    wanted = file.rpartition("/")[2]
    same_name = [path for path in files if path.rpartition("/")[2].lower() == wanted.lower()]
    pool = same_name or [path for path in files if abs(len(path) - len(file)) <= 3 and path[:1] == file[:1]]
    matches = closest(file, pool[:_MAX_PATHS], "value")[:3]
    existing = [match for match in matches if _has_definition_or_line(folder, match.name, name)]
    return [Reading(f"{one.name}:{name}", f"{one.name}:{name}", one.confidence, one.is_clear) for one in existing]


def _has_definition_or_line(folder: ServedFolder, path: str, name: str) -> bool:
    if any(one.qualified == name for one in folder.definitions(path)):
        return True
    return bool(line := _LINE.fullmatch(name)) and folder.has_line(path, int(line[1]))
