"""Recognise logins without a scheme (`bob:hunter2@db`), and passwords in SQL (`IDENTIFIED BY 'hunter2'`)."""

from __future__ import annotations

import re

from fingerpost.engine.lazy_pattern import lazy_pattern

_PASSWORD = r"[^\s:/@\"'`<>,;(){}\[\]]"
_HOST = r"(?:[A-Za-z][\w\-]{0,62}(?:\.[\w\-]{1,63}){0,8}|\d{1,3}(?:\.\d{1,3}){3})"
BARE_LOGIN = lazy_pattern(
    rf"(?<![\w.@+/:\\\-])(?P<name>[A-Za-z][\w.+\-]{{0,63}}):(?P<password>{_PASSWORD}{{3,128}})"
    rf"(?=@(?!sha\d)(?P<host>{_HOST})(?:(?P<place>:\d{{2,5}}|/)|(?![\w@:/])))"
)
"""A name, a password and a host, perhaps with a port or a path. Whether they are that: see `password_in`."""
_MAIL_NAMES = lazy_pattern(
    r"(?:[\w.\-]*[_.\-])?(?:by|e?mail|name)|(?:mailto|sip|xmpp|jabber|acct|matrix|from|to|cc|bcc|sender|recipient|author"
    r"|committer|assignee|reporter|owner|creator|contact|maintainer|principal|member|user|group|domain|service_?account)s?",
    re.IGNORECASE,
)
"""What an email address follows: `from:bob99@example.com`."""
_VERSION_NAMES = lazy_pattern(
    r"(?:[\w.\-]*[_.\-])?(?:id|uid)|(?:npm|jsr|pkg|package|workspace|link|file|patch|crate|gem|image|tag|version|ref|arn|urn)s?",
    re.IGNORECASE,
)
"""What an id or a version follows: `npm:react18@latest`."""

SQL_PASSWORD = lazy_pattern(
    r"(?:\bIDENTIFIED|\b(?i:(?:create|alter)\s{1,3}(?:user|role)\s{1,3}(?:if\s{1,3}(?:not\s{1,3})?exists\s{1,3})?"
    r"[^\s;]{1,128}\s{1,3}identified))\s{1,3}"
    r"(?i:with\s{1,3}[\w\"'`]{1,64}\s{1,3})?(?i:by|as)\s{1,3}(?i:(?:password|values)\s{1,3})?"
)
"""What the password in an SQL statement follows. `Rows are identified by 'id'` is no SQL."""


def password_in(found: re.Match[str]) -> str:
    """The password in a match of `BARE_LOGIN`; empty if it is no login.

    In front of a port or a path it may be any word, else only a longer one of letters and digits.
    """
    name, password, host, place = found["name"], found["password"], found["host"], found["place"]
    if _VERSION_NAMES.fullmatch(name) or ("." in host and _MAIL_NAMES.fullmatch(name)):
        return ""
    has_digit, has_letter = any(map(str.isdigit, password)), any(map(str.isalpha, password))
    return password if has_letter and (place or (has_digit and len(password) >= 6)) else ""
