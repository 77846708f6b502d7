"""Real names and real mistakes (tests/data/matching), and how well a reader of them does.

The counts are those of the public benchmark that the data comes from: a wrong fix is harm, the place of the
right name in the list is rank, and nothing shown for what means nothing is rejection.
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
"""Classes for which nothing should be shown at all."""


@dataclass(frozen=True)
class Mistake:
    """One name that was got wrong, among the names it was looked for."""

    kind: Kind
    sort: str
    asked: str
    meant: str | None
    fixable: bool
    names: Names
    server: int
    context: dict[str, Any] = field(repr=False)

    def read(self) -> list[Reading]:
        return find_readings(self.asked, self.names, self.kind, self.context)


@cache
def mistakes() -> tuple[Mistake, ...]:
    return tuple(_mistakes())


def _mistakes() -> Iterator[Mistake]:
    lists = [json.loads(line) for line in _lines("lists")]
    prepared: list[Names] = [Names(each["names"]) for each in lists]
    for line in _lines("mistakes"):
        row: list[Any] = json.loads(line)
        place, sort, asked, meant, fixable, *rest = row
        extra: dict[str, Any] = rest[0] if rest else {}
        listed = lists[place]
        without: set[str] = set(extra.pop("minus", ()))
        names = _without(prepared[int(place)], without)
        context = {
            "server": listed.get("server_name"),
            "types": listed.get("types"),
            "required": listed.get("required"),
            "schemas": {name: {"properties": dict.fromkeys(takes)} for name, takes in listed.get("takes", {}).items()},
            **extra,
        }
        yield Mistake(KINDS[listed["kind"]], sort, asked, meant, bool(fixable), names, listed["server"], context)


def _without(names: Names, dropped: set[str]) -> Names:
    return Names(name for name in names.names if name not in dropped) if dropped else names


def _lines(name: str) -> Iterator[str]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from file


@dataclass
class Score:
    """What came of a number of mistakes."""

    counts: Counter[str] = field(default_factory=Counter[str])

    def add(self, mistake: Mistake, found: list[Reading]) -> None:
        names = [reading.match.name for reading in found]
        fix = names[0] if found and found[0].match.is_clear else None
        right = mistake.meant is not None and fix == mistake.meant
        self.counts["all"] += 1
        self.counts["wrong"] += fix is not None and not right
        if mistake.meant is not None:
            self.counts["meant"] += 1
            self.counts["first"] += mistake.meant in names[:1]
            self.counts["first three"] += mistake.meant in names[:3]
            self.counts["fixable"] += mistake.fixable
            self.counts["fixed"] += right and mistake.fixable
        elif mistake.sort in REJECTED:
            self.counts["meaningless"] += 1
            self.counts["rejected"] += not names

    def share(self, part: str, whole: str) -> float:
        return self.counts[part] / self.counts[whole] if self.counts[whole] else 1.0

    @property
    def harm(self) -> float:
        return 1000 * self.share("wrong", "all")


def scored(cases: Iterable[Mistake], read: Callable[[Mistake], list[Reading]] = Mistake.read) -> dict[str, Score]:
    """The score of all, and of each class."""
    scores: dict[str, Score] = {"all": Score()}
    for mistake in cases:
        found = read(mistake)
        for key in ("all", mistake.sort):
            scores.setdefault(key, Score()).add(mistake, found)
    return scores


def folds(count: int = 5) -> Iterator[tuple[list[Mistake], list[Mistake]]]:
    """The mistakes in parts by server: to learn from, and to be judged by."""
    cases = mistakes()
    for fold in range(count):
        is_kept = [hash_of(mistake.server) % count == fold for mistake in cases]
        yield (
            [mistake for mistake, kept in zip(cases, is_kept, strict=True) if not kept],
            [mistake for mistake, kept in zip(cases, is_kept, strict=True) if kept],
        )


def hash_of(server: int) -> int:
    """The same part for the same server in every run."""
    return (server * 2654435761) >> 7


def real_names(count: int) -> list[str]:
    """So many different names of real tools; past those there are, with a prefix."""
    rows = [json.loads(line) for line in _lines("lists")]
    tools = list(dict.fromkeys(name for row in rows if row["kind"] == "tool" for name in row["names"]))
    Random(7).shuffle(tools)
    return [f"{prefix}{name}" for prefix in ("", *(f"fleet{n}_" for n in range(60))) for name in tools][:count]


def slips(names: list[str], count: int) -> list[str]:
    """A letter lost, a Pascal cased name, two letters swapped, words in another order, and noise, in turn."""
    random = Random(11)
    return [_SLIPS[number % len(_SLIPS)](random.choice(names), random) for number in range(count)]


def _lost(name: str, random: Random) -> str:
    at = random.randrange(1, max(2, len(name) - 1))
    return name[:at] + name[at + 1 :]


def _swapped(name: str, random: Random) -> str:
    at = random.randrange(max(1, len(name) - 2))
    return name[:at] + name[at + 1 : at + 2] + name[at : at + 1] + name[at + 2 :]


def _pascal(name: str, _: Random) -> str:
    return "".join(word.capitalize() for word in name.replace("-", "_").split("_"))


def _turned(name: str, _: Random) -> str:
    first, *rest = name.split("_")
    return "_".join([*rest, first])


def _noise(_: str, random: Random) -> str:
    return "".join(random.choices(ascii_lowercase, k=9))


_SLIPS = (_lost, _pascal, _swapped, _turned, _noise)
