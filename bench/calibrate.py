"""`make calibrate`: fit the table from evidence to confidence on real mistakes, and measure its reliability.

For each family of evidence, the first reading of every mistake goes into a bin by its strength. The share that is
right must rise with the strength (pool adjacent violators), and this curve is the table. Mistakes whose intended name
is absent but has similar ones (antonyms, siblings, numbered names) count in full for the family that makes fixes,
where a wrong one is harm. For lists they count a sixteenth: the data has one of them for every four others, far more
than real calls do.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from unittest.mock import patch

import fingerpost
from bench.mistakes import REJECTED, Mistake, Score, folds, mistakes, score_mistakes
from fingerpost.engine.matching import calibration as table
from fingerpost.engine.matching import judge_candidates
from fingerpost.engine.matching.evidence import OTHER_THING, Evidence, Guard, Tier

BIN = 0.05
SIMILAR_ABSENT_WEIGHT = 1 / 16
LEFT_OUT = OTHER_THING - {Guard.ENTITY}
"""Names of other things are not fitted. Only parameters have `ENTITY`; without them the curves, which values share,
would rise too high."""
Observation = tuple[float, bool, float]
"""The strength of the evidence, whether it was right, and the weight of the case."""

PAGE = Path(__file__).resolve().parent.parent / "docs" / "matching.md"
BEGIN, END = "<!-- begin -->", "<!-- end -->"
TABLE = Path(fingerpost.__file__).parent / "data" / "confidence.json"


def fit_curves(cases: Iterable[Mistake]) -> dict[str, list[tuple[float, float]]]:
    """Fit, for each family, the rising curve from strength to the share that is right."""
    bins: defaultdict[str, defaultdict[int, list[Observation]]] = defaultdict(lambda: defaultdict(list))
    for mistake in cases:
        first = max(
            judge_candidates(mistake.sent, mistake.names, mistake.kind, mistake.context), default=None, key=_sort_key
        )
        if first is None:
            continue
        evidence, name = first
        if evidence.tier > Tier.MEANING or not LEFT_OUT.isdisjoint(evidence.guards):
            continue
        family = table.family(evidence, mistake.kind)
        is_absent = mistake.intended is None and mistake.category not in REJECTED
        weight = SIMILAR_ABSENT_WEIGHT if is_absent and family != "whole" else 1.0
        bins[family][int(evidence.strength / BIN)].append((evidence.strength, name == mistake.intended, weight))
    return {family: _rising_curve(of_strength) for family, of_strength in sorted(bins.items())}


def fit_once(cases: Iterable[Mistake]) -> Callable[[], Mapping[str, table.Curve]]:
    curves = fit_curves(cases)
    return lambda: curves


def _sort_key(judgement: tuple[Evidence, str]) -> tuple[bool, float, str]:
    evidence, name = judgement
    return (evidence.is_whole and not evidence.guards, evidence.strength, name)


def _rising_curve(bins: Mapping[int, list[Observation]]) -> list[tuple[float, float]]:
    blocks: list[list[Observation]] = []
    for _, seen in sorted(bins.items()):
        block = seen
        while blocks and _share_right(blocks[-1]) >= _share_right(block):
            block = [*blocks.pop(), *block]
        blocks.append(block)
    curve: dict[float, float] = {}
    for block in blocks:
        likely = max(round(_share_right(block), 3), *curve.values(), 0.0)
        curve.setdefault(round(min(block)[0], 2), likely)
        curve[round(max(block)[0], 2)] = likely
    return sorted(curve.items())


def _share_right(block: list[Observation]) -> float:
    """Return the share that is right, less half a case, because what never failed yet is not certain."""
    return max(0.0, sum(right * weight for _, right, weight in block) - 0.5) / sum(weight for *_, weight in block)


def reliability(cases: Iterable[Mistake]) -> list[str]:
    """Tabulate the share that was right for each range of confidence."""
    seen: defaultdict[tuple[bool, float], list[tuple[bool, bool]]] = defaultdict(list)
    for mistake in cases:
        for reading in mistake.find_readings()[:1]:
            low = max(edge for edge in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9) if edge <= reading.match.confidence)
            is_absent = mistake.intended is None and mistake.category not in REJECTED
            seen[reading.match.is_clear, low].append((reading.match.name == mistake.intended, is_absent))
    rows = [
        "| confidence | given as | readings | right | right where the right name is listed or nothing is near |",
        "|---|---|---|---|---|",
    ]
    for (is_clear, low), each in sorted(seen.items(), reverse=True):
        span = "0.9 to 1" if low == 0.9 else f"{low:.1f} to {low + 0.1:.1f}"
        kind = "a fix" if is_clear else "the first of a list"
        right, plain = sum(right for right, _ in each), sum(not is_absent for _, is_absent in each)
        rows.append(f"| {span} | {kind} | {len(each):,} | {right / len(each):.3f} | {right / max(plain, 1):.3f} |")
    return rows


def by_folds() -> list[str]:
    """Tabulate the quality on each fifth of the servers, fitted on the other four."""
    columns = ("wrong per 1,000", "fixed", "first", "first three", "rejected")
    rows = ["| judged on | " + " | ".join(columns) + " |", "|---" * 6 + "|"]
    for number, (learn, judge) in enumerate(folds(), 1):
        with patch.object(table, "curves", fit_once(learn)):
            rows.append(_row(f"fifth {number}", score_mistakes(judge)["all"]))
    rows.append(_row("all, fitted on all", score_mistakes(mistakes())["all"]))
    return rows


def _row(name: str, score: Score) -> str:
    shares = [score.share(*pair) for pair in (("fixed", "fixable"), ("first", "intended"), ("first three", "intended"))]
    rejected = score.share("rejected", "meaningless")
    return f"| {name} | {score.harm:.2f} | " + " | ".join(f"{share:.3f}" for share in (*shares, rejected)) + " |"


def by_class() -> list[str]:
    rows = ["| class | mistakes | wrong fixes | fixed | first | first three | rejected |", "|---" * 7 + "|"]
    for category, score in sorted(score_mistakes(mistakes()).items(), key=lambda item: (item[0] == "all", item[0])):
        counts = score.counts
        cells = [
            f"{score.share(part, whole):.3f}" if counts[whole] else ""
            for part, whole in (
                ("fixed", "fixable"),
                ("first", "intended"),
                ("first three", "intended"),
                ("rejected", "meaningless"),
            )
        ]
        rows.append(f"| {category} | {counts['all']:,} | {counts['wrong']} | " + " | ".join(cells) + " |")
    return rows


def main() -> None:
    curves = fit_curves(mistakes())
    lines = [f"  {json.dumps(family)}: {json.dumps(curve)}" for family, curve in curves.items()]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    table.curves.cache_clear()
    tables = "\n\n".join("\n".join(rows) for rows in (reliability(mistakes()), by_folds(), by_class()))
    before, rest = PAGE.read_text("utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{tables}\n\n{END}{rest.split(END)[1]}", "utf-8")
    print(tables)


if __name__ == "__main__":
    main()
