"""Read one HTTP response after the other from the bytes of a connection, without I/O. `httptools` parses."""

from __future__ import annotations

from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from fingerpost.proxy.http.http1 import MAX_HEAD, header_value


class InvalidResponse(Exception):
    """What arrived is no valid response."""


class ResponseParser:
    """The response to the current request, as far as it has arrived."""

    def __init__(self) -> None:
        self.keeps_alive = True
        """Whether the connection can take another request after the response."""
        self.begin(has_body=True)
        self.is_complete = True
        self._parser = HttpResponseParser(self)
        self._parser.set_dangerous_leniencies(lenient_optional_cr_before_lf=True)  # as small servers write it

    def begin(self, *, has_body: bool) -> None:
        """Expect a response; without a body if the request was a HEAD."""
        self.status, self.headers = 0, list[tuple[bytes, bytes]]()
        self.parts, self.size = list[bytes](), 0
        """What has arrived of the body and was not taken yet, and its size."""
        self.has_head = self.is_complete = False
        self.error: Exception | None = None
        """Why there will be no more of the response."""
        self._has_body, self._ends_with_connection = has_body, False
        self._unused = 0
        """Bytes since the last part of a body."""

    def feed(self, data: bytes) -> None:
        if self.is_complete:
            self.keeps_alive = False  # nobody has asked for this
            return
        self._unused += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade:
            self._fail(InvalidResponse("another protocol"))
        except HttpParserError as error:
            self._fail(InvalidResponse(str(error)))
        if self._unused > MAX_HEAD:
            self._fail(InvalidResponse("too long headers"))

    def end(self, error: Exception | None = None) -> None:
        """The connection has ended."""
        self.keeps_alive = False
        if self.has_head and self._ends_with_connection and error is None:
            self.is_complete = True
        elif not self.is_complete:
            self._fail(error or EOFError())

    def take(self) -> list[bytes]:
        """Take the parts of the body that have arrived."""
        parts, self.parts, self.size = self.parts, [], 0
        return parts

    def _fail(self, error: Exception) -> None:
        self.keeps_alive = False
        if not self.is_complete and self.error is None:
            self.error = error

    # what httptools calls

    def on_message_begin(self) -> None:
        if self.is_complete:
            self.keeps_alive = False

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.has_head:
            self.headers.append((name.lower(), value.rstrip()))

    def on_headers_complete(self) -> None:
        if self.is_complete:
            return
        status = self._parser.get_status_code()
        if 100 <= status < 200:  # another response follows
            self.headers = []
            return
        self.status, self.has_head = status, True
        coding = header_value(self.headers, b"transfer-encoding")
        if coding is not None and coding.lower() != b"chunked":
            self._fail(InvalidResponse("an unknown transfer encoding"))
        if not self._has_body:
            self._complete(keeps_alive=False)  # llhttp waits for a body here
        has_length = coding is not None or header_value(self.headers, b"content-length") is not None
        self._ends_with_connection = not has_length and status not in (204, 304)

    def on_body(self, body: bytes) -> None:
        self._unused = 0
        if not self.is_complete:
            self.parts.append(body)
            self.size += len(body)

    def on_message_complete(self) -> None:
        self._unused = 0
        if self.has_head and not self.is_complete:
            self._complete(keeps_alive=self._parser.should_keep_alive())

    def _complete(self, *, keeps_alive: bool) -> None:
        self.is_complete = True
        self.keeps_alive = self.keeps_alive and keeps_alive
