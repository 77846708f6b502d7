"""Find what a caller may have meant: similar names, parts of a pattern, filters that match, definitions by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from fingerpost.engine.matching import closest
from fingerpost.errors import Reading
from fingerpost.servers.code.errors import escape_pattern
from fingerpost.servers.code.folder import ServedFolder, printable_path
from fingerpost.servers.code.outline import Definition
from fingerpost.servers.code.paging import file_extension
from fingerpost.servers.code.ranking import score_by_words
from fingerpost.servers.code.ripgrep import Hit, Ripgrep, RipgrepError

_KEYWORDS = "def|class|func|function|fun|fn|struct|enum|trait|interface|type|module|mod|object|record|sub|message"
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#|->)[^\W\d]\w*)*")
_SEPARATOR = re.compile(r"\.|::|#|->")
_WORDS = re.compile(r"[^\W\d_]{3,}|\d{3,}")
_CAMEL_CASE_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MAX_COMPARED, _MAX_PARTS, _MAX_PARSED, _MAX_SUGGESTED = 2_000, 3, 60, 3


class Suggester:
    """Searches the folder for what is similar to something that was not found."""

    def __init__(self, ripgrep: Ripgrep, folder: ServedFolder) -> None:
        self._ripgrep, self._folder = ripgrep, folder

    def similar_names(self, pattern: str, glob: str | None) -> tuple[Reading, ...]:
        """Names in the folder that are similar to the pattern."""
        if not re.fullmatch(r"\w{3,200}", pattern):
            return ()
        tolerance = max(2, len(pattern) // 4)
        lengths = f"{{{max(len(pattern) - tolerance, 3)},{len(pattern) + tolerance}}}"
        patterns = [rf"\b(?:{_KEYWORDS})\s+\w{lengths}\b", rf"\b{pattern[:2]}\w{lengths}\b"]
        words = {word.split()[-1]: path for word, path in self._ripgrep.words(patterns, glob).items()}
        candidates = sorted(word for word in words if _shares_letters(word, pattern))[:_MAX_COMPARED]
        return tuple(
            Reading(match.name, match.name, match.confidence, match.is_clear)
            for match in islice(closest(pattern, candidates, "value"), _MAX_SUGGESTED)
            if self._folder.contains_text(words[match.name], match.name)
        )

    def finds_something(self, pattern: str, glob: str | None = None) -> bool:
        """Whether this is a valid pattern that matches anything."""
        try:
            return self._ripgrep.has(pattern, glob)
        except RipgrepError:
            return False

    def matching_parts(self, pattern: str, glob: str | None) -> list[str]:
        """Parts of a pattern that match by themselves."""
        parts = _split_pattern(pattern)
        patterns = [escape_pattern(part) for part in parts]
        words = {word.lower() for word in self._ripgrep.words(patterns, glob, lines=1)} if patterns else ()
        return [part for part in parts if any(part in word for word in words)][:_MAX_PARTS]

    def suggest_glob(self, glob: str) -> str | None:
        """The filter that was probably meant by one that matches no file; it matches some."""
        return next((one for one in _similar_globs(glob) if self.has_files(one)), None)

    def common_globs(self) -> list[str]:
        """Filters for the most common file extensions."""
        counts = Counter(file_extension(printable_path(path)) for path in self._ripgrep.files()[0])
        ordered = sorted(((-count, extension) for extension, count in counts.items() if extension))
        return [f"*.{extension}" for _, extension in ordered[:_MAX_SUGGESTED]]

    def has_files(self, glob: str) -> bool:
        try:
            return bool(self._ripgrep.files(glob)[0])
        except RipgrepError:
            return False

    def definition_ids(self, name: str) -> list[str]:
        """The ids of all definitions with this name, in any file."""
        return [f"{printable_path(hit.path)}:{one.qualified}" for hit, one in self._find_definitions(name, None)]

    def find_by_qualified_name(self, name: str, glob: str | None) -> list[Hit]:
        """Where a qualified name such as `User.authenticate` is defined; the text itself does not contain it."""
        is_qualified = _NAME.fullmatch(name) and _SEPARATOR.search(name)
        return [hit for hit, _ in self._find_definitions(name, glob)] if is_qualified else []

    def _find_definitions(self, name: str, glob: str | None) -> Iterator[tuple[Hit, Definition]]:
        if not _NAME.fullmatch(name):
            return
        parts = _SEPARATOR.split(name)
        hits = self._ripgrep.hits(rf"\b{parts[-1]}\b", glob)[0]
        best = sorted(hits, key=lambda hit: (-score_by_words(hit, parts[-1]), hit.path, hit.line))
        parsed = set(list(dict.fromkeys(hit.path for hit in best))[:_MAX_PARSED])
        for hit in best:
            for one in self._folder.definitions(hit.path) if hit.path in parsed else ():
                if one.line == hit.line and one.has_name(parts):
                    yield Hit(hit.path, hit.line, hit.text, (one.span,)), one


def _split_pattern(pattern: str) -> list[str]:
    """The words of a pattern and the halves of long words, longest first."""
    words = [word.lower() for word in _WORDS.findall(_CAMEL_CASE_BOUNDARY.sub("_", pattern[:200]))]
    halves = [half for word in words if len(word) >= 6 for half in (word[: len(word) // 2], word[len(word) // 2 :])]
    parts = [part for part in dict.fromkeys([*words, *halves]) if part != pattern.lower()]
    return sorted(parts, key=len, reverse=True)[:8]


def _shares_letters(word: str, pattern: str) -> bool:
    """Whether two words share enough pairs of adjacent letters to be worth comparing."""
    pairs = {pattern[at : at + 2].lower() for at in range(len(pattern) - 1)}
    shared = sum(word[at : at + 2].lower() in pairs for at in range(len(word) - 1))
    return shared * 5 >= len(pairs) * 2


def _similar_globs(glob: str) -> Iterator[str]:
    """Corrections of common mistakes: a list of globs, a bare extension, a file or folder without its path."""
    globs = [one for one in re.split(r"[,;|\s]+", glob) if one]
    if len(globs) > 1 and not re.search(r"[{}]", glob):
        yield f"{{{','.join(globs)}}}"
    if extension := re.fullmatch(r"[*.]*(\w+)", glob):
        yield f"*.{extension[1].lower()}"
    yield f"**/{glob.strip('/')}"
    yield f"**/{glob.strip('/')}/**"
