"""The command line: one module for each command, and `main`, which runs them."""
