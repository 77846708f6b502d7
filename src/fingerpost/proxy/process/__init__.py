"""Server processes: start, watch, restart and stop them."""
