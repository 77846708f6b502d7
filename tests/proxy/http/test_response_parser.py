"""Reading responses: how each kind ends, and what cannot be one."""

from __future__ import annotations

import pytest

from fingerpost.proxy.http.http1 import MAX_HEAD
from fingerpost.proxy.http.response_parser import InvalidResponse, ResponseParser

OK = b"HTTP/1.1 200 OK\r\n"


def parse(*data: bytes, has_body: bool = True) -> ResponseParser:
    parser = ResponseParser()
    parser.begin(has_body=has_body)
    for one in data:
        parser.feed(one)
    return parser


@pytest.mark.parametrize(
    "data",
    [
        OK + b"Content-Length: 4\r\n\r\nbody",
        OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\nX: trailer\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nX: hint\r\n\r\n" + OK + b"Content-Length: 4\r\n\r\nbody",
        b"HTTP/1.1 200 OK\nContent-Length: 4\n\nbody",
        OK + b"Upgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 4\r\n\r\nbody",
    ],
)
def test_a_response_is_the_same_in_any_pieces(data: bytes) -> None:
    for pieces in ([data], [data[at : at + 1] for at in range(len(data))]):
        parser = parse(*pieces)
        assert parser.is_complete and parser.keeps_alive and parser.status == 200
        assert parser.error is None and b"x" not in dict(parser.headers)
        assert b"".join(parser.take()) == b"body" and not parser.take()
        parser.begin(has_body=True)
        parser.feed(data)
        assert parser.is_complete and b"".join(parser.take()) == b"body"


@pytest.mark.parametrize("head", [OK, b"HTTP/1.0 200 OK\r\n"])
def test_a_body_without_a_length_ends_with_the_connection(head: bytes) -> None:
    parser = parse(head + b"\r\nbo", b"dy")
    assert not parser.is_complete
    parser.end()
    assert parser.is_complete and not parser.keeps_alive and b"".join(parser.take()) == b"body"
    parser = parse(head + b"\r\nbo")
    parser.end(ConnectionResetError())
    assert not parser.is_complete and isinstance(parser.error, ConnectionResetError)


def test_a_body_with_a_length_does_not_end_with_the_connection() -> None:
    for data in (OK + b"Content-Length: 4\r\n\r\nbo", OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n", OK, b""):
        parser = parse(data)
        parser.end()
        parser.end()
        assert not parser.is_complete and isinstance(parser.error, EOFError)


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
def test_some_statuses_have_no_body(status: bytes) -> None:
    parser = parse(b"HTTP/1.1 " + status + b"\r\n\r\n")
    assert parser.is_complete and parser.keeps_alive


def test_the_response_to_head_has_no_body_whatever_its_length() -> None:
    parser = parse(OK + b"Content-Length: 4\r\n\r\n", has_body=False)
    assert parser.is_complete and not parser.keeps_alive and dict(parser.headers)[b"content-length"] == b"4"
    assert not parse(OK + b"Content-Length: 4\r\n\r\nbody", has_body=False).take()


@pytest.mark.parametrize(
    "data",
    [
        [OK + b"Content-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad"],
        [OK + b"Content-Length: 2\r\n\r\nok", OK + b"Content-Length: 3\r\n\r\nbad"],
        [OK + b"Content-Length: 2\r\n\r\nokNONSENSE"],
        [OK + b"Content-Length: 2\r\nConnection: close\r\n\r\nokNONSENSE"],
        [OK + b"Content-Length: 2\r\nConnection: close\r\n\r\nok"],
    ],
)
def test_after_more_than_was_asked_for_the_connection_is_not_reused(data: list[bytes]) -> None:
    parser = parse(*data)
    assert parser.is_complete and not parser.keeps_alive and parser.error is None
    assert dict(parser.headers)[b"content-length"] == b"2" and b"".join(parser.take()) == b"ok"


@pytest.mark.parametrize(
    "data",
    [
        b"NONSENSE\r\n\r\n",
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        OK + b"Transfer-Encoding: gzip\r\n\r\nabc",
        OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
        OK + b"X: " + b"x" * MAX_HEAD,
    ],
)
def test_what_is_no_response_is_an_error(data: bytes) -> None:
    parser = parse(data)
    assert isinstance(parser.error, InvalidResponse) and not parser.keeps_alive
