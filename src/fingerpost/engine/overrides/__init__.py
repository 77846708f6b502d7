"""What authors and operators declare for single tools: a policy, aliases of parameters, hints for known failures.

A `Catalog` carries the overrides, because that is what calls and replies are judged against. `read` builds them from
what was declared; `check` compares them with a tool list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from fingerpost.engine.policy import Policy

ANY_TOOL = "*"
LONGEST_HINT = 300
"""The most characters of a hint that are shown."""

_MOST_HINTS = 3


@dataclass(frozen=True, slots=True)
class Hint:
    """What to do about a known failure. It is given with a failed reply that contains one of `matches`."""

    matches: tuple[str, ...]
    """The texts to look for, in folded case."""
    text: str
    tool: str = ANY_TOOL
    code: str = ""
    category: str = ""
    next_steps: Mapping[str, Any] = field(default_factory=dict[str, Any])
    is_cut: bool = False
    """Whether the text was longer than what is shown."""

    def applies_to(self, tool: str, folded: str) -> bool:
        """Whether a failed reply of a tool is this failure; `folded` is its text in folded case."""
        return self.tool in (ANY_TOOL, tool) and any(match in folded for match in self.matches)


@dataclass(frozen=True, slots=True)
class Overrides:
    """What is declared for single tools, by their names."""

    tools: Mapping[str, Policy] = field(default_factory=dict[str, Policy])
    """The complete policy of each tool that has its own."""
    aliases: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    """For each tool, other names of its parameters."""
    hints: tuple[Hint, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tools or self.aliases or self.hints)

    def find_hints(self, tool: str, text: str) -> list[Hint]:
        """Return the first few hints for a failed reply, in the order in which they were declared."""
        return list(islice(self._find_hints(tool, text), _MOST_HINTS)) if self.hints else []

    def _find_hints(self, tool: str, text: str) -> Iterator[Hint]:
        folded = text.casefold()
        seen: set[str] = set()
        for hint in self.hints:
            if hint.text not in seen and hint.applies_to(tool, folded):
                seen.add(hint.text)
                yield hint


NO_OVERRIDES = Overrides()
