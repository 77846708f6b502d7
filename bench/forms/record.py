"""Record the tool lists of the published servers that the tests install: `python -m bench.forms.record`.

Needs the installations of `make audit-peers`. Stores names, descriptions, schemas and annotations, one list a line.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from bench.forms.lists import RECORDED
from bench.published import PEERS, Peer

_KEPT = ("name", "description", "inputSchema", "annotations")
_MESSAGES: tuple[dict[str, Any], ...] = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "record", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list", "params": {}},
)


def record_peer(peer: Peer) -> dict[str, Any]:
    """Start a server in its sandbox and read its tool list."""
    with peer.sandbox() as box:
        process = subprocess.Popen(
            peer.command(box),
            env=peer.environment(box),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            tools = _list_tools(process)
        finally:
            process.kill()
            process.wait()
        text = json.dumps([{key: tool[key] for key in _KEPT if key in tool} for tool in tools])
        tools = json.loads(text.replace(str(box.folder), "/srv"))
    return {"name": peer.name, "origin": f"{peer.package} {peer.version}", "tools": tools}


def _list_tools(process: subprocess.Popen[bytes]) -> list[Any]:
    assert process.stdin
    reply: dict[str, Any] = {}
    for message in _MESSAGES:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        process.stdin.flush()
        if "id" in message:
            reply = next(one for one in _messages(process) if one.get("id") == message["id"])
    return reply["result"]["tools"]


def _messages(process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    assert process.stdout
    for line in process.stdout:
        try:
            yield json.loads(line)
        except ValueError:
            continue


def main() -> None:
    lines = list[str]()
    for peer in PEERS:
        row = record_peer(peer)
        lines.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
        print(f"{row['origin']}: {len(row['tools'])} tools, {len(lines[-1])} characters", file=sys.stderr)
    RECORDED.write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", mtime=0))
    print(f"{RECORDED.name}: {RECORDED.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
