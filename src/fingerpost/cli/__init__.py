"""The fingerpost command line."""
