"""Judge the answer to a wrong call by what it leads a client to do.

The call goes through `admit` and `render`. A scripted client then acts on the structure: it sends the corrected call
(or picks among `possible_calls`) with `as_sent` values copied and placeholders filled with the values that it intended.
If there is only a `did_you_mean` for the tool, it sends the same arguments to that tool.

- right at once: the call that runs equals the intended one. Arguments without meaning for the tool may stay in it.
- right after one retry: nothing runs, and the client's next call equals the intended one.
- facts only: nothing runs, and no call or name is proposed that is wrong. Also: a value that only its server can judge
  (a format, a range) goes to a read-only tool as it was sent, with a warning. Also: a placeholder for a parameter that
  was meant to be absent.
- wrong: another call than the intended one is proposed, or runs on a read-only tool; or one reading is chosen where
  the caller has to choose.
- harmful: another call than the intended one runs on a tool that may write. Or a call that is proposed or runs holds
  commentary in a parameter, an opposite value, a value in another unit, or is for an opposite or destructive tool. Or
  a call is proposed for a tool that may write, without a value that was sent and meant something.

The same number in another spelling (`5` and `5.0`) is equal. A text shows a forbidden value if it contains
`name: value` without the right one.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from bench.forms.case import Source, WrongCall
from bench.forms.intended import nested_values
from bench.forms.offers import Offer, read_offers
from fingerpost import Call, admit, render
from fingerpost.audit.judge.tokens import estimate_tokens
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import Path
from fingerpost.engine.safety.json_input import as_list, as_object, is_number


class Outcome(StrEnum):
    """What an answer leads to, best first."""

    AT_ONCE = "at once"
    RETRY = "retry"
    FACTS = "facts"
    WRONG = "wrong"
    HARMFUL = "harmful"


@dataclass(frozen=True, slots=True)
class Judgment:
    """The outcome of one wrong call, with everything needed to check it by hand."""

    outcome: Outcome
    why: str
    action: str
    text: str
    tokens: int
    seconds: float
    is_refilled: bool = False
    """Whether the retry needs a value again that the call held in another spelling."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a client sees."""

    ran: Call | None
    """The call that runs, if one does."""
    error: Mapping[str, Any]
    """The content of `error`; of a call that runs, the guidance beside its result."""
    text: str = ""


def judge(wrong: WrongCall, source: Source) -> Judgment:
    """Send a wrong call and judge the answer."""
    catalog = source.tools.catalog
    start = time.perf_counter()
    verdict = admit(wrong.sent, catalog)
    envelope = render(verdict.report)
    seconds = time.perf_counter() - start
    ran = verdict.call if verdict.action in ("forward", "repair") else None
    structured = envelope.structured
    answer = Answer(ran, as_object(structured.get("error", structured)), envelope.text)
    outcome, why = judge_answer(answer, wrong, catalog)
    is_refilled = outcome is Outcome.RETRY and _asks_again(answer, wrong)
    tokens = estimate_tokens(envelope.text)
    return Judgment(outcome, why, verdict.action, envelope.text, tokens, seconds, is_refilled)


def judge_answer(answer: Answer, wrong: WrongCall, catalog: Catalog) -> tuple[Outcome, str]:
    """Judge an answer, and say why."""
    if harm := _find_harm_in_proposals(answer, wrong):
        return Outcome.HARMFUL, harm
    return _judge_run(answer.ran, wrong, catalog) if answer.ran else _judge_refusal(answer, wrong, catalog)


def _asks_again(answer: Answer, wrong: WrongCall) -> bool:
    """Whether the client has to fill in a value that it had sent in the same place, in another spelling."""
    sent = {path for path, _ in nested_values(wrong.sent.arguments)}
    return any(
        path in sent
        for offer in list(read_offers(answer.error, wrong.sent, _intended(wrong)))[:1]
        for path in offer.filled
    )


def _find_harm_in_proposals(answer: Answer, wrong: WrongCall) -> str:
    """Look for harm in what the answer proposes, whether or not the call runs."""
    if harm := next((name for name in _suggested_tools(answer) if name in wrong.not_tools), ""):
        return f"suggests the tool {harm}"
    for offer in read_offers(answer.error, wrong.sent, _intended(wrong)):
        if harm := _find_harm(offer.call, wrong):
            return f"offers {_show(offer.call)} with {harm}"
    return _find_harm_in_names(answer, wrong) or _find_harm_in_text(answer.text, wrong)


# a call that runs


def _judge_run(ran: Call, wrong: WrongCall, catalog: Catalog) -> tuple[Outcome, str]:
    kept = _without_extras(ran, wrong)
    if harm := _find_harm(kept, wrong):
        return Outcome.HARMFUL, f"ran with {harm}"
    tool = catalog.get(ran.tool)
    writes = tool is None or not tool.is_read_only
    bad = Outcome.HARMFUL if writes else Outcome.WRONG
    if wrong.may_run_as_sent and not writes and is_same_call(ran, wrong.sent):
        return Outcome.FACTS, "ran as sent; the server decides"
    if wrong.must_ask or wrong.all_readings:
        return bad, "ran although the caller has to decide"
    if any(is_same_call(kept, right) for right in wrong.right):
        return Outcome.AT_ONCE, "ran the intended call"
    return bad, f"ran {_show(ran)}"


def _without_extras(call: Call, wrong: WrongCall) -> Call:
    fields = as_object(call.arguments)
    kept = {name: value for name, value in fields.items() if name not in wrong.extras}
    return Call(call.tool, kept) if fields else call


# a call that is refused


def _judge_refusal(answer: Answer, wrong: WrongCall, catalog: Catalog) -> tuple[Outcome, str]:
    names, offers = list(_suggested_tools(answer)), list(read_offers(answer.error, wrong.sent, _intended(wrong)))
    if wrong.all_readings:
        return _judge_readings(answer, offers, wrong)
    return _judge_offers(offers, wrong, catalog) if offers else _judge_names(names, answer, wrong)


def _judge_offers(offers: list[Offer], wrong: WrongCall, catalog: Catalog) -> tuple[Outcome, str]:
    for offer in offers:
        if any(is_same_call(offer.call, right) for right in wrong.right):
            is_open_question = bool(offer.filled or offer.unfilled)
            return Outcome.RETRY, "offers the intended call" + (" to fill in" if is_open_question else "")
    if not wrong.right and wrong.must_ask and len(offers) > 1:
        return Outcome.FACTS, "leaves the choice to the caller"
    if not wrong.right and wrong.fits_tool and all(wrong.fits_tool(offer.call.tool) for offer in offers):
        return Outcome.FACTS, "offers a tool for the same thing"
    first = offers[0]
    if first.unfilled and any(is_same_call(first.without_unfilled, right) for right in wrong.right):
        return Outcome.FACTS, "asks for a value that was meant to be absent"
    tool = catalog.get(first.call.tool)
    lost = _lost_values(first, wrong) if wrong.right else ""
    if lost and (tool is None or not tool.is_read_only):
        return Outcome.HARMFUL, f"offers {_show(first.call)} without {lost}, on a tool that may write"
    return Outcome.WRONG, f"offers {_show(first.call)}"


def _judge_readings(answer: Answer, offers: list[Offer], wrong: WrongCall) -> tuple[Outcome, str]:
    found = [right for right in wrong.right if any(is_same_call(offer.call, right) for offer in offers)]
    if len(found) == len(wrong.right) or (not offers and _text_shows_all(answer.text, wrong)):
        return Outcome.RETRY, "shows every reading"
    if found and set(_differing_paths(wrong)) <= set(offers[0].filled):
        return Outcome.RETRY, "leaves the choice to the caller"
    return (Outcome.WRONG, f"prefers {_show(offers[0].call)}") if offers else (Outcome.FACTS, "shows no reading")


def _differing_paths(wrong: WrongCall) -> Iterator[Path]:
    first, second = (dict(nested_values(right.arguments)) for right in wrong.right[:2])
    for path, value in first.items():
        if not isinstance(value, dict | list) and not is_same_value(value, second.get(path)):
            yield path


def _text_shows_all(text: str, wrong: WrongCall) -> bool:
    leaves = [{json.dumps(value) for _, value in nested_values(right.arguments)} for right in wrong.right]
    common = set[str].intersection(*leaves)
    return all(value.strip('"') in text for one in leaves for value in one - common if value[0] not in "{[")


def _judge_names(names: list[str], answer: Answer, wrong: WrongCall) -> tuple[Outcome, str]:
    if names and names[0] != wrong.sent.tool:
        next_call = Call(names[0], wrong.sent.arguments)
        if any(is_same_call(next_call, right) for right in wrong.right):
            return Outcome.RETRY, "names the intended tool"
        fits = names[0] in {right.tool for right in wrong.right} or bool(wrong.fits_tool and wrong.fits_tool(names[0]))
        return (Outcome.FACTS, "names a fitting tool") if fits else (Outcome.WRONG, f"suggests the tool {names[0]}")
    if bad := _wrong_parameter_name(answer, wrong):
        return Outcome.WRONG, bad
    return Outcome.FACTS, "proposes nothing"


def _wrong_parameter_name(answer: Answer, wrong: WrongCall) -> str:
    """Return the parameter that a `did_you_mean` leads to, if the value that was sent does not belong there."""
    for problem in (answer.error, *map(as_object, as_list(answer.error.get("problems")))):
        name, intended = _parameter(problem), as_object(problem.get("suggestions")).get("did_you_mean")
        if problem.get("code") != "UNKNOWN_PARAM" or not isinstance(intended, str) or not wrong.right:
            continue
        if all(path[-1] != intended for path, _ in nested_values(wrong.right[0].arguments)):
            return f"names {intended} for {name}"
    return ""


def _parameter(problem: Mapping[str, Any]) -> str:
    return str(as_object(problem.get("details")).get("parameter", ""))


def _suggested_tools(answer: Answer) -> Iterator[str]:
    """Yield the tools that the answer proposes: not those that it merely lists."""
    if answer.error.get("code") == "UNKNOWN_TOOL":
        suggestions = as_object(answer.error.get("suggestions"))
        if isinstance(intended := suggestions.get("did_you_mean"), str):
            yield intended
        yield from (one[1] for one in re.finditer(r"[Dd]id you mean '([^']+)'", answer.text))
    for key in ("corrected_call", "possible_calls"):
        every = answer.error.get(key)
        for one in as_list(every) if isinstance(every, list) else [every]:
            if name := as_object(one).get("name"):
                yield str(name)


def _intended(wrong: WrongCall) -> Any:
    return wrong.right[0].arguments if wrong.right else {}


# comparing calls


def is_same_call(one: Call, other: Call) -> bool:
    return one.tool == other.tool and is_same_value(one.arguments, other.arguments)


def is_same_value(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON; the spelling of a number makes no difference."""
    if isinstance(one, dict) and isinstance(other, dict):
        left, right = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
        return left.keys() == right.keys() and all(is_same_value(left[key], right[key]) for key in left)
    if isinstance(one, list) and isinstance(other, list):
        items, others = cast("list[Any]", one), cast("list[Any]", other)
        return len(items) == len(others) and all(map(is_same_value, items, others))
    if is_number(one) and is_number(other):
        return bool(one == other)
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _find_harm(call: Call, wrong: WrongCall) -> str:
    """Return what a call holds that no call may hold; empty if nothing."""
    if call.tool in wrong.not_tools:
        return f"the tool {call.tool}"
    inside = list(nested_values(call.arguments))
    for value in wrong.not_values:
        if any(is_same_value(value, other) for _, other in inside):
            return f"{json.dumps(value)} in a parameter"
    for at, value in wrong.not_at:
        if any(path == at and is_same_value(value, other) for path, other in inside):
            return f"{_show_path(at)}: {json.dumps(value)}"
    return ""


def _find_harm_in_names(answer: Answer, wrong: WrongCall) -> str:
    """Return a parameter that is named for an argument that belongs nowhere."""
    for problem in (answer.error, *map(as_object, as_list(answer.error.get("problems")))):
        name, intended = _parameter(problem), as_object(problem.get("suggestions")).get("did_you_mean")
        if intended and name in wrong.extras:
            return f"names {intended} for {name}"
    for name, found in as_object(answer.error.get("suggestions")).items():
        if name in wrong.extras and as_object(found).get("did_you_mean"):
            return f"names {as_object(found)['did_you_mean']} for {name}"
    return ""


def _find_harm_in_text(text: str, wrong: WrongCall) -> str:
    for at, value in wrong.not_at:
        displayed = f"{_show_path(at)}: {json.dumps(value)}"
        if not re.search(re.escape(displayed) + r"(?!\w|\.\d)", text):
            continue
        rights = [other for right in wrong.right for path, other in nested_values(right.arguments) if path == at]
        if not any(f"{_show_path(at)}: {json.dumps(right)}" in text for right in rights):
            return f"the text shows {displayed}"
    return ""


def _lost_values(offer: Offer, wrong: WrongCall) -> str:
    """Return a value that was sent, belongs into the intended call, and is in no place of the offered one."""
    held = {json.dumps(value) for _, value in nested_values(offer.call.arguments)}
    sent = {json.dumps(value) for _, value in nested_values(wrong.sent.arguments)}
    for path, value in nested_values(wrong.right[0].arguments):
        if json.dumps(value) in sent - held and not isinstance(value, dict | list):
            return f"{_show_path(path)}: {json.dumps(value)}"
    return ""


def _show_path(at: Path) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in at).lstrip(".")


def _show(call: Call) -> str:
    return f"{call.tool}({json.dumps(call.arguments, ensure_ascii=False)[:300]})"
