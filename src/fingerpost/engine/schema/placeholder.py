"""Write placeholders that show what a schema asks for: `{name: <string>, quantity: <integer ≥ 1>}`.

Objects show their required fields (or, if none is required, the first that are declared), lists show an item, and a
leaf is one short phrase with its format, choices and limits. A value of several kinds shows each of them, if there is
room: `<{id: <string>} or {url: <uri>}>`. Schemas are untrusted: depth, width and the number of
leaves are limited, a recursive schema stops where it repeats, and text from a schema is cleaned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import is_
from typing import Any, TypeAlias, cast

from fingerpost.engine.model import EMPTY_OBJECT
from fingerpost.engine.phrases import AS_SENT, Placeholder, count_noun, is_name, literal, shorten_literal
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings, is_number
from fingerpost.engine.safety.redact import is_clean, is_harmless, is_secret
from fingerpost.engine.schema.code_labels import NAMES_KEYWORD, add_label, find_labels
from fingerpost.engine.schema.walk import Schema, child, find_required, properties, resolve, types

_MAX_DEPTH, _MAX_LEAVES, _MAX_FIELDS, _MAX_OPTIONAL = 5, 40, 12, 4
_MAX_ITEMS_READ = 32
_MAX_COPIES = 3
"""A list that needs at most this many items shows each of them."""
_MAX_CHOICES, _MAX_BRANCHES, _MAX_NESTING = 4, 20, 6
_LONGEST_PATTERN = 24
_LONGEST_CHOICE = 200
_COMBINED = frozenset({"allOf", "anyOf", "oneOf"})
_ANNOTATIONS = ("title", "description", "default", "examples", "deprecated")
"""What says something about a value as a whole, not about one of its alternatives."""


_Declaration: TypeAlias = frozenset[tuple[str, int]]
"""The names and identities of the fields that an object declares. References to one object have the same."""


class BlankObject(dict[str, Any]):
    """An object made of placeholders only, so that `shorten_blanks` may replace it by one."""

    __slots__ = ()


class BlankList(list[Any]):
    """A list made of placeholders only."""

    __slots__ = ()


class BlankChoice(Placeholder):
    """A placeholder that shows the structure of several alternatives; `shorter` only names their types."""

    __slots__ = ("shorter",)
    shorter: Placeholder


def placeholder(root: Schema, node: Any) -> Any:
    """Return a value for the caller to fill in: placeholders inside the objects and lists that the schema asks for."""
    return _Writer(root).write(node, 0, frozenset())


def shorten_blanks(value: Any, depth: int) -> Any:
    """Replace blank objects and lists below `depth` by `<object>` and `<array>`.

    A value without any is returned itself, not a copy: a caller's own value is recognised by its identity. Of a long
    list only the first items are read: no more of it is ever shown.
    """
    if isinstance(value, BlankObject | BlankList) and depth <= 0:
        return Placeholder("<object>" if isinstance(value, BlankObject) else "<array>")
    if isinstance(value, BlankChoice) and depth <= 0:
        return value.shorter
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        shorter = {name: shorten_blanks(item, depth - 1) for name, item in fields.items()}
        return fields if all(shorter[name] is item for name, item in fields.items()) else shorter
    if isinstance(value, list):
        items = cast("list[Any]", value)
        shorter = [shorten_blanks(item, depth - 1) for item in items[:_MAX_ITEMS_READ]]
        return items if all(map(is_, shorter, items)) else [*shorter, *items[_MAX_ITEMS_READ:]]
    return value


def first_choice(root: Schema, node: Any, depth: int = 0) -> Schema:
    """Resolve references, `allOf` and alternatives to one schema: the first alternative that is not null.

    Alternatives that only list values (`oneOf` with `const`) become one `enum`.
    """
    schema = resolve(root, node)
    if depth >= _MAX_NESTING or _COMBINED.isdisjoint(schema):
        return schema
    for part in as_list(schema.get("allOf"))[:_MAX_BRANCHES]:
        schema = _merge(first_choice(root, part, depth + 1), schema)
    for keyword in ("anyOf", "oneOf"):
        branches = [first_choice(root, one, depth + 1) for one in as_list(schema.get(keyword))[:_MAX_BRANCHES]]
        if real := [one for one in branches if one and one.get("type") != "null"]:
            rest = {key: value for key, value in schema.items() if key != keyword}
            schema = _merge(_join_choices(real) or real[0], rest)
    return schema


def alternatives(root: Schema, node: Any) -> list[Schema]:
    """Return the alternatives of a schema that are not null, each resolved; one if there are no alternatives."""
    schema = resolve(root, node)
    if _COMBINED.isdisjoint(schema):
        return [schema]
    for keyword in ("anyOf", "oneOf"):
        branches = [first_choice(root, one) for one in as_list(schema.get(keyword))[:_MAX_BRANCHES]]
        real = [one for one in branches if one.get("type") != "null"]
        if len(real) > 1 and not _join_choices(real):
            beside = {key: value for key, value in schema.items() if key not in (keyword, *_ANNOTATIONS)}
            return [_merge(one, beside) for one in real]
    return [first_choice(root, node)]


def _merge(under: Schema, over: Schema) -> Schema:
    """Combine two schemas of the same value. Fields and required names add up; else `over` has precedence."""
    merged = {**under, **over}
    if "properties" in under and "properties" in over:
        merged["properties"] = {**as_object(under["properties"]), **as_object(over["properties"])}
    if "required" in under and "required" in over:
        merged["required"] = list(dict.fromkeys([*as_strings(under["required"]), *as_strings(over["required"])]))
    return merged


def _join_choices(branches: list[Schema]) -> Schema | None:
    """Return one `enum` for alternatives that each list their values; None if one does not."""
    if len(branches) < 2 or not all("const" in one or as_list(one.get("enum")) for one in branches):
        return None
    joined = [(value, one) for one in branches for value in (as_list(one.get("enum")) or [one.get("const")])]
    labels = [find_labels({}, one).get(str(value), "") for value, one in joined]
    return {"enum": [value for value, _ in joined], **({NAMES_KEYWORD: labels} if any(labels) else {})}


@dataclass
class _Writer:
    """Writes the placeholders for one value, with a limit on their number."""

    root: Schema
    leaves: int = 0

    def write(self, node: Any, depth: int, above: frozenset[_Declaration]) -> Any:
        """Write one value. `above` has the declarations of the objects that contain it, to notice a recursion."""
        schema = first_choice(self.root, node)
        self.leaves += 1
        if "const" in schema and _may_show(schema["const"], schema):
            return schema["const"] if depth else Placeholder(f"<{literal(schema['const'])}>")
        options = alternatives(self.root, node)
        if len(options) > 1 and depth < _MAX_DEPTH and (choice := self._choice(options, depth, above)):
            return choice
        kind = "" if as_list(schema.get("enum")) else next(iter(_kinds(self.root, schema)), "")
        if depth >= _MAX_DEPTH or self.leaves > _MAX_LEAVES or kind not in ("object", "array"):
            return _describe_alternatives(self.root, node)
        if kind == "array":
            items = self._items(schema, depth, above)
            return BlankList(items) if items else _describe_leaf(self.root, schema)
        fields = self._fields(schema, depth, above)
        return BlankObject(fields) if fields else _describe_leaf(self.root, schema)

    def _choice(self, options: list[Schema], depth: int, above: frozenset[_Declaration]) -> BlankChoice | None:
        """Show every alternative, if one of them has a structure and all of them are short."""
        before = self.leaves
        if len(options) > _MAX_CHOICES or before + len(options) > _MAX_LEAVES:
            return None
        blanks = [self.write(option, depth + 1, above) for option in options]
        if not any(isinstance(blank, BlankObject | BlankList) for blank in blanks):
            return None
        shapes = dict.fromkeys(literal(blank).removeprefix("<").removesuffix(">") for blank in blanks)
        text = f"<{' or '.join(shapes)}>"
        if len(shapes) == 1 or len(text) > _LONGEST_CHOICE:
            self.leaves = before if not depth else self.leaves  # further down, the work would multiply
            return None
        choice = BlankChoice(text)
        choice.shorter = Placeholder(f"<{' or '.join(_first_kinds(self.root, options))}>")
        return choice

    def _fields(self, schema: Schema, depth: int, above: frozenset[_Declaration]) -> dict[str, Any]:
        declared = properties(self.root, schema)
        declaration = frozenset((name, id(one)) for name, one in declared.items())
        if declared and declaration in above:
            return {}
        above |= {declaration}
        needed = [name for name in find_required(self.root, schema) if is_clean(name)]
        chosen = needed[:_MAX_FIELDS] or [name for name in declared if is_clean(name)][:_MAX_OPTIONAL]
        return {name: self.write(declared.get(name, EMPTY_OBJECT), depth + 1, above) for name in chosen}

    def _items(self, schema: Schema, depth: int, above: frozenset[_Declaration]) -> list[Any]:
        """Show as many items as are needed, or one and how many more."""
        least = _as_count(schema.get("minItems"), 1)
        fixed = as_list(schema.get("prefixItems"))[:_MAX_FIELDS]
        if fixed:
            return [self.write(item, depth + 1, above) for item in fixed]
        item = child(self.root, schema, 0)
        if not item:
            return []
        first = self.write(item, depth + 1, above)
        is_leaf = isinstance(first, Placeholder)
        if is_leaf and 1 < least <= _MAX_COPIES:
            return [first] * least
        return [first, Placeholder(f"<at least {least - 1:,} more>")] if least > 1 else [first]


def _first_kinds(root: Schema, options: list[Schema]) -> dict[str, None]:
    return dict.fromkeys(next(iter(_kinds(root, option)), "value") for option in options)


def _describe_leaf(root: Schema, schema: Schema) -> Placeholder:
    """Describe a value in one phrase: `<email>`, `<"asc" or "desc">`, `<integer 1 to 100>`."""
    return Placeholder(f"<{_phrase(root, schema)}>")


def _describe_alternatives(root: Schema, node: Any) -> Placeholder:
    """Describe a value that may be one of several kinds: `<integer ≥ 1 or "all">`."""
    phrases = dict.fromkeys(_phrase(root, one) for one in alternatives(root, node)[:_MAX_CHOICES])
    return Placeholder(f"<{' or '.join(phrases)}>")


def _phrase(root: Schema, schema: Schema) -> str:
    if choices := _choices(schema):
        labels = find_labels(root, schema)
        text = " or ".join(add_label(shorten_literal(choice), choice, labels) for choice in choices[:_MAX_CHOICES])
        return text + (f" or {len(choices) - _MAX_CHOICES:,} more" if len(choices) > _MAX_CHOICES else "")
    kinds = _kinds(root, schema)
    noun = " or ".join(kinds) or "value"
    match kinds:
        case ("integer",) | ("number",):
            return f"{noun}{_range(schema)}"
        case ("string",):
            return _text_phrase(schema)
        case ("array",):
            return f"array{_amount(schema, 'minItems', 'maxItems', 'item')}"
        case ("object",):
            return _object_phrase(root, schema)
        case _:
            return noun


def _choices(schema: Schema) -> list[Any]:
    """Return the choices that may be shown. Null is left out: it stands for no value."""
    if is_secret("", schema):
        return []
    return [choice for choice in as_list(schema.get("enum")) if choice is not None]


def _kinds(root: Schema, schema: Schema) -> tuple[str, ...]:
    kinds = types(root, schema)
    return tuple(kind for kind in kinds if kind != "null") or kinds


def _text_phrase(schema: Schema) -> str:
    form, pattern = schema.get("format"), schema.get("pattern")
    if isinstance(form, str) and is_name(form):
        return form
    if isinstance(pattern, str) and len(pattern) <= _LONGEST_PATTERN and is_clean(pattern) and is_harmless(pattern):
        return f"string matching {literal(pattern)}"
    return f"string{_amount(schema, 'minLength', 'maxLength', 'character')}"


def _object_phrase(root: Schema, schema: Schema) -> str:
    kinds = _kinds(root, as_object(schema.get("additionalProperties")))
    is_map = not properties(root, schema) and len(kinds) == 1
    return f"object with {kinds[0]} values" if is_map else "object"


def _amount(schema: Schema, low: str, high: str, noun: str) -> str:
    """Write the limits of a length, without those that go without saying."""
    least, most = _as_count(schema.get(low), 0), _as_count(schema.get(high), 0)
    if least > 1 and most:
        return f" of {least:,} to {count_noun(most, noun)}" if least != most else f" of {count_noun(most, noun)}"
    if most:
        return f" of at most {count_noun(most, noun)}"
    return f" of at least {count_noun(least, noun)}" if least > 1 else ""


def _range(schema: Schema) -> str:
    low, high, step = (_limit(schema, keyword) for keyword in ("minimum", "maximum", "multipleOf"))
    limits = [f"{low} to {high}"] if low and high else [*_one_sided(schema)]
    limits += [f"multiple of {step}"] if step not in ("", "1") else []
    return f" {', '.join(limits)}" if limits else ""


def _one_sided(schema: Schema) -> Iterator[str]:
    signs = (("minimum", "≥"), ("exclusiveMinimum", "above"), ("maximum", "≤"), ("exclusiveMaximum", "below"))
    return (f"{sign} {limit}" for keyword, sign in signs if (limit := _limit(schema, keyword)))


def _limit(schema: Schema, keyword: str) -> str:
    """Write a limit; empty if there is none, or one too long to show."""
    limit = schema.get(keyword)
    return text if is_number(limit) and (text := literal(limit)) is not AS_SENT else ""


def _as_count(value: Any, instead: int) -> int:
    is_count = is_number(value) and 0 <= value < 10**6
    return int(cast("float", value)) if is_count else instead


def _may_show(value: Any, schema: Schema) -> bool:
    if isinstance(value, dict | list) or is_secret("", schema) or not is_harmless(value):
        return False
    return is_clean(value) if isinstance(value, str) else True
