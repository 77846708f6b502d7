"""Which secrets are hidden in text, and which text about secrets stays readable."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render
from fingerpost.engine.safety.redact import is_harmless, looks_random, redact_error, scrub
from fingerpost.engine.safety.secrets import HIDDEN, classify_name, hide_secrets

CANARY = "hunter2"


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASS=hunter2", "dbpass=hunter2", "smtpPass=hunter2", "PGPASSWORD=hunter2 psql", "pwd=hunter2",
        "client_secret: hunter2", "token=hunter2", "refresh_token = hunter2", "auth=hunter2", "X-Api-Key: hunter2",
        "API key: hunter2", "password is hunter2", "Password:hunter2.", "passwd:\thunter2", "session_token -> hunter2",
        "export AWS_SECRET_ACCESS_KEY=hunter2", "--password hunter2 -h x", "--api-key=hunter2", "password=hunter2)",
        "AccountKey=hunter2==;EndpointSuffix=core.windows.net", "SharedAccessKeyName=Root;SharedAccessKey=ab+hunter2=",
        "DB_PASS=a;hunter2", "DB_PASS=a=hunter2;b=hunter2", "secret=a,b,hunter2", "PWD={a;hunter2}",
        "Server=x;Uid=sa;Pwd=a;hunter2;Database=y", 'DB_PASS="x hunter2; y"', "DB_PASS='a b hunter2'",
        '{"password": "a \\"hunter2\\" b", "user": "x"}', '{\\"password\\": \\"hunter2\\"}', "'password': 'hunter2'",
        '{:password=>"hunter2"}', 'config["token"] = "hunter2"', "{password:hunter2,user:1}", 'password: "hunter2',
        "x: {'token': {'value': 'hunter2'}}", "credentials=[hunter2, b]", "credentials={a: [hunter2",
        "https://x.io/?token=hunter2&user=bob", "https://x/?sig=hunter2&x=1", "jdbc:mysql://h/d?user=x&password=hunter2",
        "mysql -u root -phunter2", "mysqldump -h x -p'hunter2' db", "-p hunter2 was wrong: mariadb -phunter2",
        "psql -U bob -phunter2", "sshpass -p hunter2 ssh x", "docker login -p hunter2", "redis-cli -a hunter2 ping",
        "sqlcmd -S x -P hunter2", "curl -s -u bob:hunter2 https://x", "password%3Dhunter2%26a%3D1", "DB_PASS%3dhunter2",
        "%22token%22%3A%22hunter2%22%2C", "q=password%253Dhunter2", "Passwort=hunter2", "Kennwort: hunter2",
        "mot de passe : hunter2", "mot_de_passe=hunter2", "contraseña: hunter2", "contrasen\u0303a: hunter2",
        "senha=hunter2", "palavra-passe: hunter2", "пароль: hunter2", "wachtwoord=hunter2", "hasło: hunter2",
        "密码\uff1ahunter2", "パスワード=hunter2", "비밀번호: hunter2", "รหัสผ่าน: hunter2", "mật khẩu: hunter2",
        "user bob:hunter2 denied", "Login failed for user 'bob:hunter2'", "credentials bob:hunter2",
        "basic auth bob:hunter2", "--user bob:hunter2",
        "postgres://user:hunter2@host/db", "postgres://user:p@hunter2/x@host/db", "redis://:hunter2@localhost:6379",
        "amqp://hunter2@host", "Authorization: Bearer hunter2", "Authorization: Digest a=1, response=hunter2",
        "Cookie: a=1; sid=hunter2", "-H 'Authorization: token hunter2'",
        "basic aHVudGVyMg==hunter2", "token: Bearer hunter2",
        "-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----", "ghp_0123456789hunter2",
        "1 error for login\npassword\n  Too short [type=string_too_short, input_value='hunter2', input_type=str]",
        "1 error for login\nuser\n  Missing [type=missing, input_value={'u': 1, 'pass...hunter2'}, input_type=dict]",
    ],
)  # fmt: skip
def test_a_secret_is_hidden(text: str) -> None:
    assert CANARY not in hide_secrets(text)
    assert CANARY not in scrub(f"It failed: {text}", 300, keeps_ids=True)


@pytest.mark.parametrize(
    "text",
    [
        "auth.py:42", "pin.rs:7", "token count: 512", "tokens: 512", "total_tokens=900", "max_tokens: 100",
        "password must be 8 characters", "password: must be at least 8 characters", "The token is expired",
        "API key is invalid", "Unexpected token: }", "password: string", "(using password: YES)", "password_length: 8",
        "Basic authentication is required", "bearer token is required", "auth: connection refused",
        "http://token-service:8080/x", "token_type: Bearer", "secretary: Bob", "tokenizer: bert", "key: value",
        "primary key: id",
        "pass: 12, fail: 3", "bypass: all", "compass: north", "author: Bob", "https://host:8080/@scope/pkg@1.0",
        '{"password": "must be at least 8 characters"}', '{"password": {"type": "string"}}', "token=", "token: \n next",
        "token=***", "password: $DB_PASS", "-p 8080", "ssh -p 2222 host", "docker run -p 8080:80 x", "mkdir -p /a/b",
        "mysql -h x -P 3306", "mysql -u root -p", "mysql -p<hidden>", "mysql -p***", "psql -p5432 x", "cp -p file x",
        "user system:serviceaccount:a:b", "user id:42", "user www-data:www-data", "user bob: not found",
        "user bob:42", "login service:8080", "Passwort falsch", "Passwort: falsch", "Passwortlänge: 8", "parole: 3",
        "mot de passe : incorrect", "contraseña: debe tener 8 letras", "https://x/?q=a%3Db", "curl -u 1:2 x",
        "Use --token to set one", "--password is required", "Access denied for user 'root'@'localhost'", "plain words",
        "1 error for f\nlimit\n  Wrong [type=int_parsing, input_value='x', input_type=str]", "password: <hidden>",
    ],
)  # fmt: skip
def test_text_about_a_secret_stays_readable(text: str) -> None:
    assert hide_secrets(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Server=x;Password=abc;Database=orders", "Server=x;Password=<hidden>;Database=orders"),
        ("see ?token=abc&user=bob.", "see ?token=<hidden>&user=bob."),
        ("a\nDB_PASS=abc\nb", "a\nDB_PASS=<hidden>\nb"),
        ('{"token": "abc", "n": 1}', '{"token": "<hidden>", "n": 1}'),
    ],
)
def test_what_surrounds_a_secret_stays(text: str, expected: str) -> None:
    assert hide_secrets(text) == expected


def test_the_name_decides_what_is_a_secret() -> None:
    for name in ("DB_PASS", "accountKey", "x-api-key", "MYSQL_PWD", "client-secret", "connectionString"):
        assert classify_name(name)[0], name
    for name in ("SharedAccessKeyName", "token_type", "issue_key", "primaryKey", "bypass", "secretary", "author"):
        assert not classify_name(name)[0], name


def test_a_value_that_contains_a_secret_is_not_shown() -> None:
    assert not is_harmless("DB_PASS=hunter2 ./run", "command")
    assert is_harmless("task-force-meeting", "title")
    assert not looks_random("disk-usage-report-daily")


@pytest.mark.parametrize(
    "call",
    [
        Call("DB_PASS=hunter2"),
        Call("run", {"password=hunter2": 1, "command": "x"}),
        Call("run", {"comand": "DB_PASS=hunter2 ./x"}),
        Call("run", {"command": "x", "count": "token=hunter2"}),
        Call("run", {"command": {"pwd=hunter2": 1}}),
        Call("run", {"command": ["secret=hunter2"]}),
    ],
    ids=str,
)
def test_a_secret_in_a_call_is_not_repeated(call: Call) -> None:
    properties = {"command": {"type": "string"}, "count": {"type": "integer"}}
    schema = {"type": "object", "properties": properties, "required": ["command"]}
    verdict = admit(call, Catalog.listed([{"name": "run", "inputSchema": schema}]))
    envelope = render(verdict.report)
    assert verdict.action == "refuse"
    assert CANARY not in envelope.text + json.dumps(envelope.structured)


def test_the_name_of_a_tool_is_no_secret() -> None:
    catalog = Catalog.listed([{"name": "auth:login", "inputSchema": {"type": "object"}}])
    assert "auth:login" in render(admit(Call("auth:logn"), catalog).report).text


def test_an_error_of_a_server_keeps_everything_but_its_secrets() -> None:
    error = {
        "password": CANARY,
        "pin": 1234,
        "tokens": [CANARY],
        "max_tokens": 5,
        "text": f"line one\ntoken={CANARY}",
        "rule": {"password": "must be at least 8 characters"},
        "ok": False,
    }
    assert redact_error(error) == {
        "password": HIDDEN,
        "pin": HIDDEN,
        "tokens": [HIDDEN],
        "max_tokens": 5,
        "text": f"line one\ntoken={HIDDEN}",
        "rule": {"password": "must be at least 8 characters"},
        "ok": False,
    }
    deep: Any = f"token={CANARY}"
    for _ in range(200):
        deep = [deep]
    assert CANARY not in json.dumps(redact_error(deep))
    plain = {"a": ["b", {"c": 1}], "d": "e: f"}
    assert redact_error(plain) is plain


def test_a_hash_in_advice_is_kept_and_a_key_is_not() -> None:
    assert scrub("Use 3f2a9c0b1d2e3f4a5b6c", 200, keeps_ids=True) == "Use 3f2a9c0b1d2e3f4a5b6c"
    assert scrub("Use k9Xq7Lm2Zp4Rt8Vw1BnQ", 200, keeps_ids=True) == f"Use {HIDDEN}"


@pytest.mark.parametrize("part", ["password=", "a:", "token: '", "secret={", "://a:b", "password=a;", "password is "])
def test_a_long_text_is_read_once(part: str) -> None:
    once, twice = hide_secrets(part * 2_000), hide_secrets(part * 4_000)
    assert len(twice) <= 2 * len(once) + len(json.dumps(part)) + 16
