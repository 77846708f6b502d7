"""Find the parameter a clause is about: `the 'pattern' parameter …`, `tail parameter …`, `Invalid thought: …`."""

from __future__ import annotations

import re

from fingerpost.engine.dialects import parse
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Path

NOUN = r"(?:arguments?|args?|parameters?|params?|fields?|property|properties|keys?)"
NAME = r"[A-Za-z_$][\w$.\[\]-]{0,99}(?<!\.)"
SUBJECT = (
    rf"(?:^|(?<=[:;,.]\s))(?P<before>(?:the |invalid |required |{NOUN} ){{0,3}})"
    rf"(?:(?P<quote>['\"`])(?P<quoted>{NAME})(?P=quote)|(?P<bare>{NAME}))(?P<after> {NOUN}|)(?P<colon>:?)"
)
"""The subject of a clause, at the start of a line or after punctuation."""

_GRAMMAR = {
    *("a", "an", "and", "any", "are", "at", "be", "each", "either", "every", "following", "is", "it", "must", "one"),
    *("or", "should", "some", "that", "the", "this", "was", "what", "which", "you", "your"),
}
_OTHER_SUBJECTS = {
    *("access", "action", "approval", "auth", "authentication", "authorization", "body", "choice", "command"),
    *("confirmation", "connection", "consent", "credentials", "data", "error", "input", "installation", "internet"),
    *("json", "list", "login", "names", "network", "note", "object", "option", "payment", "permission", "permissions"),
    *("registration", "request", "response", "restart", "result", "root", "setup", "subscription", "sudo", "upgrade"),
    *("value", "values", "verification", "warning"),
}
"""Words that usually open a clause about something other than a parameter, unless they are called one."""

_CALLED = lazy_pattern(NOUN, re.IGNORECASE)


def subject_path(clause: re.Match[str]) -> Path:
    """Return the path of the parameter a clause is about; empty if it may be about something else."""
    if clause["quoted"]:
        return parse.path(clause["quoted"])
    word = clause["bare"]
    is_named = is_called_parameter(clause) and word.lower() not in _GRAMMAR
    return parse.path(word) if is_named or (is_name(word) and _stands_alone(clause)) else ()


def is_called_parameter(clause: re.Match[str]) -> bool:
    """Whether a word such as `parameter` is beside the subject."""
    return bool(clause["after"] or _CALLED.search(clause["before"]))


def is_name(word: str) -> bool:
    """Whether a bare word may be a parameter's name although no word beside it says so."""
    return word.lower() not in _GRAMMAR | _OTHER_SUBJECTS


def _stands_alone(clause: re.Match[str]) -> bool:
    """Whether a bare word is in lower case and starts its line or follows a colon: `Error: path is required`."""
    before = clause.string[max(clause.start() - 2, 0) : clause.start()]
    return not clause["bare"][0].isupper() and (not before or before.endswith((": ", "\n")))
