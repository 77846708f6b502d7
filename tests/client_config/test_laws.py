"""Laws of wrapping, for generated configs: the round trip is exact, and edits in between stay."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fingerpost.client_config import Proxy, unwrap, wrap
from tests.support.client_configs import (
    PROXY,
    STRICT,
    plain,
)

GAPS = st.sampled_from(["", "", " ", "\n    ", "\t", "\r\n", "/* c */", "// c\n", ' /* " , } */ ', '//,]"\r\n', "/**/"])


MARK = "/*here*/"


EDITED = "EDITED"


@st.composite
def strings(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A JSON string, with or without optional escapes."""
    text = draw(texts)
    source = json.dumps(text, ensure_ascii=draw(st.booleans()))
    return source.replace("/", "\\/") if draw(st.integers(0, 4)) == 0 else source


TEXTS = st.one_of(
    st.sampled_from(
        ["npx", "-y", "--", "é漢😀", "a//b", "/*", '"', "\\", "\n", "\u2028", "${input:t}", "proxy", EDITED]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)


FILLED = TEXTS.filter(bool)


STRINGS = strings(TEXTS)


@st.composite
def containers(draw: st.DrawFn, brackets: str, parts: list[str]) -> str:
    """An array or object with unusual spacing, comments, and sometimes a trailing comma."""
    source = ",".join(draw(GAPS) + part + draw(GAPS) for part in parts)
    last = "," + draw(GAPS) if parts and draw(st.booleans()) else ""
    return f"{brackets[0]}{source or draw(GAPS)}{last}{brackets[1]}"


@st.composite
def objects(draw: st.DrawFn, members: dict[str, str], mark: str = "") -> str:
    names = draw(st.permutations(list(members)))
    parts = [f"{json.dumps(name)}{draw(GAPS)}:{draw(GAPS)}{members[name]}" for name in names]
    marked = draw(st.integers(0, len(parts) - 1)) if mark and parts else -1
    return draw(containers("{}", [mark + part if i == marked else part for i, part in enumerate(parts)]))


@st.composite
def string_objects(draw: st.DrawFn, names: tuple[str, ...]) -> str:
    return draw(objects({name: draw(STRINGS) for name in names if draw(st.booleans())}))


@st.composite
def entries(draw: st.DrawFn) -> str:
    """One server: by command, by URL, or unusual."""
    members: dict[str, str] = {}
    if draw(st.booleans()):
        members["command"] = draw(strings(FILLED))
        if draw(st.booleans()):
            members["args"] = draw(containers("[]", draw(st.lists(STRINGS, max_size=3))))
        kinds = ["stdio", "local", "http"]
    else:
        address = st.sampled_from(["https://a/mcp", "http://b", "${input:url}", "https://é/?a=\\"])
        members[draw(st.sampled_from(["url", "serverUrl"]))] = draw(strings(address))
        if draw(st.booleans()):
            members["headers"] = draw(string_objects(("Authorization", "X-É", "b")))
        kinds = ["http", "streamable-http", "streamableHttp", "sse"]
    if draw(st.booleans()):
        members["type"] = json.dumps(draw(st.sampled_from(kinds)))
    if draw(st.booleans()):
        members["env"] = draw(string_objects(("A", "B", "FINGERPOST_BUDGET")))
    others = {"cwd": f'"{EDITED}"', "disabled": "true", "timeout": "1.5e3", "x": '{"fingerpost": []}'}
    members |= {name: source for name, source in others.items() if draw(st.booleans())}
    return draw(objects(members, MARK))


@st.composite
def configs(draw: st.DrawFn) -> str:
    names = draw(st.lists(st.sampled_from(["a", "b", "é", "//c", "proxy"]), unique=True, max_size=3))
    odd = st.sampled_from(["null", "[]", '"off"', "{}"])
    servers = {name: draw(st.one_of(entries(), entries(), entries(), odd)) for name in names}
    holder = draw(objects(servers, MARK))
    path = draw(st.sampled_from([["mcpServers"], ["projects", "/p q", "mcpServers"], ["servers"], ["mcp", "servers"]]))
    for name in reversed(path):
        holder = draw(objects({name: holder, "other": draw(STRINGS)}, MARK))
    return draw(st.sampled_from(["", "\ufeff"])) + draw(GAPS) + holder + draw(GAPS)


proxies = st.sampled_from([PROXY, STRICT, Proxy("C:\\é\\fingerpost.exe", ("--config", "a b.toml"))])


@given(configs(), proxies)
def test_unwrapping_restores_every_byte_and_wrapping_twice_equals_wrapping_once(text: str, proxy: Proxy) -> None:
    wrapped = wrap(text, proxy).text
    assert wrap(wrapped, STRICT).text == wrapped
    assert unwrap(wrapped).text == text


@given(configs(), proxies)
def test_edits_of_other_fields_in_between_stay(text: str, proxy: Proxy) -> None:
    def edit(config: str) -> str:
        return config.replace(MARK, ' "added": {"command": 1}, // new\n').replace(EDITED, "changed, 漢")

    assert unwrap(edit(wrap(text, proxy).text)).text == edit(text)


@given(configs(), proxies, st.booleans())
def test_a_client_that_reformats_the_config_does_no_harm(text: str, proxy: Proxy, is_sorted: bool) -> None:
    reformatted = json.dumps(plain(wrap(text, proxy).text), indent=1, sort_keys=is_sorted)
    assert plain(unwrap(reformatted).text) == plain(text)


@given(configs(), proxies)
def test_a_wrapped_entry_runs_the_same_server(text: str, proxy: Proxy) -> None:
    wrapped = wrap(text, proxy)
    before, after = plain(text), plain(wrapped.text)
    for outcome in wrapped.outcomes:
        was, now = (_server(document, outcome.server.name) for document in (before, after))
        named = proxy.for_server(outcome.server.name)
        assert now == (_expected(was, now, named) if outcome.state == "wrapped" else was)


def _server(document: Any, name: str) -> Any:
    for key in ("mcpServers", "servers"):
        if key in document:
            return document[key][name]
    return _server(document.get("mcp") or document.get("projects") or document["/p q"], name)


def _expected(was: dict[str, Any], now: dict[str, Any], proxy: Proxy) -> dict[str, Any]:
    front = ["proxy", *proxy.options]
    same = {
        name: value for name, value in was.items() if name not in ("command", "args", "url", "serverUrl", "headers")
    }
    expected = {**same, "command": proxy.command}
    if "command" in was:
        expected["args"] = [*front, "--", was["command"], *was.get("args", [])]
    else:
        expected["args"] = [*front, was.get("url", was.get("serverUrl"))]
        if "type" in was:
            expected["type"] = "stdio"
    if "headers" in was:
        sent = now["env"]["FINGERPOST_HEADERS"]
        assert json.loads(sent) == was["headers"]
        expected["env"] = {**was.get("env", {}), "FINGERPOST_HEADERS": sent}
    return expected | ({"fingerpost": now["fingerpost"]} if "fingerpost" in now else {})
