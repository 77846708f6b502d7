"""A server that converts units, and says what is wrong with those that it cannot convert.

`fingerpost.servers.units.suggestions` can be used without it, and without MCP.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fingerpost.servers.tool_server import ToolServer

if find_spec("pint") is None:  # it is read at the first conversion, but must be missed before
    raise ModuleNotFoundError("No module named 'pint'", name="pint")

_INSTRUCTIONS = (
    "Converts between units of measurement, exactly. Write units as m/s, kg*m/s^2, W/(m²·K), or in words. "
    "An error's likely_fix can be sent as it stands; its hints are to reason about, or to ask the user about."
)


def create_server() -> ToolServer:
    """The server."""
    from fingerpost.servers.tool_server import ToolServer
    from fingerpost.servers.units import tools

    functions = (tools.convert, tools.compute, tools.check_dimensions, tools.list_units, tools.list_scales)
    annotations = {"readOnlyHint": True, "openWorldHint": False}
    return ToolServer("units", _INSTRUCTIONS, functions, annotations, {"shape": "flat"})
