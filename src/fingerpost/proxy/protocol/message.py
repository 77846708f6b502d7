"""Read, change and write one JSON-RPC message on the wire.

Only the envelope is decoded. `params`, `result` and `error` keep their original bytes, so unchanged parts keep their
number spelling, key order and escapes. A message on which JSON readers disagree (NaN, a duplicate key, half a
surrogate pair, invalid UTF-8) is rejected: guidance must judge exactly what the server reads.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias, cast

from msgspec import DecodeError, Raw, Struct, ValidationError
from msgspec.json import Decoder

from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.proxy.protocol.broken_frame import find_id
from fingerpost.proxy.protocol.strict_json import decode_strict, reject_constant

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603

Id: TypeAlias = "str | int"

_ABSENT = Raw()
_MISSING: Any = object()


class Message(Struct, gc=False):
    """The envelope of a message; `params`, `result` and `error` are raw bytes, empty if absent."""

    jsonrpc: Any = None
    id: Any = _MISSING
    method: Any = _MISSING
    params: Raw = _ABSENT
    result: Raw = _ABSENT
    error: Raw = _ABSENT

    @property
    def is_request(self) -> bool:
        return self.method is not _MISSING and self.id is not _MISSING

    @property
    def is_notification(self) -> bool:
        return self.method is not _MISSING and self.id is _MISSING

    @property
    def is_contradictory(self) -> bool:
        """Whether a reply has both a result and an error, so that nobody knows what happened."""
        return bool(self.result and self.error) and not (is_absent(self.result) or is_absent(self.error))


CONTRADICTORY = "has both a result and an error"
"""What is wrong with such a reply, after \"a reply that\"."""


class MalformedMessage(ValueError):
    """A frame is not a valid message. `id` is the id of the request in it, as JSON; `null` if it cannot be read."""

    def __init__(
        self, why: str, code: int = INVALID_REQUEST, id: bytes = b"null", batch: Sequence[bytes] | None = None
    ) -> None:
        super().__init__(why)
        self.code = code
        self.id = id
        self._batch = batch
        """The ids of the requests in a batch."""

    @property
    def ids(self) -> Sequence[bytes]:
        """The ids that wait for an answer."""
        return (self.id,) if not self._batch else self._batch

    def as_reply(self) -> bytes:
        """The error as one message: a batch is answered by a batch."""
        errors = [error(id, self.code, str(self)) for id in self.ids]
        return errors[0] if not self._batch else b"[%b]" % b",".join(errors)


_envelope = Decoder(Message)
_members = Decoder(dict[str, Raw])
_elements = Decoder(list[Raw])


# reading


def read(frame: bytes) -> Message:
    """Read a frame from a client; `MalformedMessage` explains to the client what is wrong with it."""
    message = _decode_envelope(frame)
    if (problem := _find_problem(message)) is not None:
        raise MalformedMessage(problem, INVALID_REQUEST, _id_of(message, frame))
    if _may_have_duplicate_keys(frame):
        _check_strictly(frame)
    return message


def read_reply(frame: bytes) -> Message | None:
    """Read a frame from a server; none if it is not a message.

    The proxy relays whatever is JSON from a server and leaves it to the client to be strict.
    """
    try:
        message = _decode_envelope(frame)
    except MalformedMessage:
        return _read_leniently(frame)
    is_response = message.method is _MISSING and (message.result or message.error)
    return message if message.jsonrpc == "2.0" and (is_response or isinstance(message.method, str)) else None


def _read_leniently(frame: bytes) -> Message | None:
    """Read JSON that has half a surrogate pair in it but is valid otherwise."""
    try:
        payload = json.loads(frame.decode(), parse_constant=reject_constant)
    except (ValueError, RecursionError):
        return None
    if not isinstance(payload, dict) or cast("dict[str, Any]", payload).get("jsonrpc") != "2.0":
        return None
    members = cast("dict[str, Any]", payload)
    plain = {key: members[key] for key in ("jsonrpc", "id", "method") if key in members}
    raw = {key: Raw(encode(members[key])) for key in ("params", "result", "error") if key in members}
    return Message(**plain, **raw)


def _decode_envelope(frame: bytes) -> Message:
    try:
        if not frame.isascii():
            frame.decode()
        return _envelope.decode(frame)
    except UnicodeDecodeError as error:
        raise MalformedMessage("The message is not valid UTF-8", PARSE_ERROR, find_id(frame)) from error
    except RecursionError as error:
        raise MalformedMessage("The message is nested too deeply", PARSE_ERROR, find_id(frame)) from error
    except ValidationError as error:
        why, batch = _describe_invalid(frame), _ids_in_batch(frame)
        raise MalformedMessage(why, INVALID_REQUEST, b"null" if batch else find_id(frame), batch) from error
    except DecodeError as error:
        is_empty = not frame or frame.isspace()
        why = "The message is empty" if is_empty else f"The message is not valid JSON: {_describe_position(error)}"
        raise MalformedMessage(why, PARSE_ERROR, find_id(frame)) from error


def _describe_invalid(frame: bytes) -> str:
    if frame.lstrip()[:1] == b"[":
        return "Batches are not supported: send one message at a time"
    is_object = frame.lstrip()[:1] == b"{"
    return "The message has a number in it that is out of range" if is_object else "The message is not an object"


def _ids_in_batch(frame: bytes) -> list[bytes]:
    """Return the ids of the requests in a batch, as JSON; empty if the frame is no batch."""
    try:
        entries = [as_object(one) for one in as_list(json.loads(frame))]
    except (ValueError, RecursionError):
        return []
    ids = [one["id"] for one in entries if "method" in one and is_id(one.get("id"))]
    return [encode(id) for id in dict.fromkeys(ids)]


def _describe_position(error: DecodeError) -> str:
    """What the decoder objects to, without quoting the text."""
    text = str(error).removeprefix("JSON is malformed: ")
    return "its end is missing, or half a surrogate pair stands in it" if "truncated" in text else text


def _find_problem(message: Message) -> str | None:
    """Say what a JSON-RPC server would object to in a message; none if nothing."""
    if message.jsonrpc != "2.0":
        return 'The message must say "jsonrpc": "2.0"'
    if message.method is _MISSING:
        return None if message.result or message.error else "The message has neither a method nor a result"
    if not (is_absent(message.result) and is_absent(message.error)):
        return "The message is both a request and a reply"
    if not isinstance(message.method, str):
        return "The method must be a string"
    if message.id is not _MISSING and not is_id(message.id):
        return "The id must be a string or an integer"
    if not is_absent(message.params) and bytes(message.params)[:1] != b"{":
        return "The params must be an object"
    return None


def is_absent(raw: Raw) -> bool:
    """Whether a member is absent or null: some clients write absent members as null."""
    return not raw or bytes(raw) == b"null"


ID_TYPES = (int, str)


def is_id(value: object) -> bool:
    return type(value) in ID_TYPES


def is_answer(reply: Message, id: Any) -> bool:
    """Whether a message answers the request with that id."""
    if reply.is_request or reply.is_notification:
        return False
    return reply.id == id or numeric_id(reply.id) == id


def numeric_id(id: Any) -> int | None:
    """The number in an id that a server wrote as text; clients tolerate this."""
    return int(id) if type(id) is str and len(id) < 20 and id.isascii() and id.isdecimal() else None


def _id_of(message: Message, frame: bytes) -> bytes:
    if message.id is _MISSING:
        return b"null"
    return encode(message.id) if is_id(message.id) else find_id(frame)


_ENVELOPE_KEYS = (b'"id"', b'"method"', b'"params"', b'"jsonrpc"')


def _may_have_duplicate_keys(frame: bytes) -> bool:
    """A cheap check for duplicate envelope keys, with false alarms but no misses."""
    return b"\\u" in frame or any(frame.count(key) > 1 for key in _ENVELOPE_KEYS)


def _check_strictly(frame: bytes) -> None:
    try:
        decode_strict(frame)
    except ValueError as error:
        raise MalformedMessage(str(error), PARSE_ERROR, find_id(frame)) from error


def decode_params(message: Message) -> dict[str, Any]:
    """Decode the params of a request strictly; raises `MalformedMessage` if readers would disagree on them."""
    try:
        return as_object(decode_strict(message.params)) if message.params else {}
    except (ValueError, RecursionError) as error:
        raise MalformedMessage(str(error), PARSE_ERROR, encode(message.id)) from error


def as_line(message: bytes) -> bytes:
    """A message without line breaks. In JSON they can only stand between tokens, so spaces mean the same."""
    return message.replace(b"\n", b" ").replace(b"\r", b" ")


def fields(raw: Raw) -> dict[str, Any]:
    """The members of an object, for reading only; empty if it is not an object or nested too deeply."""
    try:
        return as_object(json.loads(bytes(raw))) if raw else {}
    except (ValueError, RecursionError):
        return {}


# writing


def encode(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def reply(id: bytes, part: str, raw: bytes) -> bytes:
    """A response to the request with that id; `part` is `result` or `error`."""
    return b'{"jsonrpc":"2.0","id":%b,"%b":%b}' % (id, part.encode(), raw)


def error(id: bytes, code: int, message: str, data: Any = None) -> bytes:
    """An error response."""
    payload = {"code": code, "message": message, **({"data": data} if data is not None else {})}
    return reply(id, "error", encode(payload))


def request(id: str, method: str, params: dict[str, Any]) -> bytes:
    return encode({"jsonrpc": "2.0", "id": id, "method": method, **({"params": params} if params else {})})


def notification(method: str, params: dict[str, Any]) -> bytes:
    return encode({"jsonrpc": "2.0", "method": method, "params": params})


def replace_members(frame: bytes, **parts: bytes) -> bytes:
    """The same message with other bytes for some of its members."""
    try:
        members: dict[str, Any] = {**_members.decode(frame), **parts}
    except DecodeError:  # half a surrogate pair, which a server may send
        members = {key: encode(value) for key, value in as_object(json.loads(frame)).items()} | parts
    return _join_object((encode(key), bytes(raw)) for key, raw in members.items())


def replace_params(frame: bytes, params: dict[str, Any], new_params: dict[str, Any]) -> bytes:
    """Return the same request with other params. What is unchanged in them keeps its bytes."""
    return replace_members(frame, params=splice(_members.decode(frame)["params"], params, new_params))


def splice(raw: bytes | Raw, old: Any, new: Any) -> bytes:
    """Encode `new`, reusing the bytes of every value that is the same object in `old`, which was decoded from `raw`."""
    if new is old:
        return bytes(raw)
    try:
        if isinstance(new, dict) and isinstance(old, dict):
            return _splice_object(_members.decode(raw), cast("dict[str, Any]", old), cast("dict[str, Any]", new))
        if isinstance(new, list) and isinstance(old, list):
            return _splice_array(_elements.decode(raw), cast("list[Any]", old), cast("list[Any]", new))
    except DecodeError:
        pass
    return encode(new)


def _splice_object(raws: dict[str, Raw], old: dict[str, Any], new: dict[str, Any]) -> bytes:
    old_keys = {id(value): key for key, value in old.items()}
    sources = {key: key if key in old else old_keys.get(id(value)) for key, value in new.items()}
    return _join_object(
        (encode(key), splice(raws[source], old[source], value) if source is not None else encode(value))
        for (key, value), source in zip(new.items(), sources.values(), strict=True)
    )


def _splice_array(raws: list[Raw], old: list[Any], new: list[Any]) -> bytes:
    common = [splice(raw, before, now) for raw, before, now in zip(raws, old, new, strict=False)]
    return b"[%b]" % b",".join([*common, *map(encode, new[len(common) :])])


def _join_object(members: Any) -> bytes:
    return b"{%b}" % b",".join(b"%b:%b" % member for member in members)
