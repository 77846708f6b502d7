"""Decode the bytes of a file as text in a usual encoding, or describe them as binary."""

from __future__ import annotations

import codecs
import mimetypes
from dataclasses import dataclass
from typing import Any

from fingerpost.errors import ToolOperationError

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\b\x1b"))
_MOST_CHARACTERS = 40_000


@dataclass(frozen=True, slots=True)
class Text:
    """Text and its encoding."""

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""

    def encode(self, text: str) -> bytes:
        """Encode another text as this one is."""
        try:
            return self.mark + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            at = text.count("\n", 0, error.start) + 1
            message = f"Line {at} would hold a character that {self.encoding} cannot write"
            raise ToolOperationError(message, code="INVALID_INPUT", category="validation") from None

    @property
    def name(self) -> str:
        return f"{self.encoding} with a byte order mark" if self.mark else self.encoding


def decode(data: bytes) -> Text | None:
    """Decode bytes as text; none if they are binary."""
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", "utf-8"))
    body = data[len(mark) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError:
        is_binary = bool(mark) or len(body.translate(None, _CONTROLS)) < len(body)
        return None if is_binary else Text(body.decode("latin-1"), "latin-1")
    return None if "\0" in text else Text(text, encoding, mark)


def split_lines(text: str) -> list[str]:
    """Split a text into lines with their endings; only a line feed ends a line."""
    *whole, last = text.split("\n")
    lines = [f"{line}\n" for line in whole]
    return [*lines, last] if last else lines


def describe_binary(path: str, size: int, digest: str) -> dict[str, Any]:
    """Describe a file that is not shown."""
    mime = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return {"path": path, "kind": "binary", "bytes": size, "mime": mime, "sha256": digest}


def take_page(lines: list[str], offset: int, limit: int) -> tuple[str, int, bool]:
    """Return the text of some lines, their number, and whether a single line had to be cut."""
    taken, room = list[str](), _MOST_CHARACTERS
    for line in lines[offset : offset + limit]:
        if len(line) > room:
            if not taken:
                return line[:room], 1, True
            break
        taken.append(line)
        room -= len(line)
    return "".join(taken), len(taken), False
