r"""Where texts hold a secret besides `name=value`: after a space, on the next line, in XML, beside its name.

The group `name` of a pattern is the name of the secret, `value` the secret; where that is empty, the secret begins
there. All repeats are bounded, so the time is linear in the length of the text.
"""

from __future__ import annotations

_BEFORE_NAME = r"(?<![\w.\-])"
_LINE_END = r"(?:\r?\n|(?:\\r)?\\n)"
"""The end of a line, also as JSON writes it."""
_QUOTE = r"\\{0,7}[\"'`]"
_OPEN, _CLOSE = r"(?:<|\\u003[cC]|&lt;)", r"(?:>|\\u003[eE]|&gt;)"
_BEFORE_CODE = r"[: \t]{1,4}[\"'`]?(?:[A-Z]-)?"
_SIX_DIGITS = r"\d(?:[ \-]?\d){5,7}+(?![\w.])"
_ALGORITHM = r"(?!(?:sha|md|utf|base|argon|scrypt|bcrypt|pbkdf|v)\S{0,3}\d)"

QUOTED = (
    rf"{_BEFORE_NAME}(?P<name>[^\W\d][\w\-]{{1,63}}+)[ \t]{{1,3}}(?P<quote>{_QUOTE})(?!\s)"
    r"(?P<value>[^\"'`\\\r\n]{1,128}+)(?<!\s)(?P=quote)"
)
"""`Password 'hunter2' was rejected`"""

IN_TYPOGRAPHIC_QUOTES = (
    rf"{_BEFORE_NAME}(?P<name>[^\W\d][\w\-]{{1,63}}+)[ \t]{{1,3}}[\u201c\u201e\u2018\u201a\u00ab]"
    r"(?P<value>[^\u201c\u201d\u2018\u2019\u00bb\r\n]{1,128}+)(?=[\u201c\u201d\u2018\u2019\u00bb])"
)

NEXT_LINE = (
    rf"{_BEFORE_NAME}(?P<name>[\w.\-]{{2,64}}+)(?:{_QUOTE})?[ \t]{{0,3}}:[ \t]{{0,3}}{_LINE_END}(?:[ \t]{{2,16}}+|\t)"
    rf"(?:{_QUOTE})?(?![\-{{\[|>])(?P<value>[^\s\\\"'`]{{3,256}}+)(?<!:)(?={_QUOTE}|[ \t]{{0,4}}(?:[\r\n\\}}]|\Z))"
)
"""`password:` and the value alone on the next line."""

PLACES = (
    rf"{_OPEN}(?P<name>[A-Za-z][\w:.\-]{{1,63}}+)(?:[ \t][^<>\n]{{0,200}}?)?{_CLOSE}(?:<!\[CDATA\[)?"
    rf"(?P<value>(?:(?!&lt;|\\u003[cC]|\]\]>)[^<>\n]){{1,512}}+)(?=(?:\]\]>)?{_OPEN}\\?/)",
    r"(?<![A-Za-z])(?P<quote>\\{0,7}[\"']|)(?:name|key|variable|header|field|parameter|property|setting)(?P=quote)"
    r"\s{0,3}[:=]\s{0,3}(?:\\{0,7}[\"'])?(?P<name>[\w.\-]{2,64}+)(?:(?!(?:name|key)\\{0,7}[\"']?\s{0,3}[:=])[^{}<>]){1,80}?"
    r"(?:(?<![A-Za-z])|(?<=\\n))(?P=quote)(?:value|val)(?P=quote)\s{0,3}[:=]\s{0,3}(?P<value>)",
    rf"{_BEFORE_NAME}(?P<name>[\w.\-]{{2,64}}+)[ \t]{{0,3}}:[ \t]{{1,3}}[|>][\-+\d]{{0,2}}[ \t]{{0,3}}{_LINE_END}"
    r"(?P<indent>[ \t]{1,16}+)"
    rf"(?P<value>[^\r\n\\]{{1,512}}+(?:{_LINE_END}(?P=indent)[^\r\n\\]{{0,512}}+){{0,64}}+)",
    r"(?<!\w)machine\s{1,8}+\S{1,128}+\s{1,8}+login\s{1,8}+\S{1,128}+\s{1,8}+(?P<name>passw(?:or)?d)\s{1,8}+"
    r"(?P<value>[^\s\\\"'`]{1,256}+)",
    r"(?<!\w)(?:and|with|using|login[ \t]{1,3}+[^\s\\]{1,64}+)[ \t]{1,3}+(?:the[ \t]{1,3}+)?"
    rf"(?P<name>pass(?:word|wd|phrase|code))[ \t]{{1,3}}+{_ALGORITHM}(?=\S{{0,64}}\d)(?=\S{{0,64}}[A-Za-z])"
    r"(?P<value>[^\s,;\\\"'`]{6,128}+)",
    rf"{_BEFORE_NAME}(?P<name>[^\W\d][\w\-]{{1,63}}+)[ \t]{{1,3}}+"
    r"(?:provided|supplied|given)[ \t]?:[ \t]{1,3}+(?P<value>)",
    r"(?<!\w)(?:ENV|setenv|setx|SETX)[ \t]{1,3}+(?P<name>[^\W\d][\w.\-]{1,63}+)[ \t]{1,3}+(?P<value>[^\r\n\\]{1,256}+)",
    r"(?<![\w.\-\t])(?<!\\t)(?P<name>[\w.\-]{2,64}+) {0,3}(?:\t|\\t){1,8}+ {0,3}"
    r"(?P<value>(?:(?!\\[rnt])[^\r\n\t]){1,256}+)(?=[\r\n]|\\[rn]|[\"'`]|\Z)",
    rf"{_BEFORE_NAME}[A-Za-z\d\-]{{2,16}}[ _\-](?P<name>code)[ \t]{{1,3}}+(?P<value>\d{{4,8}}+)(?!\w)",
)
"""In XML, beside its name, as a block of YAML, in `.netrc`, in a sentence, after `API key provided:`, in a Dockerfile,
in a table, after `2FA code`"""

CODES = (
    r"((?:^|[^\w\s][ \t]{0,3}|\b(?:the|your|this|a|new|confirmation|authentication|authorization)[ \t])code[ \t]"
    rf"(?:is|was){_BEFORE_CODE}){_SIX_DIGITS}",
    rf"(\b(?:your|(?:enter|use|type|submit)(?:[ \t](?:the|this))?)[ \t]code{_BEFORE_CODE}){_SIX_DIGITS}",
    rf"(\bthe[ \t]code{_BEFORE_CODE}){_SIX_DIGITS}"
    r"(?=[ \t](?:is|was|has)[ \t](?:wrong|invalid|incorrect|expired|not)\b)",
    r"(\b)\d{4,8}+(?=[ \t](?:is|as)[ \t](?:your|the)[ \t](?:[\w\-]{1,16}[ \t]){0,3}(?:code|otp|pin|passcode)\b)",
)
"""A code that proves who somebody is. An error has a code, too, and that is no secret."""

WEBHOOK = (
    r"(//hooks\.[\w.\-]{1,100}/(?:(?:services|workflows|triggers|hooks)/(?:catch/)?)?|discord(?:app)?\.com/api/"
    r"(?:v\d{1,2}/)?webhooks/\d{1,20}/|\.office(?:365)?\.com/webhook\w{0,4}/|//api\.telegram\.org/(?:file/)?bot"
    r"|ifttt\.com/trigger/\w{1,64}/(?:json/)?with/key/"
    r"|/webhooks?/(?:[\w\-]{1,40}/){0,2}(?=[\w\-]{0,64}\d)(?=[\w\-]{0,64}[A-Za-z])(?=[\w\-]{16}))"
    r"[^\s\"'<>?#)\\]{1,512}+"
)
"""An address that whoever knows it can write to."""
_MIXED = r"(?=[^&#\s\"'<>]{0,64}?\d)(?=[^&#\s\"'<>]{0,64}?[A-Za-z])"
QUERY = (
    r"([?&](?:[\w.\-]{0,64}[\-_])?(?:sig(?:nature)?|hmac)=)(?!<hidden>)[^&#\s\"'<>]+"
    rf"|([?&]key=){_MIXED}[^&#\s\"'<>]{{7,}}|([?&]code=){_MIXED}[^&#\s\"'<>]{{10,}}"
)
"""A signature in a URL; also a key or a code that is no word."""
DIGEST_RESPONSE = r"(\bdigest[ \t][^\r\n]{0,512}?\bresponse=(?:\\{0,7}\")?)(?!<hidden>)[^\s\",\\]{1,256}"
"""What proves the password in HTTP Digest authentication."""

RANDOM = (
    rf"{_BEFORE_NAME}(?P<name>[^\W\d][\w\-]{{1,63}}+)[ \t]{{1,3}}+(?!\d{{4}}-\d\d)"
    r"(?=[\w\-+/=.~]{0,64}?\d[A-Za-z]{1,16}\d)(?P<value>[\w\-+/=~]{12,512}+)"
)
"""`Invalid token Zx9Kq27Lmw4Tr8Yb`"""

ORACLE_CONTEXT = r"\bORA-\d{5}|oracle|sqlplus"
ORACLE_LOGIN = r"(?<![\w$#.\-/@])([\w$#.\-]{1,30}+/)[^\s/@\"'][^\s@\"']{0,127}+(?=@)"
EZCONNECT_LOGIN = ORACLE_LOGIN.replace("(?=@)", "(?=@//)")
"""`scott/tiger@//host`: with two slashes it is a login in any text."""

NAMES_A_THING = r"secret|token|key|cookie|credential|auth|connection|bearer|pin|jwt|otp|cv[vc]|ssn"
"""A name that a word which is no secret may follow: `token 'if'`. A password may be any word."""
HAS_A_NAME = r"(?:secret|cookie|credential|auth)s?"
"""What is called by a name that is public: `secret "db-creds-2" not found`."""

ESCAPE = r"(\\+)u([0-9a-fA-F]{4})"
"""A letter as JSON writes it."""

NEXT_SETTING = (
    r";\s*(?:server|data source|address|addr|host(?:name)?|port|database|initial catalog|user(?: ?id|name)?|uid|encrypt"
    r"|trust ?server ?certificate|integrated security|(?:connection |connect )?timeout|pooling|ssl ?mode|driver"
    r"|provider|persist security info|application name|default ?endpoints ?protocol|account ?(?:name|key)"
    r"|endpoint ?suffix|(?:blob|queue|table|file) ?endpoint|endpoint|shared ?access ?(?:key(?: ?name)?|signature)"
    r"|entity ?path|pwd|password)\s*="
)
"""The next setting of a connection string, which ends the value before it."""
