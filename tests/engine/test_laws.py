"""Laws of the engine, checked on generated tools and calls and on the tools of published servers."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from itertools import combinations, product
from typing import Any, cast, get_args

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from fingerpost import KEY, Applicability, Call, Catalog, Grade, Policy, Report, Tool, Verdict, admit, enrich, render
from fingerpost.engine.judge import judge
from fingerpost.engine.model import Rename, Replace
from fingerpost.engine.render.shapes import Shape, reshape
from fingerpost.engine.replies.enrich import add_guidance
from fingerpost.engine.safety.json_input import as_list
from tests.support.strategies import (
    Known,
    Slip,
    exactly,
    examples,
    kept,
    known,
    letters,
    lossless_slips,
    nested,
    noisy,
    nulled,
    odd_json,
    odd_scalars,
    odd_schemas,
    odd_text,
    places,
    plain_text,
    real_tools,
    surrogates,
    typos,
)

SHAPES: tuple[Shape, ...] = get_args(Shape)
QUIET = Policy(tips=False)
SAID = {"content": [{"type": "text", "text": "fine"}], "structuredContent": {"answer": 1}}
NOISE = ("toolCallId", "sessionId", "action")
PREFIXES = ("functions", "function", "defaultapi", "tools", "tool", "mcp", "server")
REAL = real_tools()


def read_only(known: Known) -> Known:
    return known.annotated(readOnlyHint=True)


def writing(known: Known) -> Known:
    return known.annotated(readOnlyHint=False)


def slips(draw: st.DataObject, known: Known, made: list[Slip]) -> Slip:
    assume(made)
    return draw.draw(st.sampled_from(made), label="slip")


def every_slip(known: Known) -> list[Slip]:
    return [*lossless_slips(known), *typos(known)]


def refusing(known: Known, call: Call) -> Verdict:
    """Judge with a policy that reports everything and repairs nothing."""
    return judge(call, known.catalog, Policy(auto_correct="off", unknown_params="reject"))


# 1. a valid call earns nothing


@examples(70)
@given(known())
def test_a_valid_call_gets_no_guidance(known: Known) -> None:
    for verdict in (admit(known.call, known.catalog), judge(known.call, known.catalog, Policy())):
        assert verdict.action == "forward"
        assert verdict.call is known.call
        assert (verdict.report.diagnoses, verdict.report.corrections, verdict.report.warnings) == ((), (), ())
        assert not verdict.report.is_refusal
    assert enrich(known.call, SAID, known.catalog, policy=QUIET) is SAID


def test_a_valid_call_to_a_published_tool_gets_no_guidance() -> None:
    for real in REAL:
        for verdict in (admit(real.call, real.catalog), judge(real.call, real.catalog, Policy())):
            assert (verdict.action, verdict.call is real.call, verdict.report.diagnoses) == ("forward", True, ()), real
        assert enrich(real.call, SAID, real.catalog, policy=QUIET) is SAID


@examples(20)
@given(known())
def test_the_response_to_a_valid_call_is_returned_unchanged(known: Known) -> None:
    response = {"jsonrpc": "2.0", "id": 1, "result": SAID}
    assert enrich(known.call, response, known.catalog, policy=QUIET) is response


# 2. a corrected call is valid, and every value of the caller's is in it


def assert_keeps(sent: Call, corrected: Call, known: Known) -> None:
    """Assert that no value is lost, made up, or overwritten under a declared name."""
    given = sent.arguments
    if isinstance(given, dict):
        given = {key: value for key, value in cast("dict[str, Any]", given).items() if key not in NOISE}
        for name in given.keys() & known.tool.params.keys():
            assert kept(corrected.arguments.get(name)) == kept(given[name])
    assert kept(corrected.arguments) == kept(given)
    assert known.tool.is_valid(corrected.arguments)


@examples(100)
@given(known(), st.data())
def test_a_certain_correction_is_valid_and_keeps_every_value(known: Known, data: st.DataObject) -> None:
    slip = slips(data, known, every_slip(known))
    report = refusing(known, slip.call).report
    if report.corrected and report.applicability is Applicability.MACHINE_APPLICABLE:
        assert_keeps(slip.call, report.corrected, known)


@examples(100)
@given(known(), st.data(), st.booleans())
def test_a_repaired_call_is_valid_and_keeps_every_value(known: Known, data: st.DataObject, is_noisy: bool) -> None:
    slip = slips(data, known, every_slip(known))
    is_noisy = is_noisy and isinstance(slip.call.arguments, dict) and not known.tool.is_open
    verdict = judge(noisy(slip.call) if is_noisy else slip.call, known.catalog, Policy())
    if verdict.action == "repair":
        assert_keeps(slip.call, verdict.call, known)


@examples(70)
@given(known(), st.data())
def test_a_rename_never_overwrites_another_argument(known: Known, data: st.DataObject) -> None:
    """The call contains both the wrong and the right name: the corrected call must keep both values.

    If they are equal, one of them is enough.
    """
    slip = slips(data, known, [s for s in every_slip(known) if s.kind in ("restyled", "typo") and len(s.at) == 1])
    taken = Call(slip.call.tool, {**slip.call.arguments, slip.at[0]: known.call.arguments[slip.at[0]]})
    for tool in (known, read_only(known)):
        verdict = judge(taken, tool.catalog, Policy(auto_correct="all"))
        if verdict.action == "repair":
            assert exactly(verdict.call.arguments[slip.at[0]]) == exactly(taken.arguments[slip.at[0]])
            assert set(kept(verdict.call.arguments)) == set(kept(taken.arguments))
            lost = kept(taken.arguments) - kept(verdict.call.arguments)
            assert lost in (Counter(), kept({"": taken.arguments[slip.at[0]]}))


def read_alike(value: Any) -> Any:
    """Remove every difference that counts as lossless: style, strings, nulls, wrappers, one-item lists."""
    match value:
        case str():
            whole = _json(value)
            return read_alike(whole) if not isinstance(whole, str) else letters(value)
        case dict():
            fields = cast("dict[str, Any]", value)
            if len(fields) == 1 and next(iter(fields)) in ("input", "arguments", "params"):
                return read_alike(next(iter(fields.values())))
            return {letters(key): read_alike(item) for key, item in fields.items() if item is not None}
        case list():
            items = cast("list[Any]", value)
            return read_alike(items[0]) if len(items) == 1 else [read_alike(item) for item in items]
        case _:
            return value


def _json(text: str) -> Any:
    try:
        return json.loads(text.lower() if text.lower() in ("true", "false") else text)
    except ValueError:
        return text


@examples(100)
@given(known(), st.data())
def test_a_tool_that_may_write_gets_lossless_repairs_only(known: Known, data: st.DataObject) -> None:
    slip = slips(data, known, every_slip(known))
    verdict = judge(slip.call, writing(known).catalog, Policy())
    if verdict.action == "repair":
        assert exactly(read_alike(verdict.call.arguments)) == exactly(read_alike(slip.call.arguments))
        grades = {fix.grade for one in verdict.report.diagnoses if (fix := one.certain_fix)}
        assert grades == {Grade.LOSSLESS}


@examples(70)
@given(st.lists(known(), min_size=1, max_size=6, unique_by=lambda known: known.call.tool), st.data())
def test_a_tool_name_is_repaired_only_by_prefix_case_and_separators(every: list[Known], data: st.DataObject) -> None:
    catalog = Catalog([known.tool for known in every])
    target = data.draw(st.sampled_from(every))
    name = target.call.tool
    slip = data.draw(
        st.sampled_from([
            name[:2] + name[3:], name + "s", name[:3] + name[2:], name.upper(), name.replace("_", "-"), f"x_{name}",
            f"functions.{name}", f"mcp__server__{name}", f"default_api:{name.title()}", f"get_{name}", name[1:],
        ])
    )  # fmt: skip
    assume(catalog.get(slip) is None)
    for policy in (Policy(), Policy(auto_correct="all")):
        verdict = judge(Call(slip, target.call.arguments), catalog, policy)
        if verdict.action in ("repair", "forward"):
            left = letters(slip).removesuffix(letters(verdict.call.tool))
            assert left == "" or any(left == "".join(some) for some in prefixes()), (slip, verdict.call.tool)


def prefixes() -> Iterable[tuple[str, ...]]:
    return [*product(PREFIXES), *product(PREFIXES, PREFIXES)]


ANNOTATIONS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


@examples(70)
@given(known(), st.data(), st.booleans())
def test_a_tool_that_may_write_never_gets_more_repairs(known: Known, data: st.DataObject, is_stray: bool) -> None:
    """A call that is sent to a tool that may write is sent unchanged to one that only reads."""
    slip = slips(data, known, every_slip(known))
    call, arguments = slip.call, slip.call.arguments
    if is_stray and isinstance(arguments, dict):
        call = Call(call.tool, {**cast("dict[str, Any]", arguments), "zzz_unheard_of": 1})
    mild = judge(call, known.annotated(readOnlyHint=True, destructiveHint=False).catalog, Policy())
    for notes in (
        {}, {"readOnlyHint": False}, {"readOnlyHint": "true"}, {"readOnlyHint": 1}, {"readOnlyHint": None},
        {"destructiveHint": True}, {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True},
    ):  # fmt: skip
        strict = judge(call, known.annotated(**notes).catalog, Policy())
        if strict.action in ("forward", "repair"):
            assert (mild.action, exactly(mild.call.arguments)) == (strict.action, exactly(strict.call.arguments))


@examples(40)
@given(known(), st.data())
def test_only_the_read_only_hint_changes_what_is_sent(known: Known, data: st.DataObject) -> None:
    slip = slips(data, known, every_slip(known))
    bare = judge(slip.call, known.annotated().catalog, Policy())
    for name, value in product(ANNOTATIONS[1:], (True, False)):
        verdict = judge(slip.call, known.annotated(**{name: value}).catalog, Policy())
        assert (verdict.action, verdict.call) == (bare.action, bare.call)
        # fewer calls are offered for a tool that declares itself destructive
        assert verdict == bare or (name, value) == ("destructiveHint", True)


@examples(70)
@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**19), max_value=10**19, places=6))
def test_a_string_is_converted_to_a_number_only_if_the_number_is_exact(number: Decimal) -> None:
    """A float cannot represent every number in a string. Such a conversion is not lossless."""
    tool = Tool("f", {"inputSchema": {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}})
    verdict = judge(Call("f", {"n": str(number)}), Catalog([tool]), Policy())
    if verdict.action == "repair":
        assert Decimal(repr(verdict.call.arguments["n"])) == number


# 3. correction converges


@examples(100)
@given(known(), st.data())
def test_a_certain_correction_gets_no_further_guidance(known: Known, data: st.DataObject) -> None:
    slip = slips(data, known, every_slip(known))
    report = refusing(known, slip.call).report
    if report.corrected and report.applicability is Applicability.MACHINE_APPLICABLE:
        again = judge(report.corrected, known.catalog, Policy())
        assert (again.action, again.report.diagnoses, again.report.warnings) == ("forward", (), ())


@examples(200)
@given(known(), st.data())
def test_a_lossless_mistake_is_repaired_exactly_on_a_tool_that_may_write(known: Known, data: st.DataObject) -> None:
    slip = slips(data, known, lossless_slips(known))
    assert_undone(slip, known)


@examples(40)
@given(known(), st.data())
def test_a_null_is_left_out_on_a_read_only_tool_and_forwarded_to_others(known: Known, data: st.DataObject) -> None:
    rejects = read_only(known).tool.accepts
    slip = slips(data, known, [one for one in nulled(known) if not rejects(one.call.arguments)])
    mild, strict = (judge(slip.call, tool.catalog, Policy()) for tool in (read_only(known), writing(known)))
    assert (mild.action, exactly(mild.call.arguments)) == ("repair", exactly(known.call.arguments))
    assert (strict.action, exactly(strict.call.arguments)) == ("forward", exactly(slip.call.arguments))
    assert render(strict.report).text == ""


def assert_undone(slip: Slip, known: Known) -> None:
    verdict = judge(slip.call, writing(known).catalog, Policy())
    assert verdict.action == "repair", (slip, verdict.report)
    assert (verdict.call.tool, exactly(verdict.call.arguments)) == (known.call.tool, exactly(known.call.arguments))
    assert verdict.report.corrections, "a repair is reported"


@pytest.mark.parametrize("kind", ["restyled", "stringified", "wrapped", "unlisted", "prefixed"])
def test_every_lossless_mistake_in_a_call_to_a_published_tool_is_repaired_exactly(kind: str) -> None:
    failed: list[Any] = []
    for real in REAL[::3]:
        if any(letters(a) == letters(b) for a, b in combinations(real.tool.params, 2)):
            continue
        for slip in lossless_slips(real):
            verdict = judge(slip.call, real.catalog, Policy()) if slip.kind == kind else None
            if verdict and (verdict.action, exactly(verdict.call.arguments)) != (
                "repair",
                exactly(real.call.arguments),
            ):
                failed.append((real.call.tool, slip.at, slip.call))
    assert not failed, (len(failed), failed[:10])


@examples(40)
@given(known(), st.data())
def test_client_noise_is_no_mistake(known: Known, data: st.DataObject) -> None:
    """It gets no diagnosis. It is removed if the schema rejects it, or if the call is repaired anyway."""
    assume(not known.tool.is_open and not known.tool.params.keys() & {*NOISE})
    verdict = judge(noisy(known.call), known.catalog, Policy())
    assert verdict.report.diagnoses == ()
    wanted = noisy(known.call) if known.tool.is_valid(noisy(known.call).arguments) else known.call
    assert exactly(verdict.call.arguments) == exactly(wanted.arguments)
    slip = slips(data, known, [one for one in lossless_slips(known) if isinstance(one.call.arguments, dict)])
    assert_undone(replace(slip, call=noisy(slip.call)), known)


# 4. two slips, two diagnoses, one call


@examples(100)
@given(known(least=2), st.data())
def test_two_mistakes_give_two_diagnoses_and_one_corrected_call(known: Known, data: st.DataObject) -> None:
    made = [one for one in lossless_slips(known) if one.kind != "wrapped" and one.at]
    first = slips(data, known, made)
    second = slips(data, known, [one for one in made if one.at[:1] != first.at[:1]])
    both = Call(
        second.call.tool if second.kind == "prefixed" else first.call.tool,
        _merge_changes(known.call.arguments, first.call.arguments, second.call.arguments),
    )
    verdict = judge(both, writing(known).catalog, Policy(auto_correct="off"))
    assert len(verdict.report.diagnoses) == 2
    assert verdict.report.corrected is not None
    assert exactly(verdict.report.corrected.arguments) == exactly(known.call.arguments)
    assert verdict.report.corrected.tool == known.call.tool


def _merge_changes(intended: dict[str, Any], one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Merge two changes of top-level arguments."""
    gone = {key for key in intended if key not in one or key not in other}
    changed = {
        key: value
        for side in (one, other)
        for key, value in side.items()
        if exactly(value) != _exact_value(intended, key)
    }
    return {key: value for key, value in {**intended, **changed}.items() if key not in gone}


def _exact_value(intended: dict[str, Any], key: str) -> str:
    return exactly(intended[key]) if key in intended else ""


# 5. an answer is as large as it may be, and the same in every shape


def reports(known: Known, call: Call) -> Iterable[Report]:
    for policy in (Policy(), Policy(auto_correct="off"), Policy(auto_correct="off", unknown_params="reject")):
        for tool in (known, read_only(known), writing(known)):
            yield judge(call, tool.catalog, policy).report


def count_added_bytes(report: Report, shape: Shape = "nested", budget: int = 800) -> int:
    envelope = render(report, shape=shape, budget=budget)
    return len(envelope.text.encode()) + len(json.dumps(envelope.structured, ensure_ascii=False).encode())


def assert_fits(report: Report, budget: int) -> None:
    assert len(report.diagnoses) <= 20
    assert len(render(report, budget=budget).text) <= budget
    for shape in SHAPES:
        assert count_added_bytes(report, shape) <= 2_048, shape


def assert_same_in_every_shape(report: Report) -> None:
    nested = render(report).structured
    for one, other in product(SHAPES, SHAPES):
        assert reshape(render(report, shape=one).structured, other) == render(report, shape=other).structured
        assert reshape(reshape(nested, one), "nested") == nested
    assert len({render(report, shape=shape).text for shape in SHAPES}) == 1


@examples(70)
@given(known(), st.data(), st.integers(0, 2_000))
def test_the_envelope_for_a_mistake_fits_its_budget_and_is_the_same_in_every_shape(
    known: Known, data: st.DataObject, budget: int
) -> None:
    slip = slips(data, known, every_slip(known))
    for report in reports(known, slip.call):
        assert_fits(report, budget)
        assert_same_in_every_shape(report)


wide = st.dictionaries(st.one_of(plain_text, st.text(max_size=80)), st.one_of(plain_text, odd_json), max_size=40)


@examples(50)
@given(known(), st.one_of(wide, odd_json), st.integers(0, 2_000))
def test_the_envelope_for_any_arguments_fits_its_budget_and_is_the_same_in_every_shape(
    known: Known, sent: Any, budget: int
) -> None:
    for report in reports(known, Call(known.call.tool, sent)):
        assert_fits(report, budget)
        assert_same_in_every_shape(report)


@examples(40)
@given(st.lists(st.text(min_size=1, max_size=90), max_size=30), st.text(max_size=200), st.integers(0, 2_000))
def test_the_envelope_for_any_tool_name_fits_its_budget_and_is_the_same_in_every_shape(
    tools: list[str], name: str, budget: int
) -> None:
    report = judge(Call(name, {"a": 1}), Catalog.listed([{"name": tool} for tool in tools]), Policy()).report
    assert_fits(report, budget)
    assert_same_in_every_shape(report)


def wrong_in_all_places(count: int, schema: dict[str, Any], value: Any, name: str) -> tuple[Tool, Call]:
    keys = [f"{name}{index}" for index in range(count)]
    listed = {"inputSchema": {"type": "object", "properties": dict.fromkeys(keys, schema), "required": keys}}
    return Tool("f", listed), Call("f", dict.fromkeys(keys, value))


@pytest.mark.parametrize("count", [1, 3, 21])
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer", "description": "d" * 500, "examples": ["e" * 500]}, "no number"),
        ({"enum": ["choice " + "c" * 57 + str(n) for n in range(50)]}, "other"),
        ({"type": "string", "maxLength": 3, "default": "\N{GRINNING FACE}" * 64}, "\N{GRINNING FACE}" * 64),
        ({"type": "object", "properties": {"é" * 60: {"type": "string"}}, "required": ["é" * 60]}, {}),
        ({"type": "string", "pattern": "^" + "\\\\" * 100 + "$"}, '"' * 60),
    ],
    ids=["type", "enum", "length", "required", "pattern"],
)
@pytest.mark.parametrize("name", ["p", "a parameter with a name of sixty characters, no more, or so_", "\\" * 60])
def test_many_mistakes_do_not_enlarge_the_envelope(count: int, schema: dict[str, Any], value: Any, name: str) -> None:
    tool, call = wrong_in_all_places(count, schema, value, name)
    for sent in (call, Call("f", {}), Call("f", {f"{key}x": value for key in call.arguments})):
        report = judge(sent, Catalog([tool]), Policy()).report
        assert_fits(report, 800)
        assert_same_in_every_shape(report)


def test_problems_beyond_the_limit_are_counted() -> None:
    tool, call = wrong_in_all_places(60, {"type": "integer"}, "x", "p")
    report = judge(call, Catalog([tool]), Policy()).report
    assert len(report.diagnoses) + report.more_problems >= 21
    assert "more problems" in render(report).text


# 6. nothing raises


def assert_total(call: Call, catalog: Catalog, replies: Iterable[Any] = ()) -> None:
    for policy in (Policy(), Policy(auto_correct="off", unknown_params="warn", ask=True, info_tool=None)):
        verdict = judge(call, catalog, policy)
        assert admit(call, catalog, policy=policy).action in ("forward", "repair", "refuse", "ask")
        for shape in SHAPES:
            envelope = render(verdict.report, shape=shape)
            json.dumps(envelope.structured)
            envelope.text.encode()
        for reply in replies:
            json.dumps(add_guidance(call, reply, catalog, policy, verdict))
            enrich(call, reply, catalog, policy=policy)


@examples(100)
@given(known(), odd_json)
def test_any_arguments_are_judged_without_an_exception(known: Known, sent: Any) -> None:
    assert_total(Call(known.call.tool, sent), known.catalog)


@examples(100)
@given(known(least=1), st.data())
def test_any_value_in_any_place_is_judged_without_an_exception(known: Known, data: st.DataObject) -> None:
    at = data.draw(
        st.sampled_from([*(at for at, _ in places(known.call.arguments)), *((n,) for n in known.tool.params)])
    )
    assert_total(Replace(at, data.draw(st.one_of(odd_scalars, odd_json))).applied_to(known.call), known.catalog)


@examples(100)
@given(odd_schemas, odd_json, st.dictionaries(st.sampled_from(["a", "b", "limit", "path", "x"]), odd_json))
def test_any_input_schema_is_handled(schema: Any, sent: Any, arguments: dict[str, Any]) -> None:
    for within in (schema, {"type": "object", "properties": {"a": schema, "limit": schema}, "required": ["a"]}):
        catalog = Catalog.listed([{"name": "f", "inputSchema": within}])
        assert_total(Call("f", arguments), catalog)
        assert_total(Call("f", sent), catalog)


@examples(50)
@given(odd_json, odd_text, odd_json)
@example([{"name": "\ud800"}], "\ud800", {})
def test_any_catalog_is_handled(listed: Any, name: str, sent: Any) -> None:
    for tools in (listed, [listed], [{"name": name, "inputSchema": listed}, {"name": name + "s"}, listed]):
        catalog = Catalog.listed(tools)
        for called in (name, name + "s", name[:-1]):
            assert_total(Call(called, sent), catalog, [{"isError": True, "content": [{"text": "404"}]}])


def odd_replies(text: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    contents = st.lists(st.one_of(st.fixed_dictionaries({"type": st.just("text"), "text": text}), odd_json), max_size=3)
    results = st.fixed_dictionaries(
        {}, optional={"content": st.one_of(contents, odd_json), "isError": st.one_of(st.just(True), odd_json),
                      "_meta": odd_json, "structuredContent": odd_json},
    )  # fmt: skip
    errors = st.fixed_dictionaries(
        {"code": st.one_of(st.integers(), odd_json), "message": text}, optional={"data": odd_json}
    )
    responses = st.one_of(results.map(lambda it: {"result": it}), errors.map(lambda it: {"error": it}), odd_json)
    whole = responses.map(lambda it: {"jsonrpc": "2.0", "id": 1, **(it if isinstance(it, dict) else {})})
    return st.one_of(results, errors, whole, odd_json)


@examples(70)
@given(known(), odd_json, odd_replies(odd_text))
def test_any_reply_is_handled(known: Known, sent: Any, reply: Any) -> None:
    assert_total(known.call, known.catalog, [reply])
    assert_total(Call(known.call.tool, sent), known.catalog, [reply])


COMPLAINTS = (
    "Parameter '{0}' must be less than or equal to 10",
    "'{0}' is a required property",
    "{0} must be one of 'a', 'b'",
    "Input validation error: 'x' is not one of ['a', 'b']",
    "Input validation error: 'x' is not of type 'integer'",
    "1 validation error for f\n{0}\n  Input should be a valid integer [type=int_type, input_value='x', input_type=str]",
    "1 validation error for f\n{0}\n  Field required [type=missing, input_value={{}}, input_type=dict]",
    "1 validation error for f\n{0}\n  Input should be less than or equal to 5 [type=less_than_equal, input_value=9]",
    "1 validation error for f\n{0}\n  List should have at most 3 items after validation, not 4 [type=too_long]",
    "1 validation error for f\n{0}\n  String should match pattern '^a+$' [type=string_pattern_mismatch]",
    '[{{"code":"invalid_type","expected":"number","received":"string","path":["{0}"],"message":"Expected number"}}]',
    '[{{"code":"too_big","maximum":5,"inclusive":true,"path":["{0}"],"message":"Too big"}}]',
    '[{{"code":"invalid_string","validation":"email","path":["{0}"],"message":"Invalid email"}}]',
    '[{{"code":"invalid_string","validation":"datetime","path":["{0}"],"message":"Invalid datetime"}}]',
    '[{{"code":"unrecognized_keys","keys":["{0}","q"],"path":[],"message":"Unrecognized key"}}]',
    '[{{"code":"invalid_enum_value","options":[],"path":["{0}"],"message":"Invalid enum value"}}]',
    "data/{0} must be <= 5",
    "data/{0} must NOT have fewer than 3 characters",
    "data/{0} must NOT have more than 3 items",
    'data/{0} must match format "date"',
    "data must have required property '{0}'",
    "data must NOT have additional properties",
    "data/{0} must be equal to one of the allowed values",
    "data/{0} must be multiple of 3",
    "missing field `{0}` at line 1 column 2",
    "unknown field `{0}`, expected one of `a`, `b`",
    "invalid type: string \"x\", expected u32",
    "Missing required parameters: {0}",
    "missing argument {0}",
    "f() got an unexpected keyword argument '{0}'",
    "json: cannot unmarshal string into Go struct field Args.{0} of type int",
)  # fmt: skip


@pytest.mark.parametrize("complaint", COMPLAINTS)
def test_any_error_message_about_any_value_is_handled(complaint: str) -> None:
    """A server may check another version of the schema, so it may reject a value that the schema allows."""
    values: tuple[Any, ...] = (
        None, True, 0, 7, 10**400, -0.5, math.nan, "", "text", "2026/1/31", "5", [], [1], {}, {"a": 1}, nested(200),
        "\ud800",
    )  # fmt: skip
    text = complaint.format("a")
    replies = [{"isError": True, "content": [{"type": "text", "text": text}]}, {"code": -32602, "message": text}]
    schemas: tuple[Any, ...] = ({}, {"type": "string"}, {"type": ["array", "object", "null"]})
    for schema in schemas:
        listed = {"name": "f", "inputSchema": {"type": "object", "properties": {"a": schema}, "required": ["a"]}}
        catalog = Catalog.listed([listed])
        for value in values:
            for call in (Call("f", {"a": value}), Call("f", {"b": value})):
                for reply in replies:
                    json.dumps(add_guidance(call, reply, catalog, Policy(), judge(call, catalog, Policy())))


DEEP = 10_000


@pytest.mark.parametrize("kind", ["object", "array"])
def test_values_nested_ten_thousand_deep_are_handled(kind: str) -> None:
    deep = nested(DEEP, kind)
    replies: tuple[Any, ...] = (
        deep,
        {"isError": True, "content": deep},
        {"isError": True, "content": [], "_meta": deep},
        {"code": 1, "message": "x", "data": deep},
        {"structuredContent": deep},
    )
    closed = {"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
                                           "additionalProperties": False}}  # fmt: skip
    for sent in (deep, {"a": deep}, {"b": deep}, {"input": {"b": deep}}, {"a": "x", "toolCallId": deep}):
        for tools in ([closed], [{"name": "f", "inputSchema": deep}], [{"name": "g"}], deep, [deep]):
            for policy in (Policy(), Policy(auto_correct="off")):
                verdict = judge(Call("f", sent), Catalog.listed(tools), policy)
                for shape in SHAPES:
                    json.dumps(render(verdict.report, shape=shape).structured)
                for reply in replies:
                    add_guidance(Call("f", sent), reply, Catalog.listed(tools), policy, verdict)


@pytest.mark.parametrize("closed", [{"additionalProperties": False}, {"additionalProperties": True}, {}])
def test_five_thousand_keys_are_handled(closed: dict[str, Any]) -> None:
    keys = {f"key_{index}": index for index in range(5_000)}
    schema = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"], **closed}
    catalog = Catalog.listed([{"name": "f", "inputSchema": schema}])
    for sent in (keys, {"key": keys}, {"input": keys}, {"key": "x", **keys}):
        assert_total(Call("f", sent), catalog, [{"isError": True, "content": []}])
        assert_fits(judge(Call("f", sent), catalog, Policy()).report, 800)


@pytest.mark.parametrize("digits", [30, 400, 4_000, 5_000])
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"}, {"type": "integer", "maximum": 5}, {"type": "number", "multipleOf": 0.5}, {"enum": [1, 2]},
        {"type": "integer", "minimum": 3, "multipleOf": 7, "exclusiveMaximum": 50}, {"type": "array", "maxItems": 0},
    ],
    ids=str,
)  # fmt: skip
def test_huge_numbers_are_handled(digits: int, schema: dict[str, Any]) -> None:
    huge = 10**digits
    listed = {"name": "f", "inputSchema": {"type": "object", "properties": {"a": schema}, "required": ["a"]}}
    for sent in ({"a": huge}, {"a": [huge]}, {"a": {"b": huge}}, {"b": huge}, huge, [huge], {"input": {"a": huge}}):
        assert_total(
            Call("f", sent), Catalog.listed([listed]), [{"isError": True, "content": [{"text": "a must be 1"}]}]
        )


@pytest.mark.parametrize("digits", [30, 400, 5_000, math.inf, math.nan])
@pytest.mark.parametrize("keyword", ["minimum", "maximum", "multipleOf", "default", "const", "minLength", "maxItems"])
def test_huge_limits_are_handled(digits: int | float, keyword: str) -> None:
    huge = 10**digits
    schema = {"type": ["integer", "string", "array"], keyword: huge}
    listed = {"name": "f", "inputSchema": {"type": "object", "properties": {"a": schema}, "required": ["a"]}}
    sents: tuple[Any, ...] = ({"a": 1}, {"a": "x"}, {"a": []}, {}, {"a": None}, {"b": 2})
    for sent in sents:
        assert_total(
            Call("f", sent), Catalog.listed([listed]), [{"isError": True, "content": [{"text": "a must be 1"}]}]
        )


@examples(40)
@given(known(least=1), surrogates, st.data())
def test_lone_surrogates_in_names_and_values_are_handled(known: Known, odd: str, data: st.DataObject) -> None:
    at = data.draw(st.sampled_from([(name,) for name in known.tool.params]))
    for sent in (
        Call(known.call.tool + odd, known.call.arguments),
        Replace(at, odd).applied_to(known.call),
        Rename(at, str(at[0]) + odd).applied_to(known.call),
        Call(known.call.tool, odd),
        Call(known.call.tool, {odd: odd}),
    ):
        assert_total(sent, known.catalog, [{"isError": True, "content": [{"type": "text", "text": odd}]}])
    spoiled = json.loads(json.dumps(known.listed).replace(str(at[0]), str(at[0]) + "\\ud800"))
    assert_total(known.call, Catalog.listed([spoiled]), [{"code": -32602, "message": odd}])


# 7. guidance is count_added_bytes, nothing is taken away


@examples(70)
@given(known(), odd_json, odd_replies(st.sampled_from(["404 not found", "timeout", "nothing to say", "x is required"])))
def test_guidance_only_adds_to_a_reply(known: Known, sent: Any, reply: Any) -> None:
    before = repr(reply)
    for call in (known.call, Call(known.call.tool, sent), Call(known.call.tool + "x", sent)):
        assert_added(reply, enrich(call, reply, known.catalog, policy=Policy()))
        assert repr(reply) == before, "the server's own reply is not touched"


def assert_added(reply: Any, guided: Any) -> None:
    if guided is reply or repr(guided) == repr(reply):
        return
    assert isinstance(reply, dict) and isinstance(guided, dict)
    old, new = cast("dict[str, Any]", reply), cast("dict[str, Any]", guided)
    if "jsonrpc" in old:
        part = "result" if "result" in old else "error"
        assert _without(new, part) == _without(old, part)
        assert_added(old[part], new[part])
    elif "content" not in old and isinstance(old.get("code"), int):
        assert _without(new, "data") == _without(old, "data")
        assert _without(new["data"], KEY) == repr(old.get("data") or {})
    else:
        assert _without(new, "content", "_meta") == _without(old, "content", "_meta")
        blocks: list[Any] = as_list(old.get("content"))
        added: list[Any] = as_list(new.get("content"))
        assert repr(added[: len(blocks)]) == repr(blocks)
        assert [block["type"] for block in added[len(blocks) :]] in ([], ["text"])
        assert isinstance(new.get("content"), list) or new.get("content") == old.get("content")
        assert _without(new["_meta"], KEY) == repr(old.get("_meta") or {})


def _without(mapping: Any, *keys: str) -> str:
    return repr({key: value for key, value in mapping.items() if key not in keys})


@examples(40)
@given(known(), odd_replies(st.just("no such thing")))
def test_guidance_is_never_added_twice(known: Known, reply: Any) -> None:
    once = enrich(known.call, reply, known.catalog)
    assert repr(enrich(known.call, once, known.catalog)) == repr(once)


# 8. what a caller may not see is not there


@examples(25)
@given(st.lists(known(), min_size=2, max_size=10, unique_by=lambda known: known.call.tool), st.data())
def test_hidden_tools_leave_no_trace(every: list[Known], data: st.DataObject) -> None:
    """Compare a catalog without the hidden tools with that of a server that never had them."""
    seen, hidden = every[::2], every[1::2]
    whole = [one.listed for one in every]
    judge(Call(hidden[0].call.tool[1:]), Catalog.listed(whole), Policy())
    filtered = Catalog.listed([one for one in whole if one not in [other.listed for other in hidden]])
    bare = Catalog.listed([one.listed for one in seen])
    aimed = data.draw(st.sampled_from(every))
    name = data.draw(
        st.sampled_from([aimed.call.tool, aimed.call.tool[1:], aimed.call.tool + "s", f"get_{aimed.call.tool}"])
    )
    failed = {"isError": True, "content": [{"type": "text", "text": "404 not found"}]}
    for call in (Call(name, aimed.call.arguments), Call(name, {})):
        answers = [
            (judge(call, catalog, Policy()), exactly(enrich(call, failed, catalog))) for catalog in (filtered, bare)
        ]
        assert answers[0] == answers[1]
