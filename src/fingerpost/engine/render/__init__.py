"""Render a report as text for the model and structure for its program."""
