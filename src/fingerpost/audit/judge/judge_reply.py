"""A reply held against the checklist: what a good one must contain follows from the mistake, and from nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.audit.generate.plan import schema_of
from fingerpost.audit.judge import wording
from fingerpost.audit.judge.calls_in_text import is_same
from fingerpost.audit.judge.checklist import Check
from fingerpost.audit.judge.inferred_fix import followed
from fingerpost.audit.judge.same_reply import Expected, added, added_lines
from fingerpost.audit.judge.tokens import estimated
from fingerpost.audit.redact import texts
from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.phrases import quote
from fingerpost.engine.replies.enrich import sounds_like_failure
from fingerpost.engine.safety.json_input import as_list, as_object

_STATIC = "says the same whatever is wrong"
MOST_TOKENS = 300
"""An error that costs more than this is not read, but skimmed."""


_ARGUMENTS = re.compile(r"argument|parameter|required|missing", re.IGNORECASE)
_TOOL = re.compile(r"tool|unknown|not found|no such", re.IGNORECASE)
_ENOUGH_NAMES = 8
"""Of very many missing parameters as many names are enough: no error is to be long."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A wrong call and all that its reply is judged by."""

    mistake: Mistake
    tool: Tool
    catalog: Catalog
    reply: Mapping[str, Any]
    expected: Expected | None = None
    """What the right call is answered with; none where it may not be sent."""
    without: Expected | None = None
    """What is answered when the culprit is left out, where that is a right call too."""
    is_discerning: bool = True
    """Whether the server answers anything else to a tool that it does not have."""
    static: frozenset[str] = frozenset()
    """What it says to different mistakes alike."""

    @property
    def is_error(self) -> bool:
        return self.reply.get("isError") is True

    @property
    def text(self) -> str:
        """What the reply says about the call: an error all of it, a success what it adds to the result."""
        return "\n".join(texts(self.reply) if self.is_error else added(self.reply, self.expected, self.without))

    @property
    def advice(self) -> Mapping[str, Any]:
        """The reply without the result, in which anything may stand."""
        said = self.text
        return {**self.reply, "content": [{"type": "text", "text": said}] if said else []}

    @property
    def is_taken(self) -> bool:
        """Whether the wrong call was answered as the right one is: it was put right, or taken as it was meant.

        That shows only on a server that tells calls apart, and where the right call fails, only by what is said of it.
        """
        if self.expected is None or not self.is_discerning or not self.expected.is_met_by(self.reply):
            return False
        return not self.expected.is_error or self._says_more

    @property
    def is_ignored(self) -> bool:
        """Whether the wrong call was answered as if the culprit were not there."""
        return self.is_taken or (self.is_discerning and self.without is not None and self.without.is_met_by(self.reply))

    @property
    def is_unclear(self) -> bool:
        """Whether nothing can be told: the server asks back, or answers as it does to a right call that fails too."""
        if self.reply.get("resultType", "complete") != "complete":
            return True
        if not self.is_discerning or self.expected is None:
            return False
        if not self.is_error:
            return not self.expected.is_telling and not self.expected.is_error
        fails_alike = [one for one in (self.expected, self.without) if one is not None and one.is_error]
        return any(one.is_met_by(self.reply) for one in fails_alike) and not self._says_more

    @property
    def _says_more(self) -> bool:
        """Whether the reply speaks of the mistake beyond what the right call is answered with."""
        more = added_lines(self.reply, self.expected, self.without)
        of_mistake = (self.mistake.culprit, self.strange, self.mistake.call.tool, self.mistake.right.tool)
        return any(name and wording.names(more, name) for name in of_mistake)

    @property
    def sent(self) -> Any:
        """The wrong value of the culprit."""
        return as_object(self.mistake.call.arguments).get(self.mistake.culprit)

    @property
    def strange(self) -> str:
        """The name in the wrong call that the tool does not know."""
        fields = as_object(self.mistake.call.arguments)
        return next((name for name in fields if name not in self.tool.params), "")


_Verdicts: TypeAlias = Iterator[Check]


def judged(trial: Trial) -> tuple[tuple[Check, ...], bool | None]:
    """Every item that the mistake is a test of, and whether the reply leads to the right call."""
    mistake = trial.mistake
    if trial.is_unclear:
        return tuple(_hygiene(trial)), None
    is_repaired = _is_repaired(trial) if mistake.is_repairable else None
    checks = [*_BY_KIND[mistake.kind.partition(".")[0]](trial), *_always(trial)]
    if is_repaired is not None:
        why = "gives no call to send instead" if trial.is_error else "was not put right"
        checks.append(Check("auto_correction", is_repaired, "" if is_repaired else why))
    return tuple(checks), is_repaired


def _is_repaired(trial: Trial) -> bool:
    following = followed(trial.advice, trial.mistake.call)
    return trial.is_taken or (following is not None and is_same(following, trial.mistake.right))


def _verdict(item: str, trial: Trial, *wanted: tuple[bool, str]) -> Check:
    """An item that is met when all is there. A call that was answered as the right one is needs no words."""
    if trial.is_taken and trial.mistake.is_repairable:
        return Check(item, True)
    missing = [what for is_there, what in wanted if not is_there]
    if not missing and trial.text in trial.static:
        return Check(item, False, _STATIC)
    if not missing:
        return Check(item, True)
    if not trial.is_error and not trial.text:
        return Check(item, False, "is carried out without a word")
    return Check(item, False, f"does not say {' and '.join(missing)}")


# by the kind of mistake


def _of_tool(trial: Trial) -> _Verdicts:
    mistake = trial.mistake
    if mistake.kind != "tool.invented" and not _is_about_arguments(trial):
        known = [tool.name for tool in trial.catalog]
        is_there = wording.suggests(trial.text, mistake.right.tool, known, mistake.call.tool)
        yield _verdict("unknown_tool", trial, (is_there, f"that {quote(mistake.right.tool)} is near"))


def _is_about_arguments(trial: Trial) -> bool:
    """Whether an error speaks of the arguments that were left out, before the tool was looked for."""
    is_bare = not trial.mistake.call.arguments and bool(trial.tool.required)
    return is_bare and _ARGUMENTS.search(trial.text) is not None and _TOOL.search(trial.text) is None


def _of_parameter(trial: Trial) -> _Verdicts:
    culprit, wrong = trial.mistake.culprit, trial.strange
    if culprit not in trial.tool.required:
        is_told = wording.names(trial.text, wrong) or _is_alias(trial) or (trial.is_error and not trial.is_ignored)
        yield Check("not_dropped", is_told, "" if is_told else f"drops {quote(wrong)} in silence")
    if trial.mistake.kind == "parameter.stray":
        yield from _actionable(trial, wording.says_left_out(trial.text, wrong))
        return
    both = wording.names(trial.text, culprit)
    named = wording.names(trial.text, wrong) or wording.says_next(trial.text)
    yield _verdict("unknown_param", trial, (both and named, f"that {quote(wrong)} is near {quote(culprit)}"))
    yield from _actionable(trial, both)


def _is_alias(trial: Trial) -> bool:
    """Whether a name that is not declared was understood all the same: only what makes a difference shows that."""
    if not trial.is_taken:
        return False
    return trial.without is None or not trial.without.is_met_by(trial.reply)


def _of_required(trial: Trial) -> _Verdicts:
    mistake, tool = trial.mistake, trial.tool
    missing = [name for name in tool.required if name not in as_object(mistake.call.arguments)]
    if not trial.is_error and trial.expected is None:
        yield Check("missing_required", False, f"is carried out, although {quote(missing[0])} is missing")
        return
    unnamed = [name for name in missing if not wording.names(trial.text, name)]
    untyped = [name for name in missing if not wording.says_type(trial.text, tool.schema, schema_of(tool, name))]
    if len(missing) - len(unnamed) >= _ENOUGH_NAMES:
        unnamed = untyped = []
    is_named = (not unnamed, f"that {quote((unnamed or missing)[0])} is missing")
    is_typed = (not untyped, "what each takes" if len(missing) > 1 else "what it takes")
    if mistake.kind == "required.all_missing":
        yield _verdict("missing_required", trial, is_named)
        yield _verdict("schema_hint", trial, is_typed)
    else:
        yield _verdict("missing_required", trial, is_named, is_typed)


def _of_type(trial: Trial) -> _Verdicts:
    mistake, tool = trial.mistake, trial.tool
    schema, text = schema_of(tool, mistake.culprit), trial.text
    is_told = wording.says_received(text, trial.sent)
    if mistake.kind.startswith(("null.", "empty.")):  # nothing is as well told by what there is to choose
        is_told = is_told or wording.says_choices(text, as_list(schema.get("enum")))
        is_told = is_told or any(word in text.lower() for word in ("required", "missing"))
    yield _verdict(
        "wrong_type",
        trial,
        (wording.names(text, mistake.culprit), f"that it is about {quote(mistake.culprit)}"),
        (wording.says_type(text, tool.schema, schema), "what is expected"),
        (is_told, "what was received"),
    )


def _of_range(trial: Trial) -> _Verdicts:
    culprit = trial.mistake.culprit
    is_named = wording.names(trial.text, culprit)
    is_told = wording.says_limit(trial.text, schema_of(trial.tool, culprit))
    yield _verdict(
        "out_of_range", trial, (is_named, f"that it is about {quote(culprit)}"), (is_told, "what the limit is")
    )
    yield from _actionable(trial, is_named and is_told)


def _of_choice(trial: Trial) -> _Verdicts:
    culprit = trial.mistake.culprit
    choices = as_list(schema_of(trial.tool, culprit).get("enum"))
    right = as_object(trial.mistake.right.arguments).get(culprit)
    is_near = trial.mistake.is_repairable and wording.names(trial.text, str(right))
    yield _verdict(
        "choices",
        trial,
        (wording.names(trial.text, culprit), f"that it is about {quote(culprit)}"),
        (is_near or wording.says_choices(trial.text, choices), "what the choices are"),
    )


def _of_shape(trial: Trial) -> _Verdicts:
    if not trial.is_error and trial.strange:
        is_told = trial.is_taken or wording.names(trial.text, trial.strange)
        yield Check("not_dropped", is_told, "" if is_told else f"drops {quote(trial.strange)} in silence")


def _of_result(trial: Trial) -> _Verdicts:
    """A result that is a part of what there is: it should say that there is more."""
    if trial.is_error or trial.expected is None or not trial.expected.is_cut_in(trial.reply):
        return
    is_told = wording.says_more(trial.reply)
    yield Check("tips", is_told, "" if is_told else "does not say that there is more")


def _actionable(trial: Trial, is_there: bool) -> _Verdicts:
    """Whether what is said beside the usual result is of use."""
    if not trial.is_error and trial.is_ignored and trial.text:
        yield Check("actionable", is_there, "" if is_there else "adds a word that does not say what is wrong")


_BY_KIND: Mapping[str, Callable[[Trial], _Verdicts]] = {
    "tool": _of_tool,
    "parameter": _of_parameter,
    "required": _of_required,
    "type": _of_type,
    "format": _of_type,
    "null": _of_type,
    "empty": _of_type,
    "range": _of_range,
    "length": _of_range,
    "choice": _of_choice,
    "shape": _of_shape,
    "result": _of_result,
}


# whatever the mistake


def _hygiene(trial: Trial) -> _Verdicts:
    yield Check("alive", True)
    leak = wording.leak("\n".join(texts(trial.reply)), trial.mistake.call.arguments)
    yield Check("discreet", not leak, leak)


def _always(trial: Trial) -> _Verdicts:
    yield from _hygiene(trial)
    if trial.mistake.kind == "result.cut":
        return
    whole = "\n".join(texts(trial.reply))
    if trial.is_error and not trial.is_ignored:
        why = "" if wording.says_next(whole) else "does not say what to do next"
        why = why or (_STATIC if trial.text in trial.static else "")
        yield Check("next_steps", not why, why)
        size = estimated(whole)
        yield Check("brief", size <= MOST_TOKENS, "" if size <= MOST_TOKENS else f"costs about {size:,} tokens")
    is_hidden = not trial.is_error and sounds_like_failure(whole) and not trial.is_taken
    yield Check("honest", not is_hidden, "tells of a failure and is not marked as one" if is_hidden else "")


_ITEMS = {
    "tool": ("unknown_tool",), "parameter": ("unknown_param",), "required": ("missing_required",),
    "type": ("wrong_type",), "format": ("wrong_type",), "null": ("wrong_type",), "empty": ("wrong_type",),
    "range": ("out_of_range",), "length": ("out_of_range",), "choice": ("choices",),
}  # fmt: skip
"""What a mistake is a test of in the first place."""


def lost(mistake: Mistake, why: str) -> tuple[tuple[Check, ...], bool | None]:
    """The verdict where there is no reply at all: whatever it should have said is not said."""
    items = ["alive", *_ITEMS.get(mistake.kind.partition(".")[0], ())]
    items += ["auto_correction"] if mistake.is_repairable else []
    return tuple(Check(item, False, why) for item in items), False if mistake.is_repairable else None
