"""Reading requests: what servers could disagree on is refused, and every size has a limit."""

from __future__ import annotations

import pytest

from fingerpost.proxy.http.http1 import MAX_HEAD
from fingerpost.proxy.http.request_parser import ParsedRequest, RequestParser

HOST = b"Host: localhost\r\n"
CHUNKED = b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"


def parse(*data: bytes, max_body: int = 100) -> RequestParser:
    parser = RequestParser(max_body)
    for one in data:
        parser.feed(one)
    return parser


def read(*data: bytes) -> list[ParsedRequest]:
    """The requests in valid bytes."""
    parser = parse(*data)
    assert parser.refusal is None and not parser.is_within
    return list(parser.requests)


def test_a_request_is_the_same_in_any_pieces() -> None:
    data = b"POST /mcp?a=1 HTTP/1.1\r\n" + HOST + b"X-Padded: \t a b \t\r\nContent-Length: 4\r\n\r\nbody"
    whole = read(data)
    assert whole == read(*(data[at : at + 1] for at in range(len(data))))
    assert [(one.method, one.target, one.body) for one in whole] == [("POST", "/mcp?a=1", b"body")]
    assert (b"x-padded", b"a b") in whole[0].headers


def test_pipelined_requests_are_read_in_order() -> None:
    one = b"GET /%d HTTP/1.1\r\n" + HOST + b"\r\n"
    assert [request.target for request in read(one % 1 + one % 2 + one % 3)] == ["/1", "/2", "/3"]


def test_chunks_are_joined_and_trailers_are_dropped() -> None:
    (request,) = read(CHUNKED + b"2;extension=1\r\nab\r\n1\r\nc\r\n0\r\nAuthorization: smuggled\r\n\r\n")
    assert request.body == b"abc" and b"authorization" not in dict(request.headers)


@pytest.mark.parametrize(
    ("head", "keeps_alive"),
    [
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", True),
        (b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", False),
        (b"GET / HTTP/1.0\r\n\r\n", False),
        (b"GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", True),
    ],
)
def test_the_client_says_whether_the_connection_stays_open(head: bytes, keeps_alive: bool) -> None:
    (request,) = read(head)
    assert request.keeps_alive == keeps_alive and request.is_http_1_0 == (b"1.0" in head)


def test_an_offered_upgrade_is_ignored_and_the_body_is_read() -> None:
    """As the HTTP client of Java sends its first request."""
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEA\r\nContent-Length: 4\r\n\r\n"
    first, second = read(b"POST /a HTTP/1.1\r\n" + HOST + offer + b"bo", b"dyGET /b HTTP/1.1\r\n" + HOST + b"\r\n")
    assert (first.target, first.body, second.target) == ("/a", b"body", "/b")


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET / HTTP/1.1\nHost: a\n\n", 400),
        (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\x00b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        (b"NONSENSE / HTTP/1.1\r\n\r\n", 400),
        (b"GET /\r\n\r\n", 505),
        (b"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 405),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\nab", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
        (b"POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501),
        (CHUNKED + b"0x1\r\na\r\n0\r\n\r\n", 400),
        (CHUNKED + b"1\r\nabc\r\n0\r\n\r\n", 400),
        (CHUNKED + b"1\na\n0\n\n", 400),
    ],
)
def test_what_servers_could_disagree_on_is_refused(data: bytes, status: int) -> None:
    parser = parse(data)
    assert parser.refusal is not None and parser.refusal.status == status and not parser.requests


def test_requests_before_a_refused_one_are_kept() -> None:
    parser = parse(b"GET /a HTTP/1.1\r\n" + HOST + b"\r\nGET /b HTTP/1.1\n\n")
    assert [request.target for request in parser.requests] == ["/a"] and parser.refusal is not None


LONG = b"x" * MAX_HEAD


@pytest.mark.parametrize(
    "data",
    [
        [b"GET / HTTP/1.1\r\n" + HOST + b"X: " + LONG],
        [b"GET / HTTP/1.1\r\n" + HOST + b"X: " + LONG + b"\r\n\r\n"],
        [b"POST / HTTP/1.1\r\n" + HOST + b"X: " + LONG + b"\r\nContent-Length: 1\r\n\r\na"],
        [b"GET /" + LONG],
        [b"\r\n" * MAX_HEAD],
        [CHUNKED + b"1;" + LONG],
        [CHUNKED + b"1\r\na\r\n0\r\n", b"X: " + LONG],
        [CHUNKED + b"1\r\na\r\n0\r\n", *([b"X: y\r\n"] * (MAX_HEAD // 6 + 1))],
    ],
)
def test_whatever_surrounds_a_body_is_limited(data: list[bytes]) -> None:
    parser = parse(*data)
    assert parser.refusal is not None and parser.refusal.status == 431 and not parser.requests


def test_a_body_is_limited_and_small_chunks_of_it_are_not() -> None:
    length = b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n"
    assert read(length % 100 + b"x" * 100)[0].body == b"x" * 100
    for data in (length % 101 + b"x" * 101, CHUNKED + b"65\r\n" + b"x" * 101):
        parser = parse(data)
        assert parser.refusal is not None and parser.refusal.status == 413 and not parser.requests
    parser = parse(CHUNKED, *([b"1\r\nx\r\n"] * MAX_HEAD), b"0\r\n\r\n", max_body=MAX_HEAD)
    assert parser.refusal is None and parser.requests[0].body == b"x" * MAX_HEAD
