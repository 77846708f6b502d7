"""Wrap and unwrap the servers of Continue and Goose, whose configs are YAML.

Goose writes its config anew and drops comments and unknown keys. So everything is derived from the entry; comments mark
only what makes no difference (`args` that were absent). An entry is changed only if the change can be undone to the
same bytes; otherwise the user gets the lines to write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from fingerpost.client_config.editable import ConfigSyntaxError, Editable
from fingerpost.client_config.jsonc import Edit, apply_edits
from fingerpost.client_config.servers import NoServersError, Server, SkipServer, find_proxy, is_fingerpost
from fingerpost.client_config.toml_text import line_break, line_break_before
from fingerpost.client_config.wrap_server import (
    HEADERS_VARIABLE,
    SIGN_IN_WARNING,
    TEMPLATES_VARIABLE,
    Proxy,
    is_json_object,
    is_url,
    require_no_sse_url,
    require_plain_url,
    require_strings,
)
from fingerpost.client_config.yaml_text import (
    Field,
    Line,
    NotPlainError,
    decode_key,
    match_key,
    parse_fields,
    split_lines,
    to_double_quoted,
    to_single_quoted,
    to_yaml,
)
from fingerpost.engine.phrases import quote

_ADDED = "# added by fingerpost"
_TEMPLATE = re.compile(r"\$\{[A-Za-z_]\w*\}", re.ASCII)
_ODD_BREAK = re.compile("[\x85\u2028\u2029]|\r(?!\n)")


@dataclass(frozen=True, slots=True)
class _Client:
    """The names that a client gives to the fields of an entry."""

    section: str
    command: str
    url: str
    env: str
    headers: tuple[str, ...]
    """The keys that lead to the headers."""
    http: str
    """The type of a server with a URL."""
    is_list: bool
    unsupported: tuple[str, ...]


_CONTINUE = _Client(
    section="mcpServers",
    command="command",
    url="url",
    env="env",
    headers=("requestOptions", "headers"),
    http="streamable-http",
    is_list=True,
    unsupported=("apiKey", "args", "env", "uses"),
)
_GOOSE = _Client(
    section="extensions",
    command="cmd",
    url="uri",
    env="envs",
    headers=("headers",),
    http="streamable_http",
    is_list=False,
    unsupported=("args", "socket"),
)


@dataclass(frozen=True, slots=True)
class _Entry:
    text: str
    client: _Client
    name: str
    fields: dict[str, Field]

    def string(self, key: str) -> str:
        """The text of a scalar; empty if it is absent or something else."""
        return self.fields[key].value.string if key in self.fields else ""

    @property
    def proxy_start(self) -> int:
        args = self.fields.get("args")
        return find_proxy(self.string(self.client.command), [item.string for item in args.items]) if args else 0


def find_servers(text: str) -> list[Editable]:
    """Return every server. Raises `ConfigSyntaxError` and `NoServersError`."""
    if _ODD_BREAK.search(text):
        raise ConfigSyntaxError("has line breaks that only some readers of YAML know")
    lines = split_lines(text)
    tops = [i for i, line in enumerate(lines) if line.indent == 0 and not line.content.startswith("- ")]
    servers: list[Editable] = []
    clients = {_CONTINUE.section: _CONTINUE, _GOOSE.section: _GOOSE}
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


def _require_block(line: Line, end: int, client: _Client) -> None:
    rest = line.content[end:].partition(" #")[0].strip()
    if rest not in ("", "[]", "{}", "null"):
        shape = "a list, each item on lines of its own" if client.is_list else "a mapping, each key on lines of its own"
        raise _not_plain(line, f"write {client.section!r} as {shape}", client)


def _not_plain(line: Line, problem: str, client: _Client) -> ConfigSyntaxError:
    by_hand = _lines_by_hand(client, Proxy("fingerpost", ("--name=NAME",)))
    return ConfigSyntaxError(f"is not in the plain style of YAML: line {line.number}: {problem}", by_hand)


def _split_entries(lines: Sequence[Line], client: _Client) -> Iterator[list[Line]]:
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


def _editable(text: str, client: _Client, lines: list[Line]) -> Editable:
    name = _name_of(lines, client)
    try:
        fields = parse_fields(*_inside(lines, client))
        if len({field.key for field in fields}) < len(fields):
            raise NotPlainError("a key occurs twice", lines[0].number)
    except NotPlainError as error:
        refuse = partial(_refuse, str(error), client)
        return Editable(Server(name), _looks_wrapped(lines, client), "", refuse, refuse)
    if client.is_list:
        name = next((field.value.string for field in fields if field.key == "name"), name)
    entry = _Entry(text, client, name, {field.key: field for field in fields})
    has_headers = client.headers[0] in entry.fields and entry.fields[client.headers[0]].kind == "map"
    return Editable(
        Server(entry.name),
        entry.proxy_start > 0,
        SIGN_IN_WARNING if client.url in entry.fields and not has_headers else "",
        partial(_wrap_exactly, entry),
        partial(_unwrap, entry),
    )


def _looks_wrapped(lines: Sequence[Line], client: _Client) -> bool:
    """Whether an entry that cannot be parsed seems to run the proxy."""
    words = [line.content.removeprefix("- ").strip("\"' ") for line in lines]
    commands = [word.removeprefix(f"{client.command}:") for word in words if word.startswith(f"{client.command}:")]
    return "proxy" in words and any(is_fingerpost(command.strip("\"' ")) for command in commands)


def _name_of(lines: Sequence[Line], client: _Client) -> str:
    """The name of an entry, even if the entry cannot be parsed."""
    if not client.is_list:
        found = match_key(lines[0])
        return decode_key(found[1]) if found else lines[0].content
    for line in lines:
        content = line.content.removeprefix("- ").lstrip()
        if content.startswith("name:"):
            return content.removeprefix("name:").partition(" #")[0].strip("\"' ")
    return f"line {lines[0].number}"


def _inside(lines: Sequence[Line], client: _Client) -> tuple[list[Line], int]:
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


def _refuse(problem: str, client: _Client, proxy: Proxy | None = None) -> list[Edit]:
    by_hand = _lines_by_hand(client, proxy) if proxy else ()
    raise SkipServer(
        f"it is not in the plain style of YAML ({problem})" + ("; write by hand:" if proxy else ""), by_hand
    )


def _lines_by_hand(client: _Client, proxy: Proxy, *, is_url_entry: bool = False) -> tuple[str, ...]:
    """The lines that the user can write instead. Values that may be secret are left out."""
    target = ("the URL",) if is_url_entry else ("--", "the command", "and each of its arguments")
    lines = [
        "type: stdio",
        f"{client.command}: {to_yaml(proxy.command)}",
        "args:",
        *(f"  - {to_yaml(word)}" for word in ("proxy", *proxy.options, *target)),
    ]
    if is_url_entry:
        lines += [f"{client.env}:", f"""  {HEADERS_VARIABLE}: '{{"the header": "its value"}}'"""]
    return tuple(lines)


def _wrap_exactly(entry: _Entry, proxy: Proxy) -> list[Edit]:
    """Return the edits that wrap a server, if `unwrap` restores the same bytes."""
    edits = _wrap(entry, proxy)
    wrapped = apply_edits(entry.text, edits)
    try:
        again = [one for one in find_servers(wrapped) if one.server.name == entry.name]
        is_exact = len(again) == 1 and again[0].is_wrapped and apply_edits(wrapped, again[0].unwrap()) == entry.text
    except (ConfigSyntaxError, SkipServer):
        is_exact = False
    if not is_exact:
        raise SkipServer(
            "it is written in a way that could not be restored exactly; write by hand:",
            _lines_by_hand(entry.client, proxy, is_url_entry=entry.client.url in entry.fields),
        )
    return edits


# wrap


def _wrap(entry: _Entry, proxy: Proxy) -> list[Edit]:
    client = entry.client
    keys = [key for key in (client.command, client.url) if key in entry.fields]
    _require_type(entry, is_url_entry=keys == [client.url])
    if len(keys) != 1:
        raise SkipServer(
            f"it has both {quote(client.command)} and {quote(client.url)}" if keys else "it has no command"
        )
    target = entry.fields[keys[0]]
    if target.kind != "scalar" or not target.value.string:
        raise SkipServer(f"{quote(target.key)} must be a text that is not empty")
    source = entry.text[target.value.start : target.value.end]
    front = [to_yaml(word) for word in ("proxy", *proxy.options)]
    if target.key == client.command:
        return [_replace_value(target, to_yaml(proxy.command)), *_add_args(entry, target, [*front, "--", source])]
    return [*_wrap_url(entry, target), *_replace_field(entry, target, proxy, [*front, source])]


def _require_type(entry: _Entry, *, is_url_entry: bool) -> None:
    kind = entry.string("type")
    if kind == "sse":
        raise SkipServer("the proxy does not support 'sse', the old transport")
    if "type" in entry.fields and kind != (entry.client.http if is_url_entry else "stdio"):
        raise SkipServer(f"its type is {quote(kind)}")
    if "type" not in entry.fields and not entry.client.is_list:
        raise SkipServer("it has no type")


def _replace_value(field: Field, source: str) -> Edit:
    return Edit(field.value.start, field.value.end, source)


def _add_args(entry: _Entry, command: Field, sources: Sequence[str]) -> list[Edit]:
    """Put arguments before the others."""
    args = entry.fields.get("args")
    if args is None:
        block = _list_block(entry, "args", command.indent, sources, f" {_ADDED}")
        return [Edit(command.end, command.end, block)]
    if args.kind == "empty list":
        items = _item_lines(entry, args.indent + 2, sources)
        return [Edit(args.key_end + 1, args.value.end), Edit(args.line_end, args.line_end, items)]
    if args.kind != "list":
        raise SkipServer("'args' is not a list in block style")
    first = entry.text.rindex("-", 0, args.items[0].start)
    indent = first - entry.text.rindex("\n", 0, first) - 1
    lines = "".join(f"- {source}{line_break(entry.text)}{' ' * indent}" for source in sources)
    return [Edit(first, first, lines)]


def _list_block(entry: _Entry, key: str, indent: int, sources: Sequence[str], comment: str = "") -> str:
    return f"{line_break(entry.text)}{' ' * indent}{key}:{comment}{_item_lines(entry, indent + 2, sources)}"


def _item_lines(entry: _Entry, indent: int, sources: Sequence[str]) -> str:
    return "".join(f"{line_break(entry.text)}{' ' * indent}- {source}" for source in sources)


def _replace_field(entry: _Entry, url: Field, proxy: Proxy, sources: Sequence[str]) -> list[Edit]:
    """Replace a URL by a command and its arguments."""
    return [
        Edit(url.start, url.key_end, entry.client.command),
        _replace_value(url, to_yaml(proxy.command)),
        Edit(url.end, url.end, _list_block(entry, "args", url.indent, sources)),
    ]


def _wrap_url(entry: _Entry, url: Field) -> list[Edit]:
    for name in entry.client.unsupported:
        if name in entry.fields:
            raise SkipServer(f"the proxy does not support its {quote(name)}")
    require_plain_url(url.key, url.value.string)
    if "type" in entry.fields:
        return [_replace_value(entry.fields["type"], "stdio"), *_move_headers(entry)]
    require_no_sse_url(url.value.string, f"; if it is not, set 'type: {entry.client.http}'")
    return _move_headers(entry)


def _move_headers(entry: _Entry) -> list[Edit]:
    """Return the edits that turn headers into a variable."""
    client = entry.client
    holder = entry.fields.get(client.headers[0])
    if holder is None or holder.kind in ("empty map", "other"):
        return []
    path = [holder]
    for key in client.headers[1:]:
        if [field.key for field in path[-1].fields] != [key]:
            raise SkipServer(f"the proxy does not support its {quote(holder.key)}")
        path.append(path[-1].fields[0])
    headers = path[-1].fields
    if any(field.kind != "scalar" for field in headers) or not headers:
        raise SkipServer("its headers are not texts of one line")
    values = {field.key: field.value.string for field in headers}
    require_strings("headers", values)
    variable = _variable_for(entry, values)
    is_quoted = entry.text[headers[0].value.start] == '"'
    encoded = json.dumps(values, ensure_ascii=False)
    line = f"{variable}: {to_double_quoted(encoded) if is_quoted else to_single_quoted(encoded)}"
    return _put_variable(entry, holder, line)


def _variable_for(entry: _Entry, headers: dict[str, str]) -> str:
    """The variable for the headers: Goose fills in `${NAME}`, so the proxy has to do it in its place."""
    if entry.client.is_list or not any("$" in value for value in headers.values()):
        return HEADERS_VARIABLE
    if any("$" in _TEMPLATE.sub("", value) for value in headers.values()):
        raise SkipServer("a header contains '$'; only ${NAME} is supported there")
    return TEMPLATES_VARIABLE


def _put_variable(entry: _Entry, holder: Field, line: str) -> list[Edit]:
    br, client = line_break(entry.text), entry.client
    pad = " " * holder.indent
    if client.is_list:
        return [Edit(holder.start, holder.end, f"{client.env}:{br}{pad}  {line}")]
    emptied = Edit(holder.key_end + 1, holder.end, " {}")
    env = entry.fields.get(client.env)
    if env is None:
        start = line_break_before(entry.text, holder.start)
        return [emptied, Edit(start, start, f"{br}{pad}{client.env}: {_ADDED}{br}{pad}  {line}")]
    if env.kind == "empty map":
        return [emptied, Edit(env.key_end + 1, env.value.end), Edit(env.line_end, env.line_end, f"{br}{pad}  {line}")]
    if env.kind != "map":
        raise SkipServer(f"{quote(client.env)} is not a mapping in block style")
    first = env.fields[0]
    return [emptied, Edit(first.start, first.start, f"{line}{br}{' ' * first.indent}")]


# unwrap


def _unwrap(entry: _Entry) -> list[Edit]:
    args = entry.fields["args"]
    words = [item.string for item in args.items]
    command = entry.fields[entry.client.command]
    if "--" in words:
        return _restore_command(entry, command, args, words.index("--") + 1)
    urls = [item for item in args.items[entry.proxy_start :] if is_url(item.string)]
    if not urls:
        raise SkipServer("there is neither a command nor a URL after 'proxy'")
    _require_own_line(entry, args)
    kind = [_replace_value(entry.fields["type"], entry.client.http)] if "type" in entry.fields else []
    return [
        Edit(command.start, command.key_end, entry.client.url),
        _replace_value(command, entry.text[urls[-1].start : urls[-1].end]),
        Edit(line_break_before(entry.text, args.start), args.end),
        *kind,
        *_restore_headers(entry),
    ]


def _require_own_line(entry: _Entry, field: Field) -> None:
    """Skip a field that shares its line with the dash of the entry: the line cannot be removed."""
    if entry.text[entry.text.rindex("\n", 0, field.start) + 1 : field.start].strip():
        raise SkipServer(f"{quote(field.key)} is the first key of the entry; write it after the others")


def _restore_command(entry: _Entry, command: Field, args: Field, index: int) -> list[Edit]:
    text = entry.text
    if index == len(args.items):
        raise SkipServer("there is no command after '--'")
    source = args.items[index]
    edits = [_replace_value(command, text[source.start : source.end])]
    first = text.rindex("-", 0, args.items[0].start)
    if index + 1 < len(args.items):
        return [*edits, Edit(first, text.rindex("-", 0, args.items[index + 1].start))]
    if text[args.key_end + 1 : args.line_end].strip() == _ADDED:
        return [*edits, Edit(line_break_before(text, args.start), args.end)]
    return [*edits, Edit(args.key_end + 1, args.key_end + 1, " []"), Edit(args.line_end, args.end)]


def _restore_headers(entry: _Entry) -> list[Edit]:
    client = entry.client
    env = entry.fields.get(client.env)
    variables = [field for field in env.fields if field.key in (HEADERS_VARIABLE, TEMPLATES_VARIABLE)] if env else []
    if env is None or not variables:
        return []
    if len(variables) > 1 or not is_json_object(variables[0].value.string):
        raise SkipServer(f"{variables[0].key} is not a JSON object, or there are two of them")
    values = {name: str(value) for name, value in json.loads(variables[0].value.string).items()}
    is_quoted = entry.text[variables[0].value.start] == '"'
    indent = env.indent + 2 * len(client.headers)
    lines = "".join(
        f"{line_break(entry.text)}{' ' * indent}{to_yaml(name)}: "
        f"{to_double_quoted(value) if is_quoted else to_yaml(value)}"
        for name, value in values.items()
    )
    if client.is_list:
        return _restore_request_options(entry, env, lines)
    return [*_remove_variable(entry, env, variables[0]), *_fill_headers(entry, env, lines)]


def _restore_request_options(entry: _Entry, env: Field, lines: str) -> list[Edit]:
    if len(env.fields) > 1:
        raise SkipServer("its 'env' has variables that an entry with a URL cannot have")
    outer, inner = entry.client.headers
    block = f"{outer}:{line_break(entry.text)}{' ' * (env.indent + 2)}{inner}:{lines}"
    return [Edit(env.start, env.end, block)]


def _remove_variable(entry: _Entry, env: Field, variable: Field) -> list[Edit]:
    text = entry.text
    if len(env.fields) > 1:
        following = env.fields[env.fields.index(variable) + 1 :]
        if following:
            return [Edit(variable.start, following[0].start)]
        return [Edit(line_break_before(text, variable.start), variable.end)]
    if text[env.key_end + 1 : env.line_end].strip() == _ADDED:
        return [Edit(line_break_before(text, env.start), env.end)]
    return [Edit(env.key_end + 1, env.key_end + 1, " {}"), Edit(env.line_end, env.end)]


def _fill_headers(entry: _Entry, env: Field, lines: str) -> list[Edit]:
    """Put headers where they were; Goose may have dropped their key."""
    holder = entry.fields.get(entry.client.headers[0])
    if holder is None:
        return [Edit(env.end, env.end, f"{line_break(entry.text)}{' ' * env.indent}{entry.client.headers[0]}:{lines}")]
    return [Edit(holder.key_end + 1, holder.end, lines)]
