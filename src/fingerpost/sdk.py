"""Guidance for servers on the official SDK: `MCPServer("x", middleware=[Guidance()])`."""

from fingerpost.middleware.sdk import Guidance

__all__ = ["Guidance"]
