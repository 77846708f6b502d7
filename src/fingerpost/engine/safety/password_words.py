"""How command lines and logins contain a password: tools repeat the command line that failed."""

from __future__ import annotations

import re

from fingerpost.engine.lazy_pattern import lazy_pattern

_NO_PASSWORD = r"(?![-<$|>&;]|\d{1,5}(?!\S)|[\w.\-]*/)"
"""An option, a placeholder, a redirection, a port or a path follows instead."""

PASSWORD_OPTION = lazy_pattern(
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

LOGIN_PAIR = lazy_pattern(
    r"((?<![\w/.])(?:users?|user ?name|login|log in as|logged in as|credentials?|basic auth(?:entication)?)"
    r"(?: for| of| as| with)?[ \t]{1,3}[\"'`(]?)"
    r"(?!(?:system|arn|urn|spiffe|id|uid|gid|name|email|mail|role|group|type|error|code|status|https?|ldap|saml|oidc"
    r"|oauth2?|github|gitlab|google|uuid|key|user|at|and|or|is|was)s?:)"
    r"([\w.@+\-]{1,64}):(?!//|\d{1,5}(?![\w])|<hidden>)([^\s\"'`,;)]{3,128})(?<![.:])",
    re.IGNORECASE,
)
"""A login and its password: `user bob:hunter2`."""
