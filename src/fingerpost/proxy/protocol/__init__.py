"""The proxy without I/O: frames in, frames out."""
