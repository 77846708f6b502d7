"""A server without any framework, that plays one case after another: it lists and answers what the case has.

The case is read from a file, and every message received is appended to another, so that neither passes through
what is recorded. As a program, `scene.py FOLDER` serves standard input and output.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
_INFO = {"name": "scene", "version": "1"}
_CAPABILITIES: dict[str, Any] = {"tools": {}, "prompts": {}, "resources": {}}


class PlayedError(Exception):
    """A JSON-RPC error that a case has its server answer with."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Scene:
    """The case that is played now, as both the recorder and the servers see it."""

    def __init__(self, folder: Path) -> None:
        self._case, self._received = folder / "case.json", folder / "received.jsonl"

    def start(self, case: dict[str, Any]) -> None:
        self._case.write_text(json.dumps(case), encoding="utf-8")
        self.forget()

    def forget(self) -> None:
        self._received.write_text("", encoding="utf-8")

    @property
    def case(self) -> dict[str, Any]:
        return json.loads(self._case.read_text(encoding="utf-8"))

    @property
    def received(self) -> list[str]:
        return self._received.read_text(encoding="utf-8").splitlines()

    def note(self, *message: Any) -> None:
        with self._received.open("a", encoding="utf-8") as file:
            file.write(json.dumps(message) + "\n")

    def list_entries(self, method: str) -> list[dict[str, Any]]:
        case, key = self.case, LISTS[method]
        if not key.startswith("resource"):
            return case[key]
        return [{"name": "a resource", **entry} for entry in case["resources"][key]]

    def play(self, method: str, name: str, arguments: Any) -> dict[str, Any]:
        """The result of a call, a prompt or a resource."""
        match method:
            case "tools/call":
                self._find(method, "tools/list", "name", name)
                return self._play_result() or _text_result(json.dumps({"called": name, "with": arguments}))
            case "prompts/get":
                self._find(method, "prompts/list", "name", name)
                text = json.dumps({"prompt": name, "with": arguments})
                return {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
            case _:
                self._find(method, "resources/list", "uri", name)
                return {"contents": [{"uri": name, "text": "the contents"}]}

    def _find(self, method: str, listing: str, key: str, name: str) -> None:
        if name not in {entry.get(key) for entry in self.list_entries(listing)}:
            raise PlayedError(-32602, f"Unknown {method.partition('/')[0].removesuffix('s')}: {name}")

    def _play_result(self) -> dict[str, Any] | None:
        result = self.case["result"]
        if result and "code" in result:
            raise PlayedError(result["code"], result["message"], result.get("data"))
        return result


def _text_result(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def answer(scene: Scene, frame: dict[str, Any]) -> dict[str, Any] | None:
    """The response to a message; none to a notification."""
    if "id" not in frame or "method" not in frame:
        return None
    head = {"jsonrpc": "2.0", "id": frame["id"]}
    params: dict[str, Any] = frame.get("params") or {}
    is_modern = "io.modelcontextprotocol/protocolVersion" in (params.get("_meta") or {})
    try:
        result = _find_result(scene, frame["method"], params)
    except PlayedError as error:
        data = {} if error.data is None else {"data": error.data}
        return head | {"error": {"code": error.code, "message": error.message, **data}}
    return head | {"result": _modernise(result) if is_modern else result}


def _find_result(scene: Scene, method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", "capabilities": _CAPABILITIES, "serverInfo": _INFO}
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": _CAPABILITIES, "ttlMs": 0, "cacheScope": "private"}
    if method in LISTS:
        return {LISTS[method]: scene.list_entries(method)}
    if method in ("tools/call", "prompts/get", "resources/read"):
        return scene.play(method, params.get("name") or params.get("uri") or "", params.get("arguments") or {})
    raise PlayedError(-32601, "Method not found")


def _modernise(result: dict[str, Any]) -> dict[str, Any]:
    meta: dict[str, Any] = {"io.modelcontextprotocol/serverInfo": _INFO, **(result.get("_meta") or {})}
    caching = {"ttlMs": 0, "cacheScope": "private"} if set(LISTS.values()) & set(result) else {}
    return {"resultType": "complete", **caching, **result, "_meta": meta}


def serve_stdio(scene: Scene) -> None:
    for line in sys.stdin:
        frame = json.loads(line)
        scene.note(frame)
        if (response := answer(scene, frame)) is not None:
            print(json.dumps(response), flush=True)


@contextmanager
def serve_http(scene: Scene) -> Generator[str]:
    """The same server by HTTP, in a thread; its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version, wbufsize = "HTTP/1.1", -1

        def do_POST(self) -> None:
            frame = json.loads(self.rfile.read(int(self.headers["content-length"])))
            scene.note(frame, {key.lower(): one for key, one in self.headers.items() if key.lower().startswith("mcp-")})
            response = answer(scene, frame)
            self._send(202 if response is None else 200, b"" if response is None else json.dumps(response).encode())

        def do_GET(self) -> None:
            self._send(405, b"")

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: the messages are recorded."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/mcp"
        server.shutdown()


if __name__ == "__main__":
    serve_stdio(Scene(Path(sys.argv[1])))
