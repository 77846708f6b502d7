"""Recognise ids and addresses that may be repeated to the caller who sent them.

A random-looking value is hidden, because it may be a key. An id has to be repeated exactly in the next call, though,
so it is shown if both its form and its name say that it is one: a UUID, a commit, a long number, an email address or a
URL, under a name such as `task_id`, `sha` or `callback_url`. Everything else that looks random stays hidden.
"""

from __future__ import annotations

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.safety.redact import is_secret, looks_random

_LONGEST = 256
_LONGEST_CARD = 16
_HUMP = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = lazy_pattern(r"[a-z]+")
_ID_WORDS = frozenset({
    "address", "addresses", "commit", "commits", "email", "emails", "guid", "guids", "href", "id", "ids", "ip", "ips",
    "ipv", "link", "links", "mac", "mail", "mails", "oid", "recipient", "recipients", "ref", "rev", "revision", "sha",
    "uid", "uids", "ulid", "uri", "uris", "url", "urls", "uuid", "uuids",
})  # fmt: skip
_BEARER_WORDS = frozenset({
    "challenge", "csrf", "grant", "invitation", "invite", "key", "keys", "licence", "license", "login", "magic",
    "nonce", "reset", "session", "sessions", "share", "sig", "signature", "state", "verifier", "webhook", "webhooks",
    "xsrf",
})  # fmt: skip
"""Names whose values open something to whoever has them, although they look like ids."""

_FORMS = lazy_pattern(
    r"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}"  # a UUID
    r"|[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}"
    r"|[\da-f]{7,40}|[\da-f]{64}"  # a commit, an object id, a digest
    r"|[0-7][\dA-HJKMNP-TV-Z]{25}"  # a ULID
    r"|(?:[\da-fA-F]{1,4}:{1,2}){2,7}[\da-fA-F]{0,4}"  # an IPv6 address
    r"|(?:[\da-fA-F]{2}[:\-]){5}[\da-fA-F]{2}"  # a MAC address
)
_WITH_PREFIX = lazy_pattern(r"([a-z]{2,8})[_\-][A-Za-z\d]{8,32}")
"""`cus_NffrFeUfNV2Hib`: the letters in front say what the id is of."""
_SECRET_PREFIXES = frozenset({
    "api", "apikey", "auth", "bearer", "dckr", "gho", "ghp", "ghr", "ghs", "ghu", "glpat", "hf", "hvs", "key", "live",
    "npm", "pat", "pk", "prod", "pypi", "rk", "secret", "shp", "sk", "sq", "test", "token", "whsec", "xapp", "xox",
    "xoxa", "xoxb", "xoxp", "xoxs",
})  # fmt: skip
_DIGITS = lazy_pattern(r"\d{15,20}")
_EMAIL = lazy_pattern(r"[\w.+\-]{1,64}@[a-zA-Z\d](?:[a-zA-Z\d\-]*[a-zA-Z\d])?(?:\.[a-zA-Z\d\-]+)*\.[a-zA-Z]{2,24}")
_PART = lazy_pattern(r"[/:?&=#,]+")


def is_own_id(value: object, key: str) -> bool:
    """Whether a value that a caller sent under the path `key` is an id or an address, and no secret."""
    if not isinstance(value, str) or len(value) > _LONGEST or is_secret(key) or not _names_id(key):
        return False
    if _is_id(value):
        return True
    return "@" not in value and all(_is_plain_or_id(part) for part in _PART.split(value))


def _names_id(key: str) -> bool:
    """Whether the last name of a path says that the value is an id or an address."""
    words = set(_WORD.findall(_HUMP.sub("_", key.rpartition(".")[2]).lower()))
    return bool(words & _ID_WORDS) and not words & _BEARER_WORDS


def _is_id(text: str) -> bool:
    if _DIGITS.fullmatch(text):
        return not _is_card_number(text)
    if found := _WITH_PREFIX.fullmatch(text):
        return found[1] not in _SECRET_PREFIXES
    return bool(_FORMS.fullmatch(text) or _EMAIL.fullmatch(text))


def _is_plain_or_id(part: str) -> bool:
    """Whether a part of an address is a word or an id. The name of a secret announces one, as in `?token=…`."""
    return not is_secret(part) and (_is_id(part) or not looks_random(part))


def _is_card_number(digits: str) -> bool:
    """Whether a number has the length and the check digit of a payment card (Luhn)."""
    doubled = [sum(divmod(int(digit) * 2, 10)) for digit in digits[-2::-2]]
    return len(digits) <= _LONGEST_CARD and (sum(doubled) + sum(int(digit) for digit in digits[::-2])) % 10 == 0
