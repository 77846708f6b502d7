"""Read a server's replies and add guidance to them."""
