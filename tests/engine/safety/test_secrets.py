"""Which secrets are hidden in text, and which text about secrets stays readable."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render
from fingerpost.engine.safety import secrets
from fingerpost.engine.safety.redact import is_harmless, looks_random, scrub
from fingerpost.engine.safety.redact_error import redact_error
from fingerpost.engine.safety.secret_names import classify_name
from fingerpost.engine.safety.secret_signs import LONGEST, SearchLimit
from fingerpost.engine.safety.secrets import HIDDEN, hide_secrets

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
        "Password 'hunter2' was rejected", 'the password "hunter2" is wrong', "Invalid token 'hunter2'",
        'It said \\"the password \\\\"hunter2\\\\" is wrong\\"', "mot de passe 'hunter2' refusé", "API key `hunter2`",
        "<password>hunter2</password>", "<db:Password type='x'><![CDATA[hunter2]]></db:Password>",
        "\\u003cpassword\\u003ehunter2\\u003c/password\\u003e", '<add key="Password" value="hunter2"/>',
        "password:\n  hunter2", "db:\n  password: |\n    a\n    hunter2\n  host: x", "password:\\n  hunter2\\n",
        '{"error": "password:\\n  hunter2", "a": 1}',
        '{"name":"DB_PASSWORD","value":"hunter2"}', "- name: DB_PASSWORD\n  value: hunter2",
        '{\\"key\\": \\"API_TOKEN\\", \\"type\\": \\"x\\", \\"value\\": \\"hunter2\\"}',
        "- name: TOKEN\\n  value: hunter2",
        "machine h login bob password hunter2", "login with user bob and password hunter2 failed",
        "jdbc:oracle:thin:scott/hunter2@//h:1521/x", "ORA-01017: scott/hunter2@db", "connect to scott/hunter2@//h",
        "Incorrect API key provided: hunter2.", "pass phrase: hunter2", "dckr_pat_hunter2",
        "1 error for login\npassword\n  Too short [type=string_too_short, input_value='hunter2', input_type=str]",
        "1 error for login\nuser\n  Missing [type=missing, input_value={'u': 1, 'pass...hunter2'}, input_type=dict]",
        "bob:hunter2@db", "connect to bob:hunter2@db.example.com failed", "'bob:hunter2@10.0.0.1'", "user:hunter2@db",
        "david:hunter2@db", "app_user:hunter2@db.example.com", "//bob:hunter2@h/x",
        "dsn=bob:hunter2@tcp(db:3306)/x", "bob:hunter2@db:5432/x", "IDENTIFIED BY 'hunter2'",
        "CREATE USER bob IDENTIFIED WITH mysql_native_password BY 'hunter2';", "ALTER USER bob IDENTIFIED BY hunter2",
        "create user bob identified by \"hunter2\"", "GRANT ALL ON *.* TO bob IDENTIFIED BY PASSWORD 'hunter2'",
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
        "token limit exceeded: 5", "The password is wrong", "PWD=/home/me", "pwd: /home/me", "OLDPWD=/home/me",
        "SSH_AUTH_SOCK=/run/x", "npm_config_registry not set", "npm_lifecycle_event: test", "hf_hub_download failed",
        "Private key: file not found", "ssh key: permission denied", "ssh://git@github.com/a/b", "password: <string>",
        'secret "db-creds-2" not found', "line 5: token 'if' unexpected", "Unexpected token 'a12345'",
        "password 'must be at least 8 characters'", "Usage: login <user> <password> <host>", "secrets:\n  inherit",
        "- name: max_tokens\n  value: 5", "- name: HOST\n  value: db1", "login with password sha256 hashes",
        "<title>Password</title>", "<password>string</password>", "password provided: yes",
        "errors:\n  auth:\n    failed",
        "token 2026-05-01T00:00:00Z is too old", "see a/b@1.0", "- name: TOKEN\n- name: HOST\n  value: db1",
        "\\u00fcber alles: x", "password: |\nnext", "a:b", "bob:bob", "user:name@host",
        "foo:bar@baz", "me@example.com",
        "from:bob99@example.com", "assigned_by:bob99@example.com", "user:bob99@example.com", "mailto:bob99@example.com",
        "nginx:1.25.3-alpine@sha256:abcdef", "npm:react18@latest", "at 12:30@office", "main:12345@host",
        "a1:b2c3d4@1.0",
        "serviceAccount:ci42@shop.example.com", "user:password@host/x", "bob:$DB_PASS1@host/x", "a_id:x12345@b",
        "Rows are identified by 'id'", "the user is identified by an id", "IDENTIFIED BY ?",
        "IDENTIFIED BY '<password>'",
        "4111 1111 1111 1112",
        "0000-0002-1825-0097", "2026-07-28 1000 2000", "call 4111-1111-1111-1111-2", "// note: see a:b@c",
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
        ("a:\n  password: |\n    abc\n  host: x", "a:\n  password: |\n    <hidden>\n  host: x"),
        ("Password 'abc' is wrong", "Password '<hidden>' is wrong"),
        ("Server=x;Pwd=/abc", "Server=x;Pwd=<hidden>"),
        ("to bob:hunter2@db, then", "to <hidden>@db, then"),
        ("bob:tiger@db:5432/x", "<hidden>@db:5432/x"),
        ("card 4111 1111 1111 1111.", "card <hidden>."),
        ("5555-5555-5555-4444", "<hidden>"),
        ("Amex 3782 822463 10005 is fine", "Amex <hidden> is fine"),
        ("CREATE USER a IDENTIFIED BY 'x'; SELECT 1", "CREATE USER a IDENTIFIED BY '<hidden>'; SELECT 1"),
    ],
)
def test_what_surrounds_a_secret_stays(text: str, expected: str) -> None:
    assert hide_secrets(text) == expected


@pytest.mark.parametrize("word", ["contraseña", "пароль", "密码", "パスワード", "비밀번호", "hasło"])
@pytest.mark.parametrize("levels", [1, 2])
def test_a_foreign_word_for_a_password_is_understood_as_json_writes_it(word: str, levels: int) -> None:
    def dump(text: str) -> str:
        for _ in range(levels):
            text = json.dumps(text)
        return text

    assert hide_secrets(dump(f"ü {word}: hunter2 ü")) == dump(f"ü {word}: <hidden> ü")


def test_escapes_of_several_levels_are_read_too() -> None:
    assert hide_secrets("\\u00fc \\\\u00fc contrase\\u00f1a=hunter2") == "ü ü contraseña=<hidden>"


@pytest.mark.parametrize(
    "text", ["API key {0} is invalid", "Invalid token {0}", "apikey {0}", "API key provided: {0}."]
)
def test_a_long_random_value_after_the_name_of_a_secret_is_hidden(text: str) -> None:
    assert hide_secrets(text.format("Zx9Kq27Lmw4Tr8Yb")) == text.format(HIDDEN)


@pytest.mark.parametrize(
    "part",
    ["password '", "<password>", "password:\n  ", "name: a value", "name: token ", "machine a login b ", "ORA-12345 a/",
     "\\u00f1", "sk-", "npm_", "a/", "token 1", "password: |\n  a\n", "and password a1", "key provided: ", "<a ",
     "ENV SECRET ", "password\t", "code is 1", "//hooks.a/", "digest response=", "net use \\\\a ", "?key=a1",
     "your pin ", "one is your ", "Private-Lines: 1", "---- BEGIN A", "password \u201c", "password=\u201c",
     "/webhook/a/", "token=x_x_", "a:b1", "a:b1@", "//a:", "4111 ", "user a ", "IDENTIFIED WITH a "],
)  # fmt: skip
def test_the_time_to_hide_secrets_is_linear(part: str) -> None:
    def seconds(length: int) -> float:
        text = (part * length)[:length]
        started = time.process_time()
        secrets._hide_in_parts(text, SearchLimit(searched=length))  # pyright: ignore[reportPrivateUsage]
        return time.process_time() - started

    assert seconds(80_000) < 0.2 + 8 * 4 * seconds(20_000)


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
    once, twice = hide_secrets(part * 500), hide_secrets(part * 1_000)
    assert len(twice) <= 2 * len(once) + len(json.dumps(part)) + 16


FILLER = "The build went on and nothing else happened in line 7.\n"


@pytest.mark.parametrize("size", [0, 30, 45, 1_000])
@pytest.mark.parametrize(
    "text",
    [
        "DB_PASS=hunter2", 'token: "x hunter2"', "postgres://user:hunter2@host/db", "Cookie: a=1; sid=hunter2",
        "mysql -u root -phunter2", "user bob:hunter2 denied", "ghp_0123456789hunter2", "contraseña: hunter2",
        "Password 'hunter2' was rejected", "<password>hunter2</password>", "password:\n  hunter2\n",
        "https://x/?sig=hunter2&x=1", "connect to scott/hunter2@//h", "basic aHVudGVyMg==hunter2",
        '{"name":"DB_PASSWORD","value":"hunter2"}', "pass phrase: hunter2", "API key: hunter2",
        "mot de passe : hunter2",
        "-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----",
    ],
)  # fmt: skip
def test_a_secret_in_a_long_text_is_hidden_and_the_rest_stays(text: str, size: int) -> None:
    before, after = FILLER * size, "\n" + FILLER * 60
    hidden = hide_secrets(f"{before}{text}{after}")
    assert CANARY not in hidden
    assert hidden.startswith(before)
    assert hidden.endswith(after)


@pytest.mark.parametrize("start", ['{"token": "', "token='", "Cookie: ", "DB_PASS=", '{\\"token\\": \\"'])
def test_a_secret_that_is_longer_than_the_part_that_is_searched_is_hidden_as_a_whole(start: str) -> None:
    end = start[-2:] if start[-2] == "\\" else start[-1] if start[-1] in "\"'" else "\n"
    hidden = hide_secrets(f"{FILLER * 60}{start}{'abc' * 2_000}hunter2{end} and more\n{FILLER}")
    assert hidden == f"{FILLER * 60}{start}<hidden>{end} and more\n{FILLER}"


def test_what_was_not_looked_at_is_not_shown() -> None:
    for filler in (FILLER, "token=abc ", "a"):
        hidden = hide_secrets(filler * (300_000 // len(filler)) + " hunter2")
        assert CANARY not in hidden
        assert hidden.endswith(" characters not shown: too long to check for secrets>")
        assert "abc" not in hidden


def test_a_login_is_not_cut_into_two() -> None:
    for size in range(LONGEST - 40, LONGEST):
        assert CANARY not in hide_secrets("x" * (size - 1) + " postgres://user:hunter2@host/db " + FILLER * 99)


def test_the_texts_of_one_error_are_looked_at_up_to_a_limit_together() -> None:
    text = FILLER * (LONGEST // len(FILLER) // 2)
    error = redact_error({"isError": True, "content": [{"type": "text", "text": text} for _ in range(4)]})
    assert [len(block["text"]) >= len(text) for block in error["content"]] == [True, True, False, False]
    assert all(block["type"] == "text" for block in error["content"])
    tokens = redact_error([f"token=abc{index}" for index in range(2_000)])
    assert len(tokens) == 2_000
    assert tokens[0] == "token=<hidden>"
    assert tokens[-1] == "<13 characters not shown: too long to check for secrets>"


def test_of_very_many_values_in_an_error_the_first_are_shown() -> None:
    blocks = redact_error({"content": [{"type": "text", "text": "a"}] * 5_000, "isError": True})
    assert blocks["isError"] is True
    assert len(blocks["content"]) < 5_000
    assert all(block["type"] == "text" for block in blocks["content"])
    assert blocks["content"][-1]["text"].endswith("more not shown: too many to check>")
    assert redact_error([1] * 5_000)[-1] == "<2,952 more not shown: too many to check>"
    assert redact_error({str(index): index for index in range(5_000)})["…"].startswith("<2,952 more")


def test_an_argument_after_the_option_for_a_secret_is_hidden_also_behind_an_open_quote() -> None:
    assert redact_error(["run", "--password", "'hunter2", "-v", "x"])[2] == HIDDEN
    assert redact_error(["run", "--password", "hunter2", "-v", "a b"]) == ["run", "--password", HIDDEN, "-v", "a b"]
    assert redact_error([["X-Api-Key", "hunter2"], ["Accept", "json"]]) == [["X-Api-Key", HIDDEN], ["Accept", "json"]]
