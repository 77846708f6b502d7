"""`make bench-against REF=…`: the engine of this tree next to that of other commits, measured in turns.

Each commit is unpacked into a temporary folder and measured in processes of its own, one commit after the other in
every round. CPU time is measured, so that other work on the machine matters little. The probe uses only names that
every commit has, and all commits get the same data.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.corpus import TEN, TEN_ARGUMENTS, TWICE_WRONG, WRONG, many_tools
from bench.mistakes import real_names, slips

_ROOT = Path(__file__).resolve().parent.parent
_PROBE = """
import json, sys, time
from functools import partial
clock = time.process_time
start = clock()
import fingerpost
spent = {"import fingerpost": clock() - start}
from fingerpost import Call, Catalog, admit, closest, render
try:
    from fingerpost.engine.matching import Names
except ImportError:
    from fingerpost.matching import Names

def mean(function, loops):
    start = clock()
    for _ in range(loops):
        function()
    return (clock() - start) / loops

def guide(call, catalog):
    return render(admit(call, catalog).report)

data = json.load(open(sys.argv[1], encoding="utf-8"))
small, large = Catalog.listed(data["few"]), Catalog.listed(data["many"])
right = Call(*data["right"])
guide(Call(*data["wrong"][0]), small)
spent["import, list, first wrong call"] = clock() - start
admit(right, small)
spent["right call"] = mean(lambda: admit(right, small), 3000)
for title in ("wrong", "twice wrong"):
    calls = [Call(*call) for call in data[title]]
    each = [mean(partial(guide, call, small), 40) for call in calls for _ in range(2)]
    spent[f"{title}, mean"] = sum(each) / len(each)
    spent[f"{title}, slowest"] = max(map(min, zip(each[::2], each[1::2])))
unknown = [Call(name, {}) for name in data["unknown"]]
guide(unknown[0], large)
spent["unknown tool of 5,000"] = mean(lambda: [guide(call, large) for call in unknown], 3) / len(unknown)
names = Names(data["names"])
closest("serach", names)
spent["closest, 10,000 names"] = mean(lambda: [closest(one, names) for one in data["slips"]], 2) / len(data["slips"])
spent["list of 5,000 tools"] = mean(lambda: Catalog.listed(data["many"]), 2)
print(json.dumps(spent))
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.against", description=__doc__)
    parser.add_argument("refs", nargs="+", metavar="REF", help="commits to compare this tree with")
    parser.add_argument("--rounds", type=int, default=9, help="measurements of each commit (default: 9)")
    options = parser.parse_args()
    with TemporaryDirectory() as scratch:
        data = Path(scratch) / "data.json"
        data.write_text(json.dumps(_data()), encoding="utf-8")
        trees = {ref: _unpack(ref, Path(scratch) / f"tree{index}") for index, ref in enumerate(options.refs)}
        trees["this tree"] = _ROOT / "src"
        _print(_measure(trees, data, options.rounds))
    return 0


def _data() -> dict[str, object]:
    many, names = many_tools(5_000), real_names(10_000)
    return {
        "few": [TEN, *many[:10]],
        "many": many,
        "right": [TEN["name"], TEN_ARGUMENTS],
        "wrong": [[call.tool, call.arguments] for call in WRONG],
        "twice wrong": [[call.tool, call.arguments] for call in TWICE_WRONG],
        "unknown": [name[:4] + name[5:] for name in (tool["name"] for tool in many[::500])],
        "names": list(names),
        "slips": slips(names, 100),
    }


def _unpack(ref: str, folder: Path) -> Path:
    archive = subprocess.check_output(["git", "archive", ref, "src"], cwd=_ROOT)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return folder / "src"


def _measure(trees: dict[str, Path], data: Path, rounds: int) -> dict[str, list[dict[str, float]]]:
    """Return the measurements of each tree; a round without its number writes the compiled modules."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in trees}
    for number in range(rounds + 1):
        for name, source in trees.items():
            environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": ""}
            printed = subprocess.check_output(
                [sys.executable, "-c", _PROBE, str(data)], env=environment, cwd=data.parent
            )
            if number:
                runs[name].append(json.loads(printed))
    return runs


def _print(runs: dict[str, list[dict[str, float]]]) -> None:
    """Print medians in milliseconds, and between which times each tree's half of the measurements lies."""
    first = next(iter(runs))
    print(f"{'CPU ms, median (middle half)':32}" + "".join(f"{name:>28}" for name in runs))
    for line in runs[first][0]:
        cells = [_cell([run[line] * 1e3 for run in measured]) for measured in runs.values()]
        print(f"{line:32}" + "".join(f"{cell:>28}" for cell in cells))


def _cell(values: list[float]) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.4g} ({low:.4g} - {high:.4g})"


if __name__ == "__main__":
    sys.exit(main())
