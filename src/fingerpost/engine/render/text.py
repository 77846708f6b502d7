"""Render a report as text for the model: the fact, then the call to send, then what else is needed.

Lines are ordered by importance. When the budget is used up, whole lines are dropped, so the rest still reads well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Applicability, CallTool, Diagnosis, Drop, Report, Severity
from fingerpost.engine.phrases import count_noun, encode_json, join_names, quote, sentence
from fingerpost.engine.safety.redact import clean

_MOST_FACTS = 4
_MOST_NOTES = 4
_MANY_ITEMS = 3
"""From this many items of a list on, a slip that all of them have is told once."""
_INDEX = lazy_pattern(r"\[\d+\]")
_LABEL = 16
"""The length of the label in front of a call."""


def text_lines(report: Report, call: str, readings: str = "") -> Iterator[str]:
    """Yield the lines for a report, most important first.

    `call` is its corrected call in one line, `readings` the line about several plausible ones.
    """
    if not report.is_refusal:
        yield from _beside_result(report, call, readings)
        return
    if report.attempts > 1:
        yield readings or _answer_again(report, call)
        return
    yield from _fact_lines(report)
    if report.corrections:  # another call failed than the one that was sent
        yield sentence(correction_note(report))
    yield from map(sentence, report.warnings)
    if call or readings:
        yield call_line(report, call) if call else readings
    is_corrected = bool(call or readings)
    for diagnosis in report.diagnoses:
        yield from _advice_lines(diagnosis, is_corrected=is_corrected)
    yield from _references(report, is_corrected=is_corrected)


def _references(report: Report, *, is_corrected: bool) -> Iterator[str]:
    """Yield where to read more: the server's documentation, more of the schema, the info tool."""
    urls = dict.fromkeys(one.documentation_url for one in report.diagnoses if one.documentation_url)
    yield from (f"Docs: {url}" for url in urls if url not in report.server_text)
    yield from report.more_schema
    if report.info_tool and not is_corrected and any(map(_needs_help, report.diagnoses[:1])):
        yield f"Help: {help_call(report)}"


def fit_budget(budget: int, lines: Iterable[str], server_text: str = "") -> Iterator[str]:
    """Yield the lines that fit into the budget, without those that `server_text` or an earlier line contains.

    Lines are dropped whole; only the first is cut if it is too long.
    """
    earlier = server_text
    is_first = True
    for line in lines:
        if line.rstrip(".") in earlier:
            continue
        if _cost(line) > budget:
            if is_first and budget > 0:
                yield line[: budget * len(line) // _cost(line) - 1] + "…"
            return
        earlier, is_first = f"{earlier}\n{line}", False
        budget -= _cost(line) + 1
        yield line


def longest_call(report: Report, budget: int) -> int:
    """Return how long the call to send may be, so that the facts before it fit into the budget too."""
    facts = sum(_cost(line) + 1 for line in _fact_lines(report)) if report.is_refusal else 0
    return min(budget * 3 // 4, max(budget - facts - _LABEL, budget // 3))


def _cost(line: str) -> int:
    """Count characters; text with many bytes per character counts more, because replies are limited in bytes too."""
    return max(len(line), len(line.encode("utf-8", "replace")) * 5 // 8)


def call_line(report: Report, call: str) -> str:
    """Format the call to send, with a label that tells how far it may be trusted."""
    if report.applicability is Applicability.HAS_PLACEHOLDERS:
        return f"Fill in: {call}"
    is_tool = any(isinstance(fix.edit, CallTool) for diagnosis in report.diagnoses for fix in diagnosis.fixes)
    return f"Try: {call}" if is_tool else f"Corrected call: {call}"


def readings_line(calls: Sequence[str], ending: str = "") -> str:
    """Format several calls of which none is preferred; empty if there are not several."""
    return f"Either {', '.join(calls[:-1])} or {calls[-1]}{ending}." if len(calls) > 1 else ""


def correction_note(report: Report) -> str:
    """Describe what was changed on the caller's behalf; of many changes only the first ones."""
    notes = [(correction.note, correction.parameter) for correction in report.corrections]
    return ". ".join(_list_once(notes, _MOST_NOTES, report.same_slips, "more correction", ""))


def _list_once(sentences: Sequence[tuple[str, str]], most: int, more: int, noun: str, qualifier: str) -> list[str]:
    """Return the first sentences, without those that say the same about further items of a list, and count the others.

    Each sentence comes with the place that it is about. `more` is how many others there are; the qualifier is written
    in front of a number that is not exact.
    """
    groups: dict[str, list[str]] = {}
    for text, place in dict(sentences).items():
        groups.setdefault(text.replace(place, _INDEX.sub("[]", place)) if place else text, []).append(text)
    kept = [text for group in groups.values() for text in (group if len(group) < _MANY_ITEMS else group[:1])]
    left = sum(map(len, groups.values())) - len(kept[:most]) + more
    if left and len(groups) == 1 and len(kept) == 1 and "[" in next(iter(groups)):
        return [kept[0], f"The same in {qualifier}{count_noun(left, 'more item')}"]
    return [*kept[:most], *([f"And {qualifier}{count_noun(left, noun)}"] if left else [])]


def help_call(report: Report) -> str:
    """Format the call that explains the tool, or that lists the tools if the tool is unknown."""
    if report.corrected is None and any(diagnosis.code == "UNKNOWN_TOOL" for diagnosis in report.diagnoses):
        return f"{report.info_tool}()"
    tool = report.corrected.tool if report.corrected else report.call.tool
    return f"{report.info_tool}(tool: {encode_json(clean(tool))})"


def has_better_call(report: Report) -> bool:
    """Whether a better call is known than the one that was forwarded."""
    fixes = [fix for one in report.diagnoses for fix in one.fixes if not isinstance(fix.edit, Drop)]
    return report.corrected is not None and not report.corrections and bool(fixes)


def _answer_again(report: Report, call: str) -> str:
    """Answer a call that has failed before: only what to do instead, because the full text did not help."""
    if call:
        is_whole = report.applicability is not Applicability.HAS_PLACEHOLDERS
        return f"{'Send instead' if is_whole else 'Fill in and send'}: {call}"
    if report.server_text:
        return "Same again."
    hint = next((one.hint for one in report.diagnoses if one.hint), "")
    near = [fix.label for one in report.diagnoses for fix in one.fixes if isinstance(fix.edit, CallTool)]
    tools = next((one.suggestions.get("similar_tools", ()) for one in report.diagnoses), ())
    if hint and tools:  # a hint to choose needs the names again
        return f"Similar tools: {join_names(tools, limit=5)}. {sentence(hint)}"
    if hint or not near:
        return sentence(hint) if hint else "Same again."
    return f"Use {join_names(near, limit=5, last='or')} instead."


def _beside_result(report: Report, call: str, readings: str) -> Iterator[str]:
    """Yield the lines beside a result: what was changed, what was ignored, which call would be better."""
    if report.corrections:
        yield sentence(correction_note(report))
    yield from map(sentence, report.warnings)
    if readings or has_better_call(report):
        yield readings or call_line(report, call)
    yield from (sentence(one.hint) for one in report.diagnoses if one.hint and not one.certain_fix)


def _fact_lines(report: Report) -> Iterator[str]:
    ours = [diagnosis for diagnosis in report.diagnoses if not (report.server_text and _repeats_server(diagnosis))]
    facts = [one for one in _fact_sentences(ours) if one[0].rstrip(".") not in report.server_text]
    if facts:
        qualifier = "at least " if report.may_have_more else ""
        yield " ".join(map(sentence, _list_once(facts, _MOST_FACTS, report.more_problems, "more problem", qualifier)))


def _fact_sentences(found: Sequence[Diagnosis]) -> Iterator[tuple[str, str]]:
    """Yield one sentence for each diagnosis with its place, but only one for all missing parameters."""
    missing = [str(one.details["parameter"]) for one in found if one.joins_missing]
    together = f"Required parameters {join_names(missing)} are missing." if len(missing) > 1 else ""
    for one in found:
        if together and one.joins_missing:
            yield together, ""
        else:
            yield sentence(_locate(one)), str(one.details.get("parameter", ""))


def _locate(diagnosis: Diagnosis) -> str:
    """Return the message, with the place in front if that is an item of a list that the message does not name."""
    place = str(diagnosis.details.get("parameter", ""))
    is_item = "step" in diagnosis.details or any(isinstance(step, int) for step in diagnosis.at)
    is_named = not is_item or not place or place in diagnosis.message
    return diagnosis.message if is_named else f"{place}: {diagnosis.message}"


def _repeats_server(diagnosis: Diagnosis) -> bool:
    """Whether the fact comes from the server, whose text already contains it."""
    return diagnosis.origin != "call" and diagnosis.category != "validation" and not diagnosis.is_news


def _needs_help(diagnosis: Diagnosis) -> bool:
    is_ours = diagnosis.origin == "call" and diagnosis.code != "UNKNOWN_TOOL"
    return is_ours and diagnosis.severity is not Severity.CRITICAL


def _advice_lines(diagnosis: Diagnosis, *, is_corrected: bool) -> Iterator[str]:
    """Yield what a caller has to know besides the fact and the corrected call."""
    yield from _similar_names(diagnosis, is_corrected=is_corrected)
    if diagnosis.hint and not (is_corrected and diagnosis.is_hint_in_call):
        yield sentence(diagnosis.hint)
    yield from map(sentence, diagnosis.hints)
    if not is_corrected and not diagnosis.is_hint_in_call:  # the tools that the hint shows say more
        yield from _available_tools(diagnosis)
    has_names = any(fix.label for fix in diagnosis.fixes)
    if diagnosis.code == "UNKNOWN_PARAM" and not (has_names or diagnosis.hint or is_corrected):
        yield f"Parameters: {diagnosis.details['expected']}."


def _available_tools(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield all tools of a short list; of a longer one some, and how many begin with which word."""
    names: Sequence[str] = diagnosis.suggestions.get("available_tools", ())
    categories: Mapping[str, int] = diagnosis.suggestions.get("available_categories", {})
    if names:
        are_all = _lists_every_tool(diagnosis)
        yield f"{'Available tools' if are_all else 'For example'}: {join_names(names, limit=8)}."
        categories = {} if are_all else categories
    if categories:
        yield f"Available tools: {', '.join(f'{word} ({count})' for word, count in categories.items())}."


def _lists_every_tool(diagnosis: Diagnosis) -> bool:
    names = diagnosis.suggestions.get("available_tools", ())
    return bool(names) and len(names) == sum(diagnosis.suggestions.get("available_categories", {}).values())


def _similar_names(diagnosis: Diagnosis, *, is_corrected: bool) -> Iterator[str]:
    tools = diagnosis.suggestions.get("similar_tools", ())
    if not is_corrected and _lists_every_tool(diagnosis):
        return
    if len(tools) > 1 or (tools and not is_corrected):
        yield f"Similar tools: {join_names(tools, limit=3 if is_corrected else 5)}."
    labels = [fix.label for fix in diagnosis.fixes if fix.label][:3]
    if labels and not tools and not is_corrected:
        got = diagnosis.details.get("received_value", diagnosis.details.get("got"))
        yield f"Nearest{f' to {quote(str(got))}' if got is not None else ''}: {join_names(labels)}."
