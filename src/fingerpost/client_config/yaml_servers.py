"""Find the servers of Continue and Goose, whose configs are YAML.

Goose writes its config anew and drops comments and unknown keys. So everything is derived from the entry; comments mark
only what makes no difference (`args` that were absent). An entry is changed only if the change can be undone to the
same bytes; otherwise the user gets the lines to write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from fingerpost.client_config import yaml_unwrap, yaml_wrap
from fingerpost.client_config.editable import ConfigSyntaxError, Editable
from fingerpost.client_config.jsonc import Edit, apply_edits
from fingerpost.client_config.servers import NoServersError, Server, SkipServer, is_fingerpost
from fingerpost.client_config.wrap_server import SIGN_IN_WARNING, Proxy
from fingerpost.client_config.yaml_entry import CONTINUE, GOOSE, CannotRestore, Client, Entry, lines_by_hand
from fingerpost.client_config.yaml_text import (
    Field,
    Line,
    NotPlainError,
    decode_key,
    match_key,
    parse_fields,
    parse_readable_fields,
    split_lines,
)

_ODD_BREAK = re.compile("[\x85\u2028\u2029]|\r(?!\n)")


def find_servers(text: str) -> list[Editable]:
    """Return every server. Raises `ConfigSyntaxError` and `NoServersError`."""
    if _ODD_BREAK.search(text):
        raise ConfigSyntaxError("has line breaks that only some readers of YAML know")
    lines = split_lines(text)
    tops = [i for i, line in enumerate(lines) if line.indent == 0 and not line.content.startswith("- ")]
    servers: list[Editable] = []
    clients = {CONTINUE.section: CONTINUE, GOOSE.section: GOOSE}
    for i, following in zip(tops, [*tops[1:], len(lines)], strict=True):
        found = match_key(lines[i])
        client = clients.pop(decode_key(found[1]), None) if found else _check_start(lines, i)
        if client and found:
            _require_block(lines[i], found.end(), client)
            servers += [_editable(text, client, chunk) for chunk in _split_entries(lines[i + 1 : following], client)]
    if len(clients) == 2:
        raise NoServersError
    return servers


def _check_start(lines: Sequence[Line], index: int) -> None:
    """Allow `---` at the start of the document. Anything else that is no key is not the plain style."""
    if lines[index].content != "---" or index:
        raise ConfigSyntaxError(f"is not in the plain style of YAML: line {lines[index].number}: expected a key")


def _require_block(line: Line, end: int, client: Client) -> None:
    rest = line.content[end:].partition(" #")[0].strip()
    if rest not in ("", "[]", "{}", "null"):
        shape = "a list, each item on lines of its own" if client.is_list else "a mapping, each key on lines of its own"
        raise _not_plain(line, f"write {client.section!r} as {shape}", client)


def _not_plain(line: Line, problem: str, client: Client) -> ConfigSyntaxError:
    by_hand = lines_by_hand(client, Proxy("fingerpost", ("--name=NAME",)))
    return ConfigSyntaxError(f"is not in the plain style of YAML: line {line.number}: {problem}", by_hand)


def _split_entries(lines: Sequence[Line], client: Client) -> Iterator[list[Line]]:
    """Split the lines of the section by the indentation of the first one."""
    chunk: list[Line] = []
    for line in lines:
        if line.indent < lines[0].indent or (line.indent == lines[0].indent and client.is_list != _is_item(line)):
            raise _not_plain(line, "unexpected indentation", client)
        if chunk and line.indent == lines[0].indent:
            yield chunk
            chunk = []
        chunk.append(line)
    if chunk:
        yield chunk


def _is_item(line: Line) -> bool:
    return line.content.startswith("- ")


def _editable(text: str, client: Client, lines: list[Line]) -> Editable:
    name = _name_of(lines, client)
    try:
        fields = parse_fields(*_inside(lines, client))
        if len({field.key for field in fields}) < len(fields):
            raise NotPlainError("a key occurs twice", lines[0].number)
    except NotPlainError as error:
        refuse = partial(_refuse, str(error), client, _readable_fields(lines, client))
        return Editable(Server(name), _looks_wrapped(lines, client), "", refuse, refuse)
    if client.is_list:
        name = next((field.value.string for field in fields if field.key == "name"), name)
    entry = Entry(text, client, name, {field.key: field for field in fields})
    has_headers = client.headers[0] in entry.fields and entry.fields[client.headers[0]].kind == "map"
    return Editable(
        Server(entry.name),
        entry.proxy_start > 0,
        SIGN_IN_WARNING if client.url in entry.fields and not has_headers else "",
        partial(_wrap_exactly, entry),
        partial(yaml_unwrap.unwrap, entry),
    )


def _readable_fields(lines: list[Line], client: Client) -> dict[str, Field]:
    """The fields of an entry that is not in the plain style; none if a line is no key, or a key occurs twice."""
    try:
        fields = parse_readable_fields(*_inside(lines, client))
    except NotPlainError:
        return {}
    by_key = {field.key: field for field in fields}
    return by_key if len(by_key) == len(fields) else {}


def _looks_wrapped(lines: Sequence[Line], client: Client) -> bool:
    """Whether an entry that cannot be parsed seems to run the proxy."""
    words = [line.content.removeprefix("- ").strip("\"' ") for line in lines]
    commands = [word.removeprefix(f"{client.command}:") for word in words if word.startswith(f"{client.command}:")]
    return "proxy" in words and any(is_fingerpost(command.strip("\"' ")) for command in commands)


def _name_of(lines: Sequence[Line], client: Client) -> str:
    """The name of an entry, even if the entry cannot be parsed."""
    if not client.is_list:
        found = match_key(lines[0])
        return decode_key(found[1]) if found else lines[0].content
    for line in lines:
        content = line.content.removeprefix("- ").lstrip()
        if content.startswith("name:"):
            return content.removeprefix("name:").partition(" #")[0].strip("\"' ")
    return f"line {lines[0].number}"


def _inside(lines: Sequence[Line], client: Client) -> tuple[list[Line], int]:
    """The lines of the mapping of an entry, and their indentation."""
    first = lines[0]
    if not client.is_list:
        if not (found := match_key(first)) or first.content[found.end() :].strip()[:1] not in ("", "#"):
            raise NotPlainError("expected 'name:' with the fields on the lines below", first.number)
        return list(lines[1:]), lines[1].indent if lines[1:] else 0
    content = first.content.removeprefix("- ").lstrip()
    skipped = len(first.content) - len(content)
    inner = Line(first.number, first.start + skipped, first.end, first.indent + skipped, content)
    return [inner, *lines[1:]], inner.indent


def _refuse(problem: str, client: Client, fields: dict[str, Field], proxy: Proxy | None = None) -> list[Edit]:
    by_hand = lines_by_hand(client, proxy, fields) if proxy else ()
    raise SkipServer(
        f"it is not in the plain style of YAML ({problem})" + ("; write by hand:" if proxy else ""), by_hand
    )


def _wrap_exactly(entry: Entry, proxy: Proxy) -> list[Edit]:
    """Return the edits that wrap a server, if `unwrap` restores the same bytes."""
    try:
        edits = yaml_wrap.wrap(entry, proxy)
        _require_exact(entry, apply_edits(entry.text, edits))
    except CannotRestore as error:
        raise SkipServer(f"{error}; write by hand:", lines_by_hand(entry.client, proxy, entry.fields)) from error
    return edits


def _require_exact(entry: Entry, wrapped: str) -> None:
    try:
        again = [one for one in find_servers(wrapped) if one.server.name == entry.name]
        is_exact = len(again) == 1 and again[0].is_wrapped and apply_edits(wrapped, again[0].unwrap()) == entry.text
    except (ConfigSyntaxError, SkipServer):
        is_exact = False
    if not is_exact:
        raise CannotRestore("it is written in a way that could not be restored exactly")
