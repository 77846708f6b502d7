"""Errors of server authors: guidance gets through every framework, and what is masked stays masked."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import copy
import errno
import json
import logging
import pickle
from enum import Enum
from typing import Any

import pytest
from fastmcp import exceptions as fastmcp_exceptions
from mcp.server.mcpserver import exceptions

from fingerpost import KEY, Call, Catalog, Policy, Verdict, render
from fingerpost.engine.failure_kinds import CATEGORIES, FailureFacts, FailureKind
from fingerpost.engine.replies.enrich import explain_exception
from fingerpost.engine.replies.exceptions import facts_of, root_cause
from fingerpost.engine.tool import Tool
from fingerpost.errors import ToolOperationError, UnknownValue
from tests.support.adopted_servers import ERAS, FRAMEWORKS, Adopted, asked, reply_to

CANARY = "canary-4c1f9a7e"
IS_MASKING = hasattr(exceptions, "UnexpectedToolError")
"""mcp 2.0 sends the text of every exception to the client; from 2.1 on it masks them."""
UNITS = {"kilogram": "kilogram (kg)", "gram": "gram (g)", "meter": "meter (m)", "mole": "mole (mol)"}


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def error_of(
    exception: BaseException, arguments: dict[str, Any] | None = None, *, is_masked: bool = True
) -> dict[str, Any]:
    """Return the structured error for an exception."""
    catalog = Catalog([Tool("act", {"inputSchema": {"type": "object"}}), Tool("list_acts"), Tool("act_on")])
    report = explain_exception(
        exception, catalog, Policy(), Verdict("forward", Call("act", arguments or {})), is_masked=is_masked
    )
    assert report is not None
    return render(report).structured["error"]


def raising(framework: str, exception: Exception, **guidance: Any) -> Adopted:
    server = Adopted(framework, **guidance)

    def act(value: str = "", path: str = "") -> str:
        raise exception

    server.tool(act)
    return server


# S2-02 and S2-03: the fields, and which take precedence


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_field_of_the_author_gets_through(framework: str, era: str) -> None:
    error = ToolOperationError(
        "Patch failed",
        code="PATCH_MALFORMED",
        category="patch",
        hint="Write @@ -1,3 +1,4 @@ before each hunk",
        hints=["Read the file first"],
        details={"hunk": 2},
        step=1,
        origin="server",
        retryable=True,
        next_steps={"read": 'read_content(content_url: "a.txt")'},
        routing_hint={"region": "eu"},
    )
    reply = reply_to(raising(framework, error), "act", era=era)
    assert reply.is_error
    assert reply.text == "Patch failed.\nWrite @@ -1,3 +1,4 @@ before each hunk.\nRead the file first."
    assert reply.error == {
        "code": "PATCH_MALFORMED",
        "message": "Patch failed",
        "severity": "medium",
        "category": "patch",
        "origin": "server",
        "retryable": True,
        "details": {"step": 1, "hunk": 2},
        "suggestions": {},
        "hint": "Write @@ -1,3 +1,4 @@ before each hunk",
        "hints": ["Read the file first"],
        "next_steps": {
            "read": 'read_content(content_url: "a.txt")',
            "help": 'info(tool: "act")',
        },
        "routing_hint": {"region": "eu"},
    }


@pytest.mark.parametrize("category", CATEGORIES)
def test_an_explicit_category_takes_precedence_over_an_inferred_one(category: str) -> None:
    assert error_of(ToolOperationError("429 Too Many Requests", category=category))["category"] == category
    assert error_of(ToolOperationError("x", category=category, code="RATE_LIMITED"))["category"] == category


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_without_a_code_implies_its_default_code(category: str) -> None:
    assert error_of(ToolOperationError("x", category=category))["code"] == CATEGORIES[category]


@pytest.mark.parametrize(
    ("error", "category", "code"),
    [
        (ToolOperationError("Rate limit exceeded"), "rate_limited", "RATE_LIMITED"),
        (ToolOperationError("No such file or directory"), "internal", "INTERNAL_ERROR"),  # the call names none
        (ToolOperationError("Permission denied"), "permission", "PERMISSION_DENIED"),
        (ToolOperationError("x", code="PATCH_EMPTY"), "patch", "PATCH_EMPTY"),
        (ToolOperationError("x", code="UNKNOWN_PROMPT"), "not_found", "UNKNOWN_PROMPT"),
        (ToolOperationError("x", code="OUT_OF_RANGE"), "validation", "OUT_OF_RANGE"),
        (ToolOperationError("x", code="MINE"), "internal", "MINE"),
        (ToolOperationError("x", code="not a code"), "internal", "INTERNAL_ERROR"),
    ],
)
def test_missing_fields_are_inferred(error: ToolOperationError, category: str, code: str) -> None:
    assert (error_of(error)["category"], error_of(error)["code"]) == (category, code)


def test_an_unknown_category_raises_a_value_error_that_lists_the_categories() -> None:
    with pytest.raises(ValueError, match=r"category must be one of internal, validation, .* got 'oops'"):
        ToolOperationError("x", category="oops")


@pytest.mark.parametrize("category", ["timeout", "upstream"])
def test_an_unknown_outcome_of_a_tool_that_may_write_is_retryable_only_if_its_author_says_so(category: str) -> None:
    assert error_of(ToolOperationError("x", category=category))["retryable"] is False
    assert error_of(ToolOperationError("x", category=category, retryable=True))["retryable"] is True


@pytest.mark.parametrize("category", ["rate_limited", "validation", "patch"])
def test_a_failure_that_another_call_may_fix_is_retryable(category: str) -> None:
    assert error_of(ToolOperationError("x", category=category))["retryable"] is True
    assert error_of(ToolOperationError("x", category=category, retryable=False))["retryable"] is False
    assert error_of(ToolOperationError("x", category="permission"))["retryable"] is False


class Quota(Exception):
    """A foreign exception with the attributes of ours."""

    def __init__(self, message: str, **attributes: Any) -> None:
        super().__init__(message)
        self.__dict__.update(attributes)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_any_exception_with_guidance_attributes_is_used(framework: str) -> None:
    error = Quota("Quota used up", hint="Ask for fewer rows", category="rate_limited", routing_hint="later")
    reply = reply_to(raising(framework, error), "act")
    assert "Ask for fewer rows." in reply.text
    assert (reply.error["message"], reply.error["hint"]) == ("Quota used up", "Ask for fewer rows")
    assert (reply.error["code"], reply.error["routing_hint"]) == ("RATE_LIMITED", "later")


def test_the_text_of_a_foreign_exception_stays_masked_unless_it_has_a_code_or_category() -> None:
    """Database drivers put hints on their errors too, beside texts that are not for callers."""
    error = error_of(Quota(CANARY, hint="Check the column"))
    assert CANARY not in json.dumps(error)
    assert error["hint"] == "Check the column"
    assert error_of(Quota("Too much", hint="h", code="QUOTA"))["message"] == "Too much"
    assert error_of(Quota("Too much", hint="h"), is_masked=False)["message"] == "Too much"


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"code": 42},
        {"code": "E1", "details": {"a": 1}},
        {"hint": ""},
        {"hint": 5},
        {"hints": []},
        {"category": "x"},
    ],
)
def test_an_exception_without_guidance_gives_no_report(attributes: dict[str, Any]) -> None:
    verdict = Verdict("forward", Call("act", {}))
    assert explain_exception(Quota("x", **attributes), Catalog(), Policy(), verdict, is_masked=True) is None


def test_guidance_is_found_inside_wrappers_and_task_groups() -> None:
    inner = ToolOperationError("Patch failed")
    outer = exceptions.ToolError("Error executing tool a")
    outer.__cause__ = exceptions.ToolError("Error executing tool b")
    outer.__cause__.__cause__ = ExceptionGroup("several", [inner])
    assert root_cause(outer) is inner
    both = ExceptionGroup("several", [inner, ValueError()])
    assert root_cause(both) is both
    mine = RuntimeError("mine")
    mine.__cause__ = inner
    assert root_cause(mine) is mine, "the author may mean to hide the cause"


def test_a_cycle_of_wrappers_ends() -> None:
    outer = exceptions.ToolError("Error executing tool outer")
    outer.__cause__ = outer
    assert root_cause(outer) is outer


def test_an_error_of_an_unlisted_tool_is_diagnosed() -> None:
    verdict = Verdict("forward", Call("hidden", {"note": "n-1"}))
    report = explain_exception(ToolOperationError("No such note: n-1"), Catalog(), Policy(), verdict, is_masked=True)
    assert report is not None
    assert report.diagnoses[0].code == "NOT_FOUND"


# S2-05: default hints, by kind and only if none is given


class Answered(Exception):
    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(CANARY)
        self.response = type("Response", (), {"status_code": status, "headers": headers or {}})()


class ReadTimeout(Exception):
    pass


KINDS: list[tuple[Exception, str]] = [
    (FileNotFoundError(errno.ENOENT, CANARY, "/srv/data/a.txt"), "NOT_FOUND"),
    (FileNotFoundError(CANARY), "NOT_FOUND"),
    (PermissionError(errno.EACCES, CANARY), "PERMISSION_DENIED"),
    (PermissionError(CANARY), "PERMISSION_DENIED"),
    (IsADirectoryError(errno.EISDIR, CANARY, "/srv/data/a.txt"), "INVALID_INPUT"),
    (FileExistsError(errno.EEXIST, CANARY), "CONFLICT"),
    (TimeoutError(CANARY), "TIMEOUT"),
    (ReadTimeout(CANARY), "TIMEOUT"),
    (ConnectionRefusedError(errno.ECONNREFUSED, CANARY), "UPSTREAM_ERROR"),
    (ConnectionResetError(CANARY), "UPSTREAM_ERROR"),
    (OSError(errno.ETIMEDOUT, CANARY), "TIMEOUT"),
    (Answered(429), "RATE_LIMITED"),
    (Answered(401), "AUTH_REQUIRED"),
    (Answered(403), "PERMISSION_DENIED"),
    (Answered(404), "NOT_FOUND"),
    (Answered(409), "CONFLICT"),
    (Answered(413), "INVALID_LENGTH"),
    (Answered(503), "UPSTREAM_ERROR"),
    (Answered(500), "INTERNAL_ERROR"),
    (KeyError("v1"), "NOT_FOUND"),
    (json.JSONDecodeError("Expecting value", "v1", 0), "INVALID_INPUT"),
    (MemoryError(CANARY), "INVALID_LENGTH"),
    (RuntimeError(CANARY), "INTERNAL_ERROR"),
]


@pytest.mark.parametrize(("error", "code"), KINDS, ids=repr)
def test_a_masked_failure_gets_the_default_hint_of_its_kind_and_stays_masked(error: Exception, code: str) -> None:
    """T16: of an exception without guidance only its kind is used, never its text."""
    reply = reply_to(raising("sdk", error), "act", {"value": "v1", "path": "a.txt"})
    assert (reply.error["code"], reply.is_error) == (code, True)
    assert reply.texts[0].startswith("Error executing tool act")
    # a tool that may remove things is not sent to another target
    assert reply.error.get("hint") or isinstance(error, IsADirectoryError)
    assert CANARY not in json.dumps([reply.texts[not IS_MASKING :], reply.meta, reply.structured])


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_what_a_framework_masks_stays_masked(framework: str) -> None:
    server = raising(framework, RuntimeError(CANARY))
    if framework == "fastmcp":
        server.server._mask_error_details = True
    reply = reply_to(server, "act")
    is_masked = framework == "fastmcp" or IS_MASKING
    assert CANARY not in json.dumps([reply.texts[not is_masked :], reply.meta])
    assert reply.error["code"] == "INTERNAL_ERROR"


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(errno.ENOENT, "x", "/etc/server.toml"),
        KeyError("a key of the server's own"),
        json.JSONDecodeError("Expecting value", "from upstream", 0),
        IndexError("list index out of range"),
        ValueError("HTTP 404"),
    ],
)
def test_an_internal_failure_of_the_server_is_not_blamed_on_the_call(error: Exception) -> None:
    assert facts_of(error, Call("act", {"path": "a.txt"})) == FailureFacts(FailureKind.INTERNAL)


@pytest.mark.parametrize(
    ("error", "wait"),
    [
        (Answered(429, {"retry-after": "30"}), "30 seconds"),
        (Answered(429, {"Retry-After": "1"}), "1 second"),
        (Quota("x", status=429, retry_after=5), "5 seconds"),
    ],
)
def test_a_retry_after_is_in_the_hint(error: Exception, wait: str) -> None:
    assert reply_to(raising("sdk", error), "act").error["hint"] == f"Wait {wait}, then call again"


@pytest.mark.parametrize("wait", ["soon", "-1", "99999999", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_a_retry_after_that_is_not_a_plausible_number_of_seconds_is_ignored(wait: str) -> None:
    assert "Wait before calling again" in reply_to(raising("sdk", Answered(429, {"retry-after": wait})), "act").text


@pytest.mark.parametrize(
    "fields",
    [
        {"next_steps": {"password": "hunter2"}},
        {"next_steps": {"fix": "x", "tokens": ["hunter2"], "run": ["mysql", "-phunter2"]}},
        {"details": {"argv": ["mysql", "-phunter2", "--password", "hunter2"]}},
        {"details": {"argv": ["run", "--password", "a hunter2 b", "-v"]}},
        {"details": {"argv": ["run", "--password", "'hunter2", "b"]}},
        {"details": {"headers": [["X-Api-Key", "hunter2"]]}},
        {"details": {"headers": [("X-Api-Key", "hunter2"), 5, ["a", 5]]}},
        {"details": {"name": "DB_PASSWORD", "value": "hunter2"}},
    ],
    ids=str,
)
def test_a_secret_in_the_fields_of_an_author_is_hidden(fields: dict[str, Any]) -> None:
    assert "hunter2" not in json.dumps(error_of(ToolOperationError("bad", **fields)))


def test_fields_of_an_author_that_name_a_secret_stay() -> None:
    details = {
        "required": ["token", "user"],
        "argv": ["ls", "-l", "a b"],
        "name": "limit",
        "value": "low",
        "rules": [["password", "is required"], ["x", "y"]],
    }
    steps = {"reset_password": "reset_password()", "get_token": "Ask the user for one"}
    error = error_of(ToolOperationError("bad", details=details, next_steps=steps))
    assert error["details"] == details
    assert error["next_steps"] == steps


def test_the_label_of_a_choice_without_one_is_its_value() -> None:
    error = error_of(UnknownValue("unit", "xyzzy", {"a": None, "b": "bee"}), {"unit": "xyzzy"})
    assert error["hint"] == "There are a, bee"


def test_an_explicit_hint_replaces_the_default_hint() -> None:
    assert error_of(ToolOperationError("No such file", category="not_found", hint="Mine"))["hint"] == "Mine"
    with_hints = error_of(ToolOperationError("No such file", category="not_found", hints=["Mine"]))
    assert ("hint" in with_hints, with_hints["hints"]) == (False, ["Mine"])
    assert error_of(ToolOperationError("No such file", category="not_found"))["hint"]


# UnknownValue


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_an_unknown_value_gets_a_label_and_a_corrected_call(framework: str) -> None:
    server = Adopted(framework)

    def weigh(value: float, unit: str) -> str:
        raise UnknownValue(parameter="unit", got=unit, choices=UNITS)

    server.tool(weigh)
    reply = reply_to(server, "weigh", {"value": 2.5, "unit": "kilgoram"})
    assert reply.text == 'Unknown unit "kilgoram".\nCorrected call: weigh(value: 2.5, unit: "kilogram")'
    fix = {"value": "kilogram", "label": "kilogram (kg)", "confidence": 0.99}
    assert reply.error["suggestions"]["likely_fix"] == fix
    assert reply.error["corrected_call"]["arguments"] == {"value": 2.5, "unit": "kilogram"}
    details = reply.error["details"]
    assert (details["parameter"], details["got"]) == ("unit", "kilgoram")
    assert details["got"] != details["expected"]


def test_several_close_values_are_listed_without_a_likely_fix() -> None:
    error = error_of(UnknownValue("unit", "mt", UNITS), {"unit": "mt"})
    assert error["hints"] == ["meter (m)", "mole (mol)"]
    assert "likely_fix" not in error["suggestions"]
    assert "corrected_call" not in error


def test_a_value_that_resembles_no_choice_gets_the_list_of_choices() -> None:
    few = error_of(UnknownValue("unit", "xyzzy", ["a", "b"], noun="letter"), {"unit": "xyzzy"})
    assert (few["message"], few["hint"]) == ('Unknown letter "xyzzy"', "There are a, b")
    many = error_of(UnknownValue("unit", "xyzzy", map(str, range(50))), {"unit": "xyzzy"})
    assert many["hint"] == "No similar unit found"
    assert many["details"]["expected"].endswith(" and 38 more")
    assert error_of(UnknownValue("unit", 7, [1, 2]), {"unit": 7})["hint"] == "There are 1, 2"


def test_a_function_can_make_labels_and_the_symbol_in_a_label_is_matched() -> None:
    symbols = {"kilogram": "kg", "meter": "m"}
    error = UnknownValue("unit", "KG", symbols, label=lambda unit: f"{unit} ({symbols[unit]})")
    assert error_of(error, {"unit": "KG"})["suggestions"]["did_you_mean"] == "kilogram (kg)"


def test_a_nested_argument_is_corrected_at_its_path() -> None:
    arguments = {"factors": [{"numerator": "meter"}, {"numerator": "metre"}]}
    error = error_of(UnknownValue("factors[1].numerator", "metre", UNITS, step=1), arguments)
    assert error["corrected_call"]["arguments"]["factors"][1] == {"numerator": "meter"}
    assert (error["message"], error["details"]["step"]) == ('Unknown numerator "metre"', 1)


@pytest.mark.parametrize("parameter", ["elsewhere", "factors[9].numerator", ""])
def test_a_fix_is_suggested_even_if_the_call_does_not_have_the_parameter(parameter: str) -> None:
    error = error_of(UnknownValue(parameter, "kilgoram", UNITS, noun="unit"), {"unit": "kilgoram"})
    assert error["suggestions"]["did_you_mean"] == "kilogram (kg)"
    assert error["suggestions"]["likely_fix"]["value"] == "kilogram"
    assert "corrected_call" not in error
    assert "likely_fix" not in error_of(UnknownValue(parameter, "mt", UNITS, noun="unit"))["suggestions"]


@pytest.mark.parametrize(
    ("fix", "expected"),
    [
        ("meter", {"value": "meter", "label": "meter", "confidence": 1.0}),
        (
            {"value": "m", "label": "meter (m)", "confidence": 0.8},
            {"value": "m", "label": "meter (m)", "confidence": 0.8},
        ),
        ({"value": 5}, {"value": 5, "label": "5", "confidence": 1.0}),
    ],
)
def test_the_authors_fix_is_in_the_corrected_call(fix: Any, expected: dict[str, Any]) -> None:
    error = error_of(ToolOperationError("No", parameter="unit", likely_fix=fix), {"unit": "x"})
    assert error["suggestions"]["likely_fix"] == expected
    assert error["corrected_call"]["arguments"] == {"unit": expected["value"]}


def test_a_fix_that_is_an_object_is_sent_as_an_object() -> None:
    error = error_of(ToolOperationError("No", parameter="unit", likely_fix={"value": 3, "unit": "kg"}), {"unit": {}})
    assert error["corrected_call"]["arguments"] == {"unit": {"value": 3, "unit": "kg"}}


def test_a_fix_equal_to_what_was_sent_is_ignored() -> None:
    error = error_of(ToolOperationError("No", parameter="unit", likely_fix="m"), {"unit": "m"})
    assert "corrected_call" not in error


@pytest.mark.parametrize(
    ("fix", "is_shown"), [("a\n  b\n", True), ("a\n" * 400, False), ("a\n\u202eb\n", False), ("a\n\x1b[1mb", False)]
)
def test_several_lines_of_the_author_are_shown_if_they_are_short_and_visible(fix: str, is_shown: bool) -> None:
    error = error_of(ToolOperationError("No", parameter="unit", likely_fix=fix), {"unit": "x"})
    assert error["corrected_call"]["arguments"]["unit"] == (fix if is_shown else "<string>")


def test_a_fix_is_added_for_an_argument_that_the_call_omits() -> None:
    server = Adopted("sdk")

    def weigh(unit: str = "kilgoram") -> str:
        raise UnknownValue(parameter="unit", got=unit, choices=UNITS)

    server.tool(weigh)
    assert 'weigh(unit: "kilogram")' in reply_to(server, "weigh").text


def test_the_likely_value_is_in_the_hint_if_no_corrected_call_can_show_it() -> None:
    server = Adopted("sdk")

    def parse(expression: str) -> str:
        raise UnknownValue(parameter="unit", got=expression.split()[1], choices=UNITS)

    server.tool(parse)
    assert 'Did you mean "kilogram (kg)"?' in reply_to(server, "parse", {"expression": "5 kilgoram"}).text
    assert 'Nearest: "meter (m)" and "mole (mol)".' in reply_to(server, "parse", {"expression": "5 mt"}).text


def test_a_subclass_can_set_default_fields() -> None:
    class Locked(ToolOperationError):
        code = "ROW_LOCKED"
        category = "conflict"
        hint = "Wait for the lock"

    error = error_of(Locked("The row is locked"))
    assert (error["code"], error["category"], error["hint"]) == ("ROW_LOCKED", "conflict", "Wait for the lock")
    assert error_of(Locked("x", code="OTHER"))["code"] == "OTHER"


@pytest.mark.parametrize("code", ["PatchMalformed", "E-42", "not_found", "a.b"])
def test_a_code_of_the_author_is_kept(code: str) -> None:
    assert error_of(ToolOperationError("x", code=code))["code"] == code


def test_next_steps_without_a_hint_are_in_the_text() -> None:
    reply = reply_to(raising("sdk", ToolOperationError("Oops", next_steps={"first": "Run prepare()"})), "act")
    assert reply.text == "Oops.\nRun prepare()."


def test_a_failure_that_is_not_retryable_gets_no_hint_to_wait() -> None:
    final = error_of(ToolOperationError("Quota used up", category="rate_limited", retryable=False))
    assert "hint" not in final
    assert error_of(ToolOperationError("x", category="rate_limited", details={"retry_after": 30}))["hint"].startswith(
        "Wait 30 seconds"
    )


class Unit(Enum):
    KG = "kilogram"
    M = "meter"


@pytest.mark.parametrize(
    "choices",
    [Unit, list(Unit), {Unit.KG: "kilogram (kg)", Unit.M: "meter"}, ["kilogram", ["meter"]], "kilogram"],
)
def test_choices_may_be_any_iterable(choices: Any) -> None:
    error = UnknownValue("unit", "kilgoram", choices, details=None, hints=None)
    assert error.readings[0].value == "kilogram"


def test_a_label_may_be_of_any_type() -> None:
    assert UnknownValue("n", "onee", ["one"], label=lambda _: 1).readings[0].label == "1"  # pyright: ignore


@pytest.mark.parametrize(
    "error", [UnknownValue("unit", "kilgoram", UNITS, step=2), ToolOperationError("No", hint="h", details={"a": 1})]
)
def test_errors_can_be_pickled_and_copied(error: ToolOperationError) -> None:
    for same in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (type(same), str(same), same.__dict__) == (type(error), str(error), error.__dict__)


# S2-12: sanitizing


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("size", [1, 50, 5_000])
def test_secrets_are_removed_from_errors_of_any_length(framework: str, size: int) -> None:
    secret, pad = f"hunter2-{CANARY}", "x" * size
    error = ToolOperationError(
        f"{pad} login failed with password={secret} at https://bob:{secret}@host/ using Bearer {secret}",
        hint=f"{pad} token: {secret}",
        hints=[f"api_key='{secret}'"],
        details={
            "password": secret,
            "nested": {"deep": {"api_key": secret}, "list": [f"secret={secret}"]},
            "debug": secret,
            "trace": secret,
            "raw": secret.encode(),
            "object": Quota(secret),
        },
        routing_hint={"token": secret},
        next_steps={"retry": f"with token={secret}", "many": [f"pwd: {secret}"]},
    )
    reply = reply_to(raising(framework, error), "act")
    sent = json.dumps([reply.texts, reply.meta, reply.structured])
    assert CANARY not in sent
    assert len(sent) < 6_000


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_secret_arguments_are_not_sent_back(
    framework: str, era: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """T3 in both frameworks: not in a reply, a log or on a terminal, whatever is wrong with the call."""
    logging.disable(logging.NOTSET)
    caplog.set_level(logging.INFO, logger="fingerpost")
    secret = "k9Xq7Lm2Zp4Rt8Vw1Bn5"
    server = Adopted(framework)

    def login(user: str, password: str, retries: int = 3) -> str:
        raise ToolOperationError("Rejected", details={"password": password}, hint=f"token={password}")

    server.tool(login)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("login", {"user": secret, "password": secret, "retries": "x"}),
        ("login", {"user": "a", "passwrd": secret}),
        ("logn", {"user": secret, "password": secret}),
        ("login", {"password": {"value": secret}}),
        ("login", {"user": "a", "password": secret, "extra": secret}),
        ("login", {"user": "a", "password": secret}),
        ("info", {"tool": secret}),
    ]
    for name, arguments in calls:
        for times in (1, 2, 3):
            reply = reply_to(server, name, arguments, era=era, times=times)
            assert secret not in json.dumps([reply.texts, reply.meta, reply.structured]), (name, arguments)
    assert secret not in "".join(record.getMessage() for record in caplog.records if record.name == "fingerpost")
    assert server.guidance.failures == 0


def test_tracebacks_and_terminal_codes_are_removed() -> None:
    text = (
        '\x1b[31mFailed\x1b[0m\nTraceback (most recent call last):\n  File "/srv/app.py", line 3, in f\nValueError: x'
    )
    error = error_of(ToolOperationError(text))
    assert error["message"] == "Failed"


def test_an_id_in_a_hint_is_kept() -> None:
    error = error_of(ToolOperationError("Unknown commit", hint="Use 3f2a9c0b1d2e3f4a5b6c"))
    assert error["hint"] == "Use 3f2a9c0b1d2e3f4a5b6c"


def test_an_attack_that_the_author_reports_is_refused_without_help() -> None:
    error = error_of(ToolOperationError("Parameter 'path' is refused: it leaves the root", code="UNSAFE_INPUT"))
    assert (error["severity"], error["suggestions"], error["next_steps"]) == ("critical", {}, {})
    assert "hint" not in error


def test_a_hint_that_the_message_contains_is_not_repeated_in_the_text() -> None:
    reply = reply_to(
        raising("sdk", ToolOperationError("Patch failed. Use a unified diff.", hint="Use a unified diff")), "act"
    )
    assert reply.text.count("Use a unified diff") == 1


# every failure, and what is removed from it


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_failure_gets_an_envelope(framework: str, era: str) -> None:
    error_type = exceptions.ToolError if framework == "sdk" else fastmcp_exceptions.ToolError
    reply = reply_to(raising(framework, error_type("The moon is full. Wait.")), "act", era=era)
    assert reply.is_error
    assert (reply.error["code"], reply.error["message"]) == ("INTERNAL_ERROR", "The moon is full")
    assert (reply.error["suggestions"], reply.error["next_steps"]) == ({}, {"help": 'info(tool: "act")'})
    assert len(reply.texts) == 1


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_masked_timeout_says_that_the_call_timed_out(framework: str) -> None:
    server = raising(framework, TimeoutError(CANARY))
    if framework == "fastmcp":
        server.server._mask_error_details = True
    reply = reply_to(server, "act")
    assert reply.error["message"] == "The call timed out"
    assert "The call timed out." in reply.texts[-1] or not IS_MASKING


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("redact", ["errors", "own"])
def test_secrets_in_the_authors_own_error_text_are_hidden_by_default(framework: str, redact: Any) -> None:
    text = f"Login failed\nDB_PASS={CANARY} at postgres://bob:{CANARY}@db"
    error_type = exceptions.ToolError if framework == "sdk" else fastmcp_exceptions.ToolError
    reply = reply_to(raising(framework, error_type(text), policy=Policy(redact=redact)), "act")
    assert (CANARY not in reply.text) is (redact == "errors")
    assert CANARY not in json.dumps(reply.guidance)
    if redact == "errors":
        assert reply.texts[0].endswith("Login failed\nDB_PASS=<hidden> at postgres://<hidden>@db")


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_secrets_in_a_returned_error_are_hidden(framework: str) -> None:
    server = Adopted(framework)

    def act() -> dict[str, Any]:
        return {"ok": False, "error": f"token={CANARY}", "password": CANARY, "hint": f"Use api_key={CANARY}"}

    server.tool(act)
    reply = reply_to(server, "act")
    assert CANARY not in json.dumps(reply.guidance)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_link_of_the_author_is_in_the_next_steps(framework: str) -> None:
    url = "https://example.com/patches"
    reply = reply_to(raising(framework, ToolOperationError("Patch failed", documentation_url=url)), "act")
    assert (reply.error["documentation_url"], reply.error["next_steps"]["docs"]) == (url, url)
    assert f"Docs: {url}" in reply.texts[0]
    unknown = error_of(UnknownValue("unit", "kilgoram", UNITS, documentation_url=url), {"unit": "kilgoram"})
    assert unknown["next_steps"]["docs"] == url
    own = ToolOperationError("x", documentation_url=url, next_steps={"docs": "Ask Ada"})
    assert error_of(own)["next_steps"]["docs"] == "Ask Ada"


PLACES: list[dict[str, Any]] = [
    {"hint": "DB_PASS={0}"},
    {"hints": ["AccountKey={0}"]},
    {"next_steps": {"token={0}": "x"}},
    {"next_steps": {"a": {"password": "{0}", "b": "pwd={0}"}}},
    {"next_steps": {"a": ["secret: {0}"]}},
    {"details": {"a": "SharedAccessKey={0};x", "token={0}": 1, "deep": {"list": [{"apiKey": "{0}"}]}}},
    {"routing_hint": {"url": "postgres://u:{0}@h", "list": ["client_secret={0}"]}},
    {"parameter": "token={0}"},
    {"parameter": "value", "likely_fix": "password={0}"},
    {"likely_fix": {"value": "password={0}", "label": "password={0}"}},
    {"documentation_url": "https://x.org/?token={0}"},
    {"documentation_url": "https://bob:{0}@x.org/"},
]


@pytest.mark.parametrize("fields", PLACES, ids=str)
def test_a_secret_is_hidden_in_every_field_of_the_author(fields: dict[str, Any]) -> None:
    """T3: hints, next steps, details, suggestions, labels and routing hints are cleaned like messages."""
    filled = json.loads(json.dumps(fields).replace("{0}", "hunter2"))
    reply = reply_to(raising("sdk", ToolOperationError("password=hunter2", **filled)), "act", {"value": "v"})
    assert "hunter2" not in json.dumps([reply.texts, reply.meta, reply.structured])


def test_a_secret_is_hidden_in_labels_of_choices() -> None:
    error = error_of(UnknownValue("unit", "kilgoram", {"kilogram": "kilogram token=hunter2"}), {"unit": "kilgoram"})
    assert "hunter2" not in json.dumps(error)


# tools that write for some arguments only


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_tool_that_sometimes_writes_is_marked_and_never_repaired_by_similarity(framework: str) -> None:
    server, ran = Adopted(framework, write={"sync": lambda arguments: bool(arguments.get("push"))}), list[str]()

    def sync(remote: str, push: bool = False) -> str:
        ran.append(remote)
        return "done"

    server.tool(sync, annotations={"readOnlyHint": True})
    listed: Any = asked(server, lambda client: client.list_tools()).tools[0]
    assert listed.annotations.read_only_hint is True
    assert listed.meta[KEY]["may_write"] is True
    assert reply_to(server, "sync", {"remot": "a"}).is_error
    assert ran == []
    assert Catalog.listed([listed.model_dump(by_alias=True, mode="json")]).get("sync").is_read_only is False  # pyright: ignore


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_an_unknown_name_in_write_is_reported_once_with_the_nearest_name(
    framework: str, caplog: pytest.LogCaptureFixture
) -> None:
    logging.disable(logging.NOTSET)
    server = Adopted(framework, write={"edit_fiel": True, "edit_file": True, "xyzzy": False})

    def edit_file(path: str) -> str:
        return path

    server.tool(edit_file)
    for _ in range(2):
        asked(server, lambda client: client.list_tools())
    texts = [record.getMessage() for record in caplog.records if record.name == "fingerpost"]
    assert texts == [
        "write declares 'edit_fiel', which is not in the list of tools; did you mean 'edit_file'?",
        "write declares 'xyzzy', which is not in the list of tools",
    ]
