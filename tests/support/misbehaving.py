"""An MCP server that behaves well until it is told not to, in both eras: `misbehaving.py [http]`.

Any request may carry `params._meta.do` (for `tools/list`, `do list`), a list of steps that are taken in place of the
usual reply; text in a step is bytes, one for each character. Some tools are steps by themselves (`TOOLS_THAT_DO`).
What a whole process does is said by the environment: `MISBEHAVE` is a JSON object of the fields of `Config`. It needs
nothing but the standard library, so that it is there at once: `python -S misbehaving.py`.

Steps in either transport: `reply` RESULT, `error` ERROR, `hang`, `hold`, `release`, `sleep` S, `later` S, `count` KEY,
`exit` CODE, `kill`, `spawn` S, `progress` N, `flood` N, `big` N, `change` NAMES, `announce`.
On standard streams also: `say` TEXT (a line), `part` TEXT (half of one), `close` (its output, but it lives on), `deaf`.
By HTTP also: `raw` PIECES PAUSE (a whole response), `drop`, `forget` (every session).
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, cast

LEGACY, MODERN = "2025-11-25", "2026-07-28"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"

Json: TypeAlias = "dict[str, Any]"
Steps: TypeAlias = "list[list[Any]]"

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}


def tool(name: str, properties: Json, required: tuple[str, ...] = (), *, reads: bool = True) -> Json:
    schema = {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}
    return {"name": name, "description": f"Does {name}.", "inputSchema": schema, "annotations": {"readOnlyHint": reads}}


TOOLS = [
    tool("echo", {"text": _TEXT, "n": {"type": "number"}, "any": {}, "list": {"type": "array"}}),
    tool("weather_report", {"city": _TEXT, "days": _NUMBER, "is_metric": {"type": "boolean"}}, ("city",)),
    tool("count_up", {"key": _TEXT}, ("key",), reads=False),
]
TOOLS_THAT_DO: dict[str, Steps] = {
    "hang": [["hang"]],
    "die": [["kill"]],
    "leave": [["exit", 3]],
    "hold": [["hold"]],
    "release": [["release"]],
    "flood": [["flood", 1_000], ["reply", {"content": []}]],
}


@dataclass
class Config:
    """How a process behaves."""

    era: str = "both"
    """`legacy` wants a handshake, `modern` wants none, `both` takes what comes."""
    tools: list[Json] = field(default_factory=lambda: [*TOOLS, *(tool(name, {}) for name in TOOLS_THAT_DO)])
    does: dict[str, Steps] = field(default_factory=dict[str, Steps])
    """What other tools do whenever they are called, by their names."""
    page: int = 0
    """Tools on a page of the list; all where 0."""
    ttl: int | None = None
    start: Steps = field(default_factory=list[list[Any]])
    """What is done before anything is read."""
    lists: bool = True
    """Whether `tools/list` is ever answered."""
    deaf: bool = False
    """Whether the end of input and SIGTERM are ignored."""
    is_private: bool = False
    """Whether each caller, told apart by `Authorization`, has a tool of its own."""
    hidden: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Names of tools that a caller does not see, by `Authorization`."""
    streams: bool = False
    """Whether HTTP answers are events."""
    counter: str = ""
    """A file that gains a line for each `count`."""
    pids: str = ""
    """A file that gains the id of each process."""
    record: str = ""
    """A file that gains every frame as it came; by HTTP, a line of JSON for each request."""


class Refusal(Exception):
    """An error in reply to a request."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data is not None else {})}


class Behaviour:
    """What the server says when it behaves, and the steps that it takes when it does not."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.tools = config.tools
        self.is_initialized = False

    def steps(self, message: Json) -> Steps:
        """What a request asks us to do in place of a plain reply."""
        params = as_object(message.get("params"))
        if message.get("method") == "tools/list":  # which may be asked on behalf of a call, with that call's `_meta`
            return as_object(params.get("_meta")).get("do list") or ([] if self.config.lists else [["hang"]])
        name = params.get("name")
        usual = {**TOOLS_THAT_DO, **self.config.does}.get(name, []) if isinstance(name, str) else []
        return as_object(params.get("_meta")).get("do") or usual

    def reply(self, message: Json, caller: str = "") -> Json:
        """The reply of a server that behaves."""
        head = {"jsonrpc": "2.0", "id": message.get("id")}
        try:
            params = as_object(message.get("params"))
            is_modern = self._is_modern(str(message.get("method")), params)
            result = self._result(str(message.get("method")), params, caller)
            return {**head, "result": {"resultType": "complete", **result} if is_modern else result}
        except Refusal as refusal:
            return {**head, "error": refusal.error}

    def _is_modern(self, method: str, params: Json) -> bool:
        is_modern = VERSION_KEY in as_object(params.get("_meta"))
        if self.config.era == "modern" and not is_modern:
            raise Refusal(-32601 if method == "initialize" else -32602, f"This server speaks {MODERN} only")
        if self.config.era == "legacy" and method not in ("initialize", "ping") and not self.is_initialized:
            raise Refusal(-32602, "Received request before initialization was complete")
        return is_modern

    def _result(self, method: str, params: Json, caller: str) -> Json:
        about = {
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "misbehaving", "version": "1"},
        }
        match method:
            case "initialize":
                self.is_initialized = True
                return {"protocolVersion": params.get("protocolVersion", LEGACY), **about}
            case "server/discover" if self.config.era != "legacy":
                return {"supportedVersions": [MODERN], **about, "ttlMs": 0, "cacheScope": "private"}
            case "ping":
                return {}
            case "tools/list":
                return self._page(self.tools_of(caller), str(params.get("cursor") or "0"))
            case "tools/call":
                return self._called(params, caller)
            case _:
                raise Refusal(-32601, f"Method not found: {method}")

    def tools_of(self, caller: str) -> list[Json]:
        hidden = self.config.hidden.get(caller, ())
        own = [tool(f"of_{caller.removeprefix('Bearer ')}", {"x": _NUMBER})] if self.config.is_private else []
        return [one for one in self.tools if one["name"] not in hidden] + own

    def _page(self, tools: list[Json], cursor: str) -> Json:
        start, size = int(cursor), self.config.page or len(tools)
        more = {"nextCursor": str(start + size)} if start + size < len(tools) else {}
        ttl = {"ttlMs": self.config.ttl, "cacheScope": "private"} if self.config.ttl is not None else {}
        return {"tools": tools[start : start + size], **more, **ttl}

    def _called(self, params: Json, caller: str) -> Json:
        name, arguments = params.get("name"), params.get("arguments", {})
        if name not in [one["name"] for one in self.tools_of(caller)]:
            raise Refusal(-32602, f"Unknown tool: {name}")
        if name == "count_up":
            self.count(str(as_object(arguments).get("key")))
        text = json.dumps({"tool": name, "arguments": arguments, "caller": caller, "pid": os.getpid()})
        return {"content": [{"type": "text", "text": text}]}

    def count(self, key: str) -> None:
        append(self.config.counter, key.encode())

    def common(self, step: list[Any]) -> None:
        """A step that is the same in every transport."""
        match step:
            case ["sleep", seconds]:
                time.sleep(seconds)
            case ["count", key]:
                self.count(key)
            case ["exit", code]:
                os._exit(code)
            case ["kill"]:
                os.kill(os.getpid(), signal.SIGKILL)
            case ["spawn", seconds]:
                child = subprocess.Popen(["sleep", str(seconds)], stdin=subprocess.DEVNULL)
                append(self.config.pids and f"{self.config.pids}.spawned", b"%d" % child.pid)
            case ["change", names]:
                self.tools = [tool(name, {}) for name in names]
            case _:
                raise ValueError(f"no such step: {step}")


def later(steps: Steps, message: Json, reply: Json) -> list[Json]:
    """The messages that a step speaks, where it does nothing but speak."""
    head = {"jsonrpc": "2.0", "id": message.get("id")}
    token = as_object(as_object(message.get("params")).get("_meta")).get("progressToken")
    match steps[0]:
        case ["reply", result]:
            return [{**head, "result": result}]
        case ["error", error]:
            return [{**head, "error": error}]
        case ["big", size]:
            return [{**head, "result": {"content": [{"type": "text", "text": "x" * size}]}}]
        case ["progress", count]:
            text = [{"progressToken": token, "progress": number} for number in range(count)]
            return [{"jsonrpc": "2.0", "method": "notifications/progress", "params": params} for params in text]
        case ["flood", count]:
            params = {"level": "info", "data": "flood"}
            return [{"jsonrpc": "2.0", "method": "notifications/message", "params": params}] * count
        case ["announce"]:
            return [{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}]
        case ["usual"]:
            return [reply]
        case _:
            return []


class Stdio:
    """The server on standard streams."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour, self._held = behaviour, list[Json]()
        self._writing = threading.Lock()

    def run(self) -> None:
        for step in self._behaviour.config.start:
            self._step([step], {})
        record = self._behaviour.config.record
        while line := sys.stdin.buffer.readline():
            if record:
                append(record, line.rstrip(b"\n"))
            self._hear(line)
        while self._behaviour.config.deaf:
            time.sleep(1)

    def _hear(self, line: bytes) -> None:
        try:
            message: Any = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            self._send({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}})
            return
        self._asked(as_object(message))

    def _asked(self, message: Json) -> None:
        if "method" not in message or "id" not in message:
            return
        steps = self._behaviour.steps(message)
        while steps and self._step(steps, message):
            steps = steps[1:]
        if not self._behaviour.steps(message):
            self._send(self._behaviour.reply(message))

    def _step(self, steps: Steps, message: Json) -> bool:
        """Take the first of the steps; whether the others follow."""
        match steps[0]:
            case ["hang"]:
                return False
            case ["hold"]:
                self._held.append(message)
            case ["release"]:
                held, self._held = self._held, []
                random.shuffle(held)
                for one in [*held, message]:
                    self._send(self._behaviour.reply(one))
            case ["later", seconds]:
                threading.Timer(seconds, self._send, (self._behaviour.reply(message),)).start()
            case ["say", text]:
                self._write(text.encode("latin-1") + b"\n")
            case ["part", text]:
                self._write(text.encode("latin-1"))
            case ["close"]:
                os.close(1)
            case ["deaf"]:
                self._behaviour.config.deaf = True
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
            case _:
                self._speak(steps, message)
        return True

    def _speak(self, steps: Steps, message: Json) -> None:
        text = later(steps, message, self._behaviour.reply(message) if steps[0] == ["usual"] else {})
        if not text:
            self._behaviour.common(steps[0])
        for one in text:
            self._send(one)

    def _send(self, message: Json) -> None:
        self._write(json.dumps(message).encode() + b"\n")

    def _write(self, data: bytes) -> None:
        with self._writing:
            while data:
                data = data[os.write(1, data) :]


def append(path: str, line: bytes) -> None:
    """Add a line to a file, all at once or not at all."""
    if path:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, line + b"\n")
        os.close(descriptor)


def as_object(value: Any) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def main(transport: str = "stdio") -> None:
    config = Config(**json.loads(os.environ.get("MISBEHAVE", "{}")))
    append(config.pids, b"%d" % os.getpid())
    if config.deaf:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    run: Callable[[], None] = Stdio(Behaviour(config)).run
    if transport == "http":
        sys.path.insert(0, str(Path(__file__).parents[2]))  # run as a program, this file is not in a package
        from tests.support.misbehaving_http import Web

        run = Web(Behaviour(config)).run
    run()


if __name__ == "__main__":
    main(*sys.argv[1:])
