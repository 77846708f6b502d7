"""Read zod's sentences as the TypeScript SDKs and `z.prettifyError` write them.

    Input validation error: Invalid arguments for tool edit_file: Required at edits[0].oldText      SDK 1.x, a line each
    Input validation error: Invalid arguments for tool search: max: Too big: expected number to be <=1000, …    SDK 2.x
    ✖ Invalid input: expected string, received undefined
      → at path                                                                                        prettifyError

A sentence such as `Required at path` is about arguments only if the text announces them or marks it with a cross.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from fingerpost.engine.dialects import parse
from fingerpost.engine.dialects.zod_sentences import OPENERS, read_sentence
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Violation

_ANNOUNCED = lazy_pattern(r"Invalid arguments for tool [^\n:]{1,200}: |parameter validation failed: ")
_SENTENCE = lazy_pattern(OPENERS)
_LABEL = lazy_pattern(rf"(?:^|, )(?:([^\s:,\"']{{1,200}}): )?(?={OPENERS})")
_CROSS, _ARROW = "✖ ", "→ at "


def read(text: str) -> Iterator[Violation]:
    announced = _ANNOUNCED.search(text)
    pairs = _split_announced(text[announced.end() :]) if announced else _split_pretty(text)
    for place, sentence in pairs:
        yield from read_sentence(sentence, () if place == "root" else parse.path(place))


def _split_announced(text: str) -> Iterator[tuple[str, str]]:
    """Yield paths and sentences: the path follows the sentence in SDK 1.x and precedes it in SDK 2.x."""
    for line in text.split("\n")[: parse.MOST_LINES]:
        sentence, _, place = line.rpartition(" at ")
        if _SENTENCE.match(sentence) and " " not in place:
            yield place, sentence
        else:
            yield from _split_labels(line)


def _split_labels(line: str) -> Iterator[tuple[str, str]]:
    labels = list(_LABEL.finditer(line))
    for label, following in zip(labels, [*labels[1:], None], strict=False):
        yield label[1] or "", line[label.end() : following.start() if following else None]


def _split_pretty(text: str) -> Iterator[tuple[str, str]]:
    for line, following in pairwise([*text.split("\n")[: parse.MOST_LINES], ""]):
        if line.startswith(_CROSS):
            _, arrow, place = following.partition(_ARROW)
            yield place if arrow else "", line.removeprefix(_CROSS)
