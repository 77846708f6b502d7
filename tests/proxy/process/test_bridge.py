"""Bridges from pipes to sockets lose nothing, and end when their pipe or their process does."""

from __future__ import annotations

import os
import select
import threading

from fingerpost.proxy.process.bridge import InputBridge, OutputBridge
from fingerpost.proxy.process.pipe import read_available
from tests.support.waiting import PATIENCE, until

LARGE = bytes(range(256)) * 8_192
"""More than sockets and pipes hold."""


def read_all(bridge: InputBridge) -> bytes:
    data = b""
    while (chunk := read_available(bridge)) != b"":
        data += chunk or b""
        if chunk is None:
            assert select.select([bridge.fd], [], [], PATIENCE)[0]
    return data


def in_thread(*steps: object) -> threading.Thread:
    """Run a function with its arguments in a thread."""
    function, *arguments = steps
    assert callable(function)
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    return thread


def test_what_was_written_before_the_end_is_read_although_the_pipe_stays_open() -> None:
    reader, writer = os.pipe()
    bridge = InputBridge(reader, lambda: os.close(reader))
    written = in_thread(write_all, writer, LARGE)
    ended = in_thread(bridge.end_when_idle, 0.01)
    until(lambda: select.select([bridge.fd], [], [], 0)[0])
    assert read_all(bridge) == LARGE
    written.join(PATIENCE)
    ended.join(PATIENCE)
    assert not ended.is_alive()
    bridge.close()
    os.close(writer)


def write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def test_the_end_of_a_pipe_ends_its_bridge_and_closes_the_pipe_once() -> None:
    reader, writer = os.pipe()
    closed = threading.Event()
    bridge = InputBridge(reader, lambda: (os.close(reader), closed.set())[1])
    os.write(writer, b"last")
    os.close(writer)
    assert read_all(bridge) == b"last"
    assert closed.wait(PATIENCE)
    bridge.end_when_idle(0.01)
    bridge.close()


def test_a_closed_bridge_lets_go_of_the_pipe_at_the_next_output() -> None:
    reader, writer = os.pipe()
    closed = threading.Event()
    bridge = InputBridge(reader, lambda: (os.close(reader), closed.set())[1])
    bridge.close()
    os.write(writer, b"unread")
    assert closed.wait(PATIENCE)
    bridge.end_when_idle(0.01)
    os.close(writer)


def test_output_is_written_in_order_and_then_the_pipe_is_closed() -> None:
    reader, writer = os.pipe()
    bridge, rest = OutputBridge(writer, lambda: os.close(writer)), memoryview(LARGE)
    received = bytearray()
    collected = in_thread(collect, reader, received)
    while rest:
        assert select.select([], [bridge.fd], [], PATIENCE)[1]
        rest = rest[bridge.write(rest) :]
    bridge.finish(PATIENCE)
    collected.join(PATIENCE)
    assert received == LARGE
    bridge.close()
    os.close(reader)


def collect(fd: int, into: bytearray) -> None:
    while chunk := os.read(fd, 65_536):
        into += chunk


def test_a_reader_that_is_gone_breaks_the_bridge() -> None:
    reader, writer = os.pipe()
    bridge = OutputBridge(writer, lambda: os.close(writer))
    os.close(reader)

    def is_broken() -> bool:
        try:
            return not bridge.write(b"x")
        except BlockingIOError:
            return False
        except OSError:
            return True

    until(is_broken)
    bridge.close()
