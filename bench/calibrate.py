"""`make calibrate`: fit the table from evidence to confidence on real mistakes, and say how far it can be trusted.

For each family of evidence the first reading of every mistake is put in a bin by its strength; the share that is
right rises with the strength (pool adjacent violators), and that rising curve is the table. Mistakes whose right
name is absent but has close kin (antonyms, siblings, numbered names) count in full for the family that makes
fixes, where a wrong one is harm. For lists they count a sixteenth: the data was made with one of them for every
four others, which is far more than callers ask for what a server does not have.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from unittest.mock import patch

import fingerpost
from bench.mistakes import REJECTED, Mistake, Score, folds, mistakes, scored
from fingerpost.engine.matching import calibration as table
from fingerpost.engine.matching import judge_candidates
from fingerpost.engine.matching.evidence import OTHER_THING, Evidence, Tier

BIN = 0.05
KIN = 1 / 16
Seen = tuple[float, bool, float]
"""How strong the evidence was, whether it was right, and how much the case counts."""

PAGE = Path(__file__).resolve().parent.parent / "docs" / "matching.md"
BEGIN, END = "<!-- begin -->", "<!-- end -->"
TABLE = Path(fingerpost.__file__).parent / "data" / "confidence.json"


def fitted(cases: Iterable[Mistake]) -> dict[str, list[tuple[float, float]]]:
    """By family, the rising curve from strength to the share that is right."""
    bins: defaultdict[str, defaultdict[int, list[Seen]]] = defaultdict(lambda: defaultdict(list))
    for mistake in cases:
        first = max(
            judge_candidates(mistake.asked, mistake.names, mistake.kind, mistake.context), default=None, key=_strength
        )
        if first is None:
            continue
        evidence, name = first
        if evidence.tier > Tier.MEANING or not OTHER_THING.isdisjoint(evidence.guards):
            continue
        family = table.family(evidence, mistake.kind)
        is_kin = mistake.meant is None and mistake.sort not in REJECTED
        weight = KIN if is_kin and family != "whole" else 1.0
        bins[family][int(evidence.strength / BIN)].append((evidence.strength, name == mistake.meant, weight))
    return {family: _rising(of_strength) for family, of_strength in sorted(bins.items())}


def fitted_once(cases: Iterable[Mistake]) -> Callable[[], Mapping[str, table.Curve]]:
    curves = fitted(cases)
    return lambda: curves


def _strength(judgement: tuple[Evidence, str]) -> tuple[bool, float, str]:
    evidence, name = judgement
    return (evidence.is_whole and not evidence.guards, evidence.strength, name)


def _rising(bins: Mapping[int, list[Seen]]) -> list[tuple[float, float]]:
    blocks: list[list[Seen]] = []
    for _, seen in sorted(bins.items()):
        block = seen
        while blocks and _right(blocks[-1]) >= _right(block):
            block = [*blocks.pop(), *block]
        blocks.append(block)
    curve: dict[float, float] = {}
    for block in blocks:
        likely = max(round(_right(block), 3), *curve.values(), 0.0)
        curve.setdefault(round(min(block)[0], 2), likely)
        curve[round(max(block)[0], 2)] = likely
    return sorted(curve.items())


def _right(block: list[Seen]) -> float:
    """The share that is right, less half a case of doubt: what was never seen wrong is not certain."""
    return max(0.0, sum(right * weight for _, right, weight in block) - 0.5) / sum(weight for *_, weight in block)


def reliability(cases: Iterable[Mistake]) -> list[str]:
    """What was right, by the confidence it was given with."""
    seen: defaultdict[tuple[bool, float], list[tuple[bool, bool]]] = defaultdict(list)
    for mistake in cases:
        for reading in mistake.read()[:1]:
            low = max(edge for edge in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9) if edge <= reading.match.confidence)
            is_kin = mistake.meant is None and mistake.sort not in REJECTED
            seen[reading.match.is_clear, low].append((reading.match.name == mistake.meant, is_kin))
    rows = [
        "| confidence | given as | readings | right | right where the right name is listed or nothing is near |",
        "|---|---|---|---|---|",
    ]
    for (is_clear, low), each in sorted(seen.items(), reverse=True):
        span = "0.9 to 1" if low == 0.9 else f"{low:.1f} to {low + 0.1:.1f}"
        kind = "a fix" if is_clear else "the first of a list"
        right, plain = sum(right for right, _ in each), sum(not is_kin for _, is_kin in each)
        rows.append(f"| {span} | {kind} | {len(each):,} | {right / len(each):.3f} | {right / max(plain, 1):.3f} |")
    return rows


def by_folds() -> list[str]:
    """The table fitted on four fifths of the servers, judged on the last fifth."""
    columns = ("wrong per 1,000", "fixed", "first", "first three", "rejected")
    rows = ["| judged on | " + " | ".join(columns) + " |", "|---" * 6 + "|"]
    for number, (learn, judge) in enumerate(folds(), 1):
        with patch.object(table, "curves", fitted_once(learn)):
            rows.append(_row(f"fifth {number}", scored(judge)["all"]))
    rows.append(_row("all, fitted on all", scored(mistakes())["all"]))
    return rows


def _row(name: str, score: Score) -> str:
    shares = [score.share(*pair) for pair in (("fixed", "fixable"), ("first", "meant"), ("first three", "meant"))]
    rejected = score.share("rejected", "meaningless")
    return f"| {name} | {score.harm:.2f} | " + " | ".join(f"{share:.3f}" for share in (*shares, rejected)) + " |"


def by_class() -> list[str]:
    rows = ["| class | mistakes | wrong fixes | fixed | first | first three | rejected |", "|---" * 7 + "|"]
    for sort, score in sorted(scored(mistakes()).items(), key=lambda item: (item[0] == "all", item[0])):
        counts = score.counts
        cells = [
            f"{score.share(part, whole):.3f}" if counts[whole] else ""
            for part, whole in (
                ("fixed", "fixable"),
                ("first", "meant"),
                ("first three", "meant"),
                ("rejected", "meaningless"),
            )
        ]
        rows.append(f"| {sort} | {counts['all']:,} | {counts['wrong']} | " + " | ".join(cells) + " |")
    return rows


def main() -> None:
    curves = fitted(mistakes())
    lines = [f"  {json.dumps(family)}: {json.dumps(curve)}" for family, curve in curves.items()]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    table.curves.cache_clear()
    tables = "\n\n".join("\n".join(rows) for rows in (reliability(mistakes()), by_folds(), by_class()))
    before, rest = PAGE.read_text("utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{tables}\n\n{END}{rest.split(END)[1]}", "utf-8")
    print(tables)


if __name__ == "__main__":
    main()
