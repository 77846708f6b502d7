"""Run the forms over the tool lists: a sample of wrong calls per form, each judged, the same for the same seed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from random import Random

from bench.forms import harm, names, shapes, spellings
from bench.forms.case import FORMS, Form, Source, WrongCall
from bench.forms.intended import generate_call
from bench.forms.judge import Judgment, Outcome, judge
from bench.forms.lists import ToolList
from bench.forms.words import Words
from fingerpost import admit
from fingerpost.engine.model import Call
from fingerpost.engine.tool import Tool

MODULES = (harm, spellings, shapes, names)
"""The modules whose import registers the forms."""

_PER_TOOL, _ROUNDS = 2, 8


@dataclass(frozen=True, slots=True)
class Result:
    """One judged wrong call."""

    form: str
    source: Source
    wrong: WrongCall
    judgment: Judgment

    @property
    def is_as_good_as_possible(self) -> bool:
        """Whether the answer is right, or only facts where nothing more can be known."""
        if self.judgment.is_refilled and self.wrong.best == "retry":
            return False
        good = (Outcome.AT_ONCE, Outcome.RETRY, *((Outcome.FACTS,) if self.wrong.best == "facts" else ()))
        return self.judgment.outcome in good


def run_forms(
    lists: Sequence[ToolList], words: Words, *, seed: int, cases: int, only: Iterable[str] = ()
) -> Iterator[Result]:
    """Judge up to `cases` wrong calls of each form, spread over the lists."""
    chosen = [FORMS[name] for name in only] or list(FORMS.values())
    for form in chosen:
        yield from islice(_run_form(form, lists, words, seed), cases * (4 if form.section == "classic" else 1))


def _run_form(form: Form, lists: Sequence[ToolList], words: Words, seed: int) -> Iterator[Result]:
    """Take one tool of each list in turn, then those again that the form applies to, with other calls."""
    random = Random(f"{seed}/{form.name}")
    tools = list(_in_turns(lists, random))
    for number in range(_ROUNDS):
        fruitful = list[tuple[ToolList, Tool]]()
        for listed, tool in tools:
            found = list(_apply(form, listed, tool, words, random, f"{seed}/{number}"))
            fruitful += [(listed, tool)] if found else []
            yield from found
        tools = fruitful


def _apply(form: Form, tools: ToolList, tool: Tool, words: Words, random: Random, seed: str) -> Iterator[Result]:
    for call in _valid_calls(tools, tool, seed):
        source = Source(tools, tool, call, random, words)
        if found := [wrong for wrong in form.generate(source) if not _is_valid(wrong, tools)]:
            yield from (_judge(form, source, wrong) for wrong in found)
            return


def _is_valid(wrong: WrongCall, tools: ToolList) -> bool:
    """Whether the form produced a call that is right after all: nothing may be said about it."""
    tool = tools.catalog.get(wrong.sent.tool)
    return tool is not None and tool.accepts(wrong.sent.arguments)


@cache
def _valid_calls(tools: ToolList, tool: Tool, seed: str) -> tuple[Call, ...]:
    """A few valid calls of a tool, the same for every form."""
    random = Random(f"{seed}/{tools.name}/{tool.name}")
    calls = [generate_call(tool, random) for _ in range(_PER_TOOL)]
    return tuple(call for call in calls if call is not None and admit(call, tools.catalog).action == "forward")


def _judge(form: Form, source: Source, wrong: WrongCall) -> Result:
    name = f"classic {wrong.note}" if form.section == "classic" else form.name
    return Result(name, source, wrong, judge(wrong, source))


def _in_turns(lists: Sequence[ToolList], random: Random) -> Iterator[tuple[ToolList, Tool]]:
    """Yield every tool: the lists in order, one random tool of each, until all are used up."""
    waiting = [(tools, random.sample(every, len(every))) for tools in lists if (every := list(tools.catalog))]
    while waiting:
        for tools, left in waiting:
            yield tools, left.pop()
        waiting = [(tools, left) for tools, left in waiting if left]


@dataclass(frozen=True, slots=True)
class Row:
    """The outcomes of a form."""

    form: str
    outcomes: Counter[Outcome]
    good: int
    """How many answers were as good as possible."""
    refilled: int
    """How many retries need a value again that the call held in another spelling."""

    @property
    def total(self) -> int:
        return self.outcomes.total()


def tabulate(results: Sequence[Result]) -> list[Row]:
    by_form = defaultdict[str, list[Result]](list)
    for result in results:
        by_form[result.form].append(result)
    rows = [_row(name, found) for name, found in by_form.items()]
    return [*rows, _row("total", results)]


def _row(name: str, results: Sequence[Result]) -> Row:
    outcomes = Counter(result.judgment.outcome for result in results)
    good = sum(result.is_as_good_as_possible for result in results)
    return Row(name, outcomes, good, sum(result.judgment.is_refilled for result in results))


@dataclass(frozen=True, slots=True)
class ValidCalls:
    """What happened to valid calls."""

    total: int
    refused: int
    altered: int
    warned: int


def run_valid_calls(lists: Sequence[ToolList], *, seed: int, count: int) -> ValidCalls:
    """Send valid calls over all lists; nothing may happen to any of them."""
    random, seen = Random(seed), Counter[str]()
    every = [(tools, tool) for tools in lists for tool in tools.catalog]
    while seen["total"] < count and every:
        for tools, tool in every:
            call = generate_call(tool, random)
            if call is not None and seen["total"] < count:
                verdict = admit(call, tools.catalog)
                seen["total"] += 1
                seen["refused"] += verdict.action in ("refuse", "ask")
                seen["altered"] += verdict.call != call
                seen["warned"] += bool(verdict.report.warnings or verdict.report.diagnoses)
    return ValidCalls(seen["total"], seen["refused"], seen["altered"], seen["warned"])
