"""Who a clause of prose is about: `the 'pattern' parameter …`, `tail parameter …`, `Invalid thought: …`, `max …`."""

from __future__ import annotations

import re

from fingerpost.engine.dialects import words
from fingerpost.engine.model import Path

NOUN = r"(?:arguments?|args?|parameters?|params?|fields?|property|properties|keys?)"
NAME = r"[A-Za-z_$][\w$.\[\]-]{0,99}(?<!\.)"
SUBJECT = (
    rf"(?:^|(?<=[:;,.]\s))(?P<before>(?:the |invalid |required |{NOUN} ){{0,3}})"
    rf"(?:(?P<quote>['\"`])(?P<quoted>{NAME})(?P=quote)|(?P<bare>{NAME}))(?P<after> {NOUN}|)(?P<colon>:?)"
)
"""A clause opens with it: at the start of a line, or after a stop."""

_GRAMMAR = {
    *("a", "an", "and", "any", "are", "at", "be", "each", "either", "every", "following", "is", "it", "must", "one"),
    *("or", "should", "some", "that", "the", "this", "was", "what", "which", "you", "your"),
}
_WORLD = {
    *("access", "action", "approval", "auth", "authentication", "authorization", "body", "choice", "command"),
    *("confirmation", "connection", "consent", "credentials", "data", "error", "input", "installation", "internet"),
    *("json", "list", "login", "names", "network", "note", "object", "option", "payment", "permission", "permissions"),
    *("registration", "request", "response", "restart", "result", "root", "setup", "subscription", "sudo", "upgrade"),
    *("value", "values", "verification", "warning"),
}
"""Words that open a clause about the world. They name a parameter only where they are called one."""

_CALLED = re.compile(NOUN, re.IGNORECASE)


def subject(clause: re.Match[str]) -> Path:
    """The parameter a clause is about, or the empty path when it may be about something else."""
    if clause["quoted"]:
        return words.path(clause["quoted"])
    word = clause["bare"]
    is_named = is_called_parameter(clause) and word.lower() not in _GRAMMAR
    return words.path(word) if is_named or (is_name(word) and _stands_alone(clause)) else ()


def is_called_parameter(clause: re.Match[str]) -> bool:
    """Whether a word such as `parameter` stands beside the subject."""
    return bool(clause["after"] or _CALLED.search(clause["before"]))


def is_name(word: str) -> bool:
    """Whether a bare word can be taken for a parameter's name with nothing beside it to say so."""
    return word.lower() not in _GRAMMAR | _WORLD


def _stands_alone(clause: re.Match[str]) -> bool:
    """A bare word counts in small letters, first on its line or after a colon: `Error: path is required`."""
    before = clause.string[max(clause.start() - 2, 0) : clause.start()]
    return not clause["bare"][0].isupper() and (not before or before.endswith((": ", "\n")))
