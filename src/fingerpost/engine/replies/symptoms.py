"""Recognize the kind of a failure from the server's text, and say what usually helps against it.

These hints are defaults: they are used only where the server gives none. Only the text that the server sent is
read, and every sentence that is added comes from the table below.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import ceil
from typing import Any, NamedTuple

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.failure_kinds import STATUS_KINDS, FailureFacts, FailureKind
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.listers import begins_with_search, find_listers, usage_of
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.model import Call, Diagnosis, Severity
from fingerpost.engine.phrases import count_noun
from fingerpost.engine.replies.claims import Claim, check_claim, gives_next_step, says_search_is_empty
from fingerpost.engine.replies.unexplained import FRAMEWORK_PREFIX, first_sentence
from fingerpost.engine.replies.wording import forbids_advice, is_report
from fingerpost.engine.tool import Tool

_LONGEST_READ = 4096


class Symptom(NamedTuple):
    """One kind of failure: the words that reveal it, and what helps against it."""

    kind: FailureKind
    words: re.Pattern[str]
    """Words that reveal the kind anywhere in a text."""
    opening: re.Pattern[str] | None
    """Words that reveal the kind only at the start of a reply."""
    code: str
    category: str
    fact: str
    hint: str
    retryable: bool
    unsure_hint: str
    """What helps if nobody knows whether the call took effect, on a tool for which that matters."""

    def may_have_acted(self, tool: Tool) -> bool:
        """Whether a second call may do again what the first one did."""
        return bool(self.unsure_hint) and not tool.is_repeatable


def _symptom(
    kind: FailureKind,
    words: str,
    code: str,
    category: str,
    fact: str,
    hint: str,
    *,
    opening: str = "",
    retryable: bool = False,
    unsure_hint: str = "",
) -> Symptom:
    """Build a symptom; the HTTP statuses of its kind are added to its words."""
    statuses = "|".join(str(status) for status, known in STATUS_KINDS.items() if known is kind)
    if statuses:
        # A bare 404 may be an invoice number, so the text has to call it a status or start with it.
        words += rf"|\b(?:https?|status|code|response)\b[\s:=/#.\d(]{{0,12}}\b(?:{statuses})\b"
        opening = "|".join(filter(None, [opening, rf"\W{{0,3}}(?:{statuses})\b"]))
    return Symptom(
        kind,
        lazy_pattern(words, re.IGNORECASE),
        lazy_pattern(opening, re.IGNORECASE) if opening else None,
        code,
        category,
        fact,
        hint,
        retryable,
        unsure_hint,
    )


_TRY_LATER = "Nothing is wrong with the call: try again later, or tell the user"
_CHECK_FIRST = "It may or may not have taken effect: check before repeating it"

SYMPTOMS = (
    _symptom(
        FailureKind.RATE_LIMITED, r"rate.?limit|too many requests|\bthrottl",
        "RATE_LIMITED", "rate_limited", "The rate limit of the server is exceeded",
        "Wait before calling again, and call less often", retryable=True,
    ),
    _symptom(
        FailureKind.AUTH_REQUIRED,
        r"unauthori[sz]ed|unauthenticated|(?:invalid|expired|missing|bad) (?:api.?key|credentials?)\b"
        r"|(?:invalid|expired) (?:access |auth )?token\b(?!\W{0,3}(?:in|at|near|on|line|character)\b|:? '')"
        r"|authentication (?:failed|required|error)"
        r"|not (?:logged|signed) in|not authenticated|login required"
        r"|api.?key (?:is|was) (?:invalid|expired|not valid)\b",
        "AUTH_REQUIRED", "auth", "The server does not accept the credentials",
        "Credentials are set where the server is configured, not in the call: ask the user to sign in or renew them",
    ),
    _symptom(
        FailureKind.PERMISSION_DENIED,
        r"permission denied|access (?:is )?denied|\bforbidden\b(?! \w)|\beacces\b|\beperm\b"
        r"|(?<!inputs are )(?<!properties are )not permitted|permissionerror|not allowed to"
        r"|outside (?:of )?(?:the )?(?:allowed|repository)|not accessible by\b",
        "PERMISSION_DENIED", "permission", "The server does not permit this",
        "Use a place or an action that is permitted, or ask the user for access: repeating the call will not help",
    ),
    _symptom(
        FailureKind.INVALID_CALL,
        r"(?<![\w-])-32602\b|^\W{0,3}validation (?:failed|error)\b(?! for)"
        r"|^\W{0,3}invalid (?:params|arguments?)\W{0,3}$",
        "INVALID_INPUT", "validation", "The server does not accept the arguments",
        "Compare the arguments with the description of the tool", retryable=True,
    ),
    _symptom(
        FailureKind.IS_A_DIRECTORY, r"is a directory|\beisdir\b|isadirectoryerror", "INVALID_INPUT", "validation",
        "A directory was given where a file is wanted", "Name a file inside the directory, or list the directory first",
    ),
    _symptom(
        FailureKind.FILE_NOT_FOUND,
        r"no such file or directory|\benoent\b|filenotfounderror|\bfile (?:was )?not found"
        r"|\bpath (?:does not exist|not found)|\bdirectory not found|cannot find (?:the )?(?:file|path)",
        "NOT_FOUND", "not_found", "The file or directory does not exist",
        "Check the path: list the directory it should be in",
    ),
    _symptom(
        FailureKind.TIMEOUT, r"\btimed?[ -]?out(?:error|exception)?\b(?! must)|deadline exceeded|\betimedout\b",
        "TIMEOUT", "timeout", "The call timed out",
        "Ask for less at once, or try again later", retryable=True,
        unsure_hint=f"{_CHECK_FIRST}, and ask for less at once",
    ),
    _symptom(
        FailureKind.INTERRUPTED,
        r"connection ?(?:reset|closed|aborted)|\beconnreset\b|\bsocket hang up\b"
        r"|bad gateway|service (?:temporarily )?unavailable|upstream (?:error|failure|request failed|connect)"
        r"|max retries exceeded(?!.{0,400}(?:refused|failed to establish|name resolution|getaddrinfo))",
        "UPSTREAM_ERROR", "upstream", "What the server depends on did not answer",
        _TRY_LATER, retryable=True, unsure_hint=_CHECK_FIRST,
    ),
    _symptom(
        FailureKind.UNREACHABLE,
        r"\beconnrefused\b|connection ?refused|network is unreachable|\benotfound\b|getaddrinfo"
        r"|name or service not known|\bno such host\b|\beai_again\b|max retries exceeded",
        "UPSTREAM_ERROR", "upstream", "The server could not reach what it depends on",
        _TRY_LATER, retryable=True,
    ),
    _symptom(
        FailureKind.CONFLICT,
        r"already exists|duplicate key|unique constraint"
        r"|\beexist\b|\bconflict(?:s|ing)? with|\b(?:edit|merge|version) conflict"
        r"|has been modified|version mismatch",
        "CONFLICT", "conflict", "The call conflicts with what is there",
        "Read the present state, then decide: keep it, change it, or use another name",
    ),
    _symptom(
        FailureKind.CANCELLED,
        r"(?:request|operation|call|task|job|tool) (?:was |has been )?cancel+ed|cancellederror"
        r"|aborted by (?:the )?user",
        "CANCELLED", "cancelled", "The call was cancelled", "Call again only if the user still wants it",
        opening=r"\W{0,3}cancel+ed",
    ),
    _symptom(
        FailureKind.INVALID_JSON,
        r"(?:invalid|malformed) json\b(?! (?:in|from) (?:the )?(?:response|upstream|server|reply))"
        r"|json ?(?:decode|parse|syntax) ?error|jsondecodeerror|unexpected end of json"
        r"|unexpected token .{0,20}json|expecting (?:value|property name|',' delimiter)",
        "INVALID_INPUT", "validation", "The server could not read JSON in the call",
        "Send valid JSON: double quotes, no trailing commas, no comments",
    ),
    _symptom(
        FailureKind.TOO_LARGE,
        r"(?:payload|request|response|body|file|content|message|input|output|result)s? (?:is |was |are )?too large"
        r"|payload.{0,20}exceeds|maximum (?:context|payload|file size)|exceeds the (?:maximum|limit)",
        "INVALID_LENGTH", "validation", "What was sent or asked for is too large",
        "Ask for less at once: a narrower filter, a smaller limit, or a part at a time",
    ),
    _symptom(
        FailureKind.NOT_FOUND,
        r"not.found|does not exist|doesn't exist|\bno such\b|unknown (?:id|key|user|project|issue|repo)\b"
        r"|\bno (?:results?|matches|match)\b|\bno \w+ found\b",
        "NOT_FOUND", "not_found", "Nothing was found under what the call names",
        "Check the name or id: list or search for it first",
    ),
    _symptom(
        FailureKind.INTERNAL,
        r"internal (?:server )?error\b(?! \w)|unexpected error|unhandled exception|\bpanic\b",
        "INTERNAL_ERROR", "internal", "The server failed while running the tool",
        "The same call will probably fail again: change it, use another tool, or tell the user",
        opening=r"error (?:executing|calling) tool \S+$",
    ),
)  # fmt: skip
"""One symptom for each kind, in the order of `FailureKind`: specific ones before general ones."""

_BY_KIND = {symptom.kind: symptom for symptom in SYMPTOMS}
_DURATION = lazy_pattern(
    r"(?<!\w)(?:retry.?after|(?:re)?try (?:again )?in|wait)"
    r"(?:(?!\b(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))\D){0,16}(?<![\d.,\-])"
    r"(\d{1,9}+(?:\.\d{1,9}+)?+)(?![\d/]|[\-:.,]\d)"
    r"(?:\s?(ms|milli|[smhd](?![a-z])|sec|min|hr|hour|day)[a-z]*(?:[\s,]{0,2}(\d{1,2})\s?(s|m|sec|min)[a-z]*)?"
    r"|(?!\s?(?:attempt|time|tries|request|call|[ap]m\b)))",
    re.IGNORECASE,
)
"""How long to wait: a number, its unit, and the rest in a smaller unit (`2m 30s`). A date is none."""
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_LONGEST_WAIT = 86_400
_QUOTED = lazy_pattern(r"'[^'\n]{1,80}'|\"[^\"\n]{1,80}\"|`[^`\n]{1,80}`")
"""Quoted text may be the caller's or a third party's, so it does not reveal a kind."""
_LISTED = lazy_pattern(
    r"\b(no such [\w \-]{1,40}+:|(?:be|are|is|in|expected|allowed|valid) one of\b|(?:allowed|valid) values\b)"
    r"[^\n.;]{1,400}",
    re.IGNORECASE,
)
"""Neither do the values that a server lists, nor the name of what it did not find."""


def kind_of_text(text: str, *, is_reply: bool = True) -> FailureKind | None:
    """Return the kind of failure that a text reveals, or None.

    With `is_reply`, the text is all that is known of the failure, so its opening words count too.
    """
    text = text[:_LONGEST_READ].strip()
    words = _QUOTED.sub("''", FRAMEWORK_PREFIX.sub("", text) if is_reply else text)
    words = _LISTED.sub(r"\1", words)
    return next((symptom.kind for symptom in SYMPTOMS if _matches(symptom, words, is_reply=is_reply)), None)


def _matches(symptom: Symptom, words: str, *, is_reply: bool) -> bool:
    if symptom.words.search(words):
        return True
    return is_reply and symptom.opening is not None and symptom.opening.match(words) is not None


def diagnose_text(
    text: str, call: Call, tool: Tool, catalog: Catalog, facts: FailureFacts | None = None
) -> Diagnosis | None:
    """Diagnose a failure from its text and from what else is known; None where neither reveals its kind."""
    text = text[:_LONGEST_READ]
    kind = FailureKind.first([facts.kind if facts else None, kind_of_text(text, is_reply=facts is None)])
    if kind is None:
        return None
    is_proven = facts is not None and facts.kind is kind
    claim = Claim() if is_proven else check_claim(kind, FRAMEWORK_PREFIX.sub("", text.strip()), call, tool)
    if claim is None or (is_report(text) and not is_proven and kind is not FailureKind.INVALID_CALL):
        return None
    is_quiet = claim.is_quiet or forbids_advice(kind, text, call, tool)
    wait = _wait_time(text, facts)
    diagnosis = _diagnose_kind(kind, tool, catalog, wait=wait, text=text, nouns=claim.nouns)
    if is_quiet:
        diagnosis = replace(diagnosis, message=first_sentence(text) or diagnosis.message)
    if is_quiet or not diagnosis.hint:
        diagnosis = replace(diagnosis, hint="", next_steps={})
    return replace(diagnosis, is_news=facts is not None and kind_of_text(text) is not kind)


def _diagnose_kind(
    kind: FailureKind, tool: Tool, catalog: Catalog, *, wait: str, text: str, nouns: frozenset[str]
) -> Diagnosis:
    """Build the diagnosis for a kind of failure. `wait` is how long to wait, if the call may be repeated later."""
    symptom = _BY_KIND[kind]
    is_lookup = symptom.code == "NOT_FOUND"
    listers = list(islice(_list_nouns(find_listers(tool, catalog), nouns), 3)) if is_lookup else []
    return Diagnosis(
        code=symptom.code,
        message=symptom.fact,
        severity=Severity.MEDIUM,
        category=symptom.category,
        origin="upstream" if symptom.category in ("upstream", "timeout") else "server",
        retryable=symptom.retryable and not symptom.may_have_acted(tool),
        hint=_hint(symptom, wait, tool, text, listers),
        next_steps=_lookup_steps(listers) if is_lookup else {},
    )


def default_hint(category: str, text: str, tool: Tool, facts: FailureFacts | None) -> str:
    """Return what helps against most failures of a category; a wrong call has no such hint."""
    symptom = next((one for one in SYMPTOMS if one.category == category != "validation"), None)
    return _hint(symptom, _wait_time(text, facts), tool, text) if symptom else ""


def _wait_time(text: str, facts: FailureFacts | None) -> str:
    """Return how long the server asks to wait (`30 seconds`), or an empty string."""
    found = _DURATION.search(text)
    unit = (found[2] or "s").lower() if found else ""
    if facts and facts.retry_after is not None and unit[:1] not in ("m", "h", "d"):
        return _count_seconds(facts.retry_after)
    if not found:
        return ""
    if unit in ("ms", "milli"):
        return f"{count} ms" if 0 < (count := ceil(float(found[1]))) <= 1_000 * _LONGEST_WAIT else ""
    rest = int(found[3]) * _UNITS[found[4][0].lower()] if found[3] else 0
    return _count_seconds(ceil(float(found[1]) * _UNITS[unit[0]]) + rest)


def _count_seconds(seconds: int) -> str:
    """Write a time to wait; none for no time, and none for a number so large that it is a date."""
    return count_noun(seconds, "second") if 0 < seconds <= _LONGEST_WAIT else ""


def _hint(symptom: Symptom, wait: str, tool: Tool, text: str, listers: Sequence[Tool] = ()) -> str:
    """Return what helps; nothing if that would compete with what the server's text says, or might do harm."""
    is_unsure = symptom.may_have_acted(tool)
    if symptom.retryable and wait and not is_unsure:
        return f"Wait {wait}, then call again"
    if gives_next_step(text):
        return ""
    if symptom.kind is FailureKind.IS_A_DIRECTORY and not tool.is_read_only:
        return ""  # another target may be the wrong one to write to, or to remove
    if is_unsure:
        return f"Wait {wait}. {symptom.unsure_hint}" if wait else symptom.unsure_hint
    return _lookup_hint(symptom, tool, listers, text) if symptom.code == "NOT_FOUND" else symptom.hint


def _list_nouns(listers: Iterable[Tool], nouns: frozenset[str]) -> Iterator[Tool]:
    """Yield the tools that list what is missing; all of them if that is not known."""
    for lister in listers:
        if not nouns or nouns & set(map(stem, split_words(lister.name))):
            yield lister


def _lookup_hint(symptom: Symptom, tool: Tool, listers: Sequence[Tool], text: str) -> str:
    if begins_with_search(tool) and says_search_is_empty(text):
        return "Try something simpler, or remove filters"
    ready = next((lister for lister in listers if not lister.required), None)
    return f"See what there is: {usage_of(ready)}" if ready else symptom.hint


def _lookup_steps(listers: list[Tool]) -> dict[str, Any]:
    usages = [usage_of(lister) for lister in listers]
    return {
        "broaden_search": "Try a simpler name or remove filters",
        "check_scope": f"Use {usages[0]} to see what there is" if usages else "List what there is first",
        **({"alternatives": usages} if usages else {}),
    }
