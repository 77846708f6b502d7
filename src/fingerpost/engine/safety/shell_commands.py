"""Recognize shell commands that are hidden in a value that should only name something.

An attack ends the name with a shell operator and starts a command: `a.txt; rm -rf /`, `$(reboot)`, `x|nc 10.0.0.1`.
Names may contain operators too (`auth0|5f7c`, `R&D; notes`), and many commands are ordinary words (`find`, `date`), so
an operator alone proves nothing. What counts is how rarely a name contains the operator, and how surely the word
behind it is a command: by itself, by its path (`/bin/…`), or by an argument that only a command has. A short word that
is also the name of a column or a place (`name|id`, `tx;nc`) counts only behind what is certainly no list of words.
"""

from __future__ import annotations

from fingerpost.engine.lazy_pattern import lazy_pattern

_COMMANDS = (
    r"adduser|apt-get|bash|bitsadmin|busybox|certutil|chgrp|chmod|chown|chroot|crontab|csh|cscript|curl|dpkg|egrep"
    r"|fgrep|gawk|grep|icacls|ifconfig|insmod|ipconfig|iptables|journalctl|killall|ksh|lsof|mawk|mkdir|mkfifo"
    r"|mkfs(?:\.\w+)?|mknod|modprobe|mshta|ncat|netcat|netsh|netstat|nmap|nohup|nslookup|pkill|popen|poweroff"
    "|printenv|printf|pwsh|reboot|regsvr32|rm|rmdir|rundll32|schtasks|scp|setsid|sftp|sh|shutdown|socat|sqlmap|ssh"
    "|sudo|sysctl|systemctl|systeminfo|taskkill|tasklist|tcpdump|tcsh|telnet|tftp|traceroute|tracert|umount|uname"
    "|useradd|usermod|vssadmin|wget|whoami|wmic|wscript|xargs|xxd|zsh"
)
"""Words that name nothing but a command."""

_BARE = "date|df|dig|dir|env|exit|halt|history|hostname|id|ls|nc|passwd|ps|pwd|sed|su|w|who"
"""Commands that do something without an argument, and are also names of columns, places or abbreviations."""

_AMBIGUOUS = (
    "dig|id|ls|nc|ps|pwd|sed|su|apk|apt|at|awk|base64|bzip2|cat|cd|chsh|cmd|command|comm|copy|cp|cut|dash|date|dd|del|df|diff|dir|docker|doas|du"
    "|echo|ed|emacs|env|erase|eval|exec|exit|export|expr|file|find|fish|format|free|ftp|gcc|gdb|git|groups|gzip|halt"
    "|head|history|host|hostname|init|install|ip|java|join|kill|kubectl|last|less|ln|locate|logger|look|lua|mail|make"
    "|man|md5sum|more|mount|move|mv|mysql|nano|net|nice|nl|node|npm|npx|od|openssl|passwd|paste|perl|php|ping|pip|pip3"
    "|powershell|psql|python|python2|python3|rd|read|reg|ren|rename|rev|route|rsync|ruby|sc|screen|script|service|set"
    "|sleep|sort|source|split|sqlite3|start|stat|stop|strings|tac|tail|tar|task|tee|telnetd|test|time|timeout|top|touch"
    "|tr|trap|type|unlink|unset|unzip|users|vi|view|vim|w|watch|wc|whereis|which|who|write|yum|dnf|zip"
)
"""Commands that are also ordinary words, abbreviations or names of products."""

_UNMISTAKABLE = "|".join(word for word in _COMMANDS.split("|") if len(word) > 3)
_LONG_COMMANDS = "|".join(word for word in _COMMANDS.split("|") if len(word) > 4)
"""Commands that no abbreviation behind an `&` (`AT&T`) resembles."""

_WINDOWS_ONLY = r"(?i:whoami|ipconfig|systeminfo|tasklist|taskkill|powershell|certutil|rundll32|wmic|net\s{1,9}user)"

_GAP = r"[\s\"'({\\@]{0,9}"
"""What may be between an operator and its command."""
_PREFIX = r"(?:(?:sudo|exec|nohup|env|eval|command|time|busybox)\s{1,9}|\w{1,20}=\S{0,20}\s{1,9}){0,3}"
_FOLDER = r"(?:/(?:usr|opt|local|bin|sbin|[\w?*]{0,5}[?*][\w?*]{0,5})){1,4}/"
_END = r"(?=[\s\"'`,;|&<>(){}\\]|$)"
_ARGUMENT = (
    r"[\"']?(?:\s{1,9}(?:[\w.:@%+='{}]{1,40}\s{1,9}){0,2}|(?=[<>])|,)[\"']?"
    r"(?:-{1,2}\w|/|\\\\|~|\.{1,2}/|\$|`|\*|[<>]|[A-Za-z]:\\|https?:|%\w+%)"
)
"""An argument that only a command has, at most two words behind the command: an option, a path, a variable."""
_NUMBER_COMMAND = (
    r"(?:sleep|ping6?|kill|timeout|usleep)\s{1,9}[\"']?\d|tar\s{1,9}[cxtzvjf]{2,6}\s"
    r"|dd\s{1,9}[io]f=|nc\s{1,9}[\w.\-]+\s{1,9}\d"
)
_FILE_COMMAND = r"(?:cat|tac|nl|del)\s{1,9}[\w\-]{0,40}\.[a-z]{2,4}(?:\s|$)"

_SURELY = (
    rf"(?:{_FOLDER}[\w?*.\-]+|(?:{_COMMANDS}){_END}"
    rf"|{_WINDOWS_ONLY}{_END}|{_NUMBER_COMMAND}|{_FILE_COMMAND}|(?:{_AMBIGUOUS}){_ARGUMENT})"
)
_PROBABLY = rf"(?:{_SURELY}|(?:{_AMBIGUOUS}){_END})"

_RARE_OPERATOR = lazy_pattern(
    rf"(?:[$<>]\(|`|&&|\|\||\|&){_GAP}{_PREFIX}{_PROBABLY}|(?:\$\(|&&|\|\|)\s{{0,9}}(?:\.{{1,2}}|~)?/[\w.]"
)
"""Operators that names hardly ever contain, and a command."""
_OPERATOR = lazy_pattern(
    rf"(?:[;\r\n]|\|(?![\w|.*]*\))|(?<!\w)&|&(?=[\s\"'(/])){_GAP}{_PREFIX}{_SURELY}"
    rf"|(?<=\w)&(?:{_LONG_COMMANDS}|{_WINDOWS_ONLY}){_END}|(?<=\w)&(?:{_UNMISTAKABLE})\s{{1,9}}[\w\"'$]"
    rf"|(?<=\w)&(?:(?:{_COMMANDS}|{_AMBIGUOUS}){_ARGUMENT}|{_NUMBER_COMMAND})"
    r"|[;|&]\s{0,9}\.{1,2}/[\w./\-]{1,80}(?:\.(?:sh|py|pl|rb|exe|bat|ps1)\b|\s{1,9}-{1,2}\w)"
)
"""Operators that names contain, and what can only be a command."""
_BARE_COMMAND = lazy_pattern(
    rf"^(?:[\w./\-]*[\d./][\w./\-]*\s{{0,9}}[;\r\n]|(?:\d[\d.]*|[^\s|&;]*/[^\s|&;]*)\s{{0,9}}[|&]|\s{{0,9}}[;|&])\s{{0,9}}(?:{_BARE})\s{{0,9}}$"
    rf"|[\"']\s{{0,9}}[;|&]{_GAP}(?:{_BARE}){_END}|[;|&\r\n]\s{{0,9}}[({{]\s{{0,9}}(?:{_BARE})\s{{0,9}}[;)}}]"
    rf"|[;|&\r\n]{_GAP}(?:(?:sudo|exec|nohup|eval|busybox)\s{{1,9}}|\w{{1,20}}=\S{{0,20}}\s{{1,9}}){{1,3}}(?:{_BARE}){_END}"
)
"""A bare command behind a path, a number or a closing quote, in brackets, or behind `sudo` and the like."""
_ANY_OPERATOR = lazy_pattern(rf"[;|&\r\n]{_GAP}{_PREFIX}{_PROBABLY}")
_REDIRECTION = lazy_pattern(
    r">{1,2}\s{0,9}(?:/(?:etc|dev|var|tmp|bin|usr|root|home)/|~/\.|&\d)|<\s{0,9}/(?:etc|dev|proc)/"
)
_EXPANSION = lazy_pattern(r"\$\{(?:PATH|HOME|SHELL|PWD|IFS|@|#)[:#%@]|\$\{?IFS\b|/dev/(?:tcp|udp)/")
_SPACE = lazy_pattern(r"\$\{?IFS\}?(?:\$\d)?|\$\{IFS[^}]{0,20}\}")
_INSIDE_WORD = lazy_pattern(r"(?<=[a-z])(?:''|\"\"|['\"\\^]|\$@)(?=[a-z])|(?<=[a-z])\$\d(?=[a-z])")


def contains_command(text: str, *, is_strict: bool = False) -> bool:
    """Whether a text that should only name something contains a shell operator followed by a command.

    With `is_strict`, the weakest evidence is enough: the name of a host contains no operators, and none is hidden in
    an encoding without a reason.
    """
    plain = _INSIDE_WORD.sub("", _SPACE.sub(" ", text))
    patterns = (_RARE_OPERATOR, _OPERATOR, _BARE_COMMAND, _REDIRECTION, *([_ANY_OPERATOR] if is_strict else []))
    return any(pattern.search(plain) for pattern in patterns) or _EXPANSION.search(text) is not None


_OPTION = lazy_pattern(r"\s{0,9}-{1,2}[A-Za-z]")
_OPTION_WITH_VALUE = lazy_pattern(
    r"\s{0,9}(?:--[A-Za-z][\w\-]{1,64}=[^\s=]|-[oc]\s{0,3}[A-Za-z][\w.]{2,64}=[^\s=]"
    r"|--(?:upload-pack|receive-pack|exec|rsh|config|output|to-command|use-compress-program|checkpoint-action)\s{1,9}\S)"
)
"""`--upload-pack=…`, `-oProxyCommand=…`. An id may begin with a hyphen, and end with `=`."""


def begins_with_option(text: str, *, is_strict: bool = False) -> bool:
    """Whether a name would be read as an option of the command that gets it; strictly, also without a value."""
    return (_OPTION if is_strict else _OPTION_WITH_VALUE).match(text) is not None
