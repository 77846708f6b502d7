"""The servers of the field: those that the audit is measured on, and more. None gets a credential that works."""

from __future__ import annotations

from bench import peer_examples as given
from bench.field import examples
from bench.published import PEERS, Peer
from bench.sandbox import Sandbox

_NPM, _PYTHON, _PYTHON_1 = "tests/support/field", ".venv-field", ".venv-field-v1"
_TS_1, _TS_2, _GO = "TypeScript SDK 1", "TypeScript SDK 2", "Go SDK"
_PY_1_LOW, _PY_2 = "Python SDK 1, low-level", "Python SDK 2"
_MCP = "@modelcontextprotocol"
_NOBODY = "127.0.0.1"
_CLOSED_PORT = "9"
"""Nothing listens there, so that no database or cluster of this machine is touched."""


def _without_browser(option: str) -> list[str]:
    """A browser that does not exist, so that none is started."""
    return ["--headless", option, "/nonexistent/browser"]


def _kubernetes(box: Sandbox) -> list[str]:
    return ["--kubeconfig", box.path("cluster.yaml")]


MORE = (
    Peer("chart", "@antv/mcp-server-chart", _NPM, "mcp-server-chart", _TS_1),
    Peer(
        "vault",
        "@bitbonsai/mcpvault",
        _NPM,
        "mcpvault",
        _TS_2,
        arguments=lambda box: [str(box.work)],
        prepare=examples.notes,
        examples=examples.vault,
    ),
    Peer(
        "git-ts",
        "@cyanheads/git-mcp-server",
        _NPM,
        "git-mcp-server",
        _TS_1,
        settings=lambda box: {"GIT_BASE_DIR": str(box.work), "MCP_TRANSPORT_TYPE": "stdio"},
        prepare=given.repository,
        examples=examples.git_typescript,
        without=dict.fromkeys(("git_clone", "git_init", "git_worktree"), "creates folders wherever it is told to"),
    ),
    Peer(
        "drawio",
        "@drawio/mcp",
        _NPM,
        "drawio-mcp",
        _TS_1,
        settings=lambda box: {"PATH": ""},
        prepare=examples.drawing,
        examples=examples.drawio,
        without=dict.fromkeys(("open_drawio_xml", "open_drawio_csv", "open_drawio_mermaid"), "opens a browser"),
    ),
    Peer(
        "taskmanager",
        "@kazuph/mcp-taskmanager",
        _NPM,
        "mcp-taskmanager",
        _TS_1,
        settings=lambda box: {"TASK_MANAGER_FILE_PATH": box.path("tasks.json")},
        examples=examples.task_manager,
    ),
    Peer(
        "brave-search",
        f"{_MCP}/server-brave-search",
        _NPM,
        "mcp-server-brave-search",
        _TS_1,
        settings=lambda box: {"BRAVE_API_KEY": "none"},
    ),
    Peer(
        "github",
        f"{_MCP}/server-github",
        _NPM,
        "mcp-server-github",
        _TS_1,
        settings=lambda box: {"GITHUB_PERSONAL_ACCESS_TOKEN": "none"},
    ),
    Peer(
        "gitlab",
        f"{_MCP}/server-gitlab",
        _NPM,
        "mcp-server-gitlab",
        _TS_1,
        settings=lambda box: {"GITLAB_PERSONAL_ACCESS_TOKEN": "none"},
    ),
    Peer(
        "google-maps",
        f"{_MCP}/server-google-maps",
        _NPM,
        "mcp-server-google-maps",
        _TS_1,
        settings=lambda box: {"GOOGLE_MAPS_API_KEY": "none"},
    ),
    Peer(
        "slack",
        f"{_MCP}/server-slack",
        _NPM,
        "mcp-server-slack",
        _TS_1,
        settings=lambda box: {"SLACK_BOT_TOKEN": "none", "SLACK_TEAM_ID": "T0"},
    ),
    Peer(
        "notion",
        "@notionhq/notion-mcp-server",
        _NPM,
        "notion-mcp-server",
        _TS_1,
        settings=lambda box: {"NOTION_TOKEN": "none"},
    ),
    Peer(
        "playwright",
        "@playwright/mcp",
        _NPM,
        "playwright-mcp",
        _TS_1,
        arguments=lambda box: _without_browser("--executable-path"),
        without={"browser_wait_for": "waits as long as it is told to"},
    ),
    Peer("context7", "@upstash/context7-mcp", _NPM, "context7-mcp", _TS_2),
    Peer(
        "airtable",
        "airtable-mcp-server",
        _NPM,
        "airtable-mcp-server",
        _TS_1,
        settings=lambda box: {"AIRTABLE_API_KEY": "pat.none"},
    ),
    Peer(
        "chrome-devtools",
        "chrome-devtools-mcp",
        _NPM,
        "chrome-devtools-mcp",
        _TS_1,
        arguments=lambda box: _without_browser("--executablePath"),
    ),
    Peer(
        "kubernetes",
        "kubernetes-mcp-server",
        _NPM,
        "kubernetes-mcp-server",
        _GO,
        arguments=_kubernetes,
        prepare=examples.cluster,
    ),
    Peer("tavily", "tavily-mcp", _NPM, "tavily-mcp", _TS_1, settings=lambda box: {"TAVILY_API_KEY": "none"}),
    Peer("pandoc", "mcp-pandoc", _PYTHON, "mcp-pandoc", _PY_2, examples=examples.pandoc),
    Peer("sympy", "mcp-sympy", _PYTHON, "mcp-sympy", "FastMCP 4", examples=examples.sympy),
    Peer(
        "word",
        "office-word-mcp-server",
        _PYTHON,
        "word_mcp_server",
        "FastMCP 4",
        examples=examples.word,
        without={"convert_to_pdf": "starts an office program"},
    ),
    Peer(
        "time-py",
        "time-mcp",
        _PYTHON,
        "time-mcp",
        _PY_2,
        examples=lambda box: {
            "get_time_in_timezone": [{"timezone": "Asia/Tokyo"}],
            "list_timezones": [{"query": "Oslo"}],
        },
        without={"get_time_from_ntp": "asks a server on the network"},
    ),
    Peer(
        "cli",
        "cli-mcp-server",
        _PYTHON_1,
        "cli-mcp-server",
        _PY_1_LOW,
        settings=lambda box: {"ALLOWED_DIR": str(box.work), "ALLOWED_COMMANDS": "ls,cat", "ALLOWED_FLAGS": "-a"},
        prepare=given.files,
        examples=lambda box: {"run_command": [{"command": "ls -a"}, {"command": "cat verse.txt"}]},
    ),
    Peer(
        "obsidian",
        "mcp-obsidian",
        _PYTHON_1,
        "mcp-obsidian",
        _PY_1_LOW,
        settings=lambda box: {"OBSIDIAN_API_KEY": "none", "OBSIDIAN_HOST": _NOBODY, "OBSIDIAN_PORT": _CLOSED_PORT},
    ),
    Peer(
        "duckdb",
        "mcp-server-duckdb",
        _PYTHON_1,
        "mcp-server-duckdb",
        _PY_1_LOW,
        arguments=lambda box: ["--db-path", box.path("data.duckdb")],
        examples=lambda box: {"query": [{"query": "CREATE OR REPLACE TABLE t AS SELECT 1 AS a"}, {"query": "FROM t"}]},
    ),
    Peer(
        "make",
        "mcp-server-make",
        _PYTHON_1,
        "mcp-server-make",
        _PY_1_LOW,
        arguments=lambda box: ["--make-path", box.path("Makefile"), "--working-dir", str(box.work)],
        prepare=examples.makefile,
        examples=lambda box: {"make": [{"target": "hello"}]},
    ),
    Peer(
        "shell",
        "mcp-shell-server",
        _PYTHON_1,
        "mcp-shell-server",
        _PY_1_LOW,
        settings=lambda box: {"ALLOW_COMMANDS": "ls,cat"},
        prepare=given.files,
        examples=lambda box: {"shell_execute": [{"command": ["cat", "verse.txt"], "directory": str(box.work)}]},
    ),
    Peer(
        "timeserver",
        "mcp-simple-timeserver",
        _PYTHON_1,
        "mcp-simple-timeserver",
        "FastMCP 3",
        examples=examples.time_server,
        without={"get_utc": "asks a server on the network", "get_current_time": "asks a server on the network"},
    ),
    Peer("todo", "mcp-todo", _PYTHON_1, "mcp-todo", _PY_1_LOW, examples=examples.todo),
    Peer(
        "mysql",
        "mysql-mcp-server",
        _PYTHON_1,
        "mysql_mcp_server",
        _PY_1_LOW,
        settings=lambda box: {
            **dict.fromkeys(("MYSQL_USER", "MYSQL_PASSWORD", "MYSQL_DATABASE"), "none"),
            "MYSQL_HOST": _NOBODY,
            "MYSQL_PORT": _CLOSED_PORT,
        },
    ),
)

FIELD = (*PEERS, *MORE)

_LANGUAGES = {"TypeScript": "TypeScript", "Python": "Python", "FastMCP": "Python", "Go": "Go", "mcp-go": "Go"}


def language_of(peer: Peer) -> str:
    return _LANGUAGES[peer.made_with.split()[0]]
