"""Short digests of texts."""

from __future__ import annotations

try:
    from _blake2 import blake2b  # what `hashlib` exports, without OpenSSL, which it loads and which takes 4 MB
except ImportError:  # a Python whose hashes come from OpenSSL only
    from hashlib import blake2b


def digest(text: str) -> bytes:
    """Return 16 bytes by which a text is recognized. Nobody can find another text with the same ones."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
