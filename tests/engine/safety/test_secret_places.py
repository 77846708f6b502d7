"""Secrets in the places and disguises in which errors contain them, and text that only looks like one."""

from __future__ import annotations

import pytest

from fingerpost.engine.safety.secrets import HIDDEN, hide_secrets

CANARY = "hunter2"
SECRETS: tuple[str, ...] = (
    "hash $2b$12$hunter2hunter2hunter2 is old", "$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$hunter2", "x:$6$salt$hunter2:0",
    "POST https://hooks.slack.com/services/T024BE7LD/B024BE7LX/hunter2abcDEF failed",
    "https://discord.com/api/webhooks/123456789012345678/hunter2-abcDEF_x returned 404",
    "https://discordapp.com/api/v10/webhooks/123/hunter2",
    "https://outlook.office.com/webhook/aaa-bbb@ccc/IncomingWebhook/hunter2/ddd",
    "https://example.webhook.office.com/webhookb2/a@b/IncomingWebhook/hunter2/c",
    "https://api.telegram.org/bot123456:AAhunter2xyz/sendMessage", "https://hooks.zapier.com/hooks/catch/123/hunter2/",
    "https://maps.googleapis.com/maps/api/geocode/json?address=x&key=hunter2", "GET /v1/x?key=hunter2 failed",
    "https://x/?a=1&sig=hunter2", "https://b.s3.amazonaws.com/o?X-Amz-Signature=hunter2&x=1",
    "https://b/o?X-Amz-Credential=hunter2%2F2024&x=1", "https://x/?X-Amz-Security-Token=hunter2",
    "https://x/?X-Goog-Signature=hunter2", "https://x/?Signature=hunter2&Expires=1",
    "https://x.blob.core.windows.net/c?sv=1&se=2&sig=hunter2", "https://x/cb?access_token=hunter2",
    "https://x/?apikey=hunter2", "https://x/?auth=hunter2", "https://x/#access_token=hunter2&x=1",
    "https://x/?hmac=hunter2", "https://x/?pass=hunter2",
    'Digest username="bob", realm="x", nonce="n", uri="/", response="hunter2", opaque="o"',
    "Authorization failed: Digest username=bob, response=hunter2", "ENV SECRET hunter2",
    "Step 3/9 : ENV DB_PASSWORD hunter2", "ARG TOKEN=hunter2", "setenv API_TOKEN hunter2",
    "ENV API_KEY hunter2\nRUN x", "passwd\thunter2", "password\thunter2", "user\tbob\npassword\thunter2",
    "secret\thunter2", "db.password\thunter2\ndb.x\ty", 'password="correct horse hunter2 staple"',
    "password='correct horse hunter2'", 'password = "a b hunter2"', "net use Z: \\\\srv\\share hunter2 /user:bob",
    "net use \\\\srv\\share /user:bob hunter2", "net user bob hunter2 /add",
    "NET USE X: \\\\s\\d hunter2 /USER:dom\\bob", "p\u0430ssword=hunter2",
    "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44=hunter2", "pass\u200bword=hunter2",
    "\x1b[31mpassword\x1b[0m=hunter2", "pass\x1b[1mword: hunter2", "t\u043eken: hunter2",
    "\uff54\uff4f\uff4b\uff45\uff4e\uff1dhunter2", "p\xadassword=hunter2", "s\u2060ecret=hunter2",
    "\u0455ecret=hunter2", "\U0001d429\U0001d41a\U0001d42c\U0001d42c\U0001d430\U0001d428\U0001d42b\U0001d41d=hunter2",
    "password\u200b=\u200bhunter2", "\u0440\u0430\u0455\u0455w\u043erd: hunter2", "api\u200b_key=hunter2",
    "password\x1b[0m: \x1b[32mhunter2\x1b[0m", "\x1b]8;;x\x07token\x1b]8;;\x07=hunter2", "g\u200bhp_0123456789hunter2",
    "PuTTY-User-Key-File-2: ssh-rsa\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 2\nhunter2a\nhunter2b\nPrivate-MAC: hunter2",
    "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\nhunter2\nPrivate-MAC: ff",
    "password=\u201ccorrect horse hunter2\u201d", "password: \u201ea b hunter2\u201c x",
    "the password is 'correct horse hunter2'", "password = 'it''s hunter2'", 'password="a \\"b\\" hunter2"',
    "PASSWORD='a b hunter2", "pwd: `a b hunter2`", "password=\u2018a hunter2\u2019 x", "{'password': 'a b c hunter2'}",
    "--password 'a b hunter2'", '--password "a b hunter2" -v', 'passphrase is "one two hunter2"',
    "password \xaba b hunter2\xbb: x", "password=\xaba b hunter2",
    "curl -X POST -H 'x: y' https://hooks.slack.com/services/T0/B0/hunter2",
    "webhook_url=https://discord.com/api/webhooks/1/hunter2",
    "https://ptb.discord.com/api/webhooks/12/hunter2?wait=true", "https://hooks.slack.com/workflows/T0/A0/1/hunter2",
    "https://maker.ifttt.com/trigger/door/with/key/hunter2",
    "https://chat.googleapis.com/v1/spaces/A/messages?key=AIzahunter2xx&token=hunter2",
    "https://x.io/webhook/abcdefghunter2abcdef", "https://x.io/a?user=1&key=ab12hunter2",
    "url=/p?b=1&signature=hunter2", "https://x/?X-Amz-Signature=hunter2",
    "https://cdn/x?Expires=1&Signature=hunter2~&Key-Pair-Id=K", "https://x?hmac=hunter2",
    'WWW: Digest realm="x", response="hunter2"', 'digest username="a",response=hunter2,uri=x',
    '{"h": "Digest a=\\"b\\", response=\\"hunter2\\""}', "ENV API_TOKEN hunter2 x", "ENV   SECRET   hunter2",
    "setx DB_PASSWORD hunter2 /M", "Step 4 : ENV NPM_TOKEN hunter2\n ---> x", "secret_key\thunter2",
    "passwd \t hunter2\nx\ty", "row: password\thunter2", "password\\thunter2\\nnext", "p\u200da\u200dssword: hunter2",
    "\uff24\uff22\uff3f\uff30\uff21\uff33\uff33\uff1dhunter2", "\x1b[1;33mAPI_KEY\x1b[0m=\x1b[36mhunter2\x1b[0m",
    "\u24df\u24d0\u24e2\u24e2\u24e6\u24de\u24e1\u24d3=hunter2", "p\u0430ssw\u043erd is hunter2",
    "s\u0435\u0441ret_key=hunter2", "tok\u0435n=hunter2", "\u03a1assword: hunter2", "\u0440\u0430ssphrase: hunter2",
    "\u202epassword=hunter2", "pass\ufeffwd=hunter2", "client_\u200bsecret=hunter2", "https://x/?t\u043eken=hunter2",
    "pass\\u200bword=hunter2", "p\\u0430ssword=hunter2",
    "PuTTY-User-Key-File-2: ssh-rsa\\r\\nPrivate-Lines: 8\\r\\nhunter2\\r\\nPrivate-MAC: 0f",
    "Private-Lines: 1\nhunter2\nPrivate-MAC: hunter2",
    "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nhunter2\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    "net use * \\\\srv\\c$ hunter2 /user:bob /persistent:yes", "net use p: \\\\s\\x /u /user:bob hunter2",
    "C:\\> net user admin hunter2 /add", "password=***hunter2", "password=$ecret-hunter2", "password=xxxhunter2",
    "token=<hunter2", "token=YOUR_hunter2", "password={hunter2}", "password: ...hunter2", "password=(hunter2)",
    "password=[hunter2]", "token=%hunter2%", "Bearer xhunter2", "basic hunter2=", "Authorization: Bearer hunter2",
    "https://user:hunter2@h", "https://a:password:hunter2@h", "SecretManagerKey: hunter2", "auth: hunter2",
    "auth: 40hunter2", "private key is hunter2", "token is hunter2ed", "password is sh3ed-hunter2",
)  # fmt: skip
CODES: tuple[str, ...] = (
    "Your verification code is 482913", "code is 482913", "Your code: 482913", "Enter the code 482913 to continue",
    "Use 482913 as your verification code", "482913 is your verification code", "OTP is 482913",
    "one-time code 482913", "security code: 4829", "login code is 482-913", "2FA code 482913",
    "confirmation code was 482913", "SMS code 482913 expired", "passcode: 482913",
    "Your Google verification code is G-482913", "authentication code is 482913", "The code 482913 is wrong",
)  # fmt: skip
READABLE: tuple[str, ...] = (
    "It costs $5 or $6", "$1 and $2a are groups", "awk '{print $1}'",
    "Pass --token TOKEN", "Pass --token TOKEN to authenticate", "Basic usage: x", "Basic usage:", "SecretManager: 403",
    "SecretManager: 403 Forbidden", "private key is encrypted", "The private key is encrypted",
    "Your private key is encrypted with a passphrase", "Set token=<token>", "token=<your-token>",
    "api_key=YOUR_API_KEY", "API_KEY=your-api-key", "password=YOUR_PASSWORD", "--password PASSWORD",
    "--password=PASSWORD", "token: TOKEN", "export TOKEN=...", "export TOKEN=\u2026", "token=$TOKEN", "token=${TOKEN}",
    "token=***", "token=****", "token=xxxx", "password=xxxxxxxx", "token=[REDACTED]", "password=<redacted>",
    "token={token}", "token={{token}}", "password=%s", "token=%TOKEN%", "Authorization: Bearer <token>",
    "Authorization: Bearer YOUR_TOKEN", "Authorization: Bearer $TOKEN", "-H 'Authorization: Bearer <token>'",
    "Authorization: Bearer {token}", "curl -u user:password x", "curl -u <user>:<password> x", "curl -u $USER:$PASS x",
    "postgres://user:password@host/db", "postgres://USER:PASSWORD@HOST/DB", "postgres://<user>:<password>@host",
    "https://${USER}:${TOKEN}@host", "Use --api-key KEY", "usage: x [--token TOKEN] [--user USER]",
    "-p PASSWORD, --password PASSWORD", "mysql -u root -pPASSWORD", "Basic auth required", "Basic Auth is disabled",
    "Basic plan: 5 users", "Bearer authentication required", "Basic subscription", "Bearer token: missing",
    "TokenExpiredError: 401", "TokenError: invalid", "AuthenticationError: 401 Unauthorized",
    "CredentialsError: Missing credentials in config", "SecretNotFound: db-creds", "PasswordPolicyError: too short",
    "InvalidTokenException: JWT expired", "CookieJar: 3 cookies", "AuthService: 503", "TokenService: timeout",
    "AuthorizationError: 403 Forbidden", "SecretsManager: AccessDenied", "KeyVault secret: not found", "auth: 403",
    "auth: token expired", "token: expired", "Token: not provided", "token is encrypted", "password is hashed",
    "password is stored in the vault", "The secret is stored in AWS", "The token is valid until 2025",
    "The token is valid for 60 minutes", "token is needed", "the password is case-sensitive",
    "API key is read from OPENAI_API_KEY", "api key is disabled", "Cookie is set", "the cookie is deprecated",
    "authorization: required", "authorization is pending", "authorization is handled by the gateway",
    "secret is named db-creds", "credential is managed by Okta", "Set the environment variable API_TOKEN",
    "API_TOKEN is not set", "API_TOKEN is undefined", "token: see docs", "password: at least 8 characters",
    "password: 8-64 characters", "password: min 8", "secret: optional", "token (optional): string", "token: string",
    "'token': {'type': 'string'}", "key: value", "public key: ssh-rsa", "error code is 482913", "exit code 137",
    "status code: 4040", "error code: 50035", "HTTP status code is 404", "code: 42501", "SQLSTATE code 42P01",
    "error code 482913", "zip code is 94103", "Postal code: 12345", "Response code was 500", "code is 404",
    "code 482913", "Country code: 49", "exit code is 137", "product code is 482913", "The code is wrong",
    "code: -32602", "Basic 3 tier", "bearer of bad news", "token bucket is empty", "Token usage: 512 of 1000",
    "tokens used: 1500", "Secret Santa: Bob", "pin 3 is high", "connection string: missing", "keyboard: us",
    "https://example.com/?key=name", "https://x/?sort_key=name&key=id", "https://docs.example.com/hooks/overview",
    "https://github.com/slack/webhooks/issues/12", "ENV variable SECRET is missing", "ENV NODE_ENV production",
    "passwd file not found", "net use failed", "net use: system error 53", 'response="ok"', "response=200",
    "response: 404", "password reset link: https://x.io/reset", "https://x.io/docs/token: see", "Password: ",
    "password reset: done", "passwordless login: enabled", "tokenize: done", "Forgot password? Click here",
    "See https://docs.x.io/auth#token", "Error in auth.login: bad request", "401 Unauthorized: bearer token missing",
    "missing header: Authorization", "Missing Authorization header: Bearer token expected",
    "Expected header 'X-Api-Key: <key>'", "header 'Authorization: Basic <credentials>'", "auth_type=oauth2",
    "token_url=https://x/token", "secret_name=db-creds", "passport: x", "Authentication: none", "auth: basic",
    "auth: none", "auth: bearer", "password auth failed", "password: (hidden)", "password: [hidden]",
    "password=(not set)", "password: (empty)", "token: n/a", "token: N/A", "token: -", "password: ?",
    "password: <missing>", 'response="ok" digest', "see digest response below", "ENV PATH /usr/bin",
    "ENV SECRET is not set", "ENV variables: SECRET, TOKEN", "name\tpassword\temail", "id\tname\n1\tbob", "key\tvalue",
    "https://hooks.slack.com is unreachable", "https://docs.slack.dev/webhooks/guide", "https://x.io/webhooks/list",
    "GET /webhook/order-created", "/webhooks/github", "https://x/?code=404", "https://x/?key=title", "?code=US",
    "&code=EUR", "?key=user.name", "net user failed", "net use /delete", "Use code 42 for help", "error code 1234567",
    "HTTP code is 200", "code is unreachable", "exit code was 1", "The code is 12 lines long", "order code is 4829",
    "the status code is 500", "the error code is 5003", "your country code is 49", "the version is 20240105",
    "\u201cpassword\u201d is required", "password \u201cmust be set\u201d",
    "\u043f\u0430\u0440\u043e\u043b\u044c \u043d\u0435\u0432\u0435\u0440\u043d\u044b\u0439",
    "\u041f\u0430\u0440\u043e\u043b\u044c: \u0434\u043e\u043b\u0436\u0435\u043d",
    "token \u03c4", "\uff54\uff4f\uff4b\uff45\uff4e is missing", "\x1b[31mError\x1b[0m: token expired",
    "\x1b[1mpassword\x1b[0m must be set", "BEGIN TRANSACTION", "-----", "Private-Lines", "password: <string>",
    "password: [REDACTED]", "token: (none)", "passcode: ****", 'Basic realm="x"', "Basic, Pro and Team",
    "Basic Latin block", "Basic HTTP authentication", "basic_auth: required", "verification code: invalid",
    "The verification code is invalid", "verification code must be 6 digits", "Verification code: 6 digits expected",
    "security code is required", "Use your verification code", "login code expired", "access code: not found",
    "SMS code: expired", "recovery codes are used up", "one-time code is wrong", "2FA code required", "2FA is enabled",
    "api_key={api_key}", "--token <token>", "--token=<TOKEN>", '-H "Authorization: token $GITHUB_TOKEN"',
    'export API_KEY="your-api-key"', "API_KEY='YOUR_API_KEY'", 'password: "<password>"',
    "token: '${{ secrets.TOKEN }}'", '{"password": "***"}', '{"token": "<token>"}', '{"api_key": "YOUR_API_KEY"}',
    '{"token": "..."}', "set OPENAI_API_KEY=sk-...", "password: '%s'", "DSN: mysql://user:***@host/db",
    "mysql://user:<password>@host", "redis://:$PASS@h", "AuthHandler: 500", "TokenValidator: bad request",
    "PasswordPolicy: 8", "CredentialProvider: none found", "SecretsManagerException: Denied",
    "Error [AuthMiddleware]: 401", "TOKEN_EXPIRED: 401",
)  # fmt: skip


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_hidden_wherever_it_is(text: str) -> None:
    assert CANARY in text
    assert CANARY not in hide_secrets(text)
    assert CANARY not in hide_secrets(f"{'A line of a log. ' * 300}\n{text}\n{'Another line. ' * 300}")


@pytest.mark.parametrize("text", CODES)
def test_a_code_that_proves_who_somebody_is_is_hidden(text: str) -> None:
    assert "482" not in hide_secrets(text)
    assert HIDDEN in hide_secrets(text)


@pytest.mark.parametrize("text", READABLE)
def test_documentation_and_placeholders_stay_readable(text: str) -> None:
    assert hide_secrets(text) is text


def test_a_text_in_disguise_stays_as_it_is_if_it_has_no_secret() -> None:
    for text in ("\x1b[31mError\x1b[0m: not found", "\uff34\uff4f\uff4b\uff59\uff4f", "so\u00adft", "p\u0430ge: 7"):
        assert hide_secrets(text) is text


def test_a_secret_in_disguise_is_hidden_and_real_words_of_other_languages_stay() -> None:
    text = "\u043f\u0430\u0440\u043e\u043b\u044c \u0438 p\u0430ssword: hunter2"
    assert hide_secrets(text) == "\u043f\u0430\u0440\u043e\u043b\u044c \u0438 password: <hidden>"
