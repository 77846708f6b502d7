"""Find the tools that list or search: the ids which a call lacks, or what another tool looks up.

For a missing `project_id`, that is `list_projects`. Such a lister is declared read-only, is named after listing and
after the same thing, and does not need that id itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching.index import Names
from fingerpost.engine.matching.spelling import normal_form, split_words, stem
from fingerpost.engine.model import Diagnosis, Path, Report
from fingerpost.engine.phrases import is_name, parameter_label
from fingerpost.engine.safety.redact import is_secret
from fingerpost.engine.tool import Tool

_MISSING = "MISSING_REQUIRED"
_ID_WORDS = frozenset({"id", "uuid", "guid", "identifier", "slug", "key"})
SEARCH_VERBS = ("list", "search", "find", "query", "browse")
"""The verbs of listers, best first."""
_CREATES = frozenset({"create", "add", "new", "register", "insert", "make", "define", "provision"})
_LINKS = frozenset({"by", "for", "from", "in", "of", "on", "with"})
_FILLERS = frozenset({"all", "my", "available"})
_MOST_LISTERS = 2
_FINDS = frozenset({"search", "find", "query", "browse", "grep", "lookup", "filter", "discover", "match"})
_LISTS = frozenset({"list", "ls", "enumerate"})


def add_listers(report: Report, catalog: Catalog, tool: Tool) -> Report:
    """Add to each missing id the tool that lists such ids, in the text and in `next_steps`."""
    found = 0
    diagnoses: list[Diagnosis] = []
    for diagnosis in report.diagnoses:
        is_open = diagnosis.code == _MISSING and found < _MOST_LISTERS
        lister = find_lister(catalog, diagnosis.at, tool) if is_open and diagnosis.at else None
        found += lister is not None
        diagnoses.append(_refer(diagnosis, lister) if lister else diagnosis)
    return replace(report, diagnoses=tuple(diagnoses)) if found else report


def find_lister(catalog: Catalog, at: Path, tool: Tool) -> Tool | None:
    """Return the tool that lists what the parameter at `at` identifies; None if there is none, or it is no id."""
    entity, parameter = _entity_of(at, tool), str(at[-1])
    if not entity:
        return None
    listers = [(rank, other) for other in catalog if (rank := _rank(other, entity, parameter)) and other is not tool]
    return min(listers, key=lambda ranked: ranked[0])[1] if listers else None


def usage_of(lister: Tool) -> str:
    """Return a complete call where the tool requires nothing, else its name."""
    return lister.name if lister.required else f"{lister.name}()"


def _refer(diagnosis: Diagnosis, lister: Tool) -> Diagnosis:
    usage = usage_of(lister)
    line = f"For {parameter_label(diagnosis.at)}, see {usage}"
    return replace(diagnosis, next_steps={**diagnosis.next_steps, "list": usage}, hints=(*diagnosis.hints, line))


def _entity_of(at: Path, tool: Tool) -> tuple[str, ...]:
    """Return the words for what an id identifies: those before `id`, else its object, else what the tool is about.

    What a tool creates is not there yet, so its id cannot be listed.
    """
    parameter = str(at[-1])
    words = tuple(map(stem, split_words(parameter)))
    if not words or words[-1] not in _ID_WORDS or is_secret(parameter):
        return ()
    holders = [step for step in at[:-1] if isinstance(step, str)]
    action = tuple(map(stem, split_words(tool.name)))
    entity = words[:-1] or (tuple(map(stem, split_words(holders[-1]))) if holders else action[1:])
    return () if entity == action[1:] and action[0] in _CREATES else entity


def _rank(tool: Tool, entity: tuple[str, ...], parameter: str) -> tuple[int, int, int] | None:
    """Return how well a tool lists an entity, smallest best; None if it does not."""
    if entity[-1][:3] not in tool.name.casefold() or not (tool.is_read_only and is_name(tool.name)):
        return None  # the first test is cheap, and rules out nearly every tool of a long list
    words = list(_without_links(tuple(map(stem, split_words(tool.name)))))
    verb = next((index for index, verb in enumerate(SEARCH_VERBS) if verb in words), None)
    if verb is None:
        return None
    about = tuple(word for word in words if word not in SEARCH_VERBS)
    needs = {normal_form(name) for name in tool.required}
    if about[-len(entity) :] != entity or needs & {normal_form(parameter), "".join((*entity, "id"))}:
        return None
    return len(about) - len(entity), len(needs), verb


def _without_links(words: tuple[str, ...]) -> Iterator[str]:
    """Yield the words up to the first that links what is listed to what it is listed by."""
    for word in words:
        if word in _LINKS:
            return
        if word not in _FILLERS:
            yield word


def is_search(tool: Tool, *, lists: bool = False) -> bool:
    """Whether the name of a tool says that it searches; with `lists`, also that it lists."""
    words = Names([tool.name]).words[0]
    return not _FINDS.isdisjoint(words) or (lists and not _LISTS.isdisjoint(words))


def begins_with_search(tool: Tool) -> bool:
    """Whether a tool's name begins with a verb for listing or searching."""
    return next(iter(Names([tool.name]).words[0]), "") in SEARCH_VERBS


def find_listers(tool: Tool, catalog: Catalog) -> Iterator[Tool]:
    """Find tools that list or search what this tool looks up."""
    names = catalog.names
    if catalog.get(tool.name) is None:
        return
    verb, *about = names.stems[names.names.index(tool.name)] or [""]
    for other, stems in zip(catalog, names.stems, strict=True):
        if not stems or stems[0] not in SEARCH_VERBS or other.name == tool.name or not is_name(other.name):
            continue
        if set(about) & set(stems[1:]) or (verb in SEARCH_VERBS and not other.required):
            yield other
