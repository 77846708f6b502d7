"""A report in words, for the model: the fact, then the call to send, then what is needed.

Every line is one of our sentences. Lines come most needed first and are dropped whole when the budget is
spent, so what is left always reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fingerpost.engine.model import Applicability, CallTool, Diagnosis, Report, Severity
from fingerpost.engine.phrases import count_noun, encode_json, join_names, quote, sentence
from fingerpost.engine.safety.redact import clean

_MOST_FACTS = 4


def lines(report: Report, call: str) -> Iterator[str]:
    """Every line worth saying about a report; `call` is its corrected call in one line."""
    if not report.is_refusal:
        yield from _remarks(report, call)
        return
    if report.attempts > 1:
        yield _again(report, call)
        return
    yield from _facts(report)
    if report.corrections:  # the call that failed is not the one that was sent
        yield sentence(note(report))
    yield from map(sentence, report.warnings)
    if call:
        yield call_line(report, call)
    for diagnosis in report.diagnoses:
        yield from _needs(diagnosis, is_corrected=bool(call))
    if report.info_tool and not call and report.diagnoses and _wants_help(report.diagnoses[0]):
        yield f"Help: {help_call(report)}"


def fit_budget(budget: int, said: Iterable[str], heard: str = "") -> Iterator[str]:
    """The lines that fit, each whole and none that was `heard` or said before; only a first one too long is cut."""
    is_first = True
    for line in said:
        if line.rstrip(".") in heard:
            continue
        if _cost(line) > budget:
            if is_first and budget > 0:
                yield line[: budget * len(line) // _cost(line) - 1] + "…"
            return
        heard, is_first = f"{heard}\n{line}", False
        budget -= _cost(line) + 1
        yield line


def _cost(line: str) -> int:
    """Characters, but a script that takes many bytes for each counts for more: replies are bounded in bytes too."""
    return max(len(line), len(line.encode("utf-8", "replace")) * 5 // 8)


def call_line(report: Report, call: str) -> str:
    """The call to send, introduced by how far it may be trusted."""
    if report.applicability is Applicability.HAS_PLACEHOLDERS:
        return f"Fill in: {call}"
    is_tool = any(isinstance(fix.edit, CallTool) for diagnosis in report.diagnoses for fix in diagnosis.fixes)
    return f"Try: {call}" if is_tool else f"Corrected call: {call}"


def note(report: Report) -> str:
    """What was changed on the caller's behalf."""
    return ". ".join(correction.note for correction in report.corrections)


def help_call(report: Report) -> str:
    """The call that explains the tool, or lists the tools where the tool is unknown."""
    if report.corrected is None and any(diagnosis.code == "UNKNOWN_TOOL" for diagnosis in report.diagnoses):
        return f"{report.info_tool}()"
    known = report.corrected.tool if report.corrected else report.call.tool
    return f"{report.info_tool}(tool: {encode_json(clean(known))})"


def has_better_call(report: Report) -> bool:
    """Whether there is a call that would have been better than the one that was let through."""
    return report.corrected is not None and not report.corrections and any(one.fixes for one in report.diagnoses)


def _again(report: Report, call: str) -> str:
    """The answer to a call that has failed before: not the same words, which did not help, but the way out alone."""
    if call:
        is_whole = report.applicability is not Applicability.HAS_PLACEHOLDERS
        return f"{'Send instead' if is_whole else 'Fill in and send'}: {call}"
    if report.server_text:
        return "Same again."
    hint = next((one.hint for one in report.diagnoses if one.hint), "")
    near = [name for one in report.diagnoses for name in one.suggestions.get("similar_tools", ())]
    if hint or not near:
        return sentence(hint) if hint else "Same again."
    return f"Use {join_names(near, limit=5, last='or')} instead."


def _remarks(report: Report, call: str) -> Iterator[str]:
    """What a caller is told beside a result: what was changed, what was ignored, what would have been right."""
    if report.corrections:
        yield sentence(note(report))
    yield from map(sentence, report.warnings)
    if has_better_call(report):
        yield call_line(report, call)
    yield from (sentence(one.hint) for one in report.diagnoses if one.hint and not one.certain_fix)


def _facts(report: Report) -> Iterator[str]:
    ours = [diagnosis for diagnosis in report.diagnoses if not (report.server_text and _is_said(diagnosis))]
    sentences = [one for one in dict.fromkeys(_sentences(ours)) if one.rstrip(".") not in report.server_text]
    more = len(sentences) - _MOST_FACTS + report.more_problems if len(sentences) > _MOST_FACTS else report.more_problems
    if sentences:
        yield " ".join(sentences[:_MOST_FACTS]) + (f" And {count_noun(more, 'more problem')}." if more else "")


def _sentences(found: Sequence[Diagnosis]) -> Iterator[str]:
    """One sentence for each, but all that is simply missing in one."""
    missing = [str(one.details["parameter"]) for one in found if one.joins_missing]
    together = f"Required parameters {join_names(missing)} are missing." if len(missing) > 1 else ""
    for one in found:
        yield together if together and one.joins_missing else sentence(one.message)


def _is_said(diagnosis: Diagnosis) -> bool:
    """Whether the fact is the server's own and stands above ours already."""
    return diagnosis.origin != "call" and diagnosis.category != "validation"


def _wants_help(diagnosis: Diagnosis) -> bool:
    is_ours = diagnosis.origin == "call" and diagnosis.code != "UNKNOWN_TOOL"
    return is_ours and diagnosis.severity is not Severity.CRITICAL


def _needs(diagnosis: Diagnosis, *, is_corrected: bool) -> Iterator[str]:
    """What a caller has to know beside the fact and the corrected call."""
    names = diagnosis.suggestions.get("similar_tools", ())
    if len(names) > 1 or (names and not is_corrected):
        yield f"Similar tools: {join_names(names, limit=5)}."
    readings = [fix.label for fix in diagnosis.fixes if fix.label][:3]
    if not names and readings and not is_corrected:
        got = diagnosis.details.get("got")
        yield f"Nearest{f' to {quote(str(got))}' if got is not None else ''}: {join_names(readings)}."
    if diagnosis.hint:
        yield sentence(diagnosis.hint)
    yield from map(sentence, diagnosis.hints)
    if (categories := diagnosis.suggestions.get("available_categories")) and not is_corrected:
        yield f"Available tools: {', '.join(f'{word} ({count})' for word, count in categories.items())}."
    if diagnosis.code == "UNKNOWN_PARAM" and not diagnosis.fixes and not diagnosis.hint:
        yield f"Parameters: {diagnosis.details['expected']}."
