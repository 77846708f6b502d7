"""The tools that one caller sees at one moment.

A catalog of 5,000 tools costs no more than reading their names. The index for matching is built on first use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from fingerpost.engine.matching.index import Names
from fingerpost.engine.matching.long_list import MANY_NAMES, LongList
from fingerpost.engine.matching.spelling import normal_form, spelling
from fingerpost.engine.model import EMPTY_OBJECT
from fingerpost.engine.overrides import NO_OVERRIDES, Overrides
from fingerpost.engine.policy import Policy
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.tool import Tool

if TYPE_CHECKING:
    pass


class Catalog:
    """An immutable snapshot of the tools. A `tools/list_changed` notification leads to a new one."""

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        *,
        is_complete: bool = True,
        server: str | Sequence[str] = "",
        overrides: Overrides = NO_OVERRIDES,
    ) -> None:
        self._by_name: dict[str, Tool] = {}
        for tool in tools:
            self._by_name.setdefault(tool.name, tool)
        self.is_complete = is_complete
        """False if part of the list could not be read. Then no tool counts as unknown."""
        self.server_names = tuple(filter(None, [server] if isinstance(server, str) else server))
        """The names of this server, the client's first. A tool behind the name of another server is not for us."""
        self.overrides = overrides
        """What an author or operator declares for single tools."""

    @classmethod
    def listed(cls, tools: object, *, server: str | Sequence[str] = "", overrides: Overrides = NO_OVERRIDES) -> Catalog:
        """Read the `tools` array of a `tools/list` result. Never raises: what is not a tool is left out."""
        entries = as_list(list(cast("tuple[Any, ...]", tools)) if isinstance(tools, tuple) else tools)
        named = [(entry.get("name"), entry) for entry in map(as_object, entries)]
        aliases = overrides.aliases
        readable = [
            Tool(name, entry, aliases.get(name, EMPTY_OBJECT)) for name, entry in named if isinstance(name, str)
        ]
        is_complete = isinstance(tools, list | tuple) and len(readable) == len(entries)
        return cls(readable, is_complete=is_complete, server=server, overrides=overrides)

    @property
    def server(self) -> str:
        """The first name of the server, if one is known."""
        return next(iter(self.server_names), "")

    def get(self, name: str) -> Tool | None:
        return self._by_name.get(name)

    def policy_for(self, name: str, policy: Policy) -> Policy:
        """Return the policy of a tool: its own, or else `policy`."""
        return self.overrides.tools.get(name, policy)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._by_name.values())

    @cached_property
    def names(self) -> Names:
        """The names of the tools, indexed for `closest`."""
        return Names(self._by_name)

    def names_near(self, name: str) -> Names:
        """Return the names among which `closest` looks for a mistaken name: all, or of very many the likely ones."""
        return self.names if self._long_list is None else self._long_list.select(name)

    @cached_property
    def _long_list(self) -> LongList | None:
        return LongList(self._by_name) if len(self._by_name) > MANY_NAMES else None

    def schemas(self, known: Names) -> Mapping[str, Any]:
        """Return the input schemas of the tools that `names_near` returned, and perhaps of others."""
        # to collect those of 5,000 tools anew takes as long as the search for a name
        return self._all_schemas if self._long_list is None else self._collect_schemas(known.names)

    @cached_property
    def _all_schemas(self) -> Mapping[str, Any]:
        return self._collect_schemas(self._by_name)

    def _collect_schemas(self, names: Iterable[str]) -> Mapping[str, Any]:
        return {name: self._by_name[name].raw_schema for name in names}

    @cached_property
    def categories(self) -> Mapping[str, int]:
        """How many tools begin with each word, in the order of the list."""
        if self._long_list is None:
            return Counter(words[0] for words in self.names.words if words)
        return self._long_list.count_first_words()

    def same_spelling(self, name: str) -> list[str]:
        """Return the tools whose name differs from `name` only by case and separators."""
        if self._long_list is None:
            near = [self.names.names[index] for index in self.names.by_key.get(normal_form(name), ())]
        else:
            near = self._long_list.find_same_letters(name)
        return [one for one in near if spelling(one) == spelling(name)]
