"""Guidance for servers on FastMCP 4: `mcp.add_middleware(Guidance())`."""

from fingerpost.middleware.fastmcp import Guidance

__all__ = ["Guidance"]
