"""Measure the answers to wrong calls in the forms that agents really send: `make forms`."""
