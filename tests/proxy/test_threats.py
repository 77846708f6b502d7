"""The threat model on the wire: what an attacker must not be able to make the proxy do."""

# pyright: basic
from __future__ import annotations

import asyncio
import base64
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.inbound import encode_header_value, mcp_param_headers, validate_mcp_param_headers, x_mcp_header_map

from tests.proxy.promises.stand import MISBEHAVING, Listening, Stdio, call, closing, lines_of, request, web_server
from tests.proxy.promises.web import Connection, connection, modern, shaken
from tests.support.misbehaving import TOOLS, tool
from tests.support.misbehaving_http import decoded
from tests.support.waiting import PATIENCE

IS_SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
_DICE = random.Random(20261116)
_WORDS = ("search", "list", "get", "create", "update", "remove", "archive", "export", "assign", "merge")
_THINGS = ("issue", "branch", "order", "invoice", "ticket", "user", "team", "file", "event", "label")


def times(short: int, long: int) -> int:
    return long if IS_SOAK else short


# T2: suggestions only contain what the caller may see

_EVERY = [
    tool(f"{word}_{thing}{more}", {"id": {"type": "integer"}})
    for word in _WORDS
    for thing in _THINGS
    for more in ("", "s")
]
_HIDDEN = [one["name"] for one in _DICE.sample(_EVERY, 100)]
_SEEN = [one for one in _EVERY if one["name"] not in _HIDDEN]


def _near_miss(dice: random.Random) -> str:
    name = dice.choice(_HIDDEN)
    at = dice.randrange(len(name))
    return dice.choice((name, name[:at] + name[at + 1 :], name + "s", name.upper(), name[::-1], f"x.{name}", name[1:]))


async def _reply_text(one: Connection, name: str, headers: dict[str, str], dice: random.Random) -> str:
    arguments = dice.choice(({"id": 1}, {"id": "1"}, {"idd": 1}, {}))
    body, own = modern(1, "tools/call", {"name": name, "arguments": arguments})
    return json.dumps((await one.ask(body, {**own, **headers})).reply(), sort_keys=True).replace('"caller"', "")


def test_near_misses_of_hidden_tools_get_the_same_answer_as_without_them() -> None:
    """T2: while another caller sees them all and calls them all the time."""

    async def compare(url: str, bare: str) -> None:
        with closing(Listening(server=(url,))) as hiding, closing(Listening(server=(bare,))) as without:
            async with connection(hiding.port) as one, connection(without.port) as other:
                for turn in range(times(150, 10_000)):
                    dice, seed = random.Random(turn), random.Random(turn)
                    name, low = _near_miss(dice), {"authorization": "Bearer low"}
                    await _reply_text(one, name, {"authorization": "Bearer all"}, random.Random(turn))
                    _near_miss(seed)
                    hidden, absent = await _reply_text(one, name, low, dice), await _reply_text(other, name, low, seed)
                    assert _without_pid(hidden) == _without_pid(absent), name

    with (
        web_server({"tools": _EVERY, "hidden": {"Bearer low": _HIDDEN}}) as url,
        web_server({"tools": _SEEN}) as bare,
    ):
        asyncio.run(compare(url, bare))


def _without_pid(text: str) -> str:
    """The reply up to the process id of the server."""
    return text.partition('\\"pid\\"')[0]


# T3: secrets in arguments stay between client and server

CANARIES = ("hunter2-canary", "sk-live-51H8canaryQ9x2Lm4Nn7Pp0Rr3Ss6Tt", "canary words of a person", "4111111111111111")


@pytest.mark.parametrize("options", [("-v",), ("--log-json",), ("-v", "--log-json")], ids=" ".join)
def test_the_log_contains_no_argument(options: tuple[str, ...]) -> None:
    """T3, T15: correct calls, wrong calls, lost calls, broken frames, and noise from the server."""
    with closing(Stdio(*options)) as proxy:
        proxy.shake_hands()
        for turn, canary in enumerate(CANARIES):
            for id, frame in enumerate(_frames_with(canary)):
                proxy.send(frame.replace(b'"ID"', b'"%d-%d"' % (turn, id)))
        proxy.ask("end", "ping")
        proxy.ask("x", "tools/call", {"name": "die", "arguments": {"password": CANARIES[0]}})
    assert proxy.errors, "nothing was logged at all"
    for canary in CANARIES:
        assert canary.encode() not in proxy.errors


def _frames_with(canary: str) -> list[bytes]:
    return [
        call("ID", "echo", {"text": canary}),
        call("ID", "echo", {"txt": canary}),
        call("ID", "weather_report", {"city": "a", "days": canary}),
        call("ID", "weather_report", {"city": "a", canary: 1}),
        call("ID", "count_up", {"kye": canary}),
        call("ID", "weather_reprot", {"city": canary}),
        call("ID", "echo", {"text": canary}, do=[["error", {"code": -32603, "message": f"bad {canary}"}]]),
        call("ID", "echo", {"text": "a"}, do=[["say", f"noise {canary}"], ["usual"]]),
        call(
            "ID", "echo", {"text": "a"}, do=[["say", f'{{"jsonrpc":"2.0","id":"{canary}","result":{{}}}}'], ["usual"]]
        ),
        b'{"jsonrpc":"2.0","id":"ID","method":"tools/call","params":{"x":"%b",}}' % canary.encode(),
        b'{"jsonrpc":"2.0","id":"ID","method":"%b","params":7}' % canary.encode(),
    ]


def test_guidance_repeats_no_secret() -> None:
    """T3: parameters with secret names, in calls that are refused before the server sees them."""
    secrets = ("password", "api_key", "token", "secret", "authorization")
    tools = [tool("log_in", {name: {"type": "string"} for name in secrets} | {"n": {"type": "integer"}}, ("n",))]
    with closing(Stdio("-v", config={"tools": tools})) as proxy:
        proxy.shake_hands()
        for turn, (name, canary) in enumerate((name, canary) for name in secrets for canary in CANARIES[:2]):
            for more in ({}, {"n": "x"}, {"nn": 1}, {f"{name}s": canary}):
                reply = proxy.ask(f"{turn}", "tools/call", {"name": "log_in", "arguments": {name: canary, **more}})
                assert reply is not None and reply["result"]["isError"] is True
                assert canary not in json.dumps(reply), (name, more)


# T5: headers mirror the body, also after a repair

_MARKED = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "limit": {"type": "integer", "x-mcp-header": "Limit"},
        "is_dry": {"type": "boolean", "x-mcp-header": "Dry"},
        "filter": {"type": "object", "properties": {"owner": {"type": "string", "x-mcp-header": "Owner"}}},
        "note": {"type": "string"},
    },
    "required": ["region"],
    "additionalProperties": False,
}
_MARKED_TOOL = {"name": "find_orders", "inputSchema": _MARKED, "annotations": {"readOnlyHint": True}}


def _wrong(dice: random.Random) -> tuple[str, dict[str, Any]]:
    """A call that is probably repaired: renamed keys, values of the wrong type, another spelling of the name."""
    name = dice.choice(("find_orders", "find_orders", "findOrders", "find-orders", "mcp__shop__find_orders"))
    region = dice.choice(("eu", "é — ü", " edge ", "=?base64?eA==?=", "", "a\tb", "line\nbreak", "x" * 200))
    arguments: dict[str, Any] = {dice.choice(("region", "Region", "regoin")): region}
    if dice.random() < 0.6:
        arguments[dice.choice(("limit", "Limit"))] = dice.choice((5, "5", -1, "10000000000000000000", 2**63, 5.0))
    if dice.random() < 0.5:
        arguments[dice.choice(("is_dry", "isDry"))] = dice.choice((True, "true", "false"))
    if dice.random() < 0.4:
        arguments["filter"] = dice.choice(({"owner": "me"}, '{"owner": "né"}', {"Owner": "x"}, {}))
    return name, arguments


@pytest.mark.parametrize("front", ["HTTP", "stdio"])
def test_a_repaired_call_has_matching_headers(front: str, tmp_path: Path) -> None:
    """T5: random calls to a server that checks headers as strictly as the SDK; the SDK's own check runs too."""
    record = tmp_path / "record"
    with web_server({"tools": [_MARKED_TOOL, *TOOLS], "record": str(record)}) as url:
        replies = _by_http(url) if front == "HTTP" else _by_stdio(url)
    repaired = 0
    for sent in map(json.loads, lines_of(record)):
        body = json.loads(sent["body"]) if sent.get("body") else {}
        if body.get("method") != "tools/call" or body["params"]["name"] != "find_orders":
            continue
        headers = dict(sent["headers"])
        assert validate_mcp_param_headers(_MARKED, body["params"].get("arguments") or {}, headers) is None, sent
        assert decoded(headers["mcp-name"]) == body["params"]["name"]
        repaired += 1
    assert repaired > len(replies) // 4
    assert all(reply.get("error", {}).get("code") != -32020 for reply in replies)


def _by_http(url: str) -> list[dict[str, Any]]:
    async def ask_all() -> list[dict[str, Any]]:
        with closing(Listening(server=(url,))) as proxy:
            async with connection(proxy.port) as one:
                await one.ask(*modern("l", "tools/list"))
                return [(await one.ask(*_mirrored(turn))).reply() for turn in range(times(150, 1_000))]

    return asyncio.run(ask_all())


def _mirrored(turn: int) -> tuple[bytes, dict[str, str]]:
    """A wrong call with the headers that a client would send for it."""
    name, arguments = _wrong(random.Random(turn))
    body, headers = modern(turn, "tools/call", {"name": name, "arguments": arguments})
    mirrored = mcp_param_headers(x_mcp_header_map(_MARKED), arguments)
    return body, {**headers, "mcp-name": encode_header_value(name), **mirrored}


def _by_stdio(url: str) -> list[dict[str, Any]]:
    with closing(Stdio(server=(url,))) as proxy:
        meta = json.loads(modern(1, "x")[0])["params"]["_meta"]
        proxy.ask("l", "tools/list", {"_meta": meta})
        calls = [_wrong(random.Random(turn)) for turn in range(times(150, 1_000))]
        asked = [{"name": name, "arguments": arguments, "_meta": meta} for name, arguments in calls]
        return [proxy.ask(turn, "tools/call", params) or {} for turn, params in enumerate(asked)]


# T12: callers are isolated


@pytest.mark.parametrize("upstream", ["HTTP", "stdio"])
@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_sixty_four_callers_with_equal_ids_do_not_mix(upstream: str, era: str) -> None:
    """T12: each has its own tool and calls those of the others, all at once."""

    async def clients(server: tuple[str, ...], count: int) -> None:
        with closing(Listening(server=server)) as proxy:
            turns = times(6, 1_600)
            await asyncio.gather(*(_client(proxy.port, f"c{number}x", upstream, era, turns) for number in range(count)))

    if upstream == "HTTP":
        with web_server({"is_private": True}) as url:
            asyncio.run(clients((url,), 64))
    else:
        asyncio.run(clients(MISBEHAVING, 64 if era == "modern" else 12))


async def _client(port: int, who: str, upstream: str, era: str, turns: int) -> None:
    async with connection(port) as one:
        headers = {"authorization": f"Bearer {who}"}
        headers = await shaken(one, headers) if era == "legacy" else headers
        for turn in range(turns):
            own = f"of_{who}" if upstream == "HTTP" else "echo"
            name = own if turn % 2 == 0 else f"of_{who[:-1]}"
            arguments = {"x": turn} if upstream == "HTTP" else {"text": f"{who} {turn}"}
            body, more = modern(turn, "tools/call", {"name": name, "arguments": arguments})
            body = call(turn, name, arguments) if era == "legacy" else body
            reply = (await one.ask(body, headers if era == "legacy" else {**more, **headers})).reply()
            assert reply["id"] == turn
            _check_own(json.dumps(reply), who, upstream, is_right=name == own)


def _check_own(text: str, who: str, upstream: str, *, is_right: bool) -> None:
    named = {
        word
        for word in text.replace('\\"', " ").replace('"', " ").replace("(", " ").replace("'", " ").split()
        if word.startswith("of_")
    }
    assert named <= {f"of_{who}", f"of_{who[:-1]}"}, text
    if is_right:
        assert (f"Bearer {who}" if upstream == "HTTP" else f"{who} ") in text


# T15: local attacks


@pytest.mark.parametrize("upstream", ["HTTP", "stdio"])
def test_only_expected_hosts_and_origins_are_accepted(upstream: str) -> None:
    """T15: a foreign origin or host name is refused, on the health path too."""
    cases = [
        ({}, 200),
        ({"host": "localhost:1"}, 200),
        ({"host": "[::1]:80"}, 200),
        ({"host": "localhost:1", "origin": "http://localhost:1"}, 200),
        ({"host": "localhost:1", "origin": "http://localhost:3000"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost.evil.example"}, 403),
        ({"origin": "http://127.0.0.1@evil.example"}, 403),
        ({"host": "evil.example"}, 403),
        ({"host": "127.0.0.1.evil.example"}, 403),
        ({"host": "evil.example:80"}, 403),
        ({"host": "localhost@evil.example"}, 403),
    ]

    async def ask_all(server: tuple[str, ...]) -> None:
        with closing(Listening(server=server)) as proxy:
            for headers, status in cases:
                async with connection(proxy.port) as one:
                    body, own = modern(1, "ping")
                    assert (await one.ask(body, {**own, **headers})).status == status, headers
                    health = await one.ask(b"", {":path": "/healthz", **headers}, "GET")
                    assert health.status == status, headers
                    assert (await one.ask(b"", {":path": "/other", **headers}, "GET")).status in (403, 404)

    if upstream == "HTTP":
        with web_server() as url:
            asyncio.run(ask_all((url,)))
    else:
        asyncio.run(ask_all(MISBEHAVING))


def test_credentials_go_to_the_upstream_and_nowhere_else(tmp_path: Path) -> None:
    """T15: not to the log, not to a reply, and not to the target of a redirect."""
    record, elsewhere = tmp_path / "record", tmp_path / "elsewhere"

    async def ask_all(url: str, other: str) -> list[bytes]:
        with closing(Listening("-v", "--log-json", server=(url,))) as proxy:
            headers = {"authorization": "Bearer canary-of-a-token", "cookie": "canary=cookie"}
            moved = f"HTTP/1.1 307 Moved\r\nlocation: {other}\r\ncontent-length: 0\r\n\r\n"
            bodies = list[bytes]()
            for body, own in (
                modern(1, "tools/call", {"name": "weather_report", "arguments": {}}),
                modern(2, "tools/call", {"name": "ecko", "arguments": {"txt": "a"}}),
                modern(3, "tools/call", {"name": "echo", "arguments": {"text": "a"}}, do=[["drop"]]),
                modern(4, "tools/call", {"name": "echo", "arguments": {}}, do=[["raw", [moved], 0.0]]),
                modern(5, "x/moved", {}, do=[["raw", [moved], 0.0]]),
            ):
                async with connection(proxy.port) as one:
                    bodies.append((await one.ask(body, {**own, **headers})).body)
            return [*bodies, proxy.errors]

    with web_server({"record": str(record)}) as url, web_server({"record": str(elsewhere)}) as other:
        outputs = asyncio.run(ask_all(url, other))
    assert "canary-of-a-token" in record.read_text()
    assert not elsewhere.exists()
    assert all(b"canary" not in output for output in outputs)


def test_there_is_no_shell_and_the_environment_is_passed_unchanged(tmp_path: Path) -> None:
    """T15: the arguments of the command arrive unchanged."""
    odd = ["; touch pwned", "$(touch pwned)", "`id`", "a b", "", "*", "&&", "'\"", "--guidance", "é"]
    program = (
        "import json, os, sys\n"
        "for line in sys.stdin:\n"
        "    result = {'argv': sys.argv[1:], 'env': os.environ.get('CANARY'), 'cwd': os.getcwd()}\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': json.loads(line)['id'], 'result': result}), flush=True)\n"
    )
    with closing(Stdio(server=(MISBEHAVING[0], "-c", program, *odd), env={"CANARY": "$(id); x"})) as proxy:
        reply = proxy.ask(1, "ping")
    assert reply is not None
    assert reply["result"] == {"argv": odd, "env": "$(id); x", "cwd": os.getcwd()}
    assert not Path("pwned").exists()


_INNER = call("smuggled", "count_up", {"key": "smuggled"})
_SMUGGLING = {
    "a notification": b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":\n%b\n}}' % _INNER,
    "a request": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{},"a":\n%b\n}}' % _INNER,
    "a reply": b'{"jsonrpc":"2.0","id":1,"result":{"a":\r\n%b\r\n}}' % _INNER,
    "a field nobody knows": b'{"jsonrpc":"2.0","id":1,"method":"ping","x":\n%b\n}' % _INNER,
}


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("what", _SMUGGLING)
def test_one_body_is_one_message(what: str, era: str, tmp_path: Path) -> None:
    """T4, T15: a line inside a body must not reach a stdio server as a separate message."""
    counter = tmp_path / "counter"

    async def ask_all() -> None:
        with closing(Listening(config={"counter": str(counter)})) as proxy:
            async with connection(proxy.port) as one:
                headers = await shaken(one) if era == "legacy" else {"mcp-protocol-version": "2026-07-28"}
                body = _SMUGGLING[what]
                if era == "modern":
                    await one.ask(*modern(0, "ping"))
                    headers["mcp-method"] = "ping"
                    meta = modern(1, "x")[0].partition(b'"_meta": ')[2][:-2]
                    body = body.replace(b'"params":{', b'"params":{"_meta":%b,' % meta).replace(b'"_meta":{},', b"")
                async with asyncio.timeout(PATIENCE):
                    await one.ask(body, headers)
                check, own = (request(2, "ping"), headers) if era == "legacy" else modern(2, "ping")
                assert "result" in (await one.ask(check, own)).reply()

    asyncio.run(ask_all())
    assert not counter.exists()


def test_the_test_server_decodes_headers_as_the_sdk_encodes_them() -> None:
    for value in ("a", "é", " a", "=?base64?eA==?=", "", "x" * 100, "a\nb"):
        assert decoded(encode_header_value(value)) == value
    assert decoded("=?base64?eB==?=") is None
    assert decoded(f"=?base64?{base64.b64encode(bytes([255])).decode()}?=") is None
