"""One check per checklist item.

A check returns why the reply fails the item, an empty text if it passes, and none if the item does not apply.
What a good reply must contain follows from the mistake and from nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from fingerpost.audit.generate.parameter_schema import parameter_schema
from fingerpost.audit.judge import wording
from fingerpost.audit.judge.calls_in_text import is_same_call
from fingerpost.audit.judge.inferred_fix import infer_fix
from fingerpost.audit.judge.tokens import estimate_tokens
from fingerpost.audit.judge.trial import Trial
from fingerpost.engine.phrases import quote
from fingerpost.engine.safety.json_input import as_list, as_object

MAX_TOKENS = 300
"""The size of an error that is still read in full."""
_STATIC = "gives the same text for every mistake"
_ENOUGH_NAMES = 8
"""So many names are enough of very many missing parameters: errors have to be short."""
_ABOUT_ARGUMENTS = re.compile(r"argument|parameter|required|missing", re.IGNORECASE)
_ABOUT_TOOL = re.compile(r"tool|unknown|not found|no such", re.IGNORECASE)

_Check: TypeAlias = "Callable[[Trial], str | None]"


def _unless_said(trial: Trial, *wanted: tuple[bool, str]) -> str:
    """Why the text is not enough: each part is whether it is there, and what it would say.

    A call that was answered like the right one needs no words.
    """
    if trial.is_accepted and trial.mistake.is_repairable:
        return ""
    missing = [what for is_said, what in wanted if not is_said]
    if not missing:
        return _STATIC if trial.is_static else ""
    if not trial.reply.is_error and not trial.text:
        return "executes the call and does not report the mistake"
    return f"does not say {' or '.join(missing)}"


def check_unknown_tool(trial: Trial) -> str | None:
    mistake = trial.mistake
    if mistake.group != "tool" or mistake.kind == "tool.invented" or _is_only_about_arguments(trial):
        return None
    known = [tool.name for tool in trial.catalog]
    is_suggested = wording.suggests_tool(trial.text, mistake.right.tool, known, mistake.call.tool)
    return _unless_said(trial, (is_suggested, f"that {quote(mistake.right.tool)} is the closest tool"))


def _is_only_about_arguments(trial: Trial) -> bool:
    """Whether the error is about missing arguments, which the server checked before the name of the tool."""
    is_bare = not trial.mistake.call.arguments and bool(trial.tool.required)
    return is_bare and bool(_ABOUT_ARGUMENTS.search(trial.text)) and not _ABOUT_TOOL.search(trial.text)


def check_not_dropped(trial: Trial) -> str | None:
    name = trial.unknown_name
    match trial.mistake.group:
        case "parameter" if trial.mistake.culprit not in trial.tool.required:
            is_refused = trial.reply.is_error and not trial.is_culprit_ignored
            is_kept = wording.mentions(trial.text, name) or _is_alias(trial) or is_refused
        case "shape" if not trial.reply.is_error and name:
            is_kept = trial.is_accepted or wording.mentions(trial.text, name)
        case _:
            return None
    return "" if is_kept else f"drops {quote(name)} silently"


def _is_alias(trial: Trial) -> bool:
    """Whether the tool understood an undeclared name; the reply has to differ from the one without that argument."""
    return trial.is_accepted and not trial.is_like_without_culprit


def check_unknown_param(trial: Trial) -> str | None:
    if trial.mistake.group != "parameter" or trial.mistake.kind == "parameter.stray":
        return None
    culprit, wrong = trial.mistake.culprit, trial.unknown_name
    is_said = wording.mentions(trial.text, culprit) and (
        wording.mentions(trial.text, wrong) or wording.says_next(trial.text)
    )
    return _unless_said(trial, (is_said, f"that {quote(culprit)} is the closest parameter to {quote(wrong)}"))


def check_missing_required(trial: Trial) -> str | None:
    if trial.mistake.group != "required":
        return None
    missing = _missing_parameters(trial)
    if not trial.reply.is_error and trial.expected is None:
        return f"executes the call although {quote(missing[0])} is missing"
    unnamed = [] if _names_enough(trial) else [name for name in missing if not wording.mentions(trial.text, name)]
    is_named = (not unnamed, f"that {quote((unnamed or missing)[0])} is missing")
    if trial.mistake.kind == "required.all_missing":
        return _unless_said(trial, is_named)
    return _unless_said(trial, is_named, _types_part(trial))


def check_schema_hint(trial: Trial) -> str | None:
    if trial.mistake.kind != "required.all_missing" or (not trial.reply.is_error and trial.expected is None):
        return None
    return _unless_said(trial, _types_part(trial))


def _missing_parameters(trial: Trial) -> list[str]:
    return [name for name in trial.tool.required if name not in as_object(trial.mistake.call.arguments)]


def _names_enough(trial: Trial) -> bool:
    return sum(wording.mentions(trial.text, name) for name in _missing_parameters(trial)) >= _ENOUGH_NAMES


def _types_part(trial: Trial) -> tuple[bool, str]:
    """Whether the text says what every missing parameter takes, as a part for `_unless_said`."""
    tool, missing = trial.tool, _missing_parameters(trial)
    is_said = _names_enough(trial) or all(
        wording.says_type(trial.text, tool.schema, parameter_schema(tool, name)) for name in missing
    )
    return is_said, "what each parameter takes" if len(missing) > 1 else "what it takes"


def check_wrong_type(trial: Trial) -> str | None:
    if trial.mistake.group not in ("type", "format", "null", "empty"):
        return None
    culprit, tool, text = trial.mistake.culprit, trial.tool, trial.text
    return _unless_said(
        trial,
        (wording.mentions(text, culprit), f"that {quote(culprit)} is wrong"),
        (wording.says_type(text, tool.schema, parameter_schema(tool, culprit)), "what is expected"),
        (_says_received(trial), "what was received"),
    )


def _says_received(trial: Trial) -> bool:
    """Whether the text says what came; for null or an empty text, the choices or `required` say it as well."""
    if wording.says_received(trial.text, trial.wrong_value):
        return True
    if trial.mistake.group not in ("null", "empty"):
        return False
    choices = as_list(parameter_schema(trial.tool, trial.mistake.culprit).get("enum"))
    is_called_missing = any(word in trial.text.lower() for word in ("required", "missing"))
    return is_called_missing or wording.says_choices(trial.text, choices)


def check_out_of_range(trial: Trial) -> str | None:
    if trial.mistake.group not in ("range", "length"):
        return None
    is_named, is_limit_said = _range_words(trial)
    wrong = f"that {quote(trial.mistake.culprit)} is wrong"
    return _unless_said(trial, (is_named, wrong), (is_limit_said, "what the limit is"))


def _range_words(trial: Trial) -> tuple[bool, bool]:
    """Whether the text names the parameter, and whether it says a limit."""
    culprit = trial.mistake.culprit
    says_limit = wording.says_limit(trial.text, parameter_schema(trial.tool, culprit))
    return wording.mentions(trial.text, culprit), says_limit


def check_choices(trial: Trial) -> str | None:
    mistake = trial.mistake
    if mistake.group != "choice":
        return None
    choices = as_list(parameter_schema(trial.tool, mistake.culprit).get("enum"))
    right = str(as_object(mistake.right.arguments).get(mistake.culprit))
    is_suggested = mistake.is_repairable and wording.mentions(trial.text, right)
    return _unless_said(
        trial,
        (wording.mentions(trial.text, mistake.culprit), f"that {quote(mistake.culprit)} is wrong"),
        (is_suggested or wording.says_choices(trial.text, choices), "what the choices are"),
    )


def check_tips(trial: Trial) -> str | None:
    if trial.mistake.group != "result" or trial.reply.is_error or trial.expected is None:
        return None
    if not trial.expected.is_cut_in(trial.reply.fingerprint):
        return None
    return "" if wording.says_more(trial.reply.result) else "does not say that there is more"


def check_actionable(trial: Trial) -> str | None:
    """A warning beside the usual result has to be of use."""
    if trial.reply.is_error or not trial.text or not trial.is_culprit_ignored:
        return None
    match trial.mistake.group:
        case "parameter" if trial.mistake.kind == "parameter.stray":
            is_useful = wording.says_left_out(trial.text, trial.unknown_name)
        case "parameter":
            is_useful = wording.mentions(trial.text, trial.mistake.culprit)
        case "range" | "length":
            is_useful = all(_range_words(trial))
        case _:
            return None
    return "" if is_useful else "adds a warning that does not say what is wrong"


def check_alive(trial: Trial) -> str:
    """There is a reply, so the server answered."""
    return ""


def check_discreet(trial: Trial) -> str:
    return wording.find_leak(trial.reply.text, trial.mistake.call.arguments)


def check_next_steps(trial: Trial) -> str | None:
    if not _is_own_error(trial):
        return None
    if not wording.says_next(trial.reply.text):
        return "does not say what to do next"
    return _STATIC if trial.is_static else ""


def check_brief(trial: Trial) -> str | None:
    if not _is_own_error(trial):
        return None
    size = estimate_tokens(trial.reply.text)
    return "" if size <= MAX_TOKENS else f"costs about {size:,} tokens"


def _is_own_error(trial: Trial) -> bool:
    """Whether the reply is an error about the mistake, and not what the right call gets too."""
    return trial.mistake.group != "result" and trial.reply.is_error and not trial.is_culprit_ignored


def check_honest(trial: Trial) -> str | None:
    if trial.mistake.group == "result":
        return None
    is_unmarked = not trial.reply.is_error and trial.reply.sounds_like_failure and not trial.is_accepted
    return "reports a failure without isError: true" if is_unmarked else ""


def check_auto_correction(trial: Trial) -> str | None:
    if not trial.mistake.is_repairable:
        return None
    if trial.is_accepted:
        return ""
    fix = infer_fix(trial.guidance, trial.mistake.call)
    if fix is not None and is_same_call(fix, trial.mistake.right):
        return ""
    return "gives no corrected call" if trial.reply.is_error else "was neither repaired nor corrected"


ALWAYS: Mapping[str, _Check] = {"alive": check_alive, "discreet": check_discreet}
"""The checks that apply even to a reply that is inconclusive."""

CHECKS: Mapping[str, _Check] = {
    "unknown_tool": check_unknown_tool,
    "not_dropped": check_not_dropped,
    "unknown_param": check_unknown_param,
    "missing_required": check_missing_required,
    "schema_hint": check_schema_hint,
    "wrong_type": check_wrong_type,
    "out_of_range": check_out_of_range,
    "choices": check_choices,
    "tips": check_tips,
    "actionable": check_actionable,
    **ALWAYS,
    "next_steps": check_next_steps,
    "brief": check_brief,
    "honest": check_honest,
    "auto_correction": check_auto_correction,
}
"""Every item that one reply can be checked for; `stable` compares two."""
