"""Patterns of secrets that are known by their own form, or by what is around them: tokens, logins in URLs, keys."""

from __future__ import annotations

import re

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.safety.secret_places import CODES, DIGEST_RESPONSE, QUERY, WEBHOOK

USERINFO = lazy_pattern(
    r"(?<=//)[^\s/@:\"'<>]{0,256}:(?!\d{1,5}(?:[/?#\s]|$))[^\s\"'<>]{1,512}@|(?<=://)(?!git@)[^\s/@\"'<>]{1,256}@"
)
BEARER = lazy_pattern(
    r"\b(bearer|basic(?=[ \t]+\S{0,512}?(?:\d|=|(?-i:[a-z][A-Z]))))([ \t]+)(?!(?:auth\w*|tokens?|headers?|schemes?"
    r"|credentials?|access|realm|format|type|of|and|operations?|features?|support|version|information|example)\b)([^\s,;\"']{6,})",
    re.IGNORECASE,
)
WEBHOOK_URL, QUERY_VALUE, DIGEST = (lazy_pattern(one, re.IGNORECASE) for one in (WEBHOOK, QUERY, DIGEST_RESPONSE))
CODE_PATTERNS = tuple(lazy_pattern(code, re.IGNORECASE) for code in CODES)
PEM = lazy_pattern(
    r"-{4,5} ?BEGIN [A-Z\d ]{1,40}-{4,5}.*?(?:-{4,5} ?END [A-Z\d ]{1,40}-{4,5}|\Z)"
    r"|(?<=Private-Lines: )\d{1,4}.*?(?:Private-(?:MAC|Hash): ?\w{1,128}|\Z)",
    re.DOTALL,
)
"""The body of a key, as OpenSSL, SSH and PuTTY write it."""
PYDANTIC_INPUT = lazy_pattern(
    r"^([\w.\[\]]{1,128})\n([^\n]{0,300}?\binput_value=)([^\n]*?)(?=, input_type=|\])", re.MULTILINE
)
KNOWN_FORM = lazy_pattern(
    r"(?<![A-Za-z0-9])(?:sk-(?=[\w\-]{0,64}\d)[\w\-]{8}|[srp]k_(?:live|test)_|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-"
    r"|A[KS]IA[A-Z0-9]{12}|AIza[\w\-]{8}|ya29\.|eyJ\w{6}|(?:npm|hf)_(?=[A-Za-z0-9]{0,40}\d|[A-Za-z0-9]{20})[A-Za-z0-9]{8}|pypi-\w{8}|whsec_|SG\.\w{8}|shpat_|dop_v1_"
    r"|ATATT|lin_api_|dckr_pat_|hvs\.\w{16}|(?:AGE-SECRET-KEY|age-secret-key)-1\w{8}|-----BEGIN"
    r"|\$(?:2[aby]|argon2[a-z]{0,2}|[156y])\$[\w./$=,+\-]{2,200})"
)
"""The beginning of a key or token that its issuer gives a recognizable form."""
KNOWN_TOKEN = lazy_pattern(KNOWN_FORM.pattern + r"[\w\-./+=~]*")
