"""A server that converts units of measurement and explains units that it cannot convert.

`fingerpost.servers.units.suggestions` can be used without the server and without MCP.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fingerpost.servers.tool_server import ToolServer

if find_spec("pint") is None:  # pint is imported on first use, but a missing package must be reported at the start
    raise ModuleNotFoundError("No module named 'pint'", name="pint")

_INSTRUCTIONS = (
    "Converts between units of measurement, exactly. Write units as m/s, kg*m/s^2, W/(m²·K), or in words. "
    "An error's likely_fix can be sent as it stands; its hints are to reason about, or to ask the user about."
)


def create_server() -> ToolServer:
    """Define the units server."""
    from fingerpost.servers.tool_server import ToolServer
    from fingerpost.servers.units import tools

    functions = (tools.convert, tools.compute, tools.check_dimensions, tools.list_units, tools.list_scales)
    annotations = {"readOnlyHint": True, "openWorldHint": False}
    return ToolServer("units", _INSTRUCTIONS, functions, annotations, {"shape": "flat"})
