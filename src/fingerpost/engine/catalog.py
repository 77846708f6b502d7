"""The tools that one caller sees at one moment.

A catalog of 5,000 tools costs no more than reading their names. Everything else (declared parameters, the compiled
validator, the index for matching) is built on first use and cached.
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
from fingerpost.engine.safety.hazards import is_hazardous, is_identifier_name
from fingerpost.engine.safety.json_input import as_json, as_list, as_object, as_strings
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.schema.validate import MAX_DIAGNOSES, UNDECLARED_KEYWORD, compile_schema, to_violations

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_SCALARS = frozenset({"integer", "number", "boolean", "null", "string"})


class Tool:
    """A tool of a `tools/list` result, and what its schema says about a call."""

    def __init__(self, name: str, entry: Mapping[str, Any] = EMPTY_OBJECT) -> None:
        self.name = name
        self.entry = entry

    @property
    def raw_schema(self) -> Any:
        """The input schema as the server sent it, of any JSON type."""
        return self.entry.get("inputSchema")

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The input schema; empty if it is too large, too deep or not an object. Then nothing is checked."""
        schema = self.raw_schema
        return (
            cast("dict[str, Any]", schema) if isinstance(schema, dict) and schemas.is_readable(schema) else EMPTY_OBJECT
        )

    @property
    def description(self) -> str:
        description = self.entry.get("description")
        return description if isinstance(description, str) else ""

    @property
    def is_read_only(self) -> bool:
        """Whether the author declares that a call changes nothing. Otherwise the tool may write."""
        return self._has_hint("readOnlyHint")

    @property
    def is_destructive(self) -> bool:
        """Whether the author declares that a call may destroy something."""
        return self._has_hint("destructiveHint") and not self.is_read_only

    def _has_hint(self, hint: str) -> bool:
        annotations = self.entry.get("annotations")
        return isinstance(annotations, dict) and cast("dict[str, Any]", annotations).get(hint) is True

    @property
    def declares_output(self) -> bool:
        return "outputSchema" in self.entry

    @cached_property
    def params(self) -> Mapping[str, Any]:
        return schemas.properties(self.schema, self.schema)

    @cached_property
    def param_types(self) -> Mapping[str, str]:
        """The first declared type of each parameter."""
        return {name: next(iter(schemas.types(self.schema, one)), "any") for name, one in self.params.items()}

    @cached_property
    def required(self) -> tuple[str, ...]:
        return schemas.find_required(self.schema, self.schema)

    @cached_property
    def is_open(self) -> bool:
        """Whether the schema allows arguments that it does not declare."""
        return schemas.is_open(self.schema, self.schema)

    @cached_property
    def is_closed(self) -> bool:
        """Whether the schema forbids undeclared arguments, so that the validator reports them."""
        return schemas.is_closed(self.schema, self.schema)

    def unknown_arguments(self, arguments: Mapping[str, Any]) -> list[str]:
        """Return the arguments that the tool does not take, according to its schema."""
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
    def _params_to_scan(self) -> tuple[str, ...]:
        """The parameters that may hold an identifier or a path, and so an attack."""
        return tuple(
            name for name, schema in self.params.items() if is_identifier_name(name) or self._may_hold_objects(schema)
        )

    def _may_hold_objects(self, schema: Any) -> bool:
        kinds = schemas.types(self.schema, schema)
        if kinds in (("array",), ("array", "null")):
            kinds = schemas.types(self.schema, schemas.child(self.schema, schema, 0))
        return not kinds or not _SCALARS.issuperset(kinds)

    @cached_property
    def _has_object_params(self) -> bool:
        """Whether any parameter can hold objects, and so unknown names inside them."""
        return any(map(self._may_hold_objects, self.params.values()))

    def find_nested_unknown_arguments(self, arguments: Any) -> Iterator[schemas.UnknownArguments]:
        """Find objects inside the arguments with names that a server would silently drop."""
        return schemas.find_nested_unknown_arguments(self.schema, self.schema, arguments)

    @cached_property
    def is_clearly_valid(self) -> Callable[[Any], bool]:
        """The fast path for calls that need no guidance: one function with every check, built once for each tool."""
        if self._validator is None:
            return lambda _: True
        is_valid = _names_and_schema_check(
            self._validator.is_valid, frozenset(self.params), takes_any=self.is_open or self.is_closed
        )
        if not (self._params_to_scan or self.deprecated or self._has_object_params):
            return is_valid
        return lambda arguments: is_valid(arguments) and self._is_harmless(arguments)

    def _is_harmless(self, arguments: Mapping[str, Any]) -> bool:
        """Whether valid arguments contain nothing deprecated, no attack, and no nested unknown names."""
        if not self.deprecated.isdisjoint(arguments):
            return False
        for name in self._params_to_scan:
            if name in arguments and is_hazardous(arguments[name], name):
                return False
        return not (self._has_object_params and next(self.find_nested_unknown_arguments(arguments), None))

    def accepts(self, arguments: Any) -> bool:
        """Whether the schema allows the arguments and declares each of them; true if it cannot be checked."""
        if self._validator is None:
            return True
        return (
            isinstance(arguments, dict)
            and self.is_valid(arguments)
            and not self.unknown_arguments(as_object(arguments))
        )

    def is_valid(self, arguments: Any) -> bool:
        """Whether the schema allows the arguments; true if it cannot be checked."""
        try:
            return self._validator is None or self._validator.is_valid(arguments)
        except (ValueError, RecursionError):  # a lone surrogate, or a key that is no string
            return True

    def violations(self, arguments: Any) -> tuple[Violation, ...]:
        """Find each place where the arguments break the schema, for the nearest alternative."""
        try:
            return self._find_violations(arguments)
        except (ValueError, RecursionError):
            pass
        try:
            # the validator rejects subclasses of `str`, such as a placeholder
            return self._find_violations(as_json(arguments))
        except (ValueError, RecursionError):
            return ()

    def _find_violations(self, arguments: Any) -> tuple[Violation, ...]:
        errors = self._validator.iter_errors(arguments) if self._validator else ()
        every = to_violations(islice(errors, MAX_DIAGNOSES * 2), self.schema)
        return tuple(one for one in every if not _is_openapi_null(one, arguments))

    def validator_message(self, arguments: Any) -> str:
        """Return the validator's own first message, for comparison; empty if there is none."""
        errors = self._validator.iter_errors(arguments) if self._validator else ()
        return next((error.message for error in errors), "")

    @property
    def is_checkable(self) -> bool:
        return self._validator is not None

    @cached_property
    def _validator(self) -> Validator | None:
        """The compiled validator; none for a schema that is unreadable, broken, or refers to another document."""
        return compile_schema(self.schema) if self.schema is not EMPTY_OBJECT else None


def _names_and_schema_check(
    is_valid: Callable[[Any], bool], declared: frozenset[str], *, takes_any: bool
) -> Callable[[Any], bool]:
    """Build the check that every tool needs: declared names and the validator."""

    def check(arguments: Any) -> bool:
        if type(arguments) is not dict or not (takes_any or declared.issuperset(arguments)):  # pyright: ignore[reportUnknownArgumentType]
            return False
        try:
            return is_valid(arguments)
        except (ValueError, RecursionError):
            return False

    return check


def _is_openapi_null(violation: Violation, arguments: Any) -> bool:
    """Whether a null is allowed by OpenAPI's `nullable`. Authors who write it accept null, JSON Schema ignores it."""
    if violation.schema.get("nullable") is not True:
        return False
    return value_at(arguments, violation.at) is None


class Catalog:
    """An immutable snapshot of the tools. A `tools/list_changed` notification leads to a new one."""

    def __init__(self, tools: Iterable[Tool] = (), *, is_complete: bool = True, server: str = "") -> None:
        self._by_name: dict[str, Tool] = {}
        for tool in tools:
            self._by_name.setdefault(tool.name, tool)
        self.is_complete = is_complete
        """False if part of the list could not be read. Then no tool counts as unknown."""
        self.server = server

    @classmethod
    def listed(cls, tools: object, *, server: str = "") -> Catalog:
        """Read the `tools` array of a `tools/list` result. Never raises: what is not a tool is left out."""
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
        """The names of the tools, indexed for `closest`."""
        return Names(self._by_name)

    @cached_property
    def schemas(self) -> Mapping[str, Any]:
        """The input schema of each tool."""
        return {tool.name: tool.raw_schema for tool in self}

    @cached_property
    def categories(self) -> Mapping[str, int]:
        """How many tools begin with each word, in the order of the list."""
        return Counter(words[0] for words in self.names.words if words)

    def same_spelling(self, name: str) -> list[str]:
        """Return the tools whose name differs from `name` only by case and separators."""
        near = self.names.by_key.get(normal_form(name), ())
        return [self.names.names[index] for index in near if spelling(self.names.names[index]) == spelling(name)]
