"""Receive bytes from a connection without a large allocation for each read."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod

from fingerpost.proxy.http.http1 import CHUNK

_buffer = memoryview(bytearray(CHUNK))
"""Shared by all connections: event loops that wait for sockets fill a buffer and report that at once."""


class Receiver(asyncio.BufferedProtocol, ABC):
    """A protocol whose reads go into one buffer.

    For a plain `asyncio.Protocol`, each read allocates 256 KB and gives most of it back, which took a third of the CPU
    time of a forwarded call.
    """

    def get_buffer(self, sizehint: int) -> memoryview:
        return _buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(bytes(_buffer[:nbytes]))

    @abstractmethod
    def data_received(self, data: bytes) -> None: ...
