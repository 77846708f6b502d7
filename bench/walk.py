"""Trace one wrong call through the SDK middleware and through the stdio proxy: `make walk`.

The call is `search(patern: "User")` on a read-only tool, which is repaired and sent. A hop is two consecutive calls in
different files among the plumbing: the modules that pass a call on, rather than those that know about mistakes.
Resuming a coroutine is not a call.
"""

from __future__ import annotations

import asyncio
import dis
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import fingerpost

_PACKAGE = f"{Path(fingerpost.__file__).parent}/"
_PLUMBING = (
    "middleware/",
    "engine/replies/",
    "sdk.py",
    "engine/admit.py",
    "engine/judge.py",
    "engine/decide.py",
    "engine/render/envelope.py",
)
_TOOL, _WRONG = "search", {"patern": "User"}
_SERVER = """
import json, sys
tool = {"name": "search", "annotations": {"readOnlyHint": True}, "inputSchema": {"type": "object",
        "properties": {"pattern": {"type": "string"}}, "required": ["pattern"]}}
for line in sys.stdin:
    request = json.loads(line)
    result = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                             "serverInfo": {"name": "walk", "version": "1"}},
              "tools/list": {"tools": [tool]}}.get(request["method"], {"content": [{"type": "text", "text": "found"}]})
    if "id" in request:
        reply = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + chr(10)
        sys.stdout.write(reply)  # at once: a reply in two parts would be two steps of the loop
        sys.stdout.flush()
"""


@dataclass
class Walk:
    """The calls that were traced, in order: file, function, and when."""

    calls: list[tuple[str, str, float]] = field(default_factory=list[tuple[str, str, float]])

    @property
    def hops(self) -> int:
        return sum(one[0] != other[0] for one, other in zip(self.calls, self.calls[1:], strict=False))

    @property
    def modules(self) -> list[str]:
        """The files, in the order in which the call first reaches them."""
        return list(dict.fromkeys(file for file, _, _ in self.calls))

    def lines(self) -> Iterator[str]:
        """Yield the trace: a line for each hop, with the functions that are called there."""
        file, functions = "", list[str]()
        for name, function, _ in [*self.calls, ("", "", 0.0)]:
            if name != file and file:
                yield f"  {file:<38} {', '.join(functions)}"
                functions = []
            file = name
            if function not in functions:
                functions.append(function)

    def of_one_frame(self, start: float, end: float) -> Walk:
        """Return the calls between two times, from reading the client's frame to writing the reply.

        Before and after these, the transport may be busy with its loop.
        """
        calls = [call for call in self.calls if start <= call[2] <= end]
        first = next(at for at, (file, _, _) in enumerate(calls) if file == "proxy/protocol/frames.py")
        last = max(at for at, (_, function, _) in enumerate(calls) if function == "Pipe.write")
        return Walk(calls[max(0, first - 1) : last + 1])


@contextmanager
def _traced(prefixes: tuple[str, ...]) -> Generator[Walk]:
    walk = Walk()

    def record(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(_PACKAGE) and _is_first_instruction(frame):
            file = path[len(_PACKAGE) :]
            if file.startswith(prefixes):
                walk.calls.append((file, frame.f_code.co_qualname, time.monotonic()))

    sys.setprofile(record)
    try:
        yield walk
    finally:
        sys.setprofile(None)


def _is_first_instruction(frame: FrameType) -> bool:
    """Whether a frame begins: resuming a coroutine or a generator is reported as a call too."""
    return frame.f_lasti <= _first_resume(frame.f_code)


@cache
def _first_resume(code: CodeType) -> int:
    """Return the offset of the instruction at which a call of this code begins."""
    return next((one.offset for one in dis.get_instructions(code) if one.opname == "RESUME"), 0)


def walk_sdk() -> Walk:
    """Trace the call through a server on the official SDK, with a client in the same process."""
    from mcp.client import Client
    from mcp.server import MCPServer
    from mcp_types import ToolAnnotations

    from fingerpost.sdk import Guidance

    server = MCPServer("walk", middleware=[Guidance()])

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def search(pattern: str) -> str:  # pyright: ignore[reportUnusedFunction]
        return f"found {pattern}"

    async def ask() -> Walk:
        async with Client(server) as client:
            await client.list_tools()
            await client.call_tool(_TOOL, {"pattern": "User"})
            with _traced(_PLUMBING) as walk:
                await client.call_tool(_TOOL, _WRONG)
        return walk

    return asyncio.run(ask())


def walk_stdio_proxy() -> Walk:
    """Trace the call through `fingerpost proxy` in front of a server process."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        command = [sys.executable, "-m", "bench.walk", "--traced-proxy", str(trace), sys.executable, "-c", _SERVER]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as proxy:
            client = {"name": "walk", "version": "1"}
            _ask(proxy, 1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
            _ask(proxy, 2, "tools/list", {})
            _ask(proxy, 3, "tools/call", {"name": _TOOL, "arguments": {"pattern": "User"}})
            start = time.monotonic()
            _ask(proxy, 4, "tools/call", {"name": _TOOL, "arguments": _WRONG})
            end = time.monotonic()
            assert proxy.stdin is not None
            proxy.stdin.close()
            proxy.wait()
        calls = [(str(file), str(function), float(at)) for file, function, at in json.loads(trace.read_text("utf-8"))]
    return Walk(calls).of_one_frame(start, end)


def _ask(proxy: subprocess.Popen[bytes], id: int, method: str, params: dict[str, Any]) -> None:
    assert proxy.stdin is not None and proxy.stdout is not None
    proxy.stdin.write(json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n")
    proxy.stdin.flush()
    assert json.loads(proxy.stdout.readline())["id"] == id


def _run_traced_proxy(trace: Path, server: list[str]) -> int:
    from fingerpost.cli.main import main

    with _traced((*_PLUMBING, "proxy/")) as walk:
        code = main(["proxy", "--", *server])
    trace.write_text(json.dumps(walk.calls), encoding="utf-8")
    return code


def main() -> int:
    if sys.argv[1:2] == ["--traced-proxy"]:
        return _run_traced_proxy(Path(sys.argv[2]), sys.argv[3:])
    for name, walk in (("SDK middleware", walk_sdk()), ("stdio proxy", walk_stdio_proxy())):
        print(f"{name}: {walk.hops} hops between {len(walk.modules)} modules")
        print("\n".join(walk.lines()), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
