"""The published servers that the audit is measured on, each started in a sandbox of its own.

`python -m bench.peers --list [NAME …]` starts them, lists their tools and makes every right call that is known here,
twice; with `--verbose` it also shows what came back. `make peers` installs them first.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import threading
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from bench.published import PEERS, Peer
from bench.sandbox import Sandbox
from fingerpost import Catalog

_PATIENCE, _GRACE = 60.0, 5.0


class Talk:
    """A conversation with one server, over its standard streams."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process, self._last = process, 0
        self.stray = 0
        """Lines on standard output that are no frames."""

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The whole answer to a request; what the server asks meanwhile, it is not given."""
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        with _ended_after(_PATIENCE, self._process):
            return self._answer()

    def tell(self, method: str) -> None:
        self._send({"method": method})

    def tools(self) -> list[dict[str, Any]]:
        """What it lists, from all pages."""
        found, cursor = list[dict[str, Any]](), dict[str, str]()
        while True:
            page = self.ask("tools/list", cursor)["result"]
            found += page["tools"]
            if not page.get("nextCursor"):
                return found
            cursor = {"cursor": page["nextCursor"]}

    def _send(self, frame: Mapping[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **frame}).encode() + b"\n")
        self._process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        for line in self._process.stdout:
            try:
                frame = json.loads(line)
            except ValueError:
                self.stray += 1
                continue
            if "method" in frame and "id" in frame:
                self._send({"id": frame["id"], "error": {"code": -32601, "message": "Method not found"}})
            elif frame.get("id") == self._last:
                return frame
        raise RuntimeError(f"the server has ended with {self._process.wait(_PATIENCE)}")


@contextlib.contextmanager
def _ended_after(seconds: float, process: subprocess.Popen[bytes]) -> Generator[None]:
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def talk(peer: Peer, box: Sandbox) -> Generator[Talk]:
    """A server that has just been started and greeted; what it says on standard error is not heard."""
    pipe, command = subprocess.PIPE, peer.command(box)
    environment = peer.environment(box)
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment) as process:
        try:
            one = Talk(process)
            client = {"name": "bench", "version": "1"}
            one.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
            one.tell("notifications/initialized")
            yield one
        finally:
            process.terminate()  # a proxy that is killed outright could not take its server with it
            with _ended_after(_GRACE, process):
                process.communicate()


def listed(peer: Peer, *, verbose: bool) -> None:
    """Say what a server offers, and how its right calls went."""
    with peer.sandbox() as box, talk(peer, box) as one:
        tools = one.tools()
        catalog, examples = Catalog.listed(tools), peer.examples(box)
        calls = [(name, arguments) for name, many in examples.items() for arguments in many]
        refused = [name for name, arguments in calls if not _accepted(catalog, name, arguments)]
        failed = _failed(one, calls, verbose=verbose)
        again = [name for name in _failed(one, calls, verbose=False) if name not in failed]
    hinted = [tool for tool in tools if "readOnlyHint" in tool.get("annotations", {})]
    reading = [tool for tool in hinted if tool["annotations"]["readOnlyHint"]]
    names = {tool["name"] for tool in tools}
    print(
        f"{peer.name:20}{peer.version:12}{peer.made_with:26}{len(tools):5}{len(hinted):6}{len(reading):6}"
        f"{len(calls):7}{len(calls) - len(failed):6}"
    )
    _told("not as its schema says", refused)
    _told("failed", failed)
    _told("fails when repeated", again)
    _told("no right call is known", sorted(names - examples.keys() - peer.without.keys()))
    _told("not a tool of the server", sorted((examples.keys() | peer.without.keys()) - names))
    _told("lines on standard output that are no frames", [str(one.stray)] if one.stray else [])


def _accepted(catalog: Catalog, name: str, arguments: dict[str, Any]) -> bool:
    tool = catalog.get(name)
    return tool is not None and tool.accepts(arguments)


def _failed(one: Talk, calls: Sequence[tuple[str, dict[str, Any]]], *, verbose: bool) -> list[str]:
    failed = list[str]()
    for name, arguments in calls:
        answer = one.ask("tools/call", {"name": name, "arguments": arguments})
        if "error" in answer or answer["result"].get("isError"):
            failed.append(name)
        if verbose:
            print(
                f"  {name} {json.dumps(arguments)}\n    {json.dumps(answer.get('result', answer.get('error')))[:300]}"
            )
    return failed


def _told(what: str, names: Sequence[str]) -> None:
    if names:
        print(f"  {what}: {', '.join(dict.fromkeys(names))}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--list", action="store_true", required=True, help="start each, list its tools and call them")
    parser.add_argument("--verbose", action="store_true", help="show each call and what came back")
    parser.add_argument("names", nargs="*", help="only these")
    chosen = parser.parse_args()
    print(f"{'server':20}{'version':12}{'made with':26}tools  hint  read  calls  good")
    for peer in PEERS:
        if not chosen.names or peer.name in chosen.names:
            listed(peer, verbose=chosen.verbose)


if __name__ == "__main__":
    main()
