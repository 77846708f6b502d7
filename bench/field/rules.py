"""The rules by which the answers to wrong calls are judged. The text of each is the first paragraph of its function.

They read the server's list of tools, the wrong call, what reached the server and what the client got; no function of
the engine decides about them. Schemas are checked by another validator than the engine's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from bench.field.case import Case, is_destructive, is_failure, may_write, mentions_unknown, says_unknown, words
from bench.field.names import drop_prefix, find_calls, find_unknown_name, listed_names
from bench.field.schema_check import find_errors, find_fault, leaf_values, show_call, undeclared_arguments
from bench.forms.judge import is_same_call, is_same_value
from bench.forms.offers import read_offers
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings

Rule: TypeAlias = "Callable[[Case], str | None]"
"""Returns what is wrong; empty if nothing is, None if the rule does not concern the case."""

_BUDGET = 800
_NAMED_GROUPS = ("tool", "parameter", "required", "type", "choice", "range", "null", "length")


def one_reply(case: Case) -> str | None:
    """Every call gets a reply, which has either a result or an error."""
    count = sum(part in case.first.reply for part in ("result", "error"))
    return "" if count == 1 else f"{count} of result and error"


def sent_once(case: Case) -> str | None:
    """A call reaches the server once. It may reach it again, under the repaired name, only if the first name is not on
    the list and the server's reply to it says that there is no such tool, and nothing else."""
    if case.last is None:
        return None
    for before in case.first.passed[:-1]:
        if case.tool(before.call.tool) is not None or not says_unknown(before):
            return f"{before.call.tool} was called, then {case.first.passed[-1].call.tool}"
    return ""


def name_kept(case: Case) -> str | None:
    """No call runs under another name, apart from its spelling: a prefix that names no server (`functions.`) or this
    server is dropped, and `addRow` is `add_row`, which has the same letters and digits. A destructive tool runs only
    under its exact name behind such a prefix. The name of another server is dropped for read-only tools only."""
    if case.changed is None or case.changed.tool == case.first.sent.tool:
        return None
    sent, ran = case.first.sent.tool, case.changed.tool
    tool = case.tool(ran)
    if tool is None:
        return f"{ran} ran, which is not listed"
    bare = drop_prefix(sent, case.server)
    if ran in bare:
        return ""
    if "".join(words(ran)) in {"".join(words(name)) for name in bare} and not is_destructive(tool):
        return ""
    if not may_write(tool) and sent.endswith(ran):
        return ""
    return f"{ran} ran for {sent}"


def change_is_valid(case: Case) -> str | None:
    """A call that the proxy changed is valid by the schema of its tool, and has no argument that the schema does not
    declare."""
    return find_fault(case.changed, case) if case.changed else None


def change_is_meant(case: Case) -> str | None:
    """A call that the proxy changed is the call that the mistake was made from, if the wrong call still tells which. On
    a read-only tool, it may leave out what was added to it, and keep what the schema allows."""
    if case.changed is None or not case.mistake.is_repairable:
        return None
    if is_same_call(case.changed, case.mistake.right):
        return ""
    tool = case.tool(case.changed.tool)
    if tool is not None and not may_write(tool):
        ran, meant = as_object(case.changed.arguments), as_object(case.mistake.right.arguments)
        if case.changed.tool == case.mistake.right.tool and all(
            is_same_value(ran[name], meant[name]) for name in ran if name in meant
        ):
            return ""
    return f"{show_call(case.changed)} ran, {show_call(case.mistake.right)} was meant"


def nothing_undeclared(case: Case) -> str | None:
    """An argument that the schema does not declare never reaches a tool that may write, unless the schema says that it
    takes others."""
    tool = case.tool(case.mistake.right.tool)
    if tool is None or not may_write(tool) or not undeclared_arguments(case.first.sent, tool):
        return None
    reached = [passed.call for passed in case.first.passed if passed.call.tool == tool["name"]]
    return next((f"{name} reached it" for call in reached for name in undeclared_arguments(call, tool)), "")


def null_forwarded(case: Case) -> str | None:
    """To a tool that may write, `null` for an optional parameter goes as it is: for some servers it means "clear"."""
    tool = case.tool(case.mistake.call.tool)
    if tool is None or not may_write(tool) or case.mistake.kind != "null.optional":
        return None
    is_forwarded = case.last is not None and case.changed is None
    return "" if is_forwarded else f"{case.mistake.culprit} did not reach it"


def parameters_kept(case: Case) -> str | None:
    """On a tool that may write, a parameter is renamed only if the name that was sent has the same letters and digits
    (`dryRun` and `dry_run`)."""
    if case.changed is None or case.mistake.group != "parameter" or not may_write(case.tool(case.changed.tool) or {}):
        return None
    sent = {"".join(words(name)) for name in as_object(case.first.sent.arguments)}
    other = [name for name in as_object(case.changed.arguments) if "".join(words(name)) not in sent]
    return f"{other[0]} was not sent" if other else ""


def values_kept(case: Case) -> str | None:
    """A changed call of a tool that may write has every value that was sent, `null` included, and no other. Another
    spelling is the same value: `"50"` and 50, JSON in a string, one item and a list of it, upper and lower case."""
    if case.changed is None or not may_write(case.tool(case.changed.tool) or {}):
        return None
    sent, ran = leaf_values(case.first.sent.arguments), leaf_values(case.changed.arguments)
    if lost := sent - ran:
        return f"{sorted(lost)[0]} was lost"
    return f"{sorted(ran - sent)[0]} was invented" if ran - sent else ""


def culprit_named(case: Case) -> str | None:
    """A refusal names the tool or the parameter that is wrong, as it was sent; a missing parameter by its own name."""
    mistake = case.mistake
    if not case.first.is_refused or mistake.group not in _NAMED_GROUPS:
        return None
    sent = as_object(mistake.call.arguments)
    name = mistake.culprit
    if mistake.group == "tool":
        name = mistake.call.tool
    elif mistake.group == "parameter":
        name = next((one for one in sent if one not in as_object(mistake.right.arguments)), name)
    whole = case.added_text + json.dumps(case.error.get("problems", case.error.get("details", "")))
    return "" if name in whole else f"{name} is not named"


def offers_are_valid(case: Case) -> str | None:
    """Every call that is offered is for a listed tool, and with its placeholders filled in it is valid by the schema
    and has only declared arguments."""
    offers = list(read_offers(case.error, case.first.sent, case.mistake.right.arguments))
    for offer in offers:
        if not offer.unfilled and (fault := find_fault(offer.call, case)):
            return f"{show_call(offer.call)}: {fault}"
        if case.tool(offer.call.tool) is None:
            return f"{offer.call.tool} is not listed"
    return "" if offers else None


def sure_offer_is_meant(case: Case) -> str | None:
    """A corrected call that is marked `machine_applicable` is the call that the mistake was made from, if the wrong
    call still tells which."""
    corrected = as_object(case.error.get("corrected_call"))
    grade = corrected.get("when_filled", corrected.get("applicability"))
    if grade != "machine_applicable" or not case.mistake.is_repairable:
        return None
    offer = next(read_offers(case.error, case.first.sent, case.mistake.right.arguments))
    is_meant = is_same_call(offer.call, case.mistake.right)
    return "" if is_meant else f"{show_call(offer.call)} is offered, {show_call(case.mistake.right)} was meant"


def offer_converges(case: Case) -> str | None:
    """The offered call, filled in and sent, reaches the server exactly as it is."""
    if case.resent is None:
        return None
    if case.resent.is_refused:
        return f"{show_call(case.resent.sent)} was refused"
    ran = case.resent.passed[-1].call
    return "" if is_same_call(ran, case.resent.sent) else f"{show_call(ran)} ran for {show_call(case.resent.sent)}"


def failure_kept(case: Case) -> str | None:
    """If the server's reply is a failure, the client gets all of its text, first and unchanged; of a protocol error the
    code, the message and the data, in place or under our key. A result that says only that there is no such tool may be
    replaced by guidance that says so too."""
    if case.last is None or not is_failure(case.last.reply):
        return None
    error = as_object(case.last.reply.get("error"))
    if not error:
        if says_unknown(case.last) and case.error.get("code") == "UNKNOWN_TOOL":
            return ""
        return _find_lost_part(case, as_object(case.last.reply.get("result")))
    kept = as_object(case.first.reply.get("error")) or _server_error(case.guidance)
    for part in ("code", "message"):
        if kept.get(part) != error.get(part):
            return f"{part} {error.get(part)!r} became {kept.get(part)!r}"
    data, got = error.get("data"), kept.get("data")
    is_kept = data is None or got == data or as_object(data).items() <= as_object(got).items()
    return "" if is_kept else f"data {data!r} became {got!r}"


def _server_error(guidance: Mapping[str, Any]) -> dict[str, Any]:
    return as_object(guidance.get("server_error"))


def success_kept(case: Case) -> str | None:
    """If the server's reply is a success, the client gets all of it, first and unchanged."""
    if case.last is None or is_failure(case.last.reply) or not case.last.reply or says_unknown(case.last):
        return None
    if is_failure(case.first.reply):
        return "a success became a failure"
    return _find_lost_part(case, as_object(case.last.reply.get("result")))


def _find_lost_part(case: Case, own: Mapping[str, Any]) -> str:
    blocks = as_list(own.get("content"))
    if as_list(case.result.get("content"))[: len(blocks)] != blocks:
        return "its content is not first, or not the same"
    for name, value in own.items():
        if name not in ("content", "_meta") and case.result.get(name) != value:
            return f"{name} is not the same"
    return ""


def not_found_is_true(case: Case) -> str | None:
    """A tool is said to be not found only if it is not on the list, and the server itself said that it does not know
    it."""
    if not re.search(r"Tool '.*' not found", f"{case.error.get('message')} {case.added_text}"):
        return None
    if case.tool(case.first.sent.tool) is not None:
        return f"{case.first.sent.tool} is on the list"
    return "" if case.last and mentions_unknown(case.last) else "the server did not say so"


def claims_are_true(case: Case) -> str | None:
    """What is claimed about a parameter agrees with the schema: an unknown one is not declared, a missing one is
    required and absent, and the value of one with a wrong type, choice, range or length is not valid."""
    tool = case.tool(case.first.sent.tool)
    if tool is None or not case.error or not isinstance(case.first.sent.arguments, dict):
        return None
    return next(filter(None, (_find_false_claim(one, tool, case.first.sent) for one in _problems(case))), "")


def _problems(case: Case) -> list[dict[str, Any]]:
    return [as_object(one) for one in as_list(case.error.get("problems"))] or [case.error]


def _find_false_claim(problem: Mapping[str, Any], tool: Mapping[str, Any], sent: Call) -> str:
    name, code = str(as_object(problem.get("details")).get("parameter", "")), problem.get("code")
    schema, arguments = as_object(tool.get("inputSchema")), as_object(sent.arguments)
    declared = as_object(schema.get("properties"))
    if not name or re.search(r"[.\[]", name):  # inside an object; the validator below does not name such a place
        return ""
    if code == "UNKNOWN_PARAM" and name in declared:
        return f"{name} is declared"
    if code == "MISSING_REQUIRED" and (name not in as_strings(schema.get("required")) or name in arguments):
        return f"{name} is not required, or it was sent"
    if code in ("INVALID_TYPE", "INVALID_CHOICE", "OUT_OF_RANGE", "INVALID_LENGTH") and name in arguments:
        alone: dict[str, Any] = {**schema, "required": []}
        if name in declared and not [error for error in find_errors(alone, {name: arguments[name]}) if error.path]:
            return f"{name} is valid"
    return ""


def names_exist(case: Case) -> str | None:
    """Every tool that is suggested is listed. A call in a next step has a listed tool and declared parameters, and so
    has a call of a listed tool in the text."""
    if not case.error:
        return None
    suggestions, tools = as_object(case.error.get("suggestions")), listed_names(case)
    for name in as_strings(suggestions.get("similar_tools")):
        if name not in tools:
            return f"{name} is suggested, which is not listed"
    steps = [one for one in as_object(case.error.get("next_steps")).values() if isinstance(one, str)]
    calls = [call for step in steps for call in find_calls(step)]
    calls += [call for call in find_calls(case.added_text) if call[0] in tools]
    return next(filter(None, (find_unknown_name(*call, case) for call in calls)), "")


def text_is_short(case: Case) -> str | None:
    """The text that is added to a reply has no more than 800 characters."""
    if not case.added_text:
        return None
    return "" if len(case.added_text) <= _BUDGET else f"{len(case.added_text)} characters"


RULES: tuple[Rule, ...] = (
    one_reply, sent_once, name_kept, change_is_valid, change_is_meant, nothing_undeclared, null_forwarded,
    parameters_kept, values_kept, culprit_named, offers_are_valid, sure_offer_is_meant, offer_converges, failure_kept,
    success_kept, not_found_is_true, claims_are_true, names_exist, text_is_short,
)  # fmt: skip


def judge(case: Case) -> dict[str, str]:
    """The rules that concern a case, each with what is wrong."""
    found = {rule.__name__: rule(case) for rule in RULES}
    return {name: fault for name, fault in found.items() if fault is not None}
