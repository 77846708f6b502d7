"""Real names and real mistakes (tests/data/matching), and the quality of `closest` on them.

The measures are those of the public benchmark that the data comes from: a wrong fix is harm, the position of the
intended name is its rank, and listing nothing for a meaningless name is rejection.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Any

from fingerpost.engine.matching import Kind, Names, Reading, find_readings

DATA = Path(__file__).resolve().parent.parent / "tests" / "data" / "matching"
KINDS: dict[str, Kind] = {"tool": "tool", "param": "parameter", "enum": "value"}
REJECTED = frozenset({"neg.garbage", "neg.unrelated", "neg.builtin", "real.neg"})
"""Classes of meaningless names, for which nothing should be listed."""


@dataclass(frozen=True)
class Mistake:
    """A mistaken name and the known names that it is compared with."""

    kind: Kind
    category: str
    sent: str
    intended: str | None
    fixable: bool
    names: Names
    server: int
    context: dict[str, Any] = field(repr=False)

    def find_readings(self) -> list[Reading]:
        return find_readings(self.sent, self.names, self.kind, self.context)


@cache
def mistakes() -> tuple[Mistake, ...]:
    return tuple(_mistakes())


def _mistakes() -> Iterator[Mistake]:
    lists = [json.loads(line) for line in _lines("lists")]
    prepared: list[Names] = [Names(each["names"]) for each in lists]
    for line in _lines("mistakes"):
        row: list[Any] = json.loads(line)
        place, category, sent, intended, fixable, *rest = row
        extra: dict[str, Any] = rest[0] if rest else {}
        known = lists[place]
        without: set[str] = set(extra.pop("minus", ()))
        names = _without(prepared[int(place)], without)
        context = {
            "server": known.get("server_name"),
            "types": known.get("types"),
            "required": known.get("required"),
            "schemas": {name: {"properties": dict.fromkeys(takes)} for name, takes in known.get("takes", {}).items()},
            **extra,
        }
        yield Mistake(KINDS[known["kind"]], category, sent, intended, bool(fixable), names, known["server"], context)


def _without(names: Names, dropped: set[str]) -> Names:
    return Names(name for name in names.names if name not in dropped) if dropped else names


def _lines(name: str) -> Iterator[str]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from file


@dataclass
class Score:
    """Counts of outcomes over a number of mistakes."""

    counts: Counter[str] = field(default_factory=Counter[str])

    def add(self, mistake: Mistake, found: list[Reading]) -> None:
        names = [reading.match.name for reading in found]
        fix = names[0] if found and found[0].match.is_clear else None
        right = mistake.intended is not None and fix == mistake.intended
        self.counts["all"] += 1
        self.counts["wrong"] += fix is not None and not right
        if mistake.intended is not None:
            self.counts["intended"] += 1
            self.counts["first"] += mistake.intended in names[:1]
            self.counts["first three"] += mistake.intended in names[:3]
            self.counts["fixable"] += mistake.fixable
            self.counts["fixed"] += right and mistake.fixable
        elif mistake.category in REJECTED:
            self.counts["meaningless"] += 1
            self.counts["rejected"] += not names

    def share(self, part: str, whole: str) -> float:
        return self.counts[part] / self.counts[whole] if self.counts[whole] else 1.0

    @property
    def harm(self) -> float:
        return 1000 * self.share("wrong", "all")


def score_mistakes(
    cases: Iterable[Mistake], read: Callable[[Mistake], list[Reading]] = Mistake.find_readings
) -> dict[str, Score]:
    """Score all mistakes, and each class of them."""
    scores: dict[str, Score] = {"all": Score()}
    for mistake in cases:
        found = read(mistake)
        for key in ("all", mistake.category):
            scores.setdefault(key, Score()).add(mistake, found)
    return scores


def folds(count: int = 5) -> Iterator[tuple[list[Mistake], list[Mistake]]]:
    """Split the mistakes by server into parts for fitting and for testing."""
    cases = mistakes()
    for fold in range(count):
        is_test = [hash_of(mistake.server) % count == fold for mistake in cases]
        yield (
            [mistake for mistake, is_for_test in zip(cases, is_test, strict=True) if not is_for_test],
            [mistake for mistake, is_for_test in zip(cases, is_test, strict=True) if is_for_test],
        )


def hash_of(server: int) -> int:
    """Hash a server, the same in every run."""
    return (server * 2654435761) >> 7


def real_names(count: int) -> list[str]:
    """Return different names of real tools, with prefixes if there are not enough."""
    rows = [json.loads(line) for line in _lines("lists")]
    tools = list(dict.fromkeys(name for row in rows if row["kind"] == "tool" for name in row["names"]))
    Random(7).shuffle(tools)
    return [f"{prefix}{name}" for prefix in ("", *(f"fleet{n}_" for n in range(60))) for name in tools][:count]


def slips(names: list[str], count: int) -> list[str]:
    """Make mistakes in turn: a lost letter, Pascal case, swapped letters, another word order, noise."""
    random = Random(11)
    return [_SLIPS[number % len(_SLIPS)](random.choice(names), random) for number in range(count)]


def _lose_letter(name: str, random: Random) -> str:
    at = random.randrange(1, max(2, len(name) - 1))
    return name[:at] + name[at + 1 :]


def _swap_letters(name: str, random: Random) -> str:
    at = random.randrange(max(1, len(name) - 2))
    return name[:at] + name[at + 1 : at + 2] + name[at : at + 1] + name[at + 2 :]


def _pascal_case(name: str, _: Random) -> str:
    return "".join(word.capitalize() for word in name.replace("-", "_").split("_"))


def _reorder_words(name: str, _: Random) -> str:
    first, *rest = name.split("_")
    return "_".join([*rest, first])


def _noise(_: str, random: Random) -> str:
    return "".join(random.choices(ascii_lowercase, k=9))


_SLIPS = (_lose_letter, _pascal_case, _swap_letters, _reorder_words, _noise)
