"""Which names mean a secret: `DB_PASS`, `accountKey`, `contraseña`.

Words for a password in other languages are in `password_words`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from fingerpost.engine.lazy_pattern import lazy_pattern

_FOREIGN_WORD = (
    r"(?:pass|kenn|losungs)w[oö]rt(?![a-zäöüß])|zugangsdaten|mot_?de_?passe|(?<![a-z])mdp(?![a-z])|contrase[ñn]a"
    r"|clave_?(?:de_?)?(?:acceso|secreta)|(?<![a-z])senhas?(?![a-z])|palavra_?passe|parola_?(?:d_?ordine|chiave)"
    r"|wachtwoord|l[öo]senord|adgangskode|passord|kodeord|salasana|has[łl]o(?![a-z])|heslo(?![a-z])|jelsz[óo]"
    r"|(?<![a-z])(?:parol[aă]|[şs]ifre)(?![a-z])|парол[ьяюеи]|секрет(?!\u0430\u0440)|токен|κωδικ[όο]ς|סיסמה"
    r"|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호(?!화)"
)
"""Words for a password or a secret as one name, in lower case, with `_` for spaces and hyphens."""

_FOREIGN_PHRASE = lazy_pattern(
    r"(?<!\w)(?:mots? de passe|clave (?:de acceso|secreta)|palavra[ \-]passe|parola d['\u2019]ordine|m[aậ]t kh[aẩ]u"
    r"|kata sandi|كلمة (?:المرور|السر)|رمز المرور|รหัสผ่าน|पासवर्ड|contrasen\u0303a|пароль)$",
    re.IGNORECASE,
)
"""The end of a text before a separator: words for a password that contain spaces or marks."""

_MAX_NAME_LENGTH = 256
_LONGEST_PHRASE = 24
_PHRASE_ENDS = ("passe", "acceso", "secreta", "ordine", "khau", "sandi", "a")
"""How the ASCII words end that `_FOREIGN_PHRASE` may find: a fast test before the exact one."""

_KEYS = (
    "access|account|admin|api|app|auth|client|consumer|deploy|encryption|hmac|jwt|licen[cs]e|master|private|recovery"
    "|secret|server|service|shared|signing|ssh|ssl|storage|subscription|tls|webhook"
)
_SECRET_WORD = lazy_pattern(
    r"pass(?:word|wd|_?phrase|code)|pwd|secret(?!ar)|token(?!i[sz]|omics)|credential|authori[sz]ation(?!s)|bearer|cookie"
    rf"|(?:{_KEYS})_?keys?(?![a-z])|connection_?string"
    r"|(?<![a-z])(?:auth|otp|pin|ssn|cvv|cvc|jwt)s?(?![a-z])"
    r"|(?:(?<![a-z])|db|pg|sql|my|smtp|mail|ftp|ssh|user|root|admin|login|redis|mongo|sudo|proxy|store)pass$"
    r"|(?:verification|security|one_time|login|sign_?in|[2mt]fa|sms|recovery|backup|access|activation)_?codes?(?![a-z])"
    rf"|{_FOREIGN_WORD}"
)
_DESCRIBES_SECRET = lazy_pattern(
    r"_(?:length|len|type|policy|expiry|expires|expires_at|expires_in|ttl|url|uri|endpoint|status|state|required"
    r"|enabled|field|format|strength|age|errors?|exceptions?|scopes?|issuer|provider|method|name|sock|manager|service|server"
    r"|not_found|handler|controller|middleware|guard|validator|vault|jar|expired|missing|denied|failure|required)$"
)
"""The end of a name that tells something about a secret: `token_type`, `SharedAccessKeyName`, `SecretManager`."""
_COUNTS = lazy_pattern(
    r"(?:max|min|num|limit|count|total|budget|n)_?.*tokens?|tokens?_?(?:limit|count|budget|usage)|^pass$"
)
_SOURCE_FILE = lazy_pattern(
    r"\.(?:py|pyi|jsx?|mjs|cjs|tsx?|mts|cts|go|rs|java|c|h|cc|cpp|hpp|rb|cs|php|kts?|scala|swift|lua|sh|dart|md|rst|txt)$"
)
"""The name of a source file: `auth.py:42` is a position, although `auth` names a secret."""

_SECOND_WORDS = frozenset({"key", "keys", "string", "phrase", "code"})
"""Words that mean a secret together with the word before them: `API key`."""
_BLANKS = (" ", "\t")
_WORD_BEFORE = lazy_pattern(r"([A-Za-z\d][A-Za-z\d\-]{1,15})[ \t]$")
_READING = frozenset({"count", "describe", "find", "get", "list", "read", "search", "show"})
_STORING = ("_add", "_create", "_put", "_save", "_set", "_store", "_update", "_write")
STORED_NAMES = ("value", "val", "content", "contents", "data", "text", "plaintext", "payload", "string", "body")
"""Names for what a tool stores, if its own name says what that is."""
_HUMP = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])")


def classify_name(key: str) -> tuple[bool, bool]:
    """Return whether a name means a secret, and whether it means a number if its value is one (`max_tokens`)."""
    return _classify(key[-_MAX_NAME_LENGTH:])


@lru_cache(maxsize=4096)
def _classify(key: str) -> tuple[bool, bool]:
    name = split_humps(key)
    is_secret = _SECRET_WORD.search(name) is not None and not _DESCRIBES_SECRET.search(name)
    return is_secret, _COUNTS.search(name) is not None


def stores_secret(tool_name: str) -> bool:
    """Whether a tool takes a secret, by its own name: `set_secret`, `add_api_key`. Whoever reads one sends none."""
    name = split_humps(tool_name)
    verb, _, thing = name.partition("_")
    if name.endswith(_STORING):
        verb, thing = "", name.rpartition("_")[0]
    is_secret, is_count = classify_name(thing)
    return is_secret and not is_count and verb not in _READING


def split_humps(key: str) -> str:
    """Return the end of a name in lower case, with `_` between its words."""
    return _split(key[-_MAX_NAME_LENGTH:])


@lru_cache(maxsize=4096)
def _split(key: str) -> str:
    return _HUMP.sub("_", key).replace("-", "_").lower()


def names_secret(text: str, start: int, end: int) -> bool:
    """Whether the name at a place means a secret, alone or with the word before it (`API key: …`)."""
    name = text[start:end].strip(".-")
    lowered = name.lower()
    is_second_word = lowered in _SECOND_WORDS
    if not is_second_word and not classify_name(name)[0]:
        is_end = not name.isascii() or lowered.endswith(_PHRASE_ENDS)
        return is_end and _FOREIGN_PHRASE.search(text, max(0, start - _LONGEST_PHRASE), end) is not None
    before = text[start - 1 : start] in _BLANKS and _WORD_BEFORE.search(text, max(0, start - 18), start)
    word = before[1].lower() if before else ""
    is_secret = classify_name(f"{word}_{name}")[0] if is_second_word else True
    return is_secret and word not in ("unexpected", "expected") and not _SOURCE_FILE.search(name)
