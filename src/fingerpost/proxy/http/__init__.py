"""HTTP/1.1 for the proxy: a server, a client, and the headers of MCP."""
