"""The tools one caller sees at one moment, indexed for being asked about by the wrong name.

Listing 5,000 tools costs no more than reading their names: everything else (declared parameters,
the compiled validator, the index for matching) is made when first asked for, and kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from fingerpost.engine.matching.index import Names
from fingerpost.engine.matching.spelling import normal_form, spelling
from fingerpost.engine.model import EMPTY_OBJECT, Violation, value_at
from fingerpost.engine.safety.hazards import is_hazardous, names_a_thing
from fingerpost.engine.safety.json_input import as_json, as_list, as_object, as_strings
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.schema.validate import MAX_DIAGNOSES, UNDECLARED_KEYWORD, compile_schema, to_violations

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_SCALARS = frozenset({"integer", "number", "boolean", "null", "string"})


class Tool:
    """A tool as a client may call it."""

    def __init__(self, name: str, listed: Mapping[str, Any] = EMPTY_OBJECT) -> None:
        self.name = name
        self._listed = listed

    @property
    def listed_schema(self) -> Any:
        """The input schema as the server lists it, whatever that is."""
        return self._listed.get("inputSchema")

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The input schema; empty when it is too large, too deep or not an object: then nothing is claimed."""
        schema = self.listed_schema
        return (
            cast("dict[str, Any]", schema) if isinstance(schema, dict) and schemas.is_readable(schema) else EMPTY_OBJECT
        )

    @property
    def description(self) -> str:
        said = self._listed.get("description")
        return said if isinstance(said, str) else ""

    @property
    def is_read_only(self) -> bool:
        """The author's word that calling does not change anything; without it a tool may write."""
        return self._is_noted("readOnlyHint")

    @property
    def is_destructive(self) -> bool:
        """The author's word that calling may destroy something; without it, and without the other, nothing is known."""
        return self._is_noted("destructiveHint") and not self.is_read_only

    def _is_noted(self, hint: str) -> bool:
        notes = self._listed.get("annotations")
        return isinstance(notes, dict) and cast("dict[str, Any]", notes).get(hint) is True

    @property
    def declares_output(self) -> bool:
        return "outputSchema" in self._listed

    @cached_property
    def params(self) -> Mapping[str, Any]:
        return schemas.properties(self.schema, self.schema)

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The first type that each parameter takes."""
        return {name: next(iter(schemas.types(self.schema, one)), "any") for name, one in self.params.items()}

    @cached_property
    def required(self) -> tuple[str, ...]:
        return schemas.required_names(self.schema, self.schema)

    @cached_property
    def is_open(self) -> bool:
        """Whether arguments that the schema does not declare are welcome."""
        return schemas.is_open(self.schema, self.schema)

    @cached_property
    def is_closed(self) -> bool:
        """Whether the schema forbids what it does not declare: then its validator knows what that is."""
        return schemas.is_closed(self.schema, self.schema)

    def strays(self, arguments: Mapping[str, Any]) -> list[str]:
        """The arguments that the tool does not take, as far as its schema tells."""
        if self.is_open:
            return []
        if not self.is_closed:
            return [name for name in arguments if name not in self.params]
        forbidden = [
            one.expected for one in self.violations(arguments) if one.at == () and one.keyword == UNDECLARED_KEYWORD
        ]
        return [name for names in forbidden for name in as_strings(names)]

    @cached_property
    def deprecated(self) -> frozenset[str]:
        return frozenset(
            name for name in self.params if schemas.schema_at(self.schema, (name,)).get("deprecated") is True
        )

    @cached_property
    def secret_names(self) -> frozenset[str]:
        """The parameters, at any depth, that the schema declares secret, in normal form."""
        return frozenset(map(normal_form, schemas.secret_names(self.schema)))

    @cached_property
    def exposed(self) -> tuple[str, ...]:
        """The parameters in which a name or a path, and so an attack, could stand."""
        return tuple(
            name for name, schema in self.params.items() if names_a_thing(name) or self._may_hold_objects(schema)
        )

    def _may_hold_objects(self, schema: Any) -> bool:
        kinds = schemas.types(self.schema, schema)
        if kinds in (("array",), ("array", "null")):
            kinds = schemas.types(self.schema, schemas.child(self.schema, schema, 0))
        return not kinds or not _SCALARS.issuperset(kinds)

    @cached_property
    def _nested(self) -> bool:
        """Whether any parameter can hold objects, and so names that get lost inside them."""
        return any(map(self._may_hold_objects, self.params.values()))

    def nested_strays(self, arguments: Any) -> Iterator[schemas.UnknownArguments]:
        """Objects inside the arguments with names that a server would drop without a word."""
        return schemas.nested_unknown_arguments(self.schema, self.schema, arguments)

    @cached_property
    def is_plainly_right(self) -> Callable[[Any], bool]:
        """The short cut for calls with nothing to say about them: one function, made once, of all there is to check."""
        if self._validator is None:
            return lambda _: True
        is_valid, takes_any = self._validator.is_valid, self.is_open or self.is_closed
        declared = frozenset(self.params)
        exposed, deprecated, nested = self.exposed, self.deprecated, self._nested
        if not (exposed or deprecated or nested):
            return _plain_check(is_valid, declared, takes_any=takes_any)

        def is_right(arguments: Any) -> bool:
            if type(arguments) is not dict or not (takes_any or declared.issuperset(cast("dict[str, Any]", arguments))):
                return False
            try:
                if not is_valid(arguments) or not deprecated.isdisjoint(cast("dict[str, Any]", arguments)):
                    return False
            except (ValueError, RecursionError):
                return False
            for name in exposed:
                if name in arguments and is_hazardous(arguments[name], name):
                    return False
            return not (nested and next(self.nested_strays(arguments), None))

        return is_right

    def accepts(self, arguments: Any) -> bool:
        """Whether the schema allows the arguments and declares each of them; true when it cannot be checked."""
        if self._validator is None:
            return True
        return isinstance(arguments, dict) and self.is_valid(arguments) and not self.strays(as_object(arguments))

    def is_valid(self, arguments: Any) -> bool:
        """Whether the schema allows the arguments; true when it cannot be checked."""
        try:
            return self._validator is None or self._validator.is_valid(arguments)
        except (ValueError, RecursionError):  # a lone surrogate or a key that is no string: not ours to judge
            return True

    def violations(self, arguments: Any) -> tuple[Violation, ...]:
        """Each place where the arguments break the schema, told by the nearest alternative."""
        try:
            return self._told(arguments)
        except (ValueError, RecursionError):
            pass
        try:
            return self._told(as_json(arguments))  # the validator takes no subclass of `str`, such as a placeholder
        except (ValueError, RecursionError):
            return ()

    def _told(self, arguments: Any) -> tuple[Violation, ...]:
        errors = self._validator.iter_errors(arguments) if self._validator else ()
        every = to_violations(islice(errors, MAX_DIAGNOSES * 2), self.schema)
        return tuple(one for one in every if not _is_null_by_another_word(one, arguments))

    def complaint(self, arguments: Any) -> str:
        """What the validator itself says first, for comparison; empty when it has nothing to say."""
        errors = self._validator.iter_errors(arguments) if self._validator else ()
        return next((error.message for error in errors), "")

    @property
    def is_checkable(self) -> bool:
        return self._validator is not None

    @cached_property
    def _validator(self) -> Validator | None:
        """Compiled when first needed; none for a schema that is unreadable, broken, or refers to elsewhere."""
        return compile_schema(self.schema) if self.schema is not EMPTY_OBJECT else None


def _plain_check(
    is_valid: Callable[[Any], bool], declared: frozenset[str], *, takes_any: bool
) -> Callable[[Any], bool]:
    """The same for the many tools in which nothing can hide: the names and the validator are all there is to it."""

    def is_right(arguments: Any) -> bool:
        if type(arguments) is not dict or not (takes_any or declared.issuperset(arguments)):  # pyright: ignore[reportUnknownArgumentType]
            return False
        try:
            return is_valid(arguments)
        except (ValueError, RecursionError):
            return False

    return is_right


def _is_null_by_another_word(violation: Violation, arguments: Any) -> bool:
    """OpenAPI says `nullable` where JSON Schema says `null`: authors mean it, and their servers take it."""
    if violation.schema.get("nullable") is not True:
        return False
    return value_at(arguments, violation.at) is None


class Catalog:
    """An immutable snapshot; a `tools/list_changed` notification makes a new one."""

    def __init__(self, tools: Iterable[Tool] = (), *, is_complete: bool = True, server: str = "") -> None:
        self._by_name: dict[str, Tool] = {}
        for tool in tools:
            self._by_name.setdefault(tool.name, tool)
        self.is_complete = is_complete
        """False when part of the list could not be read: then no tool can be called unknown."""
        self.server = server

    @classmethod
    def listed(cls, tools: object, *, server: str = "") -> Catalog:
        """The `tools` array of a `tools/list` result; total: what is not a tool is left out."""
        entries = as_list(list(cast("tuple[Any, ...]", tools)) if isinstance(tools, tuple) else tools)
        named = [(entry.get("name"), entry) for entry in map(as_object, entries)]
        readable = [Tool(name, entry) for name, entry in named if isinstance(name, str)]
        is_complete = isinstance(tools, list | tuple) and len(readable) == len(entries)
        return cls(readable, is_complete=is_complete, server=server)

    def get(self, name: str) -> Tool | None:
        return self._by_name.get(name)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._by_name.values())

    @cached_property
    def names(self) -> Names:
        """The tools' names, prepared for `closest`."""
        return Names(self._by_name)

    @cached_property
    def schemas(self) -> Mapping[str, Any]:
        """What each tool says it takes."""
        return {tool.name: tool.listed_schema for tool in self}

    @cached_property
    def categories(self) -> Mapping[str, int]:
        """How many tools begin with each word, in the order of the list."""
        return Counter(words[0] for words in self.names.words if words)

    def spelled(self, name: str) -> list[str]:
        """The tools whose name differs from `name` by case and separators alone."""
        alike = self.names.by_key.get(normal_form(name), ())
        return [self.names.names[index] for index in alike if spelling(self.names.names[index]) == spelling(name)]
