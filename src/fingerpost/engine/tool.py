"""A tool, and what its schema says about a call.

Nothing is read before it is needed: declared parameters and the compiled validator are built on first use and cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from fingerpost.engine.matching.spelling import normal_form
from fingerpost.engine.model import EMPTY_OBJECT, KEY, Violation, value_at
from fingerpost.engine.overrides.aliases import uses_any
from fingerpost.engine.safety.hazards import is_hazardous, is_identifier_name
from fingerpost.engine.safety.json_input import as_json, as_list, as_object, as_strings, limit_integers
from fingerpost.engine.safety.secret_names import STORED_NAMES, stores_secret
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.schema.sample import MOST_ITEMS, Focus, is_large, locate
from fingerpost.engine.schema.secret_names import find_secret_names
from fingerpost.engine.schema.short_text import may_end_parameter, takes_no_tags
from fingerpost.engine.schema.undeclared import Declared, UnknownArguments, find_nested_unknown_arguments
from fingerpost.engine.schema.validate import (
    MAX_DIAGNOSES,
    UNDECLARED_KEYWORD,
    compile_item_schema,
    compile_schema,
    find_wrong_indexes,
    first_error,
    to_violations,
)

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_AS_JSON: Any = object()
_MOST_VALIDATORS = 64
_MOST_FIELDS = 200
_SCALARS = frozenset({"integer", "number", "boolean", "null", "string"})


class Tool:
    """A tool of a `tools/list` result, and what its schema says about a call."""

    def __init__(
        self, name: str, entry: Mapping[str, Any] = EMPTY_OBJECT, aliases: Mapping[str, str] = EMPTY_OBJECT
    ) -> None:
        self.name = name
        self.entry = entry
        self.aliases = aliases
        """Other names of parameters, as an author or operator declares them."""

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
        """Whether the author declares that a call changes nothing. Otherwise the tool may write.

        A tool that writes for some arguments only is marked by our middleware, whatever its annotation says.
        """
        return self._has_hint("readOnlyHint") and not self.writes_sometimes

    @property
    def writes_sometimes(self) -> bool:
        """Whether the arguments decide if the tool writes. Such a tool is never repaired by similarity."""
        meta = as_object(self.entry.get("_meta")).get(KEY)
        return as_object(meta).get("may_write") is True

    @property
    def is_destructive(self) -> bool:
        """Whether the author declares that a call may destroy something."""
        return self._has_hint("destructiveHint") and not self.is_read_only

    @property
    def is_repeatable(self) -> bool:
        """Whether a second call changes nothing more than the first: it only reads, or is declared idempotent."""
        return self.is_read_only or self._has_hint("idempotentHint")

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
        """Whether the schema allows arguments that it does not declare.

        An empty `properties` is what frameworks write for a function without parameters: it takes nothing.
        """
        return schemas.is_open(self.schema, self.schema) and not (self.takes_nothing and "properties" in self.schema)

    @cached_property
    def takes_nothing(self) -> bool:
        """Whether the schema declares no parameter, and does not say that it takes others."""
        return (
            self.raw_schema is not None and not self.params and not schemas.allows_undeclared(self.schema, self.schema)
        )

    @cached_property
    def is_closed(self) -> bool:
        """Whether the schema forbids undeclared arguments, so that the validator reports them."""
        return schemas.is_closed(self.schema, self.schema)

    def unknown_arguments(
        self, arguments: Mapping[str, Any], violations: Iterable[Violation] | None = None
    ) -> list[str]:
        """Return the arguments that the tool does not take, according to its schema.

        `violations` are those of the arguments, if they are known already.
        """
        if self.is_open:
            return []
        if not self.is_closed:
            return [name for name in arguments if name not in self.params]
        every = self.violations(arguments) if violations is None else violations
        forbidden = [one.expected for one in every if one.at == () and one.keyword == UNDECLARED_KEYWORD]
        if forbidden and len(arguments) > MOST_ITEMS:
            return [name for name in arguments if name not in self.params]
        return [name for names in forbidden for name in as_strings(names)]

    @cached_property
    def deprecated(self) -> frozenset[str]:
        return frozenset(
            name for name in self.params if schemas.schema_at(self.schema, (name,)).get("deprecated") is True
        )

    @cached_property
    def secret_names(self) -> frozenset[str]:
        """The parameters, at any depth, that the schema or the name of the tool says are secret, in normal form."""
        stored = STORED_NAMES if stores_secret(self.name) else ()
        return frozenset(map(normal_form, (*find_secret_names(self.schema), *stored)))

    @cached_property
    def _params_to_scan(self) -> tuple[str, ...]:
        """The parameters that may hold an identifier or a path, and so an attack."""
        return tuple(
            name for name, schema in self.params.items() if is_identifier_name(name) or self._may_hold_objects(schema)
        )

    @cached_property
    def _short_texts(self) -> tuple[str, ...]:
        """The parameters that hold a text without tags, unless another parameter or the end of the call got into it."""
        return tuple(name for name, schema in self.params.items() if takes_no_tags(name) and self._may_be_text(schema))

    def _may_be_text(self, schema: Any) -> bool:
        return "string" in (schemas.types(self.schema, schema) or ("string",))

    def _may_hold_objects(self, schema: Any) -> bool:
        kinds = schemas.types(self.schema, schema)
        if kinds not in (("array",), ("array", "null")):
            return not kinds or not _SCALARS.issuperset(kinds)
        items = [schemas.types(self.schema, one) for one in schemas.item_schemas(self.schema, schema)]
        return any(not kinds or not _SCALARS.issuperset(kinds) for kinds in items)

    @cached_property
    def _has_object_params(self) -> bool:
        """Whether any parameter can hold objects, and so unknown names inside them."""
        return any(map(self._may_hold_objects, self.params.values()))

    def find_nested_unknown_arguments(self, arguments: Any) -> Iterator[UnknownArguments]:
        """Find objects inside the arguments with names that a server would silently drop."""
        if self._declared.is_full:
            self._declared = Declared(self.schema, self.schema)
        return find_nested_unknown_arguments(self._declared, arguments)

    @cached_property
    def _declared(self) -> Declared:
        return Declared(self.schema, self.schema)

    @cached_property
    def nested_fields(self) -> tuple[schemas.Path, ...]:
        """The path of each field inside the object parameters, up to a limit."""
        return tuple(islice(schemas.walk_nested_fields(self.schema, self.schema), _MOST_FIELDS))

    @cached_property
    def is_clearly_valid(self) -> Callable[[Any], bool]:
        """The fast path for calls that need no guidance: one function with every check, built once for each tool."""
        if self._validator is None:
            return lambda _: True
        check = self._build_check(self._validator)
        return (lambda arguments: not uses_any(self.aliases, arguments) and check(arguments)) if self.aliases else check

    def _build_check(self, validator: Validator) -> Callable[[Any], bool]:
        is_valid = _names_and_schema_check(
            validator.is_valid, frozenset(self.params), takes_any=self.is_open or self.is_closed
        )
        if not (self._params_to_scan or self._short_texts or self.deprecated or self._has_object_params):
            return is_valid
        return lambda arguments: is_valid(arguments) and self._is_harmless(arguments)

    def is_known_and_harmless(self, arguments: Mapping[str, Any]) -> bool:
        """Whether arguments without a violation are all declared, and contain nothing that a rule objects to."""
        is_known = self.is_open or self.is_closed or self.params.keys() >= arguments.keys()
        return is_known and self._is_harmless(arguments)

    def _is_harmless(self, arguments: Mapping[str, Any]) -> bool:
        """Whether valid arguments contain nothing deprecated, no attack, and no nested unknown names."""
        if not self.deprecated.isdisjoint(arguments):
            return False
        for name in self._params_to_scan:
            if name in arguments and is_hazardous(arguments[name], name):
                return False
        for name in self._short_texts:
            if name in arguments and may_end_parameter(arguments[name]):
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
            return self._validator is None or self._validator.is_valid(arguments) or self._has_only_nulls(arguments)
        except (ValueError, RecursionError):  # a lone surrogate, or a key that is no string
            return True

    def _has_only_nulls(self, arguments: Any) -> bool:
        """Whether nothing but a null that a server may accept breaks the schema."""
        return isinstance(arguments, dict) and None in arguments.values() and not self.violations(arguments)

    def is_surely_valid(self, arguments: Any) -> bool:
        """Whether the validator accepts the arguments; false if they cannot be checked."""
        try:
            return self._validator is not None and self._validator.is_valid(arguments)
        except (ValueError, RecursionError):
            return False

    def violations(self, arguments: Any) -> tuple[Violation, ...]:
        """Find each place where the arguments break the schema, for the nearest alternative."""
        return self.find_violations(arguments, self.make_focus() if is_large(arguments) else None)

    def find_violations(self, arguments: Any, focus: Focus | None, *, is_sample: bool = False) -> tuple[Violation, ...]:
        """Find each place where the arguments break the schema. Large arguments need a focus.

        Of large lists and objects, only the items in focus are looked at; if these are right and `is_sample` is not
        set, the first other violation is returned.
        """
        if focus is None:
            return self._find_violations(arguments)
        sample, kept = focus.sample(arguments)
        found = self._find_violations(sample)
        return tuple(locate(found, kept, arguments)) or (() if is_sample else self._find_first_violation(arguments))

    def _find_violations(self, arguments: Any) -> tuple[Violation, ...]:
        for plain in (arguments, _AS_JSON):  # the validator rejects subclasses of `str`, such as a placeholder
            try:
                instance = as_json(arguments) if plain is _AS_JSON else plain
                instance = limit_integers(instance)
                errors = self._validator.iter_errors(instance) if self._validator else ()
                every = to_violations(islice(errors, MAX_DIAGNOSES * 2), self.schema)
                return tuple(one for one in every if not self._accepts_null(one, arguments))
            except (ValueError, RecursionError):
                continue
        return ()

    def _find_first_violation(self, arguments: Any) -> tuple[Violation, ...]:
        """Find the first place where a large value breaks the schema. The validator stops there."""
        error = first_error(self._validator, arguments) if self._validator else None
        every = to_violations([error], self.schema) if error else ()
        return tuple(one for one in every if not self._accepts_null(one, arguments))

    def _accepts_null(self, violation: Violation, arguments: Any) -> bool:
        """Whether a violation is a null that a server may accept all the same.

        Authors who write OpenAPI's `nullable`, which JSON Schema ignores, accept it. To a tool that may write, null for
        an optional parameter is a value ("clear this"), so the server decides.
        """
        if not violation.at or value_at(arguments, violation.at) is not None:
            return False
        if violation.schema.get("nullable") is True:
            return True
        name = violation.at[-1]
        holder = schemas.schema_at(self.schema, violation.at[:-1])
        return (
            not self.is_read_only and isinstance(name, str) and name not in schemas.find_required(self.schema, holder)
        )

    def make_focus(self) -> Focus:
        """Return a focus on the items of a large call that are wrong."""
        return Focus(self._find_wrong_items, self._declared_names)

    @cached_property
    def _declared_names(self) -> frozenset[str]:
        return schemas.declared_names(self.schema)

    @cached_property
    def _item_validators(self) -> dict[schemas.Path, Validator | None]:
        return {}

    def _find_wrong_items(self, at: schemas.Path, items: Any, most: int) -> list[str | int]:
        """Find the first items of a large list or object that break the schema of its items."""
        steps: list[Any] = list(range(len(as_list(items)))) or list(as_object(items))
        if isinstance(items, dict):
            steps = [step for step in steps if step not in self._declared_names]
        where = (*(0 if isinstance(step, int) else step for step in at), steps[0] if steps else 0)
        if where not in self._item_validators and len(self._item_validators) < _MOST_VALIDATORS:
            self._item_validators[where] = compile_item_schema(self.schema, schemas.schema_at(self.schema, where))
        validator = self._item_validators.get(where)
        if validator is None:
            return steps[:most]
        values: list[Any] = [items[step] for step in steps]
        return [steps[index] for index in find_wrong_indexes(validator, values, most)]

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
