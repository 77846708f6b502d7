"""Words for a password in many languages, and how command lines and logins contain one.

Servers report errors in the language of their users, and tools repeat the command line that failed.
"""

from __future__ import annotations

import re

FOREIGN_WORD = (
    r"(?:pass|kenn|losungs)w[oö]rt(?![a-zäöüß])|zugangsdaten|mot_?de_?passe|(?<![a-z])mdp(?![a-z])|contrase[ñn]a"
    r"|clave_?(?:de_?)?(?:acceso|secreta)|(?<![a-z])senhas?(?![a-z])|palavra_?passe|parola_?(?:d_?ordine|chiave)"
    r"|wachtwoord|l[öo]senord|adgangskode|passord|kodeord|salasana|has[łl]o(?![a-z])|heslo(?![a-z])|jelsz[óo]"
    r"|(?<![a-z])(?:parol[aă]|[şs]ifre)(?![a-z])|парол[ьяюеи]|секрет(?!\u0430\u0440)|токен|κωδικ[όο]ς|סיסמה"
    r"|密码|密碼|口令|パスワード|暗証番号|비밀번호|암호(?!화)"
)
"""Words for a password or a secret as one name, in lower case, with `_` for spaces and hyphens."""

FOREIGN_PHRASE = re.compile(
    r"(?<!\w)(?:mots? de passe|clave (?:de acceso|secreta)|palavra[ \-]passe|parola d['\u2019]ordine|m[aậ]t kh[aẩ]u"
    r"|kata sandi|كلمة (?:المرور|السر)|رمز المرور|รหัสผ่าน|पासवर्ड|contrasen\u0303a|пароль)$",
    re.IGNORECASE,
)
"""The end of a text before a separator: words for a password that contain spaces or marks."""

FOREIGN_STATE = (
    "falsch|ungültig|erforderlich|fehlt|muss|abgelaufen|leer|darf|ist|wurde|incorrecte?|invalide|requise?|obligatoire"
    "|doit|expiré|manquant|est|incorrect[ao]|inválid[ao]|obligatori[ao]|requerid[ao]|debe|caducad[ao]|es|no es"
    "|obrigatóri[ao]|deve|incorret[ao]|expirad[ao]|errat[ao]|non valid[ao]|richiest[ao]|неверный|неправильный|должен"
    "|обязателен|не|истёк|ongeldig|verplicht|moet|onjuist|nieprawidłowe|wymagane|错误|不正确|無効|必須"
)
"""What continues a sentence about a password in these languages."""

_NO_PASSWORD = r"(?![-<$|>&;]|\d{1,5}(?!\S)|[\w.\-]*/)"
"""An option, a placeholder, a redirection, a port or a path follows instead."""

PASSWORD_OPTION = re.compile(
    r"\b(?:mysql\w*|mariadb[\w\-]*|mycli|clickhouse-client|7z[ar]?|rar|unrar)(?:\.exe)?(?=\s)[^\n|;]{0,200}?\s"
    r"-p(?![-<$|>&;\s])[\"']?([^\s\"'`]{2,128})"
    r"|\b(?:psql|pg_\w+|ssh|plink|ldap\w+|smbclient|ipmitool|snmp\w+)(?=\s)[^\n|;]{0,200}?\s"
    r"-(?:p|pw\s{1,3}|w\s{1,3})(?=[^\s\d\-/<$])[\"']?([^\s\"'`]{4,128})"
    r"|\b(?:sshpass|mongo\w*|docker\s{1,3}login|podman\s{1,3}login|helm\s{1,3}registry\s{1,3}login|az\s{1,3}login"
    r"|rabbitmqadmin|cqlsh|arangosh|influx)\b[^\n|;]{0,200}?\s-p\s{0,3}"
    rf"{_NO_PASSWORD}[\"']?([^\s\"'`]{{2,128}})"
    rf"|\b(?:sqlcmd|bcp|isql|tsql|unzip|zip)(?=\s)[^\n|;]{{0,200}}?\s-P\s{{0,3}}{_NO_PASSWORD}[\"']?([^\s\"'`]{{2,128}})"
    rf"|\bredis-cli(?=\s)[^\n|;]{{0,200}}?\s-a\s{{1,3}}{_NO_PASSWORD}[\"']?([^\s\"'`]{{2,128}})"
    r"|\b(?:curl|wget|https?|xh)(?=\s)[^\n|;]{0,200}?\s(?:-u|-U|-a|--user|--proxy-user)[\s=]{0,3}"
    r"[\"']?[\w.@\-\\]{1,64}:(?!\d{1,5}(?!\S)|<|\$)([^\s\"'`]{2,128})"
    r"|\b(?i:net[ \t]{1,3}use)[ \t]{1,3}(?:\S{1,3}[ \t]{1,3})?\\{2,8}\S{1,200}[ \t]{1,3}(?![/*<])"
    r"[\"']?([^\s\"'`]{2,128})"
    r"|\b(?i:net[ \t]{1,3}use)[ \t][^\n]{0,200}?/(?i:user):\S{1,64}[ \t]{1,3}(?![/*<])[\"']?([^\s\"'`]{2,128})"
    r"|\b(?i:net[ \t]{1,3}user)[ \t]{1,3}[\w.\-\\]{1,64}[ \t]{1,3}(?![/*<])([^\s\"'`]{2,128})(?=[ \t]{1,3}/)"
)
"""The password among the options of a program whose short option for it is known."""

LOGIN_PAIR = re.compile(
    r"((?<![\w/.])(?:users?|user ?name|login|log in as|logged in as|credentials?|basic auth(?:entication)?)"
    r"(?: for| of| as| with)?[ \t]{1,3}[\"'`(]?)"
    r"(?!(?:system|arn|urn|spiffe|id|uid|gid|name|email|mail|role|group|type|error|code|status|https?|ldap|saml|oidc"
    r"|oauth2?|github|gitlab|google|uuid|key|user|at|and|or|is|was)s?:)"
    r"([\w.@+\-]{1,64}):(?!//|\d{1,5}(?![\w])|<hidden>)([^\s\"'`,;)]{3,128})(?<![.:])",
    re.IGNORECASE,
)
"""A login and its password: `user bob:hunter2`."""
