"""Every case through every integration: the middleware of each framework, and the proxy over each transport."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from bench.replies import frameworks, scene
from bench.replies.pages import Case, Cases
from bench.replies.scene import Scene, serve_http
from bench.replies.varying import mask_ids
from bench.replies.wire import VERSIONS, Client, open_http, open_pipe
from fingerpost import Policy

Group: TypeAlias = "tuple[str, dict[str, Any]]"
"""The name of an integration, and what it replied in each case."""

_EMPTY: Case = {"tools": [], "prompts": [], "resources": {"resources": [], "resourceTemplates": []}, "policy": {}}
_COMMAND = str(Path(sys.executable).parent / "fingerpost")


def record_frameworks(cases: Cases, folder: Path) -> Iterator[Group]:
    """The replies of servers with guidance as middleware, over standard input and output."""
    for kind, version in product(frameworks.KINDS, VERSIONS):
        command = [sys.executable, "-m", frameworks.__name__, kind, str(folder)]
        with open_pipe(command, version) as client:
            stage = Scene(folder)
            stage.start(_EMPTY)
            yield f"{kind}, {version}", {"handshake": client.greet(), **_play_all(cases, stage, client)}


def record_proxies(cases: Cases, folder: Path) -> Iterator[Group]:
    """The replies of `fingerpost proxy`, whichever way messages travel."""
    for client_side, server_side, version in product(("stdio", "http"), ("stdio", "http"), VERSIONS):
        replies: dict[str, Any] = {}
        for number, (policy, batch) in enumerate(_split_batches(cases), 1):
            stage = Scene(folder)
            stage.start(_EMPTY)
            with ExitStack() as stack:
                upstream = _start_upstream(server_side, stage, folder, stack)
                client = stack.enter_context(open_proxy(client_side, version, [*_make_options(policy), *upstream]))
                replies[f"handshake {number}"] = client.greet()
                replies |= _play_all(batch, stage, client)
        yield f"proxy {client_side} to {server_side}, {version}", replies


def open_proxy(
    side: str, version: str, words: list[str], environment: dict[str, str] | None = None
) -> AbstractContextManager[Client]:
    """A client of a proxy with these words on its command line."""
    if side == "stdio":
        return open_pipe([_COMMAND, "proxy", *words], version, environment)
    return open_http([_COMMAND, "proxy", "--listen", "127.0.0.1:0", *words], version, environment)


def _start_upstream(side: str, stage: Scene, folder: Path, stack: ExitStack) -> list[str]:
    if side == "http":
        return [stack.enter_context(serve_http(stage))]
    return ["--", sys.executable, str(scene.__file__), str(folder)]


def _split_batches(cases: Cases) -> list[tuple[Policy, Cases]]:
    """The cases by policy, none with the same request twice: a proxy remembers which calls have failed."""
    batches: list[tuple[Policy, set[str], Cases]] = []
    for name, case in cases.items():
        policy, request = Policy(**case["policy"]), json.dumps([case["method"], case["params"]])
        fitting = (one for one in batches if one[0] == policy and request not in one[1])
        batch = next(fitting, None) or (policy, set[str](), Cases())
        batches += [] if batch in batches else [batch]
        batch[1].add(request)
        batch[2][name] = case
    return [(policy, batch) for policy, _, batch in batches]


def _make_options(policy: Policy) -> list[str]:
    chosen = ("auto_correct", "unknown_params", "unfit_values", "unknown_tool", "unsafe_input", "budget")
    words = [word for name in chosen for word in (f"--{name.replace('_', '-')}", str(getattr(policy, name)))]
    return [*words, *(["--tips"] if policy.tips else []), *([] if policy.info_tool else ["--no-info-tool"])]


def _play_all(cases: Cases, stage: Scene, client: Client) -> dict[str, Any]:
    return {name: _play(case, stage, client) for name, case in cases.items()}


def _play(case: Case, stage: Scene, client: Client) -> dict[str, Any]:
    """The tools are listed twice: the first list has the policy set, the second passes through that policy."""
    stage.start(case)
    client.ask("tools/list", {})
    listing = client.ask("tools/list", {})
    stage.forget()
    replies = [client.ask(case["method"], case["params"]) for _ in range(case["attempts"])]
    return {"listing": listing, "replies": replies, "received": [mask_ids(one) for one in stage.received]}
