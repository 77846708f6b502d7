"""Print what the answers to wrong calls lead to, per form: `python -m bench.forms`."""

from __future__ import annotations

import argparse
import json
import statistics
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from bench.forms.case import FORMS
from bench.forms.judge import Outcome
from bench.forms.lists import load_lists
from bench.forms.measure import Result, Row, ValidCalls, run_forms, run_valid_calls, tabulate
from bench.forms.words import load_words


def main() -> None:
    options = _parse_options()
    lists, words = load_lists(options.lists), load_words(options.words)
    results = list(run_forms(lists, words, seed=options.seed, cases=options.cases, only=options.only))
    rows = tabulate(results)
    print(f"{len(lists)} tool lists, {sum(len(one.tools) for one in lists)} tools, seed {options.seed}\n")
    _print_table(rows)
    _print_costs(results)
    valid = run_valid_calls(lists, seed=options.seed, count=options.valid)
    _print_valid(valid)
    if options.show:
        _print_examples(results, options.show)
    if options.json:
        options.json.write_text(json.dumps(_as_json(rows, results), indent=1, ensure_ascii=False), encoding="utf-8")


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench.forms", description=__doc__)
    parser.add_argument("--lists", type=Path, action="append", default=[], help="tool lists, one a line (.jsonl, .gz)")
    parser.add_argument(
        "--words", type=Path, help="a JSON object of word lists that replace those of bench/forms/words.py"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=120, help="wrong calls per form")
    parser.add_argument("--valid", type=int, default=20_000, help="valid calls")
    parser.add_argument("--only", action="append", default=[], choices=sorted(FORMS), metavar="FORM")
    parser.add_argument("--show", type=int, default=0, help="print this many examples of each outcome of each form")
    parser.add_argument("--json", type=Path, help="write the rows and all bad answers to this file")
    return parser.parse_args()


def _print_table(rows: Sequence[Row]) -> None:
    print(f"{'form':34}{'calls':>7}{''.join(f'{outcome.value:>9}' for outcome in Outcome)}{'good':>8}{'refill':>8}")
    for row in rows:
        counts = "".join(f"{row.outcomes[outcome]:>9}" for outcome in Outcome)
        print(f"{row.form:34}{row.total:>7}{counts}{row.good / max(1, row.total):>8.1%}{row.refilled or '':>8}")
    total = rows[-1]
    shares = "".join(f"{total.outcomes[outcome] / max(1, total.total):>9.1%}" for outcome in Outcome)
    print(f"{'':41}{shares}")
    print("\ngood: right without a refill, or only facts where nothing more can be known")
    print("refill: retries that ask again for a value which the call held in another spelling")


def _print_costs(results: Sequence[Result]) -> None:
    tokens = sorted(result.judgment.tokens for result in results if result.judgment.text)
    seconds = sorted(result.judgment.seconds for result in results)
    if tokens and seconds:
        most = tokens[len(tokens) * 95 // 100]
        print(f"tokens per answer: median {statistics.median(tokens):.0f}, 95th percentile {most}")
        p50, p99 = statistics.median(seconds) * 1000, seconds[len(seconds) * 99 // 100] * 1000
        print(f"milliseconds per call: median {p50:.2f}, 99th percentile {p99:.2f}, longest {seconds[-1] * 1000:.1f}")


def _print_valid(valid: ValidCalls) -> None:
    print(
        f"valid calls: {valid.total:,}, refused {valid.refused}, altered {valid.altered}, warned about {valid.warned}"
    )


def _print_examples(results: Sequence[Result], most: int) -> None:
    groups = defaultdict[tuple[str, Outcome], list[Result]](list)
    for result in results:
        groups[result.form, result.judgment.outcome].append(result)
    for (form, outcome), found in groups.items():
        print(f"\n== {form}: {outcome.value} ({len(found)})")
        for result in found[:most]:
            print("\n".join(_describe(result)))


def _describe(result: Result) -> list[str]:
    wrong, judgment, source = result.wrong, result.judgment, result.source
    kind = "read-only" if source.tool.is_read_only else "may write"
    lines = [f"-- {source.tools.name}, {source.tool.name} ({kind}) {wrong.note}".rstrip()]
    calls = [("sent", wrong.sent), *(("intended", right) for right in wrong.right[:2])]
    lines += [f"   {label:9} {one.tool} {json.dumps(one.arguments, ensure_ascii=False)[:400]}" for label, one in calls]
    lines += [f"   {judgment.action:9} {line}" for line in judgment.text.splitlines()]
    return [*lines, f"   because   {judgment.why[:400]}"]


def _as_json(rows: Sequence[Row], results: Sequence[Result]) -> dict[str, object]:
    bad = [result for result in results if not result.is_as_good_as_possible]
    return {"rows": [*map(_row_as_json, rows)], "not_good": [*map(_result_as_json, bad)]}


def _row_as_json(row: Row) -> dict[str, object]:
    return {
        "form": row.form,
        "good": row.good,
        "refill": row.refilled,
        **{outcome.value: row.outcomes[outcome] for outcome in Outcome},
    }


def _result_as_json(result: Result) -> dict[str, object]:
    wrong, judgment = result.wrong, result.judgment
    return {
        "form": result.form,
        "outcome": judgment.outcome.value,
        "list": result.source.tools.name,
        "sent": {"name": wrong.sent.tool, "arguments": wrong.sent.arguments},
        "intended": [{"name": right.tool, "arguments": right.arguments} for right in wrong.right],
        "action": judgment.action,
        "text": judgment.text,
        "why": judgment.why,
    }


if __name__ == "__main__":
    main()
