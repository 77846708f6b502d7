"""Decode compressed responses. The proxy asks for none, but some servers compress all the same."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from fingerpost.proxy.http.http1 import CHUNK, Headers, header_value

_GZIP_OR_ZLIB, _RAW = 32 + zlib.MAX_WBITS, -zlib.MAX_WBITS
_HEADER_SIZE = 2
"""Bytes that tell `deflate` with the header of zlib from the bare one that some servers send."""
_ENCODINGS = frozenset({b"gzip", b"x-gzip", b"deflate"})
_OF_ENCODED_BODY = frozenset({b"content-encoding", b"content-length"})


class Decompressor:
    """Decompresses a body piece by piece. A small input may become large, so the output comes in pieces too."""

    def __init__(self, headers: Headers) -> None:
        self._may_be_raw = _encoding(headers) == b"deflate"
        self._start = b""
        self._zlib = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._is_within = False
        """Whether more of the body must follow."""

    def push(self, data: bytes) -> Iterator[bytes]:
        """Yield what the next part of the body decompresses to; raises `zlib.error` if it is invalid."""
        if self._may_be_raw:
            data = self._start + data
            if len(data) < _HEADER_SIZE:
                self._start, self._is_within = data, bool(data)
                return
            self._may_be_raw = False
            if not _has_header(data):
                self._zlib = zlib.decompressobj(_RAW)
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


def _has_header(data: bytes) -> bool:
    """Whether data begins with the header of zlib or gzip."""
    return data[:2] == b"\x1f\x8b" or (data[0] & 0x0F == zlib.DEFLATED and int.from_bytes(data[:2]) % 31 == 0)


def needs_decompressing(headers: Headers) -> bool:
    return _encoding(headers) in _ENCODINGS


def _encoding(headers: Headers) -> bytes:
    return (header_value(headers, b"content-encoding") or b"").strip().lower()


def without_encoding(headers: Headers) -> Headers:
    """Return the headers of the same response, decompressed."""
    return [one for one in headers if one[0].lower() not in _OF_ENCODED_BODY]
