"""Tools and calls as strangers make them: schemas, each with a valid call; slips that models make; any JSON at all."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

from hypothesis import assume, settings
from hypothesis import strategies as st

from fingerpost import Call, Catalog, Tool
from fingerpost.engine.case import Case
from fingerpost.engine.model import Path, Rename, Replace
from fingerpost.engine.schema import walk as schemas
from tests.support.paths import ROOT

REAL = ROOT.parent / "shared" / "matching" / "catalogs.public.jsonl"

_WORDS = [
    "account",
    "amount",
    "archive",
    "branch",
    "bucket",
    "channel",
    "colour",
    "comment",
    "count",
    "currency",
    "customer",
    "deadline",
    "depth",
    "format",
    "folder",
    "height",
    "issue",
    "label",
    "language",
    "limit",
    "message",
    "milestone",
    "offset",
    "order",
    "owner",
    "page",
    "pattern",
    "priority",
    "project",
    "query",
    "region",
    "replica",
    "report",
    "reviewer",
    "schedule",
    "sender",
    "shard",
    "snapshot",
    "sort",
    "status",
    "subject",
    "summary",
    "team",
    "threshold",
    "title",
    "topic",
    "vendor",
    "version",
    "volume",
    "weight",
    "width",
    "window",
    "workspace",
]
_FORMATS = {
    "date": ("2026-01-31", "1999-12-01"),
    "date-time": ("2026-01-31T09:30:00Z",),
    "email": ("ada@example.com",),
    "uuid": ("123e4567-e89b-42d3-a456-426614174000",),
    "ipv4": ("192.0.2.7",),
    "uri": ("https://example.com/a",),
    "made-up": ("anything",),
}
_PATTERNS = {"^[a-z]+$": ("abc", "z"), r"^\d{3}-\d{4}$": ("555-0100",), "^v[0-9]+": ("v1", "v22")}
_DRAFTS = (
    None,
    "https://json-schema.org/draft/2020-12/schema",
    "http://json-schema.org/draft-07/schema#",
)


def examples(usual: int) -> settings:
    """As many examples as a test can afford; the soak profile allows more and the quick profile fewer."""
    limit = settings().max_examples
    match settings.get_current_profile_name():
        case "soak":
            return settings(max_examples=limit)
        case "quick":
            return settings(max_examples=min(usual, limit))
        case _:
            return settings(max_examples=usual)


plain_text = st.text("abcdefghijklmnop ABC0123456789", max_size=24)
words = st.sampled_from(_WORDS)
numbers = st.one_of(
    st.integers(-1000, 1000),
    st.sampled_from([2**53 + 1, -(2**53) - 1]),
    st.floats(-1e6, 1e6).map(lambda x: round(x, 3)),
)


@st.composite
def names(draw: st.DrawFn) -> str:
    """A parameter's name in one of the styles in use."""
    return styled(draw(st.lists(words, min_size=1, max_size=3, unique=True)), draw(st.sampled_from(STYLES)))


STYLES = ("snake", "camel", "kebab", "pascal", "screaming")


def styled(parts: list[str], style: str) -> str:
    match style:
        case "camel":
            return parts[0] + "".join(part.title() for part in parts[1:])
        case "pascal":
            return "".join(part.title() for part in parts)
        case "kebab":
            return "-".join(parts)
        case "screaming":
            return "_".join(parts).upper()
        case _:
            return "_".join(parts)


def letters(name: str) -> str:
    """What case and separators leave of a name: the tests' own reading, not the project's."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@dataclass
class _Making:
    """One schema in the making: the draft, and the definitions that references point to."""

    draft: str | None
    defs: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def drawer(self) -> str:
        return "definitions" if self.draft and "draft-07" in self.draft else "$defs"

    def referred(self, schema: dict[str, Any]) -> dict[str, Any]:
        name = f"Def{len(self.defs)}"
        self.defs[name] = schema
        return {"$ref": f"#/{self.drawer}/{name}"}


Pair = tuple[dict[str, Any], Any]


@st.composite
def _strings(draw: st.DrawFn) -> Pair:
    match draw(st.sampled_from(["plain", "length", "format", "pattern", "enum", "const"])):
        case "format":
            form = draw(st.sampled_from(sorted(_FORMATS)))
            return {"type": "string", "format": form}, draw(st.sampled_from(_FORMATS[form]))
        case "pattern":
            pattern = draw(st.sampled_from(sorted(_PATTERNS)))
            return {"type": "string", "pattern": pattern}, draw(st.sampled_from(_PATTERNS[pattern]))
        case "enum":
            choices = draw(st.lists(words, min_size=2, max_size=5, unique_by=letters))
            style = draw(st.sampled_from([str, str.upper, str.title]))
            choices = [style(choice) for choice in choices]
            typed = draw(st.sampled_from([{}, {"type": "string"}]))
            return {**typed, "enum": choices}, draw(st.sampled_from(choices))
        case "const":
            word = draw(words)
            return {"const": word}, word
        case "length":
            value = draw(plain_text.filter(lambda text: len(text) > 2))
            return {"type": "string", "minLength": 2, "maxLength": 40}, value
        case _:
            return {"type": "string", "description": "What to use"}, draw(plain_text)


@st.composite
def _numbers(draw: st.DrawFn) -> Pair:
    value = draw(st.integers(-500, 500))
    match draw(st.sampled_from(["integer", "number", "range", "multiple", "exclusive", "enum"])):
        case "number":
            return {"type": "number"}, draw(numbers)
        case "range":
            low, high = value - draw(st.integers(0, 50)), value + draw(st.integers(0, 50))
            return {"type": "integer", "minimum": low, "maximum": high, "default": low}, value
        case "multiple":
            return {"type": "integer", "multipleOf": 5}, value * 5
        case "exclusive":
            return {"type": "number", "exclusiveMinimum": value - 1, "exclusiveMaximum": value + 1}, value
        case "enum":
            return {"type": "integer", "enum": [value, value + 1, value + 7]}, value
        case _:
            return {"type": "integer"}, value


@st.composite
def _arrays(draw: st.DrawFn, making: _Making, depth: int) -> Pair:
    schema, value = draw(_nodes(making, depth + 1))
    held = draw(st.sampled_from([[], [value], [value], [value, value]]))
    if held and draw(st.integers(0, 3)) == 0:
        return {"type": "array", "items": schema, "minItems": 1}, held
    return {"type": "array", "items": schema}, held


@st.composite
def _objects(draw: st.DrawFn, making: _Making, depth: int, least: int = 0) -> Pair:
    keys = draw(st.lists(names(), min_size=least, max_size=4 if depth else 6, unique_by=letters))
    pairs = {key: draw(_nodes(making, depth + 1)) for key in keys}
    needed = [key for key in keys if draw(st.booleans())]
    value = {key: pairs[key][1] for key in keys if key in needed or draw(st.booleans())}
    schema: dict[str, Any] = {"type": "object", "properties": {key: pair[0] for key, pair in pairs.items()}}
    if needed:
        schema["required"] = needed
    more = draw(st.sampled_from([None, None, False, False, True]))
    return schema if more is None else {**schema, "additionalProperties": more}, value


@st.composite
def _unions(draw: st.DrawFn, making: _Making, depth: int) -> Pair:
    schema, value = draw(_nodes(making, depth + 1))
    text = json.dumps(schema)
    may_be_null = "null" in text or "$ref" in text  # `oneOf` rejects what two of its schemas allow
    word = draw(st.sampled_from(["anyOf"] if may_be_null else ["anyOf", "oneOf"]))
    match draw(st.sampled_from(["nullable", "null", "listed", "two", "all"])):
        case "nullable":
            return {word: [schema, {"type": "null"}]}, value
        case "null":
            return {word: [schema, {"type": "null"}], "default": None}, None
        case "listed":
            return {"type": ["integer", "null"]}, draw(st.one_of(st.none(), st.integers(-9, 9)))
        case "all":
            return {"allOf": [schema, {"description": "said twice"}]}, value
        case _:
            return {"anyOf": [schema, {"type": "boolean"}]}, draw(st.sampled_from([value, True]))


@st.composite
def _nodes(draw: st.DrawFn, making: _Making, depth: int) -> Pair:
    kinds: list[st.SearchStrategy[Pair]] = [
        _strings(),
        _numbers(),
        st.booleans().map(lambda b: ({"type": "boolean"}, b)),
    ]
    if depth < 3:
        kinds += [_arrays(making, depth), _objects(making, depth), _unions(making, depth)]
    schema, value = draw(st.one_of(kinds))
    if draw(st.integers(0, 5)) == 0:
        schema = making.referred(schema)
    return schema, value


@dataclass(frozen=True)
class Known:
    """A tool as listed, and a call that it takes."""

    listed: dict[str, Any]
    call: Call

    @cached_property
    def tool(self) -> Tool:
        return Tool(self.call.tool, self.listed)

    @cached_property
    def catalog(self) -> Catalog:
        return Catalog([self.tool])

    def annotated(self, **hints: Any) -> Known:
        return replace(self, listed={**self.listed, "annotations": hints})

    def __repr__(self) -> str:
        return f"Known({json.dumps(self.listed)}, {json.dumps(self.call.arguments)})"


@st.composite
def known(draw: st.DrawFn, least: int = 0) -> Known:
    """A generated tool with a valid call; its schema is of one draft, flat or nested, open or closed."""
    making = _Making(draw(st.sampled_from(_DRAFTS)))
    schema, value = draw(_objects(making, 0, least))
    match draw(st.sampled_from(["plain", "plain", "plain", "ref", "all"])):
        case "ref":
            schema = {"type": "object", **making.referred(schema)}
        case "all":
            schema = {"type": "object", "allOf": [schema]}
        case _:
            pass
    if making.defs:
        schema = {**schema, making.drawer: making.defs}
    if making.draft:
        schema = {"$schema": making.draft, **schema}
    name = draw(names()) + draw(st.sampled_from(["", "", "", ".get", "/list", "__all", "-v2"]))
    notes = draw(
        st.sampled_from([{}, {"annotations": {"readOnlyHint": True}}, {"annotations": {"readOnlyHint": False}}])
    )
    made = Known({"name": name, "inputSchema": schema, **notes}, Call(name, value))
    assume(made.tool.is_checkable and made.tool.is_valid(value))
    return made


_VALUES: dict[str, Any] = {
    "string": "some text", "integer": 3, "number": 2.5, "boolean": True, "array": ["one"], "object": {"key": "value"},
}  # fmt: skip


def real_tools() -> list[Known]:
    """Tools of published servers, with a call to each; none where the collection is absent."""
    if not REAL.exists():
        return []
    rows = [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()]
    return [_real(row) for row in rows if row["kind"] == "param" and "types" in row]


def _real(row: dict[str, Any]) -> Known:
    kinds = {name: kind if (kind := row["types"].get(name)) in _VALUES else "string" for name in row["names"]}
    reply = row["descriptions"]
    schema = {
        "type": "object",
        "properties": {
            name: {"type": kind, **({"description": reply[name]} if name in reply else {})}
            for name, kind in kinds.items()
        },
        "required": row["required"],
        "additionalProperties": False,
    }
    name = row["id"].rsplit("/", 1)[-1]
    return Known({"name": name, "inputSchema": schema}, Call(name, {n: _VALUES[kind] for n, kind in kinds.items()}))


@dataclass(frozen=True)
class Slip:
    """What was done to a valid call, and the call that came of it."""

    kind: str
    at: Path
    call: Call


def lossless_slips(known: Known) -> list[Slip]:
    """Every slip of ruling 4's first grade that can be made in this call, each one wrong, each with one reading."""
    made = [
        *_restyled(known), *_stringified(known), *_wrapped(known), *_unlisted(known), *_shouted(known),
        *_prefixed(known),
    ]  # fmt: skip
    return [slip for slip in made if slip.call.tool != known.call.tool or not known.tool.accepts(slip.call.arguments)]


def _restyled(known: Known) -> Iterable[Slip]:
    for at, _ in places(known.call.arguments):
        key = at[-1]
        if isinstance(key, str):
            parts = [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", key)]
            for style in STYLES:
                if (name := styled(parts, style)) != key and letters(name) == letters(key):
                    yield Slip("restyled", at, Rename(at, name).applied_to(known.call))


def _stringified(known: Known) -> Iterable[Slip]:
    for at, value in places(known.call.arguments):
        if value is not None and not isinstance(value, str):
            yield Slip("stringified", at, Replace(at, json.dumps(value)).applied_to(known.call))
    yield Slip("stringified", (), Call(known.call.tool, json.dumps(known.call.arguments)))


def _wrapped(known: Known) -> Iterable[Slip]:
    for wrapper in ("input", "arguments", "params"):
        if wrapper not in known.tool.params:
            yield Slip("wrapped", (), Call(known.call.tool, {wrapper: known.call.arguments}))


def _unlisted(known: Known) -> Iterable[Slip]:
    """An item in place of its list, where the schema takes only a list, and of known items: otherwise it is refused."""
    case, root = Case(known.call, known.tool), known.tool.schema
    for at, value in places(known.call.arguments):
        items_have_types = bool(schemas.types(root, case.schema((*at, 0)))) or known.tool.is_read_only
        is_only_list = items_have_types and schemas.types(root, case.schema(at)) in (("array",), ("array", "null"))
        is_one = isinstance(value, list) and len(cast("list[Any]", value)) == 1
        if is_only_list and is_one and not _is_odd_item((items := cast("list[Any]", value))[0]):
            yield Slip("unlisted", at, Replace(at, items[0]).applied_to(known.call))


def _is_odd_item(item: Any) -> bool:
    """An item that cannot stand for its list: nothing, a list itself, or a text that reads as a list."""
    return not item or isinstance(item, list) or (isinstance(item, str) and ("," in item or item[0] in "[{"))


def nulled(known: Known) -> Iterable[Slip]:
    """A null for each optional argument that is not given. A tool that may write can give it a meaning."""
    for name in known.tool.params:
        if name not in known.tool.required and name not in known.call.arguments:
            yield Slip("nulled", (name,), Replace((name,), None).applied_to(known.call))


def _shouted(known: Known) -> Iterable[Slip]:
    for at, value in places(known.call.arguments):
        if isinstance(value, str) and "enum" in _schema_text(known, at):
            for style in (str.upper, str.lower, str.title):
                if (reply := style(value)) != value:
                    yield Slip("shouted", at, Replace(at, reply).applied_to(known.call))


def _schema_text(known: Known, at: Path) -> str:
    """Where only an enum or a constant could object to another case."""
    return "enum" if {violation.keyword for violation in known.tool.violations(
        Replace(at, "no such choice at all").applied_to(known.call).arguments)} == {"enum"} else ""  # fmt: skip


def _prefixed(known: Known) -> Iterable[Slip]:
    for prefix in ("functions.", "default_api.", "default_api:", "tools.", "tools/"):
        yield Slip("prefixed", ("tool",), Call(prefix + known.call.tool, known.call.arguments))


def typos(known: Known) -> list[Slip]:
    """A swapped, dropped or doubled letter in an argument's name: whether it is repaired is a matter of degree."""
    made: list[Slip] = []
    for at, _ in places(known.call.arguments):
        key = at[-1]
        if isinstance(key, str) and len(key) > 4:
            swapped = (key[:2] + key[3] + key[2] + key[4:], key[:3] + key[4:], key[:3] + key[2:])
            made += [Slip("typo", at, Rename(at, name).applied_to(known.call)) for name in swapped]
    return [slip for slip in made if not known.tool.accepts(slip.call.arguments)]


def noisy(call: Call) -> Call:
    """The call with what some clients add to every call."""
    return Call(call.tool, {**call.arguments, "toolCallId": "call_1", "sessionId": "s", "action": "sendMessage"})


def places(value: Any, at: Path = ()) -> list[tuple[Path, Any]]:
    """Every value inside, with its place."""
    inner: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        inner = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        inner = enumerate(cast("list[Any]", value))
    found: list[tuple[Path, Any]] = []
    for step, item in inner:
        found += [((*at, step), item), *places(item, (*at, step))]
    return found


def exactly(value: Any) -> str:
    """A spelling that is equal for equal JSON alone: to Python `1`, `1.0` and `True` are equal."""
    return json.dumps(value, sort_keys=True)


def kept(arguments: Any) -> Counter[str]:
    """The leaves of a call as they read, whatever container or spelling they come in; empty ones do not count."""
    match arguments:
        case dict():
            return sum(map(kept, cast("dict[str, Any]", arguments).values()), Counter[str]())
        case list():
            return sum(map(kept, cast("list[Any]", arguments)), Counter[str]())
        case str():
            inside = _read(arguments)
            if isinstance(inside, dict | list):
                return kept(inside)
            return Counter([_as_number(arguments) or letters(arguments)] if arguments.strip() else [])
        case None:
            return Counter()
        case _:
            return Counter([_as_number(json.dumps(arguments)) or json.dumps(arguments)])


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _as_number(text: str) -> str:
    """A number by its value: `2.50` and `2.5` are one."""
    if not re.fullmatch(r"-?\d+(\.\d+)?([eE][+-]?\d+)?", text):
        return ""
    number = float(text)
    return str(int(text)) if re.fullmatch(r"-?\d+", text) else str(int(number)) if number.is_integer() else repr(number)


surrogates = st.sampled_from(["\ud800", "a\udfff", "\udc00b"])
odd_text = st.one_of(
    st.text(max_size=20),
    surrogates,
    st.sampled_from(["", " ", "\x00", "\u202e", "x" * 5_000, "'", '"', "{", "[1", "null", "1e999", "..", "$ref", "#"]),
)
odd_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**30, -(10**400), 10**400, 2**53 + 1, math.nan, math.inf, -math.inf, -0.0, 5e-324, 1.8e308]),
    st.floats(),
    odd_text,
)
odd_json: st.SearchStrategy[Any] = st.recursive(
    odd_scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(odd_text, inner, max_size=4)),
    max_leaves=12,
)
"""Any JSON, and what Python reads as JSON beside it."""

_KEYWORDS = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "$ref",
    "$defs",
    "definitions",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "pattern",
    "format",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependencies",
    "dependentSchemas",
    "prefixItems",
    "contains",
    "default",
    "examples",
    "description",
    "deprecated",
    "writeOnly",
    "$schema",
    "$id",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "unevaluatedProperties",
    "minProperties",
    "maxProperties",
]
_TYPICAL = st.sampled_from(
    ["string", "integer", "number", "object", "array", "boolean", "null", "#", "#/$defs/a", "date", "^(a+)+$", "a", "b"]
)
odd_schemas: st.SearchStrategy[Any] = st.recursive(
    st.one_of(_TYPICAL, odd_scalars, st.lists(_TYPICAL, max_size=3)),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from(_KEYWORDS), inner, max_size=4),
        st.dictionaries(st.sampled_from(["a", "b", "limit", "path"]), inner, max_size=3),
        st.lists(inner, max_size=3),
    ),
    max_leaves=16,
)
"""What could pass for a schema from far away."""


def nested(depth: int, kind: str = "object") -> Any:
    value: Any = "end"
    for _ in range(depth):
        value = {"a": value} if kind == "object" else [value]
    return value
