"""Find secrets in text and hide them: `DB_PASS=…`, `"token": "…"`, `postgres://user:…@host`, keys of known form.

Which names mean a secret is in `secret_names`, other places where a text holds a secret in `secret_places` and
`password_words`, and which parts of a long text are searched in `secret_signs`.

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
from fingerpost.engine.safety.bare_logins import BARE_LOGIN, SQL_PASSWORD, password_in
from fingerpost.engine.safety.card_numbers import PRINTED_CARD_NUMBER, is_card_number
from fingerpost.engine.safety.disguises import is_disguised, undo_disguises
from fingerpost.engine.safety.password_words import LOGIN_PAIR, PASSWORD_OPTION
from fingerpost.engine.safety.secret_forms import (
    BEARER,
    CODE_PATTERNS,
    DIGEST,
    KNOWN_TOKEN,
    PEM,
    PYDANTIC_INPUT,
    QUERY_VALUE,
    USERINFO,
    WEBHOOK_URL,
)
from fingerpost.engine.safety.secret_names import classify_name, names_secret, split_humps
from fingerpost.engine.safety.secret_places import (
    ESCAPE,
    EZCONNECT_LOGIN,
    HAS_A_NAME,
    IN_TYPOGRAPHIC_QUOTES,
    NAMES_A_THING,
    NEXT_LINE,
    NEXT_SETTING,
    ORACLE_CONTEXT,
    ORACLE_LOGIN,
    PLACES,
    QUOTED,
    RANDOM,
)
from fingerpost.engine.safety.secret_sentences import (
    SCHEME,
    continues_option,
    continues_sentence,
    is_about_something_else,
    is_placeholder,
    is_sentence,
)
from fingerpost.engine.safety.secret_signs import SearchLimit, find_parts, has_name_sign, lower

HIDDEN = "<hidden>"
"""Replaces text that may not be shown."""
_MOST_OPTIONS = 16
_EXAMPLES = ("password", "pass", "passwd", "pwd", "secret", "token")
"""Passwords in examples: `curl -u user:password`."""

_Find: TypeAlias = Callable[[str, re.Match[str]], tuple[int, int]]
"""Returns where a value begins and ends."""

_LONGEST_CONTAINER = 8_192
_HEADERS = ("authorization", "authorisation", "cookie")
"""Headers, whose value is the rest of the line."""

_DIRECTORIES, _PATH = ("pwd", "oldpwd"), lazy_pattern(r"[\"']?(?:~?/|[A-Za-z]:\\)[\w.\-/\\]*+(?!\S)")
"""`PWD=/home/me`"""
_PAIR = lazy_pattern(
    r"(?<![\w.\-])([\w.\-]++)(\\*(?:[\"'`]|%22)?\]?[ \t]{0,3}"
    r"(?:(?:=>|->|:=|==?|[:\uff1a\uff1d])[ \t]{0,3}|%(?:25){0,2}3[ADad](?:%22|%27)?)|[ \t]+is[ \t]+)"
)
_FLAG = lazy_pattern(r"(?<![\w\-])--?([A-Za-z][\w\-]*+)([ \t]+)(?!-)")
_QUOTE = lazy_pattern(r"\\{0,7}[\"'`]")
_TYPOGRAPHIC = {"\u201c": "\u201d", "\u201e": "\u201c", "\u2018": "\u2019", "\u201a": "\u2018", "\u00ab": "\u00bb"}
"""Opening and closing quotes as word processors write them."""
_SCHEMA = lazy_pattern(r"\\*[\"']?(?:type|\$ref|anyOf|required)\\*[\"']?\s*[:=]")
_NEXT_SETTING = lazy_pattern(NEXT_SETTING, re.IGNORECASE)
_VALUE = lazy_pattern(r"[^\s;]*+")
_QUOTE_OR_LINE_END = lazy_pattern(r"(\\*+)([\"'`])|[\r\n]")
_LAST_QUOTE = lazy_pattern(r"\\{0,7}[\"'`]\Z")
_LINE_END = lazy_pattern(r"[\r\n]")
_HEADER_END = lazy_pattern(r"[\r\n\"']")
_QUERY_END = lazy_pattern(r"[&#\s\"'<>]")
_ENCODED_END = lazy_pattern(r"[&#\s\"'<>]|%(?:25){0,2}(?:0[ADad]|2[0267Cc]|3[Bb]|7[Dd])")
_NAMES_A_THING = lazy_pattern(NAMES_A_THING, re.IGNORECASE)
_HAS_A_NAME = lazy_pattern(HAS_A_NAME, re.IGNORECASE)
_DIGIT = lazy_pattern(r"\d")
_ORACLE_CONTEXT = lazy_pattern(ORACLE_CONTEXT, re.IGNORECASE)
_ORACLE_LOGIN, _EZCONNECT_LOGIN = lazy_pattern(ORACLE_LOGIN), lazy_pattern(EZCONNECT_LOGIN)
_BACKSLASHES = lazy_pattern(r"\\+(?=u[\da-fA-F]{4})")
_LONGEST_WORD = 12
_ESCAPE, _NOT_ASCII = lazy_pattern(ESCAPE), lazy_pattern(r"[^\x00-\x7f]")


def has_secret(text: str) -> bool:
    """Whether a text contains a secret that `hide_secrets` would hide."""
    return hide_secrets(text) != text


def hide_secrets(text: str, limit: SearchLimit | None = None) -> str:
    """Replace each secret in a text; the rest, line breaks included, stays. The same object if there is no secret.

    What is left of a text that is too long to be looked at, alone or with the other texts of `limit`, is left out.
    """
    if len(text) <= _LONGEST_WORD and text.isascii() and text.isalpha():
        return text  # one plain word: no secret is recognised without a sign, a digit or a name in front
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
    plain = PEM.sub(HIDDEN, text) if "BEGIN " in text or "Private-Lines" in text else text
    plain = PRINTED_CARD_NUMBER.sub(_hide_card, plain)  # no sign: it would slow the search in texts full of numbers
    lowered = lower(plain)
    parts = find_parts(lowered, limit)
    left_out, plain = len(plain) - parts.end, plain[: parts.end]
    pieces, done = list[str](), 0
    for first, last in parts.places:
        start, end = max(first, done), min(last, len(plain))
        if start < end:
            part = _hide(plain[start:end], lowered[start:end])
            pieces += [plain[done:start], part]
            done = _find_rest(plain, end, part.removesuffix(HIDDEN)) if part.endswith(HIDDEN) else end
    return "".join([*pieces, plain[done:]]) if pieces else plain, left_out


def _hide(text: str, lowered: str) -> str:
    """Hide the secrets in a text. A step is made only if the text has one of the pieces that it needs."""
    for step in _STEPS if has_name_sign(lowered) else _STEPS_WITHOUT_NAME:
        for piece in step.pieces:
            if piece in lowered:
                text = step.hide(text)
                break
    return text


def _hide_card(found: re.Match[str]) -> str:
    return HIDDEN if is_card_number("".join(filter(str.isdigit, found[0]))) else found[0]


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
    for pattern in CODE_PATTERNS:
        text = pattern.sub(rf"\1{HIDDEN}", text)
    return text


def _hide_oracle_login(text: str) -> str:
    login = _ORACLE_LOGIN if _ORACLE_CONTEXT.search(text) else _EZCONNECT_LOGIN
    return login.sub(rf"\1{HIDDEN}", text)


def _substitute(pattern: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]) -> Callable[[str], str]:
    return lambda text: pattern.sub(replacement, text)


def _hide_if(pattern: re.Pattern[str], is_hidden: Callable[[re.Match[str]], bool]) -> Callable[[str], str]:
    return lambda text: pattern.sub(lambda found: HIDDEN if is_hidden(found) else found[0], text)


def _is_login(found: re.Match[str]) -> bool:
    password = password_in(found)
    return bool(password) and not is_placeholder(password) and password not in _EXAMPLES


def _search(pattern: re.Pattern[str], find: _Find) -> Callable[[str], str]:
    return lambda text: _hide_values(text, pattern, find)


def _find_value_after_pair(text: str, pair: re.Match[str]) -> tuple[int, int]:
    """Return where the value after a name begins and ends; the same place twice if it is no secret."""
    name, start = pair[1], pair.end()
    nothing = start, start
    if not names_secret(text, *pair.span(1)) or _is_place(text, pair):
        return nothing
    plain_name = split_humps(name)
    if continues_sentence(text, start, separator=pair[2]) or is_about_something_else(text, start, plain_name, pair[2]):
        return nothing
    is_header = ":" in pair[2] and plain_name.endswith(_HEADERS)
    if "%" in pair[2]:
        return start, _find(_ENCODED_END, text, start)
    start, end = _span(text, start, is_header=is_header, is_query=_is_query(text, pair))
    is_number = text[start:end].isdigit() and (classify_name(name)[1] or plain_name.endswith("tokens"))
    is_quoted = start > pair.end()
    return nothing if is_number or (is_quoted and is_sentence(text[start:end])) else (start, end)


def _find_value_in_place(text: str, found: re.Match[str]) -> tuple[int, int]:
    """Return where the value is that a pattern of `secret_places` found; the same place twice if it is no secret."""
    start, end = found.span("value")
    if start == end:
        start, end = _span(text, start)
    value, is_number = text[start:end], classify_name(found["name"])[1]
    is_kept = is_sentence(value) or (is_number and value.isdigit()) or not names_secret(text, *found.span("name"))
    return (start, start) if is_kept else (start, end)


def _find_likely_value(text: str, found: re.Match[str]) -> tuple[int, int]:
    """The same for places where a word that is no secret may follow a name: `token 'if'`."""
    name, value = found["name"], found["value"]
    is_any_word = not _NAMES_A_THING.search(name)
    is_likely = len(value) >= 6 and _DIGIT.search(value) is not None and not _HAS_A_NAME.fullmatch(name)
    return _find_value_in_place(text, found) if is_any_word or is_likely else (found.end(), found.end())


def _find_sql_password(text: str, found: re.Match[str]) -> tuple[int, int]:
    """Return where the password of `CREATE USER` is; the same place twice if something stands for it."""
    start, end = _span(text, found.end())
    return (start, start) if is_placeholder(text, start) else (start, end)


def _find_value_after_flag(text: str, flag: re.Match[str]) -> tuple[int, int]:
    """Return where the value of a command-line option is: `--password hunter2`."""
    start = flag.end()
    is_option = classify_name(flag[1])[0] and not continues_option(text, start)
    if not is_option or continues_sentence(text, start, separator=flag[2]):
        return start, start
    return _span(text, start)


def _is_place(text: str, pair: re.Match[str]) -> bool:
    """Whether a name is a host with a port (`//token-service:8080`), the scheme of a URL, or the current directory."""
    if pair[1].lower() in _DIRECTORIES and _PATH.match(text, pair.end()) and text[max(0, pair.start() - 1)] != ";":
        return True
    before, after = text[max(0, pair.start() - 2) : pair.start()], text[pair.end() : pair.end() + 2]
    return pair[2] == ":" and (before == "//" or after == "//")


def _is_query(text: str, pair: re.Match[str]) -> bool:
    return text[max(0, pair.start() - 1) : pair.start()] in ("?", "&")


def _span(text: str, start: int, *, is_header: bool = False, is_query: bool = False) -> tuple[int, int]:
    """Return where a value begins and ends, without its quotes."""
    if quote := _QUOTE.match(text, start):
        return quote.end(), _find_closing_quote(text, quote.end(), quote.group())
    if closing := _TYPOGRAPHIC.get(text[start : start + 1]):
        end = text.find(closing, start + 1, start + 1 + _LONGEST_CONTAINER)
        return start + 1, end if end >= 0 else _find(_LINE_END, text, start)
    if text[start : start + 1] in ("{", "["):
        end = _find_closing_bracket(text, start)
        return (start, start) if _SCHEMA.match(text, start + 1, end) else (start, end)
    if is_header:
        return start, _find(_HEADER_END, text, start)
    if is_query:
        return start, _find(_QUERY_END, text, start)
    return start, _find_end(text, start)


def _find_closing_quote(text: str, start: int, quote: str) -> int:
    """Find the same quote with as many backslashes; without one, the value goes on to the end of the line.

    A quote that is written twice is part of the value, as in SQL.
    """
    doubled = -1
    for found in _QUOTE_OR_LINE_END.finditer(text, start):
        if not found[2]:
            return found.start()
        if found[2] == quote[-1] and len(found[1]) == len(quote) - 1 and found.start() != doubled:
            if found.start() == start or text[found.end() : found.end() + 1] != quote:
                return found.start()
            doubled = found.end()
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
    if scheme := SCHEME.match(text, start):
        start = scheme.end()
    end = _VALUE.match(text, start).end()  # pyright: ignore[reportOptionalMemberAccess]
    while text[end : end + 1] == ";" and not _NEXT_SETTING.match(text, end):
        end = _VALUE.match(text, end + 1).end()  # pyright: ignore[reportOptionalMemberAccess]
    last = max(start, end - 16)
    return end - len(text[last:end]) + len(text[last:end].rstrip(")]}>\"'`.,;:!?"))


def _find(characters: re.Pattern[str], text: str, start: int) -> int:
    found = characters.search(text, start)
    return found.start() if found else len(text)


def _find_rest(text: str, start: int, before: str) -> int:
    """Find the end of a value that began after `before` and goes on at `start`: its quote, else the end of the line."""
    quote = _LAST_QUOTE.search(before, max(0, len(before) - 8))
    return _find_closing_quote(text, start, quote.group()) if quote else _find(_LINE_END, text, start)


class _Step(NamedTuple):
    """One way to hide secrets, and what a text that it changes must contain, in lower case."""

    hide: Callable[[str], str]
    pieces: tuple[str, ...] = ("",)
    needs_name: bool = True
    """Whether it hides the value after the name of a secret."""


_XML, _BESIDE, _BLOCK, _NETRC, _PHRASE, _PROVIDED, _DOCKERFILE, _TABLE, _CODE = (
    _search(lazy_pattern(place), _find_value_in_place) for place in PLACES
)
_STEPS = (
    _Step(_substitute(PYDANTIC_INPUT, _hide_pydantic_input), ("input_value=",), needs_name=False),
    _Step(_substitute(USERINFO, _hide_userinfo), ("//",), needs_name=False),
    _Step(_hide_if(BARE_LOGIN, _is_login), ("@",), needs_name=False),
    _Step(_search(SQL_PASSWORD, _find_sql_password), ("identified",), needs_name=False),
    _Step(_substitute(WEBHOOK_URL, rf"\1{HIDDEN}"), ("hook", "api.telegram", "ifttt"), needs_name=False),
    _Step(_substitute(QUERY_VALUE, _hide_after_group), ("sig", "key=", "code=", "hmac="), needs_name=False),
    _Step(_substitute(DIGEST, rf"\1{HIDDEN}"), ("response=",), needs_name=False),
    _Step(_hide_codes, ("code", "otp", "pin"), needs_name=False),
    _Step(_search(_PAIR, _find_value_after_pair)),
    _Step(_search(_FLAG, _find_value_after_flag), ("-",)),
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
    _Step(_search(lazy_pattern(QUOTED), _find_likely_value), ("'", '"', "`")),
    _Step(
        _search(lazy_pattern(IN_TYPOGRAPHIC_QUOTES), _find_likely_value),
        ("\u201c", "\u201e", "\u2018", "\u201a", "\u00ab"),
    ),
    _Step(_search(lazy_pattern(NEXT_LINE), _find_likely_value), ("\n", "\\n")),
    _Step(_search(lazy_pattern(RANDOM), _find_likely_value)),
    _Step(_hide_oracle_login, ("@",), needs_name=False),
    _Step(_substitute(BEARER, _hide_bearer), ("bearer", "basic"), needs_name=False),
    _Step(_substitute(KNOWN_TOKEN, HIDDEN), needs_name=False),
)
_STEPS_WITHOUT_NAME = tuple(step for step in _STEPS if not step.needs_name)
