"""How well a server guides: wrong calls made from its own schemas, and what becomes of them."""
