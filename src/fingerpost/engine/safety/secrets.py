"""Find secrets in text and hide them: `DB_PASS=…`, `"token": "…"`, `postgres://user:…@host`, keys of known form.

Which names mean a secret is in `secret_names`, where a value ends in `secret_values`, other places where a text holds a
secret in `secret_places` and `password_words`, and which parts of a long text are searched in `secret_signs`.

Where the name of a secret is followed by a value, the value is hidden up to its end, whatever characters it has. A
sentence about a secret (`password must be 8 characters`) stays readable.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeAlias

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.safety.disguises import is_disguised, undo_disguises
from fingerpost.engine.safety.password_words import LOGIN_PAIR, PASSWORD_OPTION
from fingerpost.engine.safety.secret_names import classify_name
from fingerpost.engine.safety.secret_places import (
    CODES,
    DIGEST_RESPONSE,
    ESCAPE,
    EZCONNECT_LOGIN,
    IN_TYPOGRAPHIC_QUOTES,
    NEXT_LINE,
    ORACLE_CONTEXT,
    ORACLE_LOGIN,
    PLACES,
    QUERY,
    QUOTED,
    RANDOM,
    WEBHOOK,
)
from fingerpost.engine.safety.secret_sentences import is_placeholder
from fingerpost.engine.safety.secret_signs import SearchLimit, find_parts, has_name_sign, lower
from fingerpost.engine.safety.secret_values import (
    FLAG,
    PAIR,
    find_likely_value,
    find_rest,
    find_value_after_flag,
    find_value_after_pair,
    find_value_in_place,
)

HIDDEN = "<hidden>"
"""Replaces text that may not be shown."""
_MOST_OPTIONS = 16
_EXAMPLES = ("password", "pass", "passwd", "pwd", "secret", "token")
"""Passwords in examples: `curl -u user:password`."""

_Find: TypeAlias = Callable[[str, re.Match[str]], tuple[int, int]]
"""Returns where a value begins and ends."""

_USERINFO = lazy_pattern(
    r"(?<=://)(?:[^\s/@:\"'<>]{0,256}:(?!\d{1,5}(?:[/?#\s]|$))[^\s\"'<>]{1,512}@|(?!git@)[^\s/@\"'<>]{1,256}@)"
)
_BEARER = lazy_pattern(
    r"\b(bearer|basic(?=[ \t]+\S{0,512}?(?:\d|=|(?-i:[a-z][A-Z]))))([ \t]+)(?!(?:auth\w*|tokens?|headers?|schemes?"
    r"|credentials?|access|realm|format|type|of|and|operations?|features?|support|version|information|example)\b)([^\s,;\"']{6,})",
    re.IGNORECASE,
)
_WEBHOOK, _QUERY, _DIGEST = (lazy_pattern(one, re.IGNORECASE) for one in (WEBHOOK, QUERY, DIGEST_RESPONSE))
_CODES = tuple(lazy_pattern(code, re.IGNORECASE) for code in CODES)
_PEM = lazy_pattern(
    r"-{4,5} ?BEGIN [A-Z\d ]{1,40}-{4,5}.*?(?:-{4,5} ?END [A-Z\d ]{1,40}-{4,5}|\Z)"
    r"|(?<=Private-Lines: )\d{1,4}.*?(?:Private-(?:MAC|Hash): ?\w{1,128}|\Z)",
    re.DOTALL,
)
"""The body of a key, as OpenSSL, SSH and PuTTY write it."""
_PYDANTIC_INPUT = lazy_pattern(
    r"^([\w.\[\]]{1,128})\n([^\n]{0,300}?\binput_value=)([^\n]*?)(?=, input_type=|\])", re.MULTILINE
)
KNOWN_FORM = lazy_pattern(
    r"(?<![A-Za-z0-9])(?:sk-(?=[\w\-]{0,64}\d)[\w\-]{8}|[srp]k_(?:live|test)_|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-"
    r"|A[KS]IA[A-Z0-9]{12}|AIza[\w\-]{8}|ya29\.|eyJ\w{6}|(?:npm|hf)_(?=[A-Za-z0-9]{0,40}\d|[A-Za-z0-9]{20})[A-Za-z0-9]{8}|pypi-\w{8}|whsec_|SG\.\w{8}|shpat_|dop_v1_"
    r"|ATATT|lin_api_|dckr_pat_|hvs\.\w{16}|(?:AGE-SECRET-KEY|age-secret-key)-1\w{8}|-----BEGIN"
    r"|\$(?:2[aby]|argon2[a-z]{0,2}|[156y])\$[\w./$=,+\-]{2,200})"
)
"""The beginning of a key or token that its issuer gives a recognizable form."""
_KNOWN_TOKEN = lazy_pattern(KNOWN_FORM.pattern + r"[\w\-./+=~]*")
_ORACLE_CONTEXT = lazy_pattern(ORACLE_CONTEXT, re.IGNORECASE)
_ORACLE_LOGIN, _EZCONNECT_LOGIN = lazy_pattern(ORACLE_LOGIN), lazy_pattern(EZCONNECT_LOGIN)
_BACKSLASHES = lazy_pattern(r"\\+(?=u[\da-fA-F]{4})")
_ESCAPE, _NOT_ASCII = lazy_pattern(ESCAPE), lazy_pattern(r"[^\x00-\x7f]")


def has_secret(text: str) -> bool:
    """Whether a text contains a secret that `hide_secrets` would hide."""
    return hide_secrets(text) != text


def hide_secrets(text: str, limit: SearchLimit | None = None) -> str:
    """Replace each secret in a text; the rest, line breaks included, stays. The same object if there is no secret.

    What is left of a text that is too long to be looked at, alone or with the other texts of `limit`, is left out.
    """
    limit = limit or SearchLimit()
    taken = limit.take(text)
    decoded = _ESCAPE.sub(_decode, taken) if "\\u" in taken else taken
    plain = undo_disguises(decoded) if is_disguised(decoded) else decoded
    hidden, left_out = _hide_in_parts(plain, limit)
    left_out += len(text) - len(taken)
    if hidden == plain and not left_out:
        return text
    escapes = set(_BACKSLASHES.findall(taken)) if decoded is not taken else set[str]()
    if len(escapes) == 1 and text.isascii():  # a text in which every other letter is escaped stays so
        hidden = _NOT_ASCII.sub(partial(_encode, escapes.pop()), hidden)
    return f"{hidden}<{left_out:,} characters not shown: too long to check for secrets>" if left_out else hidden


def _decode(escape: re.Match[str]) -> str:
    code = int(escape[2], 16)
    return chr(code) if code > 0xA0 else escape[0]


def _encode(backslashes: str, letter: re.Match[str]) -> str:
    return f"{backslashes}u{ord(letter[0]):04x}"


def _hide_in_parts(text: str, limit: SearchLimit) -> tuple[str, int]:
    """Hide the secrets in the parts of a text that may have some; also return how much of it was not searched."""
    plain = _PEM.sub(HIDDEN, text) if "BEGIN " in text or "Private-Lines" in text else text
    lowered = lower(plain)
    parts = find_parts(lowered, limit)
    left_out, plain = len(plain) - parts.end, plain[: parts.end]
    pieces, done = list[str](), 0
    for first, last in parts.places:
        start, end = max(first, done), min(last, len(plain))
        if start < end:
            part = _hide(plain[start:end], lowered[start:end])
            pieces += [plain[done:start], part]
            done = find_rest(plain, end, part.removesuffix(HIDDEN)) if part.endswith(HIDDEN) else end
    return "".join([*pieces, plain[done:]]) if pieces else plain, left_out


def _hide(text: str, lowered: str) -> str:
    """Hide the secrets in a text. A step is made only if the text has one of the pieces that it needs."""
    for step in _STEPS if has_name_sign(lowered) else _STEPS_WITHOUT_NAME:
        for piece in step.pieces:
            if piece in lowered:
                text = step.hide(text)
                break
    return text


def _hide_bearer(found: re.Match[str]) -> str:
    return found[0] if is_placeholder(found[3]) else f"{found[1]}{found[2]}{HIDDEN}"


def _hide_userinfo(found: re.Match[str]) -> str:
    """Hide the login in a URL, unless it stands for one: `postgres://user:password@host`."""
    user, _, password = found[0].removesuffix("@").partition(":")
    password = password or user
    return found[0] if is_placeholder(password) or password in _EXAMPLES else f"{HIDDEN}@"


def _hide_login(found: re.Match[str]) -> str:
    """Hide the password in `user bob:hunter2`; the name of a group after the same name (`www-data`) is none."""
    return found[0] if found[3] == found[2] else f"{found[1]}{found[2]}:{HIDDEN}"


def _hide_options(text: str) -> str:
    """Hide the passwords on command lines (`mysql -phunter2`), and repetitions of them elsewhere in the text."""
    found = {next(filter(None, one.groups())) for one in islice(PASSWORD_OPTION.finditer(text), _MOST_OPTIONS)}
    for value in sorted(found, key=len, reverse=True):
        if value not in HIDDEN and not is_placeholder(value) and value not in _EXAMPLES:
            text = re.sub(rf"(?<![^\W_]){re.escape(value)}(?!\w)|(?<=-[pP]){re.escape(value)}(?!\w)", HIDDEN, text)
    return text


def _hide_values(text: str, names: re.Pattern[str], find: _Find) -> str:
    parts, done = list[str](), 0
    for found in names.finditer(text):
        if found.start() < done:
            continue
        start, end = find(text, found)
        if start < end:
            parts += [text[done:start], HIDDEN]
            done = end
    return "".join([*parts, text[done:]])


def _hide_pydantic_input(found: re.Match[str]) -> str:
    """Hide the value that pydantic repeats if the field before it is secret, or if the value may be cut inside one."""
    is_secret = any(classify_name(part)[0] for part in found[1].split("."))
    is_cut = found[3].startswith("{") and "..." in found[3]
    return f"{found[1]}\n{found[2]}{HIDDEN}" if is_secret or is_cut else found[0]


def _hide_after_group(found: re.Match[str]) -> str:
    return f"{found[found.lastindex or 0]}{HIDDEN}"


def _hide_codes(text: str) -> str:
    for pattern in _CODES:
        text = pattern.sub(rf"\1{HIDDEN}", text)
    return text


def _hide_oracle_login(text: str) -> str:
    login = _ORACLE_LOGIN if _ORACLE_CONTEXT.search(text) else _EZCONNECT_LOGIN
    return login.sub(rf"\1{HIDDEN}", text)


def _substitute(pattern: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]) -> Callable[[str], str]:
    return lambda text: pattern.sub(replacement, text)


def _search(pattern: re.Pattern[str], find: _Find) -> Callable[[str], str]:
    return lambda text: _hide_values(text, pattern, find)


class _Step(NamedTuple):
    """One way to hide secrets, and what a text that it changes must contain, in lower case."""

    hide: Callable[[str], str]
    pieces: tuple[str, ...] = ("",)
    needs_name: bool = True
    """Whether it hides the value after the name of a secret."""


_XML, _BESIDE, _BLOCK, _NETRC, _PHRASE, _PROVIDED, _DOCKERFILE, _TABLE, _CODE = (
    _search(lazy_pattern(place), find_value_in_place) for place in PLACES
)
_STEPS = (
    _Step(_substitute(_PYDANTIC_INPUT, _hide_pydantic_input), ("input_value=",), needs_name=False),
    _Step(_substitute(_USERINFO, _hide_userinfo), ("://",), needs_name=False),
    _Step(_substitute(_WEBHOOK, rf"\1{HIDDEN}"), ("hook", "api.telegram", "ifttt"), needs_name=False),
    _Step(_substitute(_QUERY, _hide_after_group), ("sig", "key=", "code=", "hmac="), needs_name=False),
    _Step(_substitute(_DIGEST, rf"\1{HIDDEN}"), ("response=",), needs_name=False),
    _Step(_hide_codes, ("code", "otp", "pin"), needs_name=False),
    _Step(_search(PAIR, find_value_after_pair)),
    _Step(_search(FLAG, find_value_after_flag), ("-",)),
    _Step(_substitute(LOGIN_PAIR, _hide_login), ("user", "log", "credential", "basic"), needs_name=False),
    _Step(_hide_options, (" -", "\t-", "\n-", "net use"), needs_name=False),
    _Step(_XML, ("<", "\\u003c", "&lt;")),
    _Step(_BESIDE, ("val",)),
    _Step(_BLOCK, ("|", ">")),
    _Step(_NETRC, ("machine",)),
    _Step(_PHRASE, ("pass",)),
    _Step(_PROVIDED, ("provided", "supplied", "given")),
    _Step(_DOCKERFILE, ("env", "setx")),
    _Step(_TABLE, ("\t", "\\t")),
    _Step(_CODE, ("code",)),
    _Step(_search(lazy_pattern(QUOTED), find_likely_value), ("'", '"', "`")),
    _Step(
        _search(lazy_pattern(IN_TYPOGRAPHIC_QUOTES), find_likely_value),
        ("\u201c", "\u201e", "\u2018", "\u201a", "\u00ab"),
    ),
    _Step(_search(lazy_pattern(NEXT_LINE), find_likely_value), ("\n", "\\n")),
    _Step(_search(lazy_pattern(RANDOM), find_likely_value)),
    _Step(_hide_oracle_login, ("@",), needs_name=False),
    _Step(_substitute(_BEARER, _hide_bearer), ("bearer", "basic"), needs_name=False),
    _Step(_substitute(_KNOWN_TOKEN, HIDDEN), needs_name=False),
)
_STEPS_WITHOUT_NAME = tuple(step for step in _STEPS if not step.needs_name)
