"""Recognise ids and addresses that may be repeated to the caller who sent them.

A random-looking value is hidden, because it may be a key. An id has to be repeated exactly in the next call, though,
so it is shown if both its form and its name say that it is one: a UUID, a commit, a long number, an email address or a
URL, under a name such as `task_id`, `sha` or `callback_url`; a VIN under `vin`; a code as people print it under
`order_number`. A few forms say enough by themselves: an ARN, the digest of an image. Everything else that looks random
stays hidden, and so does whatever looks like a token or has a name that means a secret.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.safety.card_numbers import is_card_number
from fingerpost.engine.safety.redact import is_secret, looks_random
from fingerpost.engine.safety.secret_forms import KNOWN_FORM

_LONGEST = 256
_HUMP = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = lazy_pattern(r"[a-z]+")
_ID_WORDS = frozenset({
    "address", "addresses", "commit", "commits", "email", "emails", "guid", "guids", "href", "id", "ids", "ip", "ips",
    "ipv", "link", "links", "mac", "mail", "mails", "oid", "recipient", "recipients", "ref", "rev", "revision", "sha",
    "uid", "uids", "ulid", "uri", "uris", "url", "urls", "uuid", "uuids",
})  # fmt: skip
_BEARER_WORDS = frozenset({
    "activation", "auth", "backup", "card", "cards", "challenge", "coupon", "credit", "csrf", "debit", "discount",
    "gift", "grant", "hmac", "invitation", "invite", "key", "keys", "licence", "license", "login", "magic", "national",
    "nonce", "passport", "private", "promo", "recovery", "redeem", "refresh", "reset", "salt", "security", "seed",
    "session", "sessions", "share", "sig", "signature", "social", "state", "tax", "verification", "verifier", "voucher",
    "webhook", "webhooks", "xsrf",
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
_CLEAR_FORMS = lazy_pattern(
    r"arn:aws[\w\-]*:[\w\-]+:[\w\-]*:\d{0,12}:[\w./:*+,@\-]+"
    r"|(?:s3[an]?|gs|gcs|hdfs|oss|r2|wasbs?)://[\w.\-]+(?:/[\w.\-+ ]*)*"  # an object in a storage
    r"|(?:[\w./\-]+(?::[\w.\-]+)?@)?sha(?:1|256|384|512):[\da-f]{40,128}"  # the digest of an image
    r"|0x[\da-fA-F]{40}"  # an address of Ethereum; the private key has 64 digits
)
"""What is an id under any name that does not mean a secret."""
_HASH = r"(?:0x)?(?:[\da-fA-F]{32}|[\da-fA-F]{40}|[\da-fA-F]{56}|[\da-fA-F]{64}|[\da-fA-F]{96}|[\da-fA-F]{128})"
_ARTICLE = r"[\dX](?:[ \-]?[\dX]){7,16}"
_NAMED_FORMS = {
    "vin": r"[A-HJ-NPR-Z\d]{17}", "imei": r"\d{15,16}", "iban": r"[A-Z]{2}\d{2}(?: ?[A-Z\d]){11,30}",
    "isbn": _ARTICLE, "issn": _ARTICLE, "ean": _ARTICLE, "upc": _ARTICLE, "gtin": _ARTICLE, "barcode": _ARTICLE,
    "orcid": r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]", "doi": r"10\.\d{4,9}/[\w.;()/:\-]+",
    "hash": _HASH, "sha": _HASH, "md": _HASH, "digest": _HASH, "checksum": _HASH, "etag": _HASH,
}  # fmt: skip
"""What a value looks like under the names of well-known kinds of ids."""
_NUMBER_WORDS = frozenset({
    "asin", "code", "codes", "no", "nr", "number", "numbers", "plate", "ref", "reference", "references", "refs",
    "serial", "sku", "skus",
})  # fmt: skip
_PRINTED = lazy_pattern(r"[A-Z\d]{1,24}(?:[-_./ ][A-Z\d]{1,24}){0,7}")
"""A code as people print it, on an invoice or a parcel: capitals and digits in groups."""
_OF_A_THING = lazy_pattern(r"[A-Za-z\d][\w\-|:.]{5,95}")
"""What a service uses as the id of a thing: `1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms`."""
_WITH_PREFIX = lazy_pattern(r"([a-z]{2,8})[_\-][A-Za-z\d]{8,32}")
"""`cus_NffrFeUfNV2Hib`: the letters in front say what the id is of."""
_SECRET_PREFIXES = frozenset({
    "api", "apikey", "auth", "bearer", "dckr", "gho", "ghp", "ghr", "ghs", "ghu", "glpat", "hf", "hvs", "key", "live",
    "npm", "pat", "pk", "prod", "pypi", "rk", "secret", "shp", "sk", "sq", "test", "token", "whsec", "xapp", "xox",
    "xoxa", "xoxb", "xoxp", "xoxs",
})  # fmt: skip
_DIGITS = lazy_pattern(r"\d{15,20}")
_EMAIL = lazy_pattern(r"[\w.+\-]{1,64}@[a-zA-Z\d](?:[a-zA-Z\d\-]*[a-zA-Z\d])?(?:\.[a-zA-Z\d\-]+)*\.[a-zA-Z]{2,24}")
_PREFIX, _SEPARATORS = lazy_pattern(r"[_\-]"), lazy_pattern(r"[ \-]+")
_PART = lazy_pattern(r"[/:?&=#,]+")


def is_own_id(value: object, key: str) -> bool:
    """Whether a value that a caller sent under the path `key` is an id or an address, and no secret."""
    if not isinstance(value, str) or len(value) > _LONGEST or is_secret(key) or KNOWN_FORM.search(value):
        return False
    words = _WORD.findall(_HUMP.sub("_", key.rpartition(".")[2]).lower())
    if not _BEARER_WORDS.isdisjoint(words):
        return False
    return (
        _CLEAR_FORMS.fullmatch(value) is not None
        or any(re.fullmatch(_NAMED_FORMS[word], value) for word in words if word in _NAMED_FORMS)
        or (not _ID_WORDS.isdisjoint(words) and _is_id_or_address(value))
        or _is_printed_number(value, words)
        or _is_id_of_a_thing(value, words)
    )


def _is_id_or_address(value: str) -> bool:
    return _is_id(value) or ("@" not in value and all(_is_plain_or_id(part) for part in _PART.split(value)))


def _is_printed_number(value: str, words: Sequence[str]) -> bool:
    """Whether a value is a number or code of something. A mere `code` may be one that opens something."""
    is_number = bool(words) and words[-1] in _NUMBER_WORDS and words not in (["code"], ["codes"])
    return is_number and _PRINTED.fullmatch(value) is not None and not is_card_number(_keep_digits(value))


def _is_id_of_a_thing(value: str, words: Sequence[str]) -> bool:
    """Whether a value is the id of a thing that its name tells: `spreadsheet_id`, not `id`."""
    is_named = len(words) > 1 and words[-1] in ("id", "ids")
    if not is_named or _PREFIX.split(value, maxsplit=1)[0].lower() in _SECRET_PREFIXES:
        return False
    return _OF_A_THING.fullmatch(value) is not None and not is_card_number(_keep_digits(value))


def _keep_digits(text: str) -> str:
    digits = _SEPARATORS.sub("", text)
    return digits if digits.isdigit() else ""


def _is_id(text: str) -> bool:
    if _DIGITS.fullmatch(text):
        return not is_card_number(text)
    if found := _WITH_PREFIX.fullmatch(text):
        return found[1] not in _SECRET_PREFIXES
    return bool(_FORMS.fullmatch(text) or _EMAIL.fullmatch(text))


def _is_plain_or_id(part: str) -> bool:
    """Whether a part of an address is a word or an id. The name of a secret announces one, as in `?token=…`."""
    return not is_secret(part) and (_is_id(part) or not looks_random(part))
