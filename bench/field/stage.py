"""Start a server of the field in a fresh sandbox, bare or behind the proxy, always in the same folder."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import fingerpost
from bench.field import tap
from bench.field.wire import Wire, open_wire
from bench.published import Peer
from bench.sandbox import Sandbox, furnish

_SOURCE = str(Path(fingerpost.__file__).parents[1])
_RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from fingerpost.cli.main import main; sys.exit(main())"


@dataclass(frozen=True)
class Stage:
    """A server, and the folder and the page that every run of it gets: replies that name them stay comparable."""

    peer: Peer
    folder: Path
    site: str

    @property
    def log(self) -> Path:
        """What passed between the proxy and the server."""
        return self.folder.with_suffix(".log")

    @property
    def box(self) -> Sandbox:
        return Sandbox(self.folder, self.site)

    @contextmanager
    def bare(self) -> Generator[Wire]:
        box = self._renew()
        with open_wire(self.peer.command(box), self.peer.environment(box)) as wire:
            yield wire

    @contextmanager
    def behind_proxy(self, options: Sequence[str] = ()) -> Generator[Wire]:
        """The server behind the proxy of this source tree, with a tap between the two."""
        box = self._renew()
        server = [sys.executable, str(tap.__file__), str(self.log), *self.peer.command(box)]
        command = [sys.executable, "-c", _RUN, _SOURCE, "proxy", *options, "--", *server]
        with open_wire(command, self.peer.environment(box)) as wire:
            yield wire

    def _renew(self) -> Sandbox:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.log.write_bytes(b"")
        box = furnish(self.folder, self.site)
        self.peer.prepare(box)
        return box
