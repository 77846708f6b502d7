"""A server that does as its tools' names say, in either era, on standard streams. Standard library only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from typing import Any

TOOLS: list[dict[str, Any]] = [
    {"name": name, "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    for name in (
        *("pid", "echo", "work", "ask", "hang", "slow", "wait"),
        *("die", "cancelled", "flood", "sleep", "change", "leave"),
    )
]
TOOLS.append({
    "name": "marked",
    "inputSchema": {
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "size": {"type": "integer", "x-mcp-header": "Size"},
        },
    },
})  # fmt: skip
cancelled = 0


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def said(id: Any, text: object) -> None:
    send({"id": id, "result": {"content": [{"type": "text", "text": str(text)}]}})


def progress(params: dict[str, Any]) -> None:
    if (token := params.get("_meta", {}).get("progressToken")) is not None:
        send({"method": "notifications/progress", "params": {"progressToken": token, "progress": 1}})


def call(id: Any, params: dict[str, Any]) -> None:
    match params.get("name"):
        case "pid":
            said(id, os.getpid())
        case "echo":
            progress(params)
            said(id, params.get("arguments", {}).get("n"))
        case "marked":
            said(id, "marked")
        case "flood":
            for number in range(params["arguments"]["n"]):
                progress(params)
                send({"method": "notifications/message", "params": {"data": number}})
            said(id, "flooded")
        case "leave":
            subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
            os._exit(5)
        case "sleep":
            time.sleep(0.7)
            said(id, "slept")
        case "change":
            send({"method": "notifications/tools/list_changed"})
            said(id, "changed")
        case "work":
            progress(params)
            said(id, "worked")
        case "ask":
            send({"id": "back", "method": "roots/list"})
            asked.append(id)
        case "slow":
            progress(params)
            threading.Timer(0.7, said, (id, "late")).start()
        case "die":
            os._exit(3)
        case "cancelled":
            said(id, cancelled)
        case "hang":
            progress(params)
        case "wait":
            progress(params)
            waiting.append(id)
        case name:
            send({"id": id, "error": {"code": -32602, "message": f"Unknown tool: {name}"}})


def list_tools(id: Any, params: dict[str, Any]) -> None:
    """The list, or what the environment says instead of it."""
    if (once := os.environ.get("SAYSO_DIES_ONCE")) and os.path.exists(once):
        os.remove(once)
        os._exit(4)
    size = int(os.environ.get("SAYSO_PAGE", len(TOOLS)))
    start = int(params.get("cursor", 0))
    following = {"nextCursor": str(start + size)} if start + size < len(TOOLS) else {}
    if not os.environ.get("SAYSO_NO_LIST"):
        send({"id": id, "result": {"tools": TOOLS[start : start + size], **following}})
    elif os.environ["SAYSO_NO_LIST"] == "error":
        send({"id": id, "error": {"code": -32601, "message": "Method not found"}})


def answer(message: dict[str, Any]) -> None:
    global cancelled
    id, params = message.get("id"), message.get("params", {})
    match message.get("method"):
        case None if id == "back":
            said(asked.pop(), f"roots: {len(message['result']['roots'])}")
        case "initialize":
            info = {"name": "sayso", "version": "1"}
            send({"id": id, "result": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": info}})
        case "tools/list":
            list_tools(id, params)
        case "tools/call":
            call(id, params)
        case "mirror":
            send({"id": id, "result": params})
        case "ping":
            send({"id": id, "result": {}})
        case "subscriptions/listen":
            meta = {"io.modelcontextprotocol/subscriptionId": id}
            send({"method": "notifications/subscriptions/acknowledged", "params": {"_meta": meta}})
        case "notifications/speak":
            send({"method": "notifications/message", "params": {"data": params.get("word", "hello")}})
        case "notifications/release":
            while waiting:
                said(waiting.pop(0), "late")
        case "notifications/cancelled":
            cancelled += 1
        case _ if id is not None:
            send({"id": id, "error": {"code": -32601, "message": "Method not found"}})
        case _:
            pass


asked: list[Any] = []
waiting: list[Any] = []
"""The ids of calls that `notifications/release` answers."""

if __name__ == "__main__":
    while line := sys.stdin.readline():
        answer(json.loads(line))
