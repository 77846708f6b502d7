"""Whether an unknown argument may be left out.

Agents add commentary and harness arguments to calls, and leaving those out is right. Any other argument may limit what
the tool does: without `dry_run`, `prefix` or `older_than` it would do more than was asked for. So on a tool that may
write, only commentary is left out. A read-only tool may run without an argument that has nothing to do with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.entities import is_head
from fingerpost.engine.matching.lexicon import are_opposite, is_commentary, is_distinctive, share_group, synonym_groups
from fingerpost.engine.matching.qualifiers import is_restricting
from fingerpost.engine.matching.spelling import normal_form, split_words, stem
from fingerpost.engine.matching.units import has_unit
from fingerpost.engine.model import Applicability, Drop, Fix, Grade, Path
from fingerpost.engine.safety.json_input import as_list, as_object, is_number
from fingerpost.engine.schema import walk as schemas

_SENTENCE = lazy_pattern(r"[^.,;:()\n]{3,120}")
_NEGATIVE = ("in", "un", "non", "im", "dis")
_ENDING = lazy_pattern(r"[a-z]?(?:e|s|es|d|ed|ing|er|or|able|al|ance|ence|ion|ation|ment|ly|ure)")
_MIN_ROOT = 4
_MAX_SENTENCES = 20
_MAX_DECLARED = 64
_PAGING = frozenset({"page", "offset", "cursor", "skip"})
"""What says which part of a result to return: without it, the same part is returned again."""
_ENDS = frozenset({"from", "to"})
"""Words for where something begins or ends: `date_from`."""
_SEARCHES = frozenset({
    "query", "q", "search", "keyword", "term", "phrase", "text", "filter", "name", "pattern", "glob", "include", "path",
    "folder", "dir", "directory", "file", "filename",
})  # fmt: skip
_SEARCH_VERBS = frozenset({"search", "find", "list", "query", "lookup", "filter", "browse"})
_AMOUNTS = frozenset({
    "line", "row", "item", "result", "record", "entry", "count", "number", "num", "top", "first", "last", "limit",
    "size", "head", "tail",
})  # fmt: skip
_FILTERS = frozenset({"filter", "where", "selector", "criterion", "condition", "match", "query", "scope"})
"""Objects that select what a tool works on."""
_AFFIRMATIONS = frozenset({
    "acknowledge", "acknowledged", "acknowledgement", "approval", "approve", "approved", "confirm", "confirmation",
    "confirmed", "consent", "issafe",
})  # fmt: skip
_DENIALS = frozenset({"", "0", "deny", "denied", "false", "never", "no", "none", "off", "reject", "rejected"})


def leave_out(case: Case, at: Path) -> Fix | None:
    """Return the fix that leaves an unknown argument out; None if the call would then mean something else."""
    explains = is_commentary(str(at[-1]))
    if not case.tool.is_read_only:
        is_harmless = explains and _says_only_why(str(at[-1]), case.value(at))
        if is_harmless:
            return Fix(Drop(at), Applicability.MAYBE_INCORRECT, confidence=0.9)
        return leave_out_unplaced(case, at)
    if not explains and (may_have_place(case, at) or _is_about_tool(case, at)):
        return leave_out_unplaced(case, at)
    if explains or case.is_forbidden(at):
        return Fix(Drop(at), Applicability.MACHINE_APPLICABLE, Grade.LIKELY, 0.9 if explains else 0.8)
    return Fix(Drop(at), Applicability.MAYBE_INCORRECT, confidence=0.8)


def may_have_place(case: Case, at: Path) -> bool:
    """Whether an argument says something about the result: what to leave out, a word of a parameter, or its choice."""
    if _selects_result(case, at):
        return True
    declared = schemas.properties(case.tool.schema, case.schema(at[:-1]))
    return any(_may_be_for(case, at, other, declared[other]) for other in _unset(case, at[:-1]))


def _selects_result(case: Case, at: Path) -> bool:
    """Whether an argument says which part of a result is wanted, by its name alone."""
    name = str(at[-1])
    stems = set(map(stem, split_words(name)))
    if is_restricting(name) or name.startswith("-") or not stems.isdisjoint(_PAGING):
        return True
    if not stems.isdisjoint(_ENDS):
        return len(stems) > 1 or _is_searched_text(case, at)
    if "range" in stems:
        return True
    return _is_searched_text(case, at) if stems <= _SEARCHES else _is_amount(case, at, stems)


def _may_be_for(case: Case, at: Path, other: str, schema: Any) -> bool:
    """Whether an argument shares a word or a unit with a parameter, is a synonym, or names one of its choices."""
    name, value = str(at[-1]), case.value(at)
    words = {word for word in map(stem, split_words(name)) if is_distinctive(word)}
    known = {stem(word) for word in split_words(other)}
    if not words.isdisjoint(known) or _are_related(words, known):
        return True
    if has_unit(other) and (has_unit(name) or set(split_words(name)) < set(split_words(other))):
        return True
    if _names_choice(case, name, value, (*at[:-1], other)) or case.takes_date(value, (*at[:-1], other)):
        return True
    if isinstance(value, list) and _takes(case, (*at[:-1], other), "array"):
        return True
    return _are_synonyms(name, other) and _takes(case, (*at[:-1], other), schemas.type_name(value))


def _names_choice(case: Case, name: str, value: Any, target: Path) -> bool:
    """Whether the name of an argument, its value or its items are choices of a parameter, or of the items of one."""
    root, schema = case.tool.schema, case.schema(target)
    layers = list(schemas.layers(root, schema))
    if _takes(case, target, "array"):
        layers += schemas.layers(root, schemas.child(root, schema, 0))
    choices = [choice for layer in layers for choice in as_list(layer.get("enum"))]
    sent = [name, *(one for one in [value, *as_list(value)] if isinstance(one, str))]
    return any(one in choices for one in sent)


def _are_synonyms(one: str, other: str) -> bool:
    ours, theirs = ("".join(map(stem, split_words(name))) for name in (one, other))
    return share_group("parameters", ours, theirs) or share_group("nouns", ours, theirs)


def _is_searched_text(case: Case, at: Path) -> bool:
    """Whether a text may be what to search for: the tool looks for something, and a text of its own is not given."""
    if not isinstance(case.value(at), str) or _SEARCH_VERBS.isdisjoint(split_words(case.tool.name)):
        return False
    return any(_takes(case, (*at[:-1], name), "string") for name in _unset(case, at[:-1]))


def _is_amount(case: Case, at: Path, stems: set[str]) -> bool:
    """Whether a number may say how much to return: an amount by its name, and a number of its own is not given."""
    if stems.isdisjoint(_AMOUNTS) or not is_number(case.value(at)):
        return False
    unset = [(*at[:-1], name) for name in _unset(case, at[:-1])]
    return any(_takes(case, one, "integer") or _takes(case, one, "number") for one in unset)


def _takes(case: Case, at: Path, kind: str) -> bool:
    return kind in schemas.types(case.tool.schema, case.schema(at))


def limits_effect(at: Path) -> bool:
    """Whether a field limits what a tool does, by its own name or as part of a filter or of options for safety."""
    return is_restricting(str(at[-1])) or any(
        not _FILTERS.isdisjoint(map(stem, split_words(step))) for step in at[:-1] if isinstance(step, str)
    )


def _are_related(words: set[str], known: set[str]) -> bool:
    """Whether two words are forms of one (`displayed`, `display`) or opposites (`head`, `tail`)."""
    return any(are_opposite(one, other) or _have_one_root(one, other) for one in words for other in known)


def _have_one_root(one: str, other: str) -> bool:
    """Whether two words are forms of one, also if one of them is negated: `incomplete`, `completed`."""
    positive = [word.removeprefix(prefix) for word in (one, other) for prefix in _NEGATIVE if word.startswith(prefix)]
    pairs = [(one, other), *((word, each) for word in positive for each in (one, other) if not each.endswith(word))]
    return any(_have_one_stem(*pair) for pair in pairs)


def _have_one_stem(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    root = shorter.removesuffix("e")
    return len(root) >= _MIN_ROOT and longer.startswith(root) and _ENDING.fullmatch(longer[len(root) :]) is not None


def leave_out_unplaced(case: Case, at: Path) -> Fix | None:
    """Leave out what has no place, if the caller has to fill in a value before the call can be sent.

    Nothing runs without that value, so leaving out what cannot be used does no harm, unless it limits what the tool
    does or may be for an optional parameter.
    """
    if not _misses_required(case, at) or _may_restrict(case, at):
        return None
    required = schemas.find_required(case.tool.schema, case.schema(at[:-1]))
    words = {word for word in map(stem, split_words(str(at[-1]))) if not is_head(word)}
    optional = [name for name in _unset(case, at[:-1]) if name not in required]
    near = [name for name in optional if not words.isdisjoint(map(stem, split_words(name)))]
    if not all(_is_flag(case, (*at[:-1], name)) for name in near):
        return None
    return Fix(Drop(at), Applicability.HAS_PLACEHOLDERS, confidence=0.75)


def _is_flag(case: Case, at: Path) -> bool:
    return schemas.types(case.tool.schema, case.schema(at)) == ("boolean",)


def _unset(case: Case, holder: Path) -> Iterator[str]:
    """Yield the declared parameters that the call does not set."""
    given = case.value(holder)
    declared = schemas.properties(case.tool.schema, case.schema(holder))
    return islice((name for name in declared if name not in given), _MAX_DECLARED)


def _misses_required(case: Case, at: Path) -> bool:
    """Whether the caller has to fill in a value anyway, so that no call without the argument can be sent as it is."""
    return any(violation.at == at[:-1] for violation in case.violations_of("required"))


def _may_restrict(case: Case, at: Path) -> bool:
    """Whether an argument may limit what the tool does: by its name, as a flag, or as a condition."""
    value = case.value(at)
    is_scalar = isinstance(value, str | int | float) and not isinstance(value, bool)
    return not is_scalar or is_restricting(str(at[-1]))


def _says_only_why(name: str, value: Any) -> bool:
    """Whether a commentary argument limits nothing: `confirm: true` does not, `confirm: false` and `plan: true` do."""
    if isinstance(value, bool):
        words = {stem(word) for word in split_words(name)}
        return value and not {*words, normal_form(name)}.isdisjoint(_AFFIRMATIONS) and "require" not in words
    return not (isinstance(value, str) and value.strip().lower() in _DENIALS)


def _is_about_tool(case: Case, at: Path) -> bool:
    """Whether a word of the name, or a synonym, occurs in what the tool says about itself."""
    words = {word for word in map(stem, split_words(str(at[-1]))) if len(word) > 1}
    if any(not words.isdisjoint(map(stem, split_words(text))) for text in _texts(case, at[:-1])):
        return True
    groups = {group for word in words for group in synonym_groups(word, "parameter")}
    declared = schemas.properties(case.tool.schema, case.schema(at[:-1]))
    stems = (stem(word) for name in declared for word in split_words(name))
    return any(not groups.isdisjoint(synonym_groups(word, "parameter")) for word in stems)


def _texts(case: Case, holder: Path) -> Iterator[str]:
    """Yield the texts of a tool: its name and description, the names and descriptions of its parameters."""
    yield case.tool.name
    yield from _sentences(case.tool.description)
    for name, schema in schemas.properties(case.tool.schema, case.schema(holder)).items():
        yield name
        yield from _sentences(as_object(schema).get("description"))
    yield from (str(path[-1]) for path in case.tool.nested_fields)


def _sentences(text: Any) -> Iterator[str]:
    """Split a text, because only the beginning of a name is split into words."""
    return islice(_SENTENCE.findall(text), _MAX_SENTENCES) if isinstance(text, str) else iter(())
