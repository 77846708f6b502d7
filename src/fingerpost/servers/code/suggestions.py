"""What is near to something that is not there: names like it, parts of it that are found, definitions by that name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from fingerpost import closest
from fingerpost.errors import Reading
from fingerpost.servers.code.errors import escaped
from fingerpost.servers.code.folder import Tree, sayable
from fingerpost.servers.code.outline import Definition
from fingerpost.servers.code.paging import ending_of
from fingerpost.servers.code.ranking import guessed
from fingerpost.servers.code.ripgrep import Hit, Rejected, Ripgrep

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
        if not re.fullmatch(r"\w{3,200}", pattern):
            return ()
        size = f"{{{max(len(pattern) - _reach(pattern), 3)},{len(pattern) + _reach(pattern)}}}"
        asked = [rf"\b(?:{_KEYWORDS})\s+\w{size}\b", rf"\b{pattern[:2]}\w{size}\b"]
        words = {word.split()[-1]: path for word, path in self._engine.words(asked, glob).items()}
        likely = sorted(word for word in words if _is_similar(word, pattern))[:_MOST_COMPARED]
        return tuple(
            Reading(match.name, match.name, match.confidence, match.is_clear)
            for match in islice(closest(pattern, likely, "value"), _MOST_SHOWN)
            if self._tree.holds(words[match.name], match.name)
        )

    def has(self, pattern: str, glob: str | None = None) -> bool:
        """Whether this is a pattern, and is found at all."""
        try:
            return self._engine.has(pattern, glob)
        except Rejected:
            return False

    def parts(self, pattern: str, glob: str | None) -> list[str]:
        """Parts of a pattern that are found, as they can be searched for."""
        tried = _parts_of(pattern)
        asked = [escaped(part) for part in tried]
        there = {word.lower() for word in self._engine.words(asked, glob, lines=1)} if asked else ()
        return [part for part in tried if any(part in word for word in there)][:_MOST_PARTS]

    def glob_meant(self, glob: str) -> str | None:
        """The filter that was probably meant by one that finds no file: it finds some."""
        return next((one for one in _globs_like(glob) if self.has_files(one)), None)

    def endings(self) -> list[str]:
        """Filters for the files that there are most of."""
        counts = Counter(ending_of(sayable(path)) for path in self._engine.files()[0])
        known = sorted(((-count, ending) for ending, count in counts.items() if ending))
        return [f"*.{ending}" for _, ending in known[:_MOST_SHOWN]]

    def has_files(self, glob: str) -> bool:
        try:
            return bool(self._engine.files(glob)[0])
        except Rejected:
            return False

    def ids(self, name: str) -> list[str]:
        """The ids of the definitions by this name, whichever files they are in."""
        return [f"{sayable(hit.path)}:{one.qualified}" for hit, one in self._defined(name, None)]

    def qualified(self, name: str, glob: str | None) -> list[Hit]:
        """Where a name such as `User.authenticate` is defined, for it stands nowhere in the text."""
        is_qualified = _NAME.fullmatch(name) and _BETWEEN.search(name)
        return [hit for hit, _ in self._defined(name, glob)] if is_qualified else []

    def _defined(self, name: str, glob: str | None) -> Iterator[tuple[Hit, Definition]]:
        if not _NAME.fullmatch(name):
            return
        wanted = _BETWEEN.split(name)
        hits = self._engine.hits(rf"\b{wanted[-1]}\b", glob)[0]
        best = sorted(hits, key=lambda hit: (-guessed(hit, wanted[-1]), hit.path, hit.line))
        chosen = set(list(dict.fromkeys(hit.path for hit in best))[:_MOST_PARSED])
        for hit in best:
            for one in self._tree.definitions(hit.path) if hit.path in chosen else ():
                if one.line == hit.line and one.is_called(wanted):
                    yield Hit(hit.path, hit.line, hit.text, (one.span,)), one


def _parts_of(pattern: str) -> list[str]:
    words = [word.lower() for word in _WORDS.findall(_HUMP.sub("_", pattern[:200]))]
    halves = [half for word in words if len(word) >= 6 for half in (word[: len(word) // 2], word[len(word) // 2 :])]
    tried = [part for part in dict.fromkeys([*words, *halves]) if part != pattern.lower()]
    return sorted(tried, key=len, reverse=True)[:8]


def _reach(wanted: str) -> int:
    return max(2, len(wanted) // 4)


def _is_similar(word: str, wanted: str) -> bool:
    """Whether two words share enough letters, side by side, to be worth comparing."""
    pairs = {wanted[at : at + 2].lower() for at in range(len(wanted) - 1)}
    shared = sum(word[at : at + 2].lower() in pairs for at in range(len(word) - 1))
    return shared * 5 >= len(pairs) * 2


def _globs_like(glob: str) -> Iterator[str]:
    """How people write filters: a list, an ending alone, a name or a folder without the way to it."""
    several = [one for one in re.split(r"[,;|\s]+", glob) if one]
    if len(several) > 1 and not re.search(r"[{}]", glob):
        yield f"{{{','.join(several)}}}"
    if ending := re.fullmatch(r"[*.]*(\w+)", glob):
        yield f"*.{ending[1].lower()}"
    yield f"**/{glob.strip('/')}"
    yield f"**/{glob.strip('/')}/**"
