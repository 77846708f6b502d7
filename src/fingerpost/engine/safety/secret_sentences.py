"""Tell a secret from a sentence about it, and from what only stands for it: `<token>`, `YOUR_API_KEY`, `***`."""

from __future__ import annotations

import re

from fingerpost.engine.lazy_pattern import lazy_pattern

_FOREIGN_STATE = (
    "falsch|ungültig|erforderlich|fehlt|muss|abgelaufen|leer|darf|ist|wurde|incorrecte?|invalide|requise?|obligatoire"
    "|doit|expiré|manquant|est|incorrect[ao]|inválid[ao]|obligatori[ao]|requerid[ao]|debe|caducad[ao]|es|no es"
    "|obrigatóri[ao]|deve|incorret[ao]|expirad[ao]|errat[ao]|non valid[ao]|richiest[ao]|неверный|неправильный|должен"
    "|обязателен|не|истёк|ongeldig|verplicht|moet|onjuist|nieprawidłowe|wymagane|错误|不正确|無効|必須"
)
"""What continues a sentence about a password in these languages."""

_AFTER = r"(?=[\s,.;:!?)\]}>\"'`&|@]|\\[\"'rn]|$)"
_SECRET = r"(?:api_?)?(?:token|key|secret|pass(?:word|wd|phrase|code)?|pwd|credentials?|cookie|pin|otp|jwt)s?"

_CONSTANT = lazy_pattern(
    r"(?:yes|no|ok|none|null|nil|undefined|true|false|string|str|int|integer|number|boolean|bool|object|array|any"
    r"|optional|required|oauth2?|saml|ldap|sso|n/a)(?=[\s,.;:!?)\]}\"'`(]|$)|-{1,3}(?!\S)",
    re.IGNORECASE,
)
"""A type or a constant in the place of a value."""
PLACEHOLDER = lazy_pattern(
    r"<(?:hidden|redacted)>(?!\w)|[(\[](?:hidden|redacted|masked|removed|not set|unset|empty|none|blank)[)\]]"
    rf"|(?:<[A-Z][\w \-]{{0,30}}>|[*•]{{3,64}}|(?:[a-z]{{2,5}}[-_])?(?:x{{3,32}}|\.{{3}}|…)){_AFTER}"
    rf"|(?:(?-i:[A-Z]+_)*(?-i:[A-Z]*(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASS|PWD|PASSPHRASE|CREDENTIALS?|COOKIE|PIN|OTP)S?)"
    rf"|(?:your|my|insert|replace|enter|the)(?:[_\-][a-z]{{1,12}}){{1,5}}){_AFTER}"
    r"|\$\{?(?-i:[A-Z][A-Z\d_]{1,40})\}?(?!\w)|\$\{[\w.:\-]{1,60}\}(?!\w)"
    rf"|\$(?:[a-z]{{1,20}}_){{0,3}}{_SECRET}(?!\w)|\$?\{{\{{? ?(?:[a-z]{{1,20}}[._\-]?){{0,3}}?{_SECRET} ?\}}?\}}"
    rf"|(?:%s|%\([a-z_]{{1,40}}\)s|%(?-i:[A-Z_]{{2,40}})%){_AFTER}"
    r"|[|>][\-+\d]{0,2}[ \t]{0,3}(?=[\r\n]|\\[rn]|$)|\\[rn][ \t]",
    re.IGNORECASE,
)
"""What stands for a secret already, or says that it is on the next line."""
SCHEME = lazy_pattern(r"(?:bearer|basic|token)[ \t]+(?=\S)", re.IGNORECASE)
_STATE = (
    "wrong|invalid|incorrect|missing|required|expired|unknown|empty|rejected|failed|revoked|denied|unavailable|disabled"
    "|malformed|mismatch|absent|provided|not|too|must|should|shall|cannot|can't|at least|at most|is|are|was|were|has"
    "|have|field|input should|string should|value error|this field"
)
_QUALITY = (
    r"[a-z]{3,14}ed|valid|pending|case-(?:in)?sensitive|active|inactive|correct|read-only|available|safe|secure|insecure"
    r"|weak|strong|blank|mandatory|present|visible|longer|shorter|already|now|also|currently|still|never|always|being"
    r"|only|unset|for|from|in|on|of"
)
"""What a sentence says about a secret: `the private key is encrypted`."""
_SENTENCE = lazy_pattern(
    rf"(?:{_STATE}|{_FOREIGN_STATE}|the|a|an|this|that|it|no|may|can|could|expected|given|set|please|check|see|min(?:imum)?"
    r"|max(?:imum)?|between|\d{1,3}(?:(?:-|\u2013| to )\d{1,3})? (?:characters|digits|letters))"
    r"(?=[ \t]+[A-Za-z\d\"'(]|[,.;:!?)]?(?:\s|$))",
    re.IGNORECASE,
)
"""What continues a sentence about a secret."""
_CLAUSE = lazy_pattern(rf"(?:{_QUALITY})(?=[ \t]+[A-Za-z\d\"'(]|[,.;:!?)]?(?:\s|$))")
_QUOTED_SENTENCE = lazy_pattern(
    r"(?:(?:the |your |this )?(?:password|token|secret|key|passphrase|pin|code|credentials?|field|value) )?"
    rf"(?:{_STATE}|{_FOREIGN_STATE})(?=[ \t]+[a-z]|[.!]?\Z)",
    re.IGNORECASE,
)
_OPTION_SENTENCE = lazy_pattern(
    r"(?:to|for|or|and|with|in|from|as|if|when|option|flag|argument|parameter)\b(?!\S)", re.IGNORECASE
)
_PROSE = lazy_pattern(r"[a-z]{2,14}+ [a-z]{2,}+(?![\w=])")
_WEAK_NAME = lazy_pattern(r"(?:(?:auth|credential|pin|otp|bearer|jwt)s?|^keys?|(?:^|[_.])auth\.[a-z_]+)$")
"""Names that also begin a line about something else: `auth: connection refused`."""
_AUTH_KIND = lazy_pattern(
    r"(?:\d{3}|basic|bearer|digest|ntlm|kerberos|jwt|mtls|api[_ -]?key)(?=[\s,.;:)\]}\"']|$)", re.I
)
"""What `auth:` may be followed by besides a secret: a status or a kind of authentication."""


def continues_sentence(text: str, start: int, *, separator: str) -> bool:
    """Whether what follows a name continues a sentence; after `=` only a type, a constant or a placeholder does."""
    if _CONSTANT.match(text, start) or is_placeholder(text, start):
        return True
    if separator[-1] not in " \t\uff1a":
        return False
    is_clause = separator.strip() == "is" and _CLAUSE.match(text, start) is not None
    return is_clause or _SENTENCE.match(text, start) is not None


def is_placeholder(text: str, start: int = 0) -> bool:
    """Whether there is a placeholder at a place, also behind the scheme of a header: `Bearer <token>`."""
    if PLACEHOLDER.match(text, start):
        return True
    scheme = SCHEME.match(text, start)
    return scheme is not None and PLACEHOLDER.match(text, scheme.end()) is not None


def is_sentence(value: str) -> bool:
    """Whether the value of a secret is a sentence about the secret, a type, or a constant."""
    return (_CONSTANT.fullmatch(value) or PLACEHOLDER.fullmatch(value) or _QUOTED_SENTENCE.match(value)) is not None


def continues_option(text: str, start: int) -> bool:
    """Whether a sentence goes on behind the name of an option: `use --token to log in`."""
    return _OPTION_SENTENCE.match(text, start) is not None


def is_about_something_else(text: str, start: int, name: str, separator: str) -> bool:
    """Whether a name begins a line about something else; the name is in lower case."""
    if not separator.endswith(" ") or not _WEAK_NAME.search(name):
        return False
    return bool(_PROSE.match(text, start) or (name.endswith("auth") and _AUTH_KIND.match(text, start)))
