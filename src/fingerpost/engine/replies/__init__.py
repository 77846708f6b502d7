"""Read what a server answered and add guidance to it."""
