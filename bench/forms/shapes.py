"""Forms of section 3 that put values into the wrong place: wrappers, flattened objects, path-like keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from bench.forms.case import Source, WrongCall, form
from bench.forms.helpers import entity_of, is_rejected, name_words
from bench.forms.intended import nested_values
from fingerpost.engine.safety.json_input import as_list, as_object


def object_arguments(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield parameters that hold an object with fields that are no parameters themselves."""
    for name, value in source.arguments.items():
        fields = as_object(value)
        declared = {path[-1] for path, _ in nested_values(source.tool.params.get(name)) if isinstance(path[-1], str)}
        if fields and not set(fields) & set(source.tool.params) and (set(fields) <= declared or "$ref" in declared):
            yield name, fields


def has_one_place(source: Source, fields: dict[str, Any]) -> bool:
    """Whether no other object of the tool declares one of the fields, so that there is one place for each."""
    names = [path[-1] for path, _ in nested_values(source.tool.schema) if len(path) > 1 and path[-2] == "properties"]
    return all(names.count(name) == 1 for name in fields)


def _keyed(source: Source, style: str) -> Iterator[WrongCall]:
    for name, fields in object_arguments(source):
        if any(isinstance(value, dict | list) for value in fields.values()) or source.tool.is_open:
            continue
        keys = {style.format(name, field): value for field, value in fields.items()}
        yield WrongCall(source.with_arguments({**source.without(name), **keys}), (source.call,))
        return


@form("3")
def dotted_key(source: Source) -> Iterator[WrongCall]:
    yield from _keyed(source, "{}.{}")


@form("3")
def bracket_key(source: Source) -> Iterator[WrongCall]:
    yield from _keyed(source, "{}[{}]")


@form("3")
def pointer_key(source: Source) -> Iterator[WrongCall]:
    yield from _keyed(source, "/{}/{}")


@form("3")
def indexed_key(source: Source) -> Iterator[WrongCall]:
    """`items[0].sku` for `items: [{sku}]`."""
    for name, value in source.arguments.items():
        items = as_list(value)
        if items and all(map(as_object, items)) and not source.tool.is_open:
            keys = {f"{name}[{index}].{key}": inner for index, item in enumerate(items) for key, inner in item.items()}
            yield WrongCall(source.with_arguments({**source.without(name), **keys}), (source.call,))
            return


@form("3")
def flattened_object(source: Source) -> Iterator[WrongCall]:
    for name, fields in object_arguments(source):
        if has_one_place(source, fields) and not source.tool.is_open:
            yield WrongCall(source.with_arguments({**source.without(name), **fields}), (source.call,))
            return


@form("3")
def one_flattened_field(source: Source) -> Iterator[WrongCall]:
    """One field beside its object instead of inside it."""
    for name, fields in object_arguments(source):
        if len(fields) > 1 and has_one_place(source, fields) and not source.tool.is_open:
            moved = source.random.choice(list(fields))
            inner = {key: value for key, value in fields.items() if key != moved}
            sent = source.with_arguments({**source.arguments, name: inner, moved: fields[moved]})
            yield WrongCall(sent, (source.call,))
            return


def _wrap(source: Source, wrapper: str, content: Any) -> Iterator[WrongCall]:
    sent = source.with_arguments({wrapper: content})
    if source.arguments and wrapper not in source.tool.params and not source.tool.is_open and is_rejected(source, sent):
        yield WrongCall(sent, (source.call,))


@form("3")
def wrapper(source: Source) -> Iterator[WrongCall]:
    yield from _wrap(source, source.random.choice(source.words.wrappers), source.arguments)


@form("3")
def two_wrappers(source: Source) -> Iterator[WrongCall]:
    outer, inner = source.random.sample(source.words.wrappers, 2)
    yield from _wrap(source, outer, {inner: source.arguments})


@form("3")
def wrapper_beside_arguments(source: Source) -> Iterator[WrongCall]:
    """Some arguments in a wrapper, the others beside it."""
    names = list(source.arguments)
    outer = source.random.choice(source.words.wrappers)
    if len(names) > 1 and outer not in source.tool.params and not source.tool.is_open:
        inside = {name: source.arguments[name] for name in names[1:]}
        sent = source.with_arguments({names[0]: source.arguments[names[0]], outer: inside})
        yield WrongCall(sent, (source.call,))


@form("3")
def list_around_arguments(source: Source) -> Iterator[WrongCall]:
    if source.arguments:
        yield WrongCall(source.with_arguments([source.arguments]), (source.call,))


@form("3")
def wrapped_list(source: Source) -> Iterator[WrongCall]:
    yield from _wrap(source, source.random.choice(source.words.wrappers), [source.arguments])


@form("3")
def entity_wrapper(source: Source) -> Iterator[WrongCall]:
    """`{"issue": {…}}` for `create_issue`."""
    if noun := entity_of(source.tool.name):
        yield from _wrap(source, noun, source.arguments)


@form("3")
def json_text_for_arguments(source: Source) -> Iterator[WrongCall]:
    if source.arguments:
        yield WrongCall(source.with_arguments(json.dumps(source.arguments)), (source.call,))


@form("3")
def swallowed_parameter(source: Source) -> Iterator[WrongCall]:
    """Later parameters inside the text of the first, as a broken tag leaves them."""
    texts = [name for name in source.arguments if isinstance(source.arguments[name], str)]
    required = [name for name in texts if name in source.tool.required]
    for first in required:
        others = [name for name in required if name != first]
        if not others:
            return
        second = source.random.choice(others)
        value, later = source.arguments[first], source.arguments[second]
        style = source.random.choice(
            ("{0}</{2}>\n<{3}>{1}", "{0}</{2}><{3}>{1}</{3}>", '{0}</parameter>\n<parameter name="{3}">{1}')
        )
        swallowed = style.format(value, later, first, second)
        sent = source.with_arguments({**source.without(second), first: swallowed})
        forbidden = () if source.tool.is_read_only else (((first,), swallowed),)
        if is_rejected(source, sent):
            yield WrongCall(sent, (source.call,), must_ask=True, not_at=forbidden)
        return


@form("3")
def owner_and_repository_in_one(source: Source) -> Iterator[WrongCall]:
    names = {name.lower(): name for name in source.arguments}
    repo = names.get("repo") or names.get("repository") or names.get("repo_name")
    owner = names.get("owner") or names.get("org")
    if repo and owner and owner in source.tool.required:
        plain = {owner: "birch", repo: "harbor"}
        right = source.with_arguments({**source.arguments, **plain})
        kept, gone = source.random.choice(((repo, owner), (owner, repo)))
        if gone in source.tool.required:
            sent = source.with_arguments({**source.without(gone), kept: "birch/harbor"})
            yield WrongCall(sent, (right,), must_ask=True)


@form("3")
def word_in_description(source: Source) -> Iterator[WrongCall]:
    """`glob` for `filter`, which is described as "A glob for the files"."""
    described = {
        name: name_words(str(as_object(schema).get("description", ""))) for name, schema in source.tool.params.items()
    }
    known = {word.rstrip("s") for name in (*source.tool.params, source.tool.name) for word in name_words(name)}
    for name in source.arguments:
        word = next((word for word in described.get(name, []) if word not in ("a", "an", "the", "optional")), "")
        owners = [one for one, words in described.items() if {word, f"{word}s"} & set(words)]
        is_noun = len(word) > 3 and word not in _NO_NOUNS and not word.endswith(("ing", "ed", "ly"))
        if is_noun and owners == [name] and word.rstrip("s") not in known and not source.tool.is_open:
            sent = source.with_arguments(source.renamed(name, word))
            yield WrongCall(sent, (source.call,), note=f"{word}: {name}")
            return


_NO_NOUNS = frozenset({
    "whether", "should", "must", "when", "what", "which", "where", "with", "from", "that", "this", "these", "those",
    "only", "maximum", "minimum", "true", "false", "default", "required", "used", "given", "specify", "specific",
    "return", "returns", "include", "exclude", "your", "their", "will", "does", "have", "each", "every", "more",
    "less", "also", "such", "like", "here", "there", "they", "them", "absolute", "relative", "full", "current",
    "existing", "some", "first", "last", "unique", "enable", "allow", "indicates", "additional", "custom", "either",
    "both", "other", "how", "many", "much", "new", "set", "get", "use", "list", "filter", "search", "apply", "show",
    "hide", "controls", "defines", "optional", "overwrite", "create", "delete", "update", "send", "read", "write",
    "sort", "order", "limit", "skip", "stop", "start", "add", "remove"
})  # fmt: skip
