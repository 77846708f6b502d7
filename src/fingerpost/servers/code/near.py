"""What is near to something that is not there: names like it, parts of it that are found, definitions by that name."""

from __future__ import annotations

import re
from itertools import islice

from fingerpost import closest
from fingerpost.errors import Reading
from fingerpost.servers.code.failures import escaped
from fingerpost.servers.code.ranking import guessed
from fingerpost.servers.code.ripgrep import Rejected, Ripgrep
from fingerpost.servers.code.tree import Tree, sayable

_KEYWORDS = "def|class|func|function|fun|fn|struct|enum|trait|interface|type|module|mod|object|record|sub|message"
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#|->)[^\W\d]\w*)*")
_BETWEEN = re.compile(r"\.|::|#|->")
_WORDS = re.compile(r"[^\W\d_]{3,}|\d{3,}")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MOST_COMPARED, _MOST_PARTS, _MOST_PARSED, _MOST_SHOWN = 2_000, 3, 60, 3


class Neighbourhood:
    """The tree, asked for what is near to a name."""

    def __init__(self, engine: Ripgrep, tree: Tree) -> None:
        self._engine, self._tree = engine, tree

    def names(self, pattern: str, glob: str | None) -> tuple[Reading, ...]:
        """Names in the tree that are like the one that was searched for."""
        if len(pattern) < 3 or not re.fullmatch(r"\w+", pattern):
            return ()
        asked = [rf"\b(?:{_KEYWORDS})\s+\w+", rf"\b{escaped(pattern[:2])}\w+"]
        words = {word.split()[-1] for word in self._engine.words(asked, glob) if word.split()}
        likely = sorted(word for word in words if _is_similar(word, pattern))[:_MOST_COMPARED]
        return tuple(
            Reading(match.name, match.name, match.confidence, match.is_clear)
            for match in islice(closest(pattern, likely, "value"), _MOST_SHOWN)
        )

    def has(self, pattern: str) -> bool:
        """Whether a pattern is found anywhere."""
        return bool(self._engine.words([pattern]))

    def parts(self, pattern: str, glob: str | None) -> list[str]:
        """Parts of a pattern that are found, as they can be searched for."""
        tried = _parts_of(pattern)
        there = {word.lower() for word in self._engine.words([escaped(part) for part in tried], glob)} if tried else ()
        return [part for part in tried if any(part in word for word in there)][:_MOST_PARTS]

    def defined(self, name: str) -> list[str]:
        """The ids of the definitions by this name, whichever files they are in."""
        if not _NAME.fullmatch(name):
            return []
        wanted = _BETWEEN.split(name)
        try:
            hits = self._engine.hits(rf"\b{wanted[-1]}\b")[0]
        except Rejected:
            return []
        best = sorted(hits, key=lambda hit: (-guessed(hit, wanted[-1]), hit.path))
        files = list(dict.fromkeys(hit.path for hit in best))[:_MOST_PARSED]
        return [
            f"{sayable(path)}:{one.qualified}"
            for path in files
            for one in self._tree.definitions(path)
            if one.qualified.partition("#")[0].split(".")[-len(wanted) :] == wanted
        ]


def _parts_of(pattern: str) -> list[str]:
    words = [word.lower() for word in _WORDS.findall(_HUMP.sub("_", pattern))]
    halves = [half for word in words if len(word) >= 6 for half in (word[: len(word) // 2], word[len(word) // 2 :])]
    whole = pattern.lower()
    return sorted(dict.fromkeys(part for part in [*words, *halves] if part != whole), key=len, reverse=True)[:8]


def _is_similar(word: str, wanted: str) -> bool:
    """Whether two words share enough letters, side by side, to be worth comparing."""
    if abs(len(word) - len(wanted)) > max(2, len(wanted) // 3):
        return False
    pairs = {wanted[at : at + 2].lower() for at in range(len(wanted) - 1)}
    shared = sum(word[at : at + 2].lower() in pairs for at in range(len(word) - 1))
    return shared * 5 >= len(pairs) * 2
