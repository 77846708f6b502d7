"""Find secrets in text and hide them: `DB_PASS=…`, `"token": "…"`, `postgres://user:…@host`, keys of known form.

Words for a password in other languages and the options of command lines are in `password_words`, other places where
a text holds a secret in `secret_places`.

A text is read once from left to right. Where the name of a secret is followed by a value, the value is hidden up to
its end, whatever characters it has. A sentence about a secret (`password must be 8 characters`) stays readable.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import islice

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.safety.password_words import (
    FOREIGN_PHRASE,
    FOREIGN_STATE,
    FOREIGN_WORD,
    LOGIN_PAIR,
    PASSWORD_OPTION,
)
from fingerpost.engine.safety.secret_places import (
    ESCAPE,
    EZCONNECT_LOGIN,
    HAS_A_NAME,
    NAMES_A_THING,
    NEXT_LINE,
    NEXT_SETTING,
    ORACLE_CONTEXT,
    ORACLE_LOGIN,
    PLACES,
    QUOTED,
    RANDOM,
)

HIDDEN = "<hidden>"
"""Replaces text that may not be shown."""

_MAX_NAME_LENGTH = 256
_LONGEST_CONTAINER = 8_192
_MOST_OPTIONS = 16
_LONGEST_PHRASE = 24

_KEYS = (
    "access|account|admin|api|app|auth|client|consumer|deploy|encryption|hmac|jwt|licen[cs]e|master|private|recovery"
    "|secret|server|service|shared|signing|ssh|ssl|storage|subscription|tls|webhook"
)
_SECRET_WORD = lazy_pattern(
    r"pass(?:word|wd|_?phrase|code)|pwd|secret(?!ar)|token(?!i[sz]|omics)|credential|authori[sz]ation(?!s)|bearer|cookie"
    rf"|(?:{_KEYS})_?keys?(?![a-z])|connection_?string"
    r"|(?<![a-z])(?:auth|otp|pin|ssn|cvv|cvc|jwt)s?(?![a-z])"
    r"|(?:(?<![a-z])|db|pg|sql|my|smtp|mail|ftp|ssh|user|root|admin|login|redis|mongo|sudo|proxy|store)pass$"
    rf"|{FOREIGN_WORD}"
)
_DESCRIBES_SECRET = lazy_pattern(
    r"_(?:length|len|type|policy|expiry|expires|expires_at|expires_in|ttl|url|uri|endpoint|status|state|required"
    r"|enabled|field|format|strength|age|errors?|scopes?|issuer|provider|method|name|sock)$"
)
"""The end of a name that tells something about a secret: `token_type`, `SharedAccessKeyName`."""
_COUNTS = lazy_pattern(
    r"(?:max|min|num|limit|count|total|budget|n)_?.*tokens?|tokens?_?(?:limit|count|budget|usage)|^pass$"
)
_WEAK_NAME = lazy_pattern(r"(?:(?:auth|credential|pin|otp|bearer|jwt)s?|^keys?)$")
"""Names that also begin a line about something else: `auth: connection refused`."""
_HEADER = lazy_pattern(r"(?:authori[sz]ation|cookie)$")
"""Headers, whose value is the rest of the line."""

_SOURCE_FILE = lazy_pattern(
    r"\.(?:py|pyi|jsx?|mjs|cjs|tsx?|mts|cts|go|rs|java|c|h|cc|cpp|hpp|rb|cs|php|kts?|scala|swift|lua|sh|dart|md|rst|txt)$"
)
"""The name of a source file: `auth.py:42` is a position, although `auth` names a secret."""

_DIRECTORY, _PATH = (
    lazy_pattern(r"(?:old)?pwd", re.IGNORECASE),
    lazy_pattern(r"[\"']?(?:~?/|[A-Za-z]:\\)[\w.\-/\\]*+(?!\S)"),
)
"""`PWD=/home/me`"""

_PAIR = lazy_pattern(
    r"(?<![\w.\-])([\w.\-]++)(\\*(?:[\"'`]|%22)?\]?[ \t]{0,3}"
    r"(?:(?:=>|->|:=|==?|[:\uff1a\uff1d])[ \t]{0,3}|%(?:25){0,2}3[ADad](?:%22|%27)?)|[ \t]+is[ \t]+)"
)
_FLAG = lazy_pattern(r"(?<![\w\-])--?([A-Za-z][\w\-]*+)([ \t]+)(?!-)")
_WORD_BEFORE = lazy_pattern(r"([A-Za-z]{2,16})[ \t]$")
_QUOTE = lazy_pattern(r"\\{0,7}[\"'`]")
_CONSTANT = lazy_pattern(
    r"(?:yes|no|ok|none|null|nil|undefined|true|false|string|str|int|integer|number|boolean|bool|object|array|any"
    r"|optional|required|oauth2?|saml|ldap|sso)(?=[\s,.;:!?)\]}\"'`(]|$)",
    re.IGNORECASE,
)
"""A type or a constant in the place of a value."""
_PLACEHOLDER = lazy_pattern(
    r"<(?:hidden|redacted)>|<[A-Z][\w \-]{0,30}>(?=[\s,.;)\]}\"'`]|$)|\[redacted\]|\*{3,}|\$\{?[A-Z_]{2,40}\}?(?!\w)"
    r"|[|>][\-+\d]{0,2}[ \t]{0,3}(?=[\r\n]|\\[rn]|$)|\\[rn][ \t]",
    re.IGNORECASE,
)
"""What stands for a secret already, or says that it is on the next line."""
_STATE = (
    "wrong|invalid|incorrect|missing|required|expired|unknown|empty|rejected|failed|revoked|denied|unavailable|disabled"
    "|malformed|mismatch|absent|provided|not|too|must|should|shall|cannot|can't|at least|at most|is|are|was|were|has"
    "|have|field|input should|string should|value error|this field"
)
_SENTENCE = lazy_pattern(
    rf"(?:{_STATE}|{FOREIGN_STATE}|the|a|an|this|that|it|no|may|can|could|expected|given|set|please|check)"
    r"(?=[ \t]+[A-Za-z\"'(]|[,.;:!?)]?(?:\s|$))",
    re.IGNORECASE,
)
"""What continues a sentence about a secret."""
_QUOTED_SENTENCE = lazy_pattern(
    r"(?:(?:the |your |this )?(?:password|token|secret|key|passphrase|pin|code|credentials?|field|value) )?"
    rf"(?:{_STATE}|{FOREIGN_STATE})(?=[ \t]+[a-z]|[.!]?\Z)",
    re.IGNORECASE,
)
_OPTION_SENTENCE = lazy_pattern(
    r"(?:to|for|or|and|with|in|from|as|if|when|option|flag|argument|parameter)\b(?!\S)", re.I
)
_PROSE = lazy_pattern(r"[a-z]{2,14}+ [a-z]{2,}+(?![\w=])")
_SCHEMA = lazy_pattern(r"\\*[\"']?(?:type|\$ref|anyOf|required)\\*[\"']?\s*[:=]")
_NEXT_SETTING = lazy_pattern(NEXT_SETTING, re.IGNORECASE)
_VALUE = lazy_pattern(r"[^\s;]*+")
_SCHEME = lazy_pattern(r"(?:bearer|basic|token)[ \t]+(?=\S)", re.IGNORECASE)
_QUOTE_OR_LINE_END = lazy_pattern(r"(\\*+)([\"'`])|[\r\n]")
_HEADER_END = lazy_pattern(r"[\r\n\"']")
_QUERY_END = lazy_pattern(r"[&#\s\"'<>]")
_ENCODED_END = lazy_pattern(r"[&#\s\"'<>]|%(?:25){0,2}(?:0[ADad]|2[0267Cc]|3[Bb]|7[Dd])")

_USERINFO = lazy_pattern(
    r"(?<=://)(?:[^\s/@:\"'<>]{0,256}:(?!\d{1,5}(?:[/?#\s]|$))[^\s\"'<>]{1,512}@|(?!git@)[^\s/@\"'<>]{1,256}@)"
)
_BEARER = lazy_pattern(
    r"\b(bearer|basic)([ \t]+)(?!(?:auth\w*|tokens?|headers?|schemes?|credentials?|access|realm|format|type|of|and"
    r"|operations?|features?|support|version|information|example)\b)[^\s,;\"']{6,}",
    re.IGNORECASE,
)
_QUERY = lazy_pattern(r"([?&](?:[\w.\-]*[\-_])?sig(?:nature)?=)[^&#\s\"'<>]+", re.IGNORECASE)
_PEM = lazy_pattern(r"-----BEGIN [A-Z0-9 ]{1,40}-----.*?(?:-----END [A-Z0-9 ]{1,40}-----|\Z)", re.DOTALL)
_PYDANTIC_INPUT = lazy_pattern(
    r"^([\w.\[\]]{1,128})\n([^\n]{0,300}?\binput_value=)([^\n]*?)(?=, input_type=|\])", re.MULTILINE
)
KNOWN_FORM = lazy_pattern(
    r"(?<![A-Za-z0-9])(?:sk-(?=[\w\-]{0,64}\d)[\w\-]{8}|[srp]k_(?:live|test)_|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-"
    r"|A[KS]IA[A-Z0-9]{12}|AIza[\w\-]{8}|ya29\.|eyJ\w{6}|(?:npm|hf)_(?=[A-Za-z0-9]{0,40}\d|[A-Za-z0-9]{20})[A-Za-z0-9]{8}|pypi-\w{8}|whsec_|SG\.\w{8}|shpat_|dop_v1_"
    r"|ATATT|lin_api_|dckr_pat_|hvs\.\w{16}|(?:AGE-SECRET-KEY|age-secret-key)-1\w{8}|-----BEGIN)"
)
"""The beginning of a key or token that its issuer gives a recognizable form."""
_KNOWN_TOKEN = lazy_pattern(KNOWN_FORM.pattern + r"[\w\-./+=~]*")


def classify_name(key: str) -> tuple[bool, bool]:
    """Return whether a name means a secret, and whether it means a number if its value is one (`max_tokens`)."""
    return _classify(key[-_MAX_NAME_LENGTH:])


@lru_cache(maxsize=4096)
def _classify(key: str) -> tuple[bool, bool]:
    name = _split_humps(key)
    is_secret = _SECRET_WORD.search(name) is not None and not _DESCRIBES_SECRET.search(name)
    return is_secret, _COUNTS.search(name) is not None


_HUMP = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])")


def _split_humps(key: str) -> str:
    return _HUMP.sub("_", key).replace("-", "_").lower()


def has_secret(text: str) -> bool:
    """Whether a text contains a secret that `hide_secrets` would hide."""
    return hide_secrets(text) != text


def hide_secrets(text: str) -> str:
    """Replace each secret in a text; the rest, line breaks included, stays. The same object if there is no secret."""
    if not _may_have_secret(text):
        return text
    plain = _ESCAPE.sub(_decode, text)
    hidden = _hide(plain)
    if hidden == plain:
        return text
    escapes = {found[1] for found in _ESCAPE.finditer(text)}
    # a text in which every other letter is escaped stays so
    return _NOT_ASCII.sub(partial(_encode, escapes.pop()), hidden) if len(escapes) == 1 and text.isascii() else hidden


def _decode(escape: re.Match[str]) -> str:
    code = int(escape[2], 16)
    return chr(code) if code > 0xA0 else escape[0]


def _encode(backslashes: str, letter: re.Match[str]) -> str:
    return f"{backslashes}u{ord(letter[0]):04x}"


def _hide(text: str) -> str:
    hidden = _PYDANTIC_INPUT.sub(_hide_pydantic_input, _PEM.sub(HIDDEN, text))
    hidden = _QUERY.sub(rf"\1{HIDDEN}", _USERINFO.sub(f"{HIDDEN}@", hidden))
    hidden = _hide_values(_hide_values(hidden, _PAIR, _value_after_pair), _FLAG, _value_after_flag)
    hidden = _hide_options(LOGIN_PAIR.sub(_hide_login, hidden))
    hidden = _hide_in_places(hidden)
    return _KNOWN_TOKEN.sub(HIDDEN, _BEARER.sub(rf"\1\2{HIDDEN}", hidden))


def _hide_in_places(text: str) -> str:
    for pattern in _PLACES:
        text = _hide_values(text, pattern, _value_in_place)
    for pattern in _LIKELY_PLACES:
        text = _hide_values(text, pattern, _likely_value)
    login = _ORACLE_LOGIN if _ORACLE_CONTEXT.search(text) else _EZCONNECT_LOGIN
    return login.sub(rf"\1{HIDDEN}", text)


_PLACES = tuple(map(lazy_pattern, PLACES))
_LIKELY_PLACES = tuple(map(lazy_pattern, (QUOTED, NEXT_LINE, RANDOM)))
_NAMES_A_THING = lazy_pattern(NAMES_A_THING, re.IGNORECASE)
_HAS_A_NAME = lazy_pattern(HAS_A_NAME, re.IGNORECASE)
_ORACLE_CONTEXT = lazy_pattern(ORACLE_CONTEXT, re.IGNORECASE)
_ORACLE_LOGIN, _EZCONNECT_LOGIN = lazy_pattern(ORACLE_LOGIN), lazy_pattern(EZCONNECT_LOGIN)
_DIGIT = lazy_pattern(r"\d")
_ESCAPE, _NOT_ASCII = lazy_pattern(ESCAPE), lazy_pattern(r"[^\x00-\x7f]")
_SIGNS = lazy_pattern(
    r"[:=<@\uff1a\uff1d]|->| is |--?[A-Za-z]|bearer|basic|%(?:25){0,2}3[AD]|[ \t]\\*[\"'`]|pass[wpc]|token|key",
    re.IGNORECASE,
)


def _may_have_secret(text: str) -> bool:
    """A cheap check with false alarms but no misses: most texts have neither a separator nor a known form."""
    return _SIGNS.search(text) is not None or KNOWN_FORM.search(text) is not None


def _hide_login(found: re.Match[str]) -> str:
    """Hide the password in `user bob:hunter2`; the name of a group after the same name (`www-data`) is none."""
    return found[0] if found[3] == found[2] else f"{found[1]}{found[2]}:{HIDDEN}"


def _hide_options(text: str) -> str:
    """Hide the passwords on command lines (`mysql -phunter2`), and repetitions of them elsewhere in the text."""
    found = {next(filter(None, one.groups())) for one in islice(PASSWORD_OPTION.finditer(text), _MOST_OPTIONS)}
    for value in sorted(found, key=len, reverse=True):
        if value not in HIDDEN and not _PLACEHOLDER.match(value):
            text = re.sub(rf"(?<![^\W_]){re.escape(value)}(?!\w)|(?<=-[pP]){re.escape(value)}(?!\w)", HIDDEN, text)
    return text


def _hide_values(text: str, names: re.Pattern[str], find: Callable[[str, re.Match[str]], tuple[int, int]]) -> str:
    parts, done = list[str](), 0
    for found in names.finditer(text):
        if found.start() < done:
            continue
        start, end = find(text, found)
        if start < end:
            parts += [text[done:start], HIDDEN]
            done = end
    return "".join([*parts, text[done:]])


def _value_after_pair(text: str, pair: re.Match[str]) -> tuple[int, int]:
    """Return where the value after a name begins and ends; the same place twice if it is no secret."""
    name, start = pair[1], pair.end()
    nothing = start, start
    if not _names_secret(text, *pair.span(1)) or _is_place(text, pair):
        return nothing
    if _continues_sentence(text, start, has_space=pair[2][-1] in " \t\uff1a"):
        return nothing
    plain_name = _split_humps(name)
    if _WEAK_NAME.search(plain_name) and pair[2].endswith(" ") and _PROSE.match(text, start):
        return nothing
    is_header = _HEADER.search(plain_name) is not None and ":" in pair[2]
    if "%" in pair[2]:
        return start, _find(_ENCODED_END, text, start)
    start, end = _span(text, start, is_header=is_header, is_query=_is_query(text, pair))
    is_number = text[start:end].isdigit() and (classify_name(name)[1] or plain_name.endswith("tokens"))
    is_quoted = start > pair.end()
    return nothing if is_number or (is_quoted and is_sentence(text[start:end])) else (start, end)


def _value_in_place(text: str, found: re.Match[str]) -> tuple[int, int]:
    """Return where the value is that a pattern of `secret_places` found; the same place twice if it is no secret."""
    start, end = found.span("value")
    if start == end:
        start, end = _span(text, start)
    value, is_number = text[start:end], classify_name(found["name"])[1]
    is_kept = is_sentence(value) or (is_number and value.isdigit()) or not _names_secret(text, *found.span("name"))
    return (start, start) if is_kept else (start, end)


def _likely_value(text: str, found: re.Match[str]) -> tuple[int, int]:
    """The same for places where a word that is no secret may follow a name: `token 'if'`."""
    name, value = found["name"], found["value"]
    is_any_word = not _NAMES_A_THING.search(name)
    is_likely = len(value) >= 6 and _DIGIT.search(value) is not None and not _HAS_A_NAME.fullmatch(name)
    return _value_in_place(text, found) if is_any_word or is_likely else (found.end(), found.end())


def _continues_sentence(text: str, start: int, *, has_space: bool) -> bool:
    """Whether what follows a name continues a sentence; after `=` only a type or a constant does."""
    if _CONSTANT.match(text, start) or _PLACEHOLDER.match(text, start):
        return True
    return has_space and _SENTENCE.match(text, start) is not None


def is_sentence(value: str) -> bool:
    """Whether the value of a secret is a sentence about the secret, a type, or a constant."""
    return (_CONSTANT.fullmatch(value) or _PLACEHOLDER.fullmatch(value) or _QUOTED_SENTENCE.match(value)) is not None


def _value_after_flag(text: str, flag: re.Match[str]) -> tuple[int, int]:
    """Return where the value of a command-line option is: `--password hunter2`."""
    start = flag.end()
    is_option = classify_name(flag[1])[0] and not _OPTION_SENTENCE.match(text, start)
    if not is_option or _continues_sentence(text, start, has_space=True):
        return start, start
    return _span(text, start)


def _names_secret(text: str, start: int, end: int) -> bool:
    """Whether the name at a place means a secret, alone or with the word before it (`API key: …`)."""
    name = text[start:end].strip(".-")
    if FOREIGN_PHRASE.search(text, max(0, start - _LONGEST_PHRASE), end):
        return True
    before = _WORD_BEFORE.search(text, max(0, start - 18), start)
    word = before[1].lower() if before else ""
    if name.lower() in ("key", "keys", "string", "phrase", "code"):
        name = f"{word}_{name}"
    return classify_name(name)[0] and word not in ("unexpected", "expected") and not _SOURCE_FILE.search(name)


def _is_place(text: str, pair: re.Match[str]) -> bool:
    """Whether a name is a host with a port (`//token-service:8080`), the scheme of a URL, or the current directory."""
    if _DIRECTORY.fullmatch(pair[1]) and _PATH.match(text, pair.end()) and text[max(0, pair.start() - 1)] != ";":
        return True
    before, after = text[max(0, pair.start() - 2) : pair.start()], text[pair.end() : pair.end() + 2]
    return pair[2] == ":" and (before == "//" or after == "//")


def _is_query(text: str, pair: re.Match[str]) -> bool:
    return text[max(0, pair.start() - 1) : pair.start()] in ("?", "&")


def _span(text: str, start: int, *, is_header: bool = False, is_query: bool = False) -> tuple[int, int]:
    """Return where a value begins and ends, without its quotes."""
    if quote := _QUOTE.match(text, start):
        return quote.end(), _find_closing_quote(text, quote.end(), quote.group())
    if text[start : start + 1] in ("{", "["):
        end = _find_closing_bracket(text, start)
        return (start, start) if _SCHEMA.match(text, start + 1, end) else (start, end)
    if is_header:
        return start, _find(_HEADER_END, text, start)
    if is_query:
        return start, _find(_QUERY_END, text, start)
    return start, _find_end(text, start)


def _find_closing_quote(text: str, start: int, quote: str) -> int:
    """Find the same quote with as many backslashes; without one, the value goes on to the end of the line."""
    for found in _QUOTE_OR_LINE_END.finditer(text, start):
        if not found[2] or (found[2] == quote[-1] and len(found[1]) == len(quote) - 1):
            return found.start()
    return len(text)


def _find_closing_bracket(text: str, start: int) -> int:
    depth = 0
    for found in re.finditer(r"[{\[\]}]", text[start : start + _LONGEST_CONTAINER]):
        depth += 1 if found.group() in "{[" else -1
        if depth == 0:
            return start + found.end()
    return min(len(text), start + _LONGEST_CONTAINER)


def _find_end(text: str, start: int) -> int:
    """Find the end of a value without quotes: white space or the next setting, less closing punctuation."""
    if scheme := _SCHEME.match(text, start):
        start = scheme.end()
    end = _VALUE.match(text, start).end()  # pyright: ignore[reportOptionalMemberAccess]
    while text[end : end + 1] == ";" and not _NEXT_SETTING.match(text, end):
        end = _VALUE.match(text, end + 1).end()  # pyright: ignore[reportOptionalMemberAccess]
    last = max(start, end - 16)
    return end - len(text[last:end]) + len(text[last:end].rstrip(")]}>\"'`.,;:!?"))


def _find(characters: re.Pattern[str], text: str, start: int) -> int:
    found = characters.search(text, start)
    return found.start() if found else len(text)


def _hide_pydantic_input(found: re.Match[str]) -> str:
    """Hide the value that pydantic repeats if the field before it is secret, or if the value may be cut inside one."""
    is_secret = any(classify_name(part)[0] for part in found[1].split("."))
    is_cut = found[3].startswith("{") and "..." in found[3]
    return f"{found[1]}\n{found[2]}{HIDDEN}" if is_secret or is_cut else found[0]
