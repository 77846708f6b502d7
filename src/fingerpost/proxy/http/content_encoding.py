"""Decode compressed responses. The proxy asks for none, but some servers compress all the same."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from fingerpost.proxy.http.http1 import CHUNK, Headers, header_value

_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS
_ENCODINGS = frozenset({b"gzip", b"x-gzip", b"deflate"})
_OF_ENCODED_BODY = frozenset({b"content-encoding", b"content-length"})


class Decompressor:
    """Decompresses a body piece by piece. A small input may become large, so the output comes in pieces too."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._is_within = False
        """Whether more of the body must follow."""

    def push(self, data: bytes) -> Iterator[bytes]:
        """Yield what the next part of the body decompresses to; raises `zlib.error` if it is invalid."""
        while data:
            yield self._zlib.decompress(data, CHUNK)
            self._is_within = not self._zlib.eof
            if self._zlib.eof:
                data = self._zlib.unused_data
                self._zlib = zlib.decompressobj(_GZIP_OR_ZLIB)  # a gzip body may have several members
            else:
                data = self._zlib.unconsumed_tail

    def finish(self) -> None:
        """Raise `zlib.error` if the body ends too early."""
        if self._is_within:
            raise zlib.error("the end is missing")


def needs_decompressing(headers: Headers) -> bool:
    return (header_value(headers, b"content-encoding") or b"").strip().lower() in _ENCODINGS


def without_encoding(headers: Headers) -> Headers:
    """Return the headers of the same response, decompressed."""
    return [one for one in headers if one[0].lower() not in _OF_ENCODED_BODY]
