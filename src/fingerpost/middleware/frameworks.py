"""The frameworks that servers can be built on. A new integration is one module and one line here."""

from __future__ import annotations

from typing import NamedTuple


class Framework(NamedTuple):
    """A framework, where its `Guidance` is imported from, and the line by which a server adopts it."""

    name: str
    module: str
    adoption: str

    @property
    def import_line(self) -> str:
        return f"from {self.module} import Guidance"


FRAMEWORKS = (
    Framework("sdk", "fingerpost.sdk", 'MCPServer("name", middleware=[Guidance()])'),
    Framework("fastmcp", "fingerpost.fastmcp", "mcp.add_middleware(Guidance())"),
)
