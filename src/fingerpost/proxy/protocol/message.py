"""One JSON-RPC message as it stands on the wire: read strictly, changed in place, never rebuilt.

The envelope is decoded and the rest is kept as the bytes it came in, so what is not changed keeps its number
spelling, its key order and its escapes. Where readers disagree (NaN, a key twice, half a surrogate pair, bytes
that are not UTF-8) a message is not relayed: what we judge has to be what the server reads.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn, TypeAlias, cast

from msgspec import DecodeError, Raw, Struct, ValidationError
from msgspec import json as quick
from msgspec.json import Decoder

from fingerpost.engine.safety.json_input import as_object
from fingerpost.proxy.protocol.broken_frame import MOST_DIGITS, readable_id

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603

Id: TypeAlias = "str | int"

_ABSENT = Raw()
_MISSING: Any = object()


class Message(Struct, gc=False):
    """A message by its envelope; `params`, `result` and `error` are the bytes they came in, empty where absent."""

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


class Malformed(ValueError):
    """A frame that is no message. `id` is that of the request it was meant to be, as JSON; `null` where unreadable."""

    def __init__(self, why: str, code: int = INVALID_REQUEST, id: bytes = b"null") -> None:
        super().__init__(why)
        self.code = code
        self.id = id


_envelope = Decoder(Message)
_members = Decoder(dict[str, Raw])
_elements = Decoder(list[Raw])


def read(frame: bytes) -> Message:
    """The message in a frame that a client sent; `Malformed` says what is wrong with it, in words for that client."""
    message = _decoded(frame)
    if (trouble := _trouble(message)) is not None:
        raise Malformed(trouble, INVALID_REQUEST, _id_of(message, frame))
    if _may_repeat(frame):
        _unrepeated(frame)
    return message


def read_reply(frame: bytes) -> Message | None:
    """The message in a frame that a server sent; none where it is no message at all.

    What servers send is relayed as it is wherever it is JSON: it is for the client to be strict about it.
    """
    try:
        message = _decoded(frame)
    except Malformed:
        return _lenient(frame)
    is_response = message.method is _MISSING and (message.result or message.error)
    return message if message.jsonrpc == "2.0" and (is_response or isinstance(message.method, str)) else None


_SHORT = 64 * 1024
_anything = Decoder()


def plain_call(frame: bytes) -> tuple[Id, dict[str, Any]] | None:
    """Return the id and the params of a `tools/call` that is spelled as most clients spell it; None for other frames.

    A frame that is the same when it is encoded again has no key twice, and nothing else that readers could differ on.
    """
    if len(frame) > _SHORT:
        return None
    try:
        fields: dict[str, Any] = _anything.decode(frame)
        if fields["method"] != "tools/call":
            return None
        again = quick.encode(fields)
        if again != frame and quick.format(again, indent=0) != frame:
            return None
        id, params = fields["id"], cast("dict[str, Any]", fields["params"])
        name = params["name"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    is_request = fields.get("jsonrpc") == "2.0" and "result" not in fields and "error" not in fields
    return (id, params) if is_request and type(name) is str and type(params) is dict and is_id(id) else None


class _Success(Struct, gc=False):
    isError: Any = None


class _Answer(Struct, gc=False):
    jsonrpc: Any = None
    id: Any = None
    method: Any = None
    error: Raw = _ABSENT
    result: _Success | None = None


_answer = Decoder(_Answer)


def plain_success(frame: bytes) -> Any:
    """The id of a request that a frame plainly answers with a success; none of any other frame."""
    try:
        said = _answer.decode(frame)
        if not frame.isascii():
            frame.decode()
    except (ValueError, RecursionError):
        return None
    if said.jsonrpc != "2.0" or said.method is not None or said.error or said.result is None:
        return None
    return said.id if said.result.isError is not True and is_id(said.id) else None


def _lenient(frame: bytes) -> Message | None:
    """JSON that is only half a surrogate pair away from strict."""
    try:
        said = json.loads(frame.decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or cast("dict[str, Any]", said).get("jsonrpc") != "2.0":
        return None
    fields = cast("dict[str, Any]", said)
    known = {key: fields[key] for key in ("jsonrpc", "id", "method") if key in fields}
    raw = {key: Raw(encode(fields[key])) for key in ("params", "result", "error") if key in fields}
    return Message(**known, **raw)


def _decoded(frame: bytes) -> Message:
    try:
        if not frame.isascii():
            frame.decode()
        return _envelope.decode(frame)
    except UnicodeDecodeError as error:
        raise Malformed("The message is not valid UTF-8", PARSE_ERROR, readable_id(frame)) from error
    except RecursionError as error:
        raise Malformed("The message is nested too deeply", PARSE_ERROR, readable_id(frame)) from error
    except ValidationError as error:
        raise Malformed(_not_an_object(frame), INVALID_REQUEST, readable_id(frame)) from error
    except DecodeError as error:
        raise Malformed(
            f"The message is not valid JSON: {_position(error)}", PARSE_ERROR, readable_id(frame)
        ) from error


def _not_an_object(frame: bytes) -> str:
    if frame.lstrip()[:1] == b"[":
        return "Batches are not supported: send one message at a time"
    is_one = frame.lstrip()[:1] == b"{"
    return "The message has a number in it that is out of range" if is_one else "The message is not an object"


def _position(error: DecodeError) -> str:
    """What the decoder objects to, without a word of the text itself."""
    said = str(error).removeprefix("JSON is malformed: ")
    return "its end is missing, or half a surrogate pair stands in it" if "truncated" in said else said


def _trouble(message: Message) -> str | None:
    """What keeps a message from being one that every server answers."""
    if message.jsonrpc != "2.0":
        return 'The message must say "jsonrpc": "2.0"'
    if message.method is _MISSING:
        return None if message.result or message.error else "The message has neither a method nor a result"
    if not (_is_null(message.result) and _is_null(message.error)):
        return "The message is both a request and a reply"
    if not isinstance(message.method, str):
        return "The method must be a string"
    if message.id is not _MISSING and not is_id(message.id):
        return "The id must be a string or an integer"
    if not _is_null(message.params) and bytes(message.params)[:1] != b"{":
        return "The params must be an object"
    return None


def _is_null(raw: Raw) -> bool:
    """Whether a member is not there, or there is nothing in it: some write an empty one so."""
    return not raw or bytes(raw) == b"null"


ID_TYPES = (int, str)


def is_id(value: object) -> bool:
    return type(value) in ID_TYPES


def is_answer(reply: Message, id: Any) -> bool:
    """Whether a message answers the request of that id."""
    if reply.is_request or reply.is_notification:
        return False
    return reply.id == id or number_in(reply.id) == id


def number_in(id: Any) -> int | None:
    """The number that an id spells out: some servers write every id as text, and clients put up with it."""
    return int(id) if type(id) is str and len(id) < 20 and id.isascii() and id.isdecimal() else None


def _id_of(message: Message, frame: bytes) -> bytes:
    if message.id is _MISSING:
        return b"null"
    return encode(message.id) if is_id(message.id) else readable_id(frame)


_FIELDS = (b'"id"', b'"method"', b'"params"', b'"jsonrpc"')


def _may_repeat(frame: bytes) -> bool:
    """A glance at whether a field of the envelope could stand there twice; nearly always it is plain that none does."""
    return b"\\u" in frame or any(frame.count(field) > 1 for field in _FIELDS)


def _unrepeated(frame: bytes) -> None:
    try:
        decode_strict(frame)
    except ValueError as error:
        raise Malformed(str(error), PARSE_ERROR, readable_id(frame)) from error


def decode_strict(raw: bytes | Raw) -> Any:
    """JSON as an object of ours; a key that stands there twice is an error, for readers differ on which one counts."""
    return _strict.decode(bytes(raw).decode())


def decode_params(message: Message) -> dict[str, Any]:
    """Decode the params of a request strictly; raises `Malformed` if readers would disagree on them."""
    try:
        return as_object(decode_strict(message.params)) if message.params else {}
    except (ValueError, RecursionError) as error:
        raise Malformed(str(error), PARSE_ERROR, encode(message.id)) from error


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError("The message has a number in it that is out of range")
    return int(digits)


def as_line(message: bytes) -> bytes:
    """A message in one line, whatever reads it: line ends can only stand between the parts of JSON."""
    return message.replace(b"\n", b" ").replace(b"\r", b" ")


def fields(raw: Raw) -> dict[str, Any]:
    """The members of an object that is only read; none where it is no object, or too deep to be read."""
    try:
        return as_object(json.loads(bytes(raw))) if raw else {}
    except (ValueError, RecursionError):
        return {}


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("The message has the same key twice in one object")
    return made


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_strict = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_constant, parse_int=_integer)


# writing


def encode(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def reply(id: bytes, part: str, raw: bytes) -> bytes:
    """A response to the request of that id; `part` is `result` or `error`."""
    return b'{"jsonrpc":"2.0","id":%b,"%b":%b}' % (id, part.encode(), raw)


def error(id: bytes, code: int, message: str, data: Any = None) -> bytes:
    """A response that says why there is no result."""
    said = {"code": code, "message": message, **({"data": data} if data is not None else {})}
    return reply(id, "error", encode(said))


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
    return _object((encode(key), bytes(raw)) for key, raw in members.items())


def replace_params(frame: bytes, params: dict[str, Any], new_params: dict[str, Any]) -> bytes:
    """Return the same request with other params. What is unchanged in them keeps its bytes."""
    members = _members.decode(frame)
    return replace_members(frame, params=splice(members["params"], params, new_params))


def splice(raw: bytes | Raw, old: Any, new: Any) -> bytes:
    """`new` as JSON. What in it is the very same object as in `old`, which was read from `raw`, keeps its bytes."""
    if new is old:
        return bytes(raw)
    try:
        if isinstance(new, dict) and isinstance(old, dict):
            return _spliced_object(_members.decode(raw), cast("dict[str, Any]", old), cast("dict[str, Any]", new))
        if isinstance(new, list) and isinstance(old, list):
            return _spliced_array(_elements.decode(raw), cast("list[Any]", old), cast("list[Any]", new))
    except DecodeError:
        pass
    return encode(new)


def _spliced_object(raws: dict[str, Raw], old: dict[str, Any], new: dict[str, Any]) -> bytes:
    moved = {id(value): key for key, value in old.items()}
    sources = {key: key if key in old else moved.get(id(value)) for key, value in new.items()}
    return _object(
        (encode(key), splice(raws[source], old[source], value) if source is not None else encode(value))
        for (key, value), source in zip(new.items(), sources.values(), strict=True)
    )


def _spliced_array(raws: list[Raw], old: list[Any], new: list[Any]) -> bytes:
    kept = [splice(raw, before, now) for raw, before, now in zip(raws, old, new, strict=False)]
    return b"[%b]" % b",".join([*kept, *map(encode, new[len(kept) :])])


def _object(members: Any) -> bytes:
    return b"{%b}" % b",".join(b"%b:%b" % member for member in members)
