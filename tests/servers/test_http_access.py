"""Who may use a reference server over HTTP: host names, web pages, and other machines with a token.

The server listens on all addresses here. The requests are those that a page in a browser could make it get.
"""

# pyright: basic
from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from fingerpost.cli.main import main
from tests.support.adopted_servers import called
from tests.support.waiting import PATIENCE

TOKEN = "correct-horse"
PAGE = "http://localhost:6274"
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
PARAMS = {"name": "write_file", "arguments": {"path": "new.txt", "text": "x"}, "_meta": META}
BODY = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": PARAMS})
HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "write_file",
}


class Served:
    """A workspace server that runs."""

    def __init__(self, folder: Path, port: int, warning: str) -> None:
        self.file, self.port, self.warning = folder / "new.txt", port, warning

    def ask(self, method: str = "POST", **more: str) -> tuple[int, dict[str, str], str]:
        """Send one call that writes a file, with these headers; the response must agree with what was written."""
        self.file.unlink(missing_ok=True)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {**HEADERS, **{name.replace("_", "-"): value for name, value in more.items()}}
        connection.request(method, "/mcp", BODY if method == "POST" else None, headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        assert self.file.exists() == (response.status == 200), text
        return response.status, {name.lower(): value for name, value in response.getheaders()}, text


@contextmanager
def served(folder: Path, *options: str, address: str = "0.0.0.0:0", token: str = "") -> Generator[Served]:
    command = [sys.executable, "-m", "fingerpost", "serve", "workspace", str(folder), "--http", address, *options]
    environment = {**os.environ, "FINGERPOST_TOKEN": token}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    try:
        found = re.search(r"listening on http://\S+:(\d+)/mcp", process.stderr.readline())
        assert found is not None
        yield Served(folder, int(found[1]), "" if address.startswith("127.") else process.stderr.readline())
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    options = ("--allow-host", "box.example", "--allow-origin", PAGE)
    with served(tmp_path_factory.mktemp("guarded"), *options, token=f" {TOKEN}\n") as server:
        yield server


@pytest.fixture(scope="module")
def insecure(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with served(tmp_path_factory.mktemp("insecure"), "--insecure") as server:
        yield server


# other machines


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
@pytest.mark.parametrize("token", ["", " "])
def test_other_machines_need_a_token(
    address: str, token: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FINGERPOST_TOKEN", token)
    assert main(["serve", "units", "--http", address]) == 2
    errors = capsys.readouterr().err
    assert "other machines could connect to this address and use the server without a token\nSet FINGERPOST_" in errors
    assert "--insecure" in errors and "listening" not in errors


def test_the_user_is_warned_that_other_machines_can_connect(guarded: Served, insecure: Served) -> None:
    assert "warning: other machines can connect; over plain HTTP" in guarded.warning
    assert "warning: other machines can connect, and need no token (--insecure)" in insecure.warning


@pytest.mark.parametrize("sent", [f"Bearer {TOKEN}", f"bearer  {TOKEN}"])
def test_the_token_lets_in(guarded: Served, sent: str) -> None:
    assert guarded.ask(authorization=sent)[0] == 200


@pytest.mark.parametrize(
    "sent",
    [{}, *({"authorization": one} for one in ("", "Bearer", "Bearer wrong", TOKEN, f"Basic {TOKEN}", "Bearer é"))],
)
def test_without_the_token_nothing_is_written(guarded: Served, sent: dict[str, str]) -> None:
    status, headers, text = guarded.ask(**sent)
    assert (status, headers["www-authenticate"]) == (401, 'Bearer realm="fingerpost"')
    assert "Authorization: Bearer" in json.loads(text)["error"]["message"] and TOKEN not in text


def test_a_token_is_checked_on_loopback_too(tmp_path: Path) -> None:
    with served(tmp_path, address="127.0.0.1:0", token=TOKEN) as server:
        assert server.ask()[0] == 401
        assert server.ask(authorization=f"Bearer {TOKEN}")[0] == 200


def test_a_client_can_send_the_token(guarded: Served) -> None:
    async def list_paths() -> Any:
        async with httpx2.AsyncClient(headers={"authorization": f"Bearer {TOKEN}"}) as sender:
            url = f"http://127.0.0.1:{guarded.port}/mcp"
            async with Client(streamable_http_client(url, http_client=sender)) as client:
                return await called(client, "list_paths", {})

    assert not asyncio.run(asyncio.wait_for(list_paths(), PATIENCE)).is_error


# web pages


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "192.0.2.7", ""])
def test_a_page_cannot_use_the_server_under_a_name_of_its_own(insecure: Served, host: str) -> None:
    status, _, text = insecure.ask(host=host, origin=f"http://{host}")
    assert status == 403 and "--allow-host" in json.loads(text)["error"]["message"]


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:3000", "http://127.0.0.1", "null"])
def test_a_page_of_another_origin_cannot_use_the_server(insecure: Served, origin: str) -> None:
    status, headers, text = insecure.ask(origin=origin)
    assert status == 403 and "--allow-origin" in json.loads(text)["error"]["message"]
    assert "access-control-allow-origin" not in headers
    assert insecure.ask("OPTIONS", origin=origin, access_control_request_method="POST")[0] == 403


def test_loopback_refuses_pages_of_other_ports_too(tmp_path: Path) -> None:
    with served(tmp_path, address="127.0.0.1:0") as server:
        assert server.ask(origin="http://localhost:3000")[0] == 403
        assert server.ask(origin=f"http://127.0.0.1:{server.port}")[0] == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
def test_bodies_that_any_page_can_send_are_refused(insecure: Served, kind: str) -> None:
    assert insecure.ask(content_type=kind)[0] == 415


def test_names_and_loopback_are_accepted(insecure: Served, guarded: Served) -> None:
    assert insecure.ask(host="localhost:1")[0] == insecure.ask(host="0.0.0.0")[0] == 200
    assert guarded.ask(host="BOX.example:80", authorization=f"Bearer {TOKEN}")[0] == 200


def test_an_allowed_page_may_ask_and_read(guarded: Served) -> None:
    status, headers, _ = guarded.ask("OPTIONS", origin=PAGE, access_control_request_method="POST")
    assert status == 204 and "authorization" in headers["access-control-allow-headers"]
    for sent, expected in ({}, 401), ({"authorization": f"Bearer {TOKEN}"}, 200):
        status, headers, _ = guarded.ask(origin=PAGE, **sent)
        assert (status, headers["access-control-allow-origin"]) == (expected, PAGE)


def test_an_origin_that_is_none_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "units", "--http", "127.0.0.1:0", "--allow-origin", "localhost"]) == 2
    assert "localhost is not an origin\nFor example --allow-origin" in capsys.readouterr().err
