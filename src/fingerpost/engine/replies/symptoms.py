"""What to do about a failure that the call's schema does not explain, from the words of the failure.

A hint is a default: it is given only where the server gives none. What is read is the text the server
chose to send, never anything behind it, and what is said is one of the sentences below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.matching.index import Names
from fingerpost.engine.model import Diagnosis, Severity
from fingerpost.engine.phrases import count_noun, is_name

_LONGEST_READ = 4096


@dataclass(frozen=True, slots=True)
class Symptom:
    """Words by which a kind of failure is known, and what helps against it."""

    words: re.Pattern[str]
    code: str
    category: str
    fact: str
    hint: str
    retryable: bool = False


def _symptom(words: str, code: str, category: str, fact: str, hint: str, *, retryable: bool = False) -> Symptom:
    return Symptom(re.compile(words, re.IGNORECASE), code, category, fact, hint, retryable)


def _http(*statuses: int) -> str:
    """A status only where the text says that it is one: a bare 404 may be an invoice."""
    numbers = "|".join(map(str, statuses))
    named = rf"\b(?:https?|status|code|response)\b[\s:=/#.\d(]{{0,12}}\b(?:{numbers})\b"
    return rf"{named}|^\W{{0,3}}(?:{numbers})\b"


SYMPTOMS = (
    _symptom(
        rf"rate.?limit|too many requests|{_http(429)}|\bthrottl",
        "RATE_LIMITED", "rate_limited", "The server limits how often it may be called",
        "Wait before calling again, and call less often", retryable=True,
    ),
    _symptom(
        rf"unauthori[sz]ed|unauthenticated|{_http(401)}|(?:invalid|expired|missing|bad) (?:api.?key|credentials?)\b"
        r"|(?:invalid|expired) (?:access |auth )?token\b|authentication (?:failed|required|error)"
        r"|not (?:logged|signed) in|login required",
        "AUTH_REQUIRED", "auth", "The server does not accept the credentials",
        "Credentials are set where the server is configured, not in the call: ask the user to sign in or renew them",
    ),
    _symptom(
        rf"permission denied|access (?:is )?denied|\bforbidden\b(?! \w)|{_http(403)}|\beacces\b|\beperm\b|not permitted"
        r"|permissionerror|not allowed to|outside (?:of )?(?:the )?allowed",
        "PERMISSION_DENIED", "permission", "The server does not permit this",
        "Use a place or an action that is permitted, or ask the user for access: repeating the call will not help",
    ),
    _symptom(
        r"is a directory|\beisdir\b|isadirectoryerror", "INVALID_INPUT", "validation",
        "A directory was given where a file is wanted", "Name a file inside the directory, or list the directory first",
    ),
    _symptom(
        r"no such file or directory|\benoent\b|filenotfounderror|file (?:was )?not found"
        r"|path (?:does not exist|not found)|directory not found|cannot find (?:the )?(?:file|path)",
        "NOT_FOUND", "not_found", "The file or directory does not exist",
        "Check the path: list the directory it should be in",
    ),
    _symptom(
        rf"\btimed?[ -]?out(?:error|exception)?\b(?! must)|deadline exceeded|\betimedout\b|{_http(504, 408)}",
        "TIMEOUT", "timeout", "The call took too long",
        "It may or may not have taken effect: check before repeating it, and ask for less at once", retryable=True,
    ),
    _symptom(
        rf"\beconnrefused\b|connection ?(?:refused|reset|closed|aborted)|\beconnreset\b|network is unreachable"
        rf"|bad gateway|service (?:temporarily )?unavailable|{_http(502, 503)}|\benotfound\b|getaddrinfo"
        r"|name or service not known|upstream (?:error|failure|request failed|connect)",
        "UPSTREAM_ERROR", "upstream", "The server could not reach what it depends on",
        "Nothing is wrong with the call: try again later, or tell the user", retryable=True,
    ),
    _symptom(
        rf"already exists|\beexist\b|\bconflict(?:s|ing)? with|\b(?:edit|merge|version) conflict|{_http(409)}"
        r"|has been modified|version mismatch",
        "CONFLICT", "conflict", "The call conflicts with what is there",
        "Read the present state, then decide: keep it, change it, or use another name",
    ),
    _symptom(
        r"(?:request|operation|call|task|job|tool) (?:was |has been )?cancel+ed|^\W{0,3}cancel+ed|cancellederror"
        r"|aborted by (?:the )?user",
        "CANCELLED", "cancelled", "The call was cancelled", "Call again only if the user still wants it",
    ),
    _symptom(
        r"(?:invalid|malformed) json\b(?! (?:in|from) (?:the )?(?:response|upstream|server|reply))"
        r"|json ?(?:decode|parse|syntax) ?error|jsondecodeerror|unexpected end of json"
        r"|unexpected token .{0,20}json|expecting (?:value|property name|',' delimiter)",
        "INVALID_INPUT", "validation", "The server could not read JSON in the call",
        "Send valid JSON: double quotes, no trailing commas, no comments",
    ),
    _symptom(
        rf"(?:payload|request|response|body|file|content|message|input|output|result)s? (?:is |was |are )?too large"
        rf"|payload.{{0,20}}exceeds|{_http(413)}|maximum (?:context|payload|file size)|exceeds the (?:maximum|limit)",
        "INVALID_LENGTH", "validation", "What was sent or asked for is too large",
        "Ask for less at once: a narrower filter, a smaller limit, or a part at a time",
    ),
    _symptom(
        rf"not found|does not exist|doesn't exist|{_http(404)}|\bno such\b|unknown (?:id|key|user|project|issue|repo)\b"
        r"|\bno (?:results?|matches|match)\b",
        "NOT_FOUND", "not_found", "Nothing was found under what the call names",
        "Check the name or id: list or search for it first",
    ),
    _symptom(
        rf"internal (?:server )?error\b(?! \w)|{_http(500)}|unexpected error|unhandled exception|\bpanic\b"
        r"|^error (?:executing|calling) tool \S+$",
        "INTERNAL_ERROR", "internal", "The server failed while running the tool",
        "The same call will probably fail again: change it, use another tool, or tell the user",
    ),
)  # fmt: skip
"""In order: the first that fits speaks, so the particular stand before the general."""

_MINUTES = re.compile(
    r"(?<!\w)(?:retry.?after|try again in|wait)\D{0,12}(\d{1,4})\s?m(?:in\w*)?\s?(?:(\d{1,2})\s?s)?\b", re.IGNORECASE
)
_SECONDS = re.compile(r"(?<!\w)(?:retry.?after|try again in|wait)\D{0,12}(\d{1,9})\s?(ms|milli\w*)?", re.IGNORECASE)
_LONGEST_WAIT = 86_400
_WRAPPING = re.compile(r"^error (?:executing|calling) tool '?[\w.\-/]{1,128}'?: ", re.IGNORECASE)
_QUOTED = re.compile(r"'[^'\n]{1,80}'|\"[^\"\n]{1,80}\"|`[^`\n]{1,80}`")
"""What a failure quotes is the caller's or the world's, and no word of its own."""
_SEEKERS = ("list", "search", "find", "query", "browse")


def symptom_of(text: str) -> Symptom | None:
    """The kind of failure a text tells of, if it is one that something can be done about."""
    said = _WRAPPING.sub("", text[:_LONGEST_READ].strip())
    own_words = _QUOTED.sub("''", said)
    return next((symptom for symptom in SYMPTOMS if symptom.words.search(own_words)), None)


def usual_hint(category: str) -> str:
    """What helps against most failures of a category; for calls that are wrong there is no such thing."""
    of_it = (symptom.hint for symptom in SYMPTOMS if symptom.category == category != "validation")
    return next(of_it, "")


def diagnose(text: str, tool: Tool, catalog: Catalog) -> Iterator[Diagnosis]:
    """The failure as a diagnosis whose facts are the server's and whose help is ours."""
    if (symptom := symptom_of(text)) is None:
        return
    is_lookup = symptom.code == "NOT_FOUND"
    listers = list(islice(_listers(tool, catalog), 3)) if is_lookup else []
    yield Diagnosis(
        code=symptom.code,
        message=symptom.fact,
        severity=Severity.MEDIUM,
        category=symptom.category,
        origin="upstream" if symptom.category in ("upstream", "timeout") else "server",
        retryable=symptom.retryable,
        hint=_lookup_hint(symptom, tool, listers) if is_lookup else _hint(symptom, text, tool),
        next_steps=_lookup_steps(listers) if is_lookup else {},
    )


def _hint(symptom: Symptom, text: str, tool: Tool) -> str:
    if symptom.retryable and (wait := wait_in(text[:_LONGEST_READ])):
        return wait
    if symptom.code == "TIMEOUT" and tool.is_read_only:
        return "Ask for less at once, or try again later"
    return symptom.hint


def wait_in(text: str) -> str:
    """To wait as long as the server asks for; a number too large to be a wait is a date, and is not read."""
    if found := _MINUTES.search(text):
        return f"Wait {count_noun(int(found[1]) * 60 + int(found[2] or 0), 'second')}, then call again"
    if not (found := _SECONDS.search(text)) or int(found[1]) > _LONGEST_WAIT:
        return ""
    return f"Wait {f'{found[1]} ms' if found[2] else count_noun(int(found[1]), 'second')}, then call again"


def _lookup_hint(symptom: Symptom, tool: Tool, listers: list[str]) -> str:
    if next(iter(Names([tool.name]).words[0]), "") in _SEEKERS:
        return "Try something simpler, or remove filters"
    ready = next((lister for lister in listers if lister.endswith(")")), None)
    return f"See what there is: {ready}" if ready else symptom.hint


def _lookup_steps(listers: list[str]) -> dict[str, Any]:
    return {
        "broaden_search": "Try a simpler name or remove filters",
        "check_scope": f"Use {listers[0]} to see what there is" if listers else "List what there is first",
        **({"alternatives": listers} if listers else {}),
    }


def _listers(tool: Tool, catalog: Catalog) -> Iterator[str]:
    """Tools of the same list that show what this one could have meant: they list or search the same things."""
    names = catalog.names
    if catalog.get(tool.name) is None:
        return
    verb, *about = names.stems[names.names.index(tool.name)] or [""]
    for other, stems in zip(catalog, names.stems, strict=True):
        if not stems or stems[0] not in _SEEKERS or other.name == tool.name or not is_name(other.name):
            continue
        if set(about) & set(stems[1:]) or (verb in _SEEKERS and not other.required):
            yield other.name if other.required else f"{other.name}()"
