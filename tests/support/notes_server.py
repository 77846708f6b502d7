"""A file server that knows nothing of Fingerpost: two tools, and errors without a way out. Standard library only."""

from __future__ import annotations

import json
import sys
from typing import Any

TOOLS: list[dict[str, Any]] = [
    {
        "name": "read_text_file",
        "inputSchema": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "head": {"type": "integer"}},
            "required": ["path"],
        },
    },
    {
        "name": "search_files",
        "inputSchema": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "pattern": {"type": "string"}, "offset": {"type": "integer"}},
            "required": ["path", "pattern"],
        },
        "annotations": {"readOnlyHint": True},
    },
]


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        server = {"name": "notes", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": TOOLS}
    arguments = params["arguments"]
    if params["name"] == "search_files":
        found = {"results": ["a", "b"], "total": 9, "has_more": True}
        return {"content": [{"type": "text", "text": json.dumps(arguments)}], "structuredContent": found}
    if str(arguments.get("path")).startswith("/home/me/notes/"):
        return {"content": [{"type": "text", "text": f"text of {arguments['path']}"}]}
    return {"content": [{"type": "text", "text": "Access denied - path outside allowed directories"}], "isError": True}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            result = answer(request["method"], request.get("params", {}))
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
