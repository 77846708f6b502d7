"""Judge calls and explain failures on the wire form of MCP. Pure, synchronous, no I/O."""
