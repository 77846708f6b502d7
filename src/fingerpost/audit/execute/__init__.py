"""Send the calls of an audit to a server."""
