"""Guidance inside a server: one call from start to end, for each framework."""
