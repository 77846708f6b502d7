"""A sandbox for a published server: a folder of its own, a web page on the loopback, and no network."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_NO_PROXY_THERE = "http://127.0.0.1:9"
"""A proxy that does not exist: programs that honor it can reach only the loopback."""

_OFFLINE = {
    **dict.fromkeys(
        ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"), _NO_PROXY_THERE
    ),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
    "NODE_USE_ENV_PROXY": "1",
    "DO_NOT_TRACK": "1",
    "FASTMCP_CHECK_FOR_UPDATES": "off",
    "FASTMCP_SHOW_SERVER_BANNER": "false",
    "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    "PIP_NO_INDEX": "1",
    "UV_OFFLINE": "1",
}

_GIT = {
    **{f"GIT_{role}_NAME": "Ada" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "ada@example.com" for role in ("AUTHOR", "COMMITTER")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}

_INSIDE = "import os, sys; os.chdir(sys.argv[1]); os.execv(sys.argv[2], sys.argv[2:])"


@dataclass(frozen=True)
class Sandbox:
    """The folders of one server (work, home, temporary files), and the URL of a page that it may fetch."""

    folder: Path
    site: str

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def path(self, name: str) -> str:
        """The absolute path of a file or folder in the work folder."""
        return str(self.work / name)

    def within(self, command: Sequence[str]) -> list[str]:
        """Wrap the command so that it runs in the work folder."""
        return [sys.executable, "-c", _INSIDE, str(self.work), *command]

    @property
    def environment(self) -> dict[str, str]:
        """The whole environment of the server: nothing about the user, and no network."""
        home, scratch = str(self.folder / "home"), str(self.folder / "tmp")
        places = {"HOME": home, "TMPDIR": scratch, "TEMP": scratch, "TMP": scratch, "PWD": str(self.work)}
        return {"PATH": os.defpath, **places, **_OFFLINE, **_GIT, "LANG": "C.UTF-8", "TZ": "UTC"}


@contextlib.contextmanager
def sandbox() -> Generator[Sandbox]:
    """Create a sandbox, and delete it at the end."""
    with tempfile.TemporaryDirectory(prefix="peer-", ignore_cleanup_errors=True) as name, serve_page() as site:
        yield furnish(Path(name).resolve(), site)


def furnish(folder: Path, site: str) -> Sandbox:
    """Create the folders of a sandbox in an empty one."""
    for inner in ("work", "home", "tmp"):
        (folder / inner).mkdir()
    return Sandbox(folder, site)


@contextlib.contextmanager
def serve_page() -> Generator[str]:
    """Serve one page on the loopback; the URL of its folder."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Page)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        page = b"<html><body><h1>Signpost</h1><p>This way to the sea.</p></body></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""
