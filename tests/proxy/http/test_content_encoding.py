"""Compressed bodies, in whatever pieces they arrive."""

from __future__ import annotations

import gzip
import zlib

import pytest

from fingerpost.proxy.http.content_encoding import Decompressor

TEXT = b'{"jsonrpc": "2.0"}' * 50
BODIES = {
    "zlib": (b"deflate", zlib.compress(TEXT)),
    "raw": (b"deflate", zlib.compress(TEXT)[2:-4]),
    "gzip as deflate": (b"Deflate", gzip.compress(TEXT)),
    "gzip": (b"gzip", gzip.compress(TEXT)),
}


def decompress(encoding: bytes, *pieces: bytes) -> bytes:
    decompressor = Decompressor([(b"content-encoding", encoding)])
    found = b"".join(part for piece in pieces for part in decompressor.push(piece))
    decompressor.finish()
    return found


@pytest.mark.parametrize("name", BODIES)
def test_a_body_is_decompressed_whole_and_byte_by_byte(name: str) -> None:
    encoding, body = BODIES[name]
    assert decompress(encoding, body) == TEXT
    assert decompress(encoding, b"", *(bytes([byte]) for byte in body)) == TEXT


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("size", [1, 20])
def test_a_body_without_its_end_is_invalid(name: str, size: int) -> None:
    encoding, body = BODIES[name]
    with pytest.raises(zlib.error):
        decompress(encoding, body[:size])


@pytest.mark.parametrize("encoding", [b"gzip", b"deflate"])
def test_what_is_not_compressed_is_invalid(encoding: bytes) -> None:
    with pytest.raises(zlib.error):
        decompress(encoding, TEXT)


def test_an_empty_body_is_empty() -> None:
    assert decompress(b"deflate", b"") == b""
