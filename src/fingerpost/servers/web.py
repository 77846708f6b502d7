"""Listen on an address and serve an ASGI app there, with uvicorn."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import TYPE_CHECKING, Any

from fingerpost.terminal.command_error import CommandError

if TYPE_CHECKING:
    import uvicorn


def listen(host: str, port: int) -> socket.socket:
    """Open a socket that listens. Raises `CommandError` if the address cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        raise CommandError(
            f"cannot listen on {host}:{port}: {error.strerror}", "Use port 0 to pick a free one."
        ) from error
    # asyncio sets TCP_NODELAY only if the socket names its protocol. Without it, a reply waits 40 ms for the client's
    # delayed acknowledgement of its headers.
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=listener.detach())


def check_reach(listener: socket.socket, token: str, *, is_insecure: bool) -> str:
    """Return a warning if other machines can connect; empty if not. Raises `CommandError` if nothing keeps them out."""
    if ipaddress.ip_address(listener.getsockname()[0]).is_loopback:
        return ""
    if token:
        return "\nwarning: other machines can connect; over plain HTTP, others on the network can read the token"
    if is_insecure:
        return "\nwarning: other machines can connect, and need no token (--insecure)"
    raise CommandError(
        "other machines could connect to this address and use the server without a token",
        "Set FINGERPOST_TOKEN to a secret that clients send as 'Authorization: Bearer …', listen on 127.0.0.1, "
        "or pass --insecure.",
    )


def create_web_server(app: Any) -> uvicorn.Server:
    import uvicorn

    return uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on", ws="none"))


def serve(app: Any, listener: socket.socket) -> None:
    """Serve until a signal to stop."""
    asyncio.run(create_web_server(app).serve(sockets=[listener]))
