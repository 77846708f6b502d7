"""Test `closest`: laws for any names, guards, and measured quality.

The quality is measured on real names and real mistakes (see tests/data/matching/README.md). No test depends on the
speed of the machine.
"""

from __future__ import annotations

import os
import string
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bench.calibrate import fit_curves
from bench.mistakes import Score, mistakes, score_mistakes
from fingerpost import closest
from fingerpost.engine import matching
from fingerpost.engine.matching import Kind, Match, Names, find_readings, judge_candidates
from fingerpost.engine.matching.alignment import Query
from fingerpost.engine.matching.calibration import curves, interpolate
from fingerpost.engine.matching.evidence import Evidence, Tier
from fingerpost.engine.matching.explain import explain_evidence
from fingerpost.engine.matching.spelling import normal_form
from tests.support.paths import ROOT

VERBS = ["get", "list", "create", "update", "search", "remove", "send", "export"]
NOUNS = ["issue", "comment", "repository", "message", "account", "invoice", "schedule", "template", "customer"]
NAMES = st.builds("{}_{}".format, st.sampled_from(VERBS), st.sampled_from(NOUNS))
LISTS = st.lists(NAMES, min_size=1, max_size=8, unique=True)
EACH: tuple[Kind, ...] = ("tool", "parameter", "value")
KINDS = st.sampled_from(EACH)


def as_camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def as_kebab(name: str) -> str:
    return name.replace("_", "-")


RESTYLES: list[Callable[[str], str]] = [str.upper, str.title, as_camel, as_kebab]


def read(mistake: str, *names: str, kind: Kind = "tool", context: Any = None) -> tuple[Match, ...]:
    return closest(mistake, names, kind, context)


# Laws


@given(LISTS, st.sampled_from(RESTYLES), KINDS, st.data())
def test_a_name_with_other_case_or_separators_comes_first_with_confidence_1(
    names: list[str], restyle: Callable[[str], str], kind: Kind, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(names))
    first = closest(restyle(name), names, kind)[0]
    assert (first.name, first.confidence, first.is_clear) == (name, 1.0, True)


@given(NAMES, NAMES)
def test_sameness_of_two_names_is_symmetric(one: str, other: str) -> None:
    def tier(mistake: str, name: str) -> Tier | None:
        return next((evidence.tier for evidence, _ in judge_candidates(mistake, [name])), None)

    both_ways = {Tier.LETTERS, Tier.NUMBER, Tier.ORDER, Tier.SHORT}
    assert (tier(one, other) in both_ways) == (tier(other, one) in both_ways)


@pytest.mark.parametrize(
    ("one", "other"),
    [("repo", "repository"), ("q", "query"), ("sort_by", "order_by"), ("colour", "color"), ("users", "user")],
)
def test_meaning_is_symmetric(one: str, other: str) -> None:
    there, back = read(one, other, kind="parameter"), read(other, one, kind="parameter")
    assert there[0].confidence == back[0].confidence


@given(LISTS, NAMES, st.sampled_from(["zzqx_vvkw", "xk", "wqzv", "qqzz-kkxx-jjvv"]))
def test_an_unrelated_candidate_changes_nothing(names: list[str], asked: str, unrelated: str) -> None:
    assert closest(asked, [*names, unrelated]) == closest(asked, names)


@given(LISTS, NAMES, st.randoms(use_true_random=False))
def test_the_order_of_candidates_does_not_matter(names: list[str], asked: str, random: Any) -> None:
    shuffled = random.sample(names, len(names))
    assert closest(asked, names) == closest(asked, shuffled) == closest(asked, Names(shuffled))


@given(st.lists(st.text(max_size=12), max_size=8), st.text(max_size=40), KINDS)
def test_any_text_gives_valid_matches_best_first(names: list[str], asked: str, kind: Kind) -> None:
    found = closest(asked, names, kind)
    sure = [match.confidence for match in found]
    assert sure == sorted(sure, reverse=True)
    assert all(0.4 < confidence <= 1 for confidence in sure)
    assert {match.name for match in found} <= set(names)
    assert not any(match.is_clear for match in found[1:])


@given(NAMES, st.integers(1, 6))
def test_a_second_slip_never_raises_the_confidence(name: str, at: int) -> None:
    once = name[:at] + name[at + 1 :]
    twice = once[: at + 2] + once[at + 3 :]
    found = [{each.match.name: each for each in find_readings(slip, [name])}.get(name) for slip in (name, once, twice)]
    assume(not any(each and each.evidence.guards for each in found))
    sure = [each.match.confidence if each else 0.0 for each in found]
    assert sure == sorted(sure, reverse=True)


def test_confidence_rises_with_strength() -> None:
    for curve in curves().values():
        assert list(curve) == sorted(curve)
        assert [likely for _, likely in curve] == sorted(likely for _, likely in curve)


def test_interpolation_is_zero_below_the_curve_and_constant_above_it() -> None:
    curve = ((0.4, 0.5), (0.8, 0.9))
    assert [interpolate(curve, strength) for strength in (0.1, 0.4, 0.6, 0.8, 1.2)] == pytest.approx(
        [0.0, 0.5, 0.7, 0.9, 0.9]
    )


def test_a_guarded_match_is_never_a_fix() -> None:
    for mistake in mistakes()[::5]:
        for reading in mistake.find_readings():
            assert not (reading.match.is_clear and reading.evidence.guards)


# Guards: names with similar letters and different meanings


@pytest.mark.parametrize(
    ("mistake", "name", "kind"),
    [
        ("lock_issue", "unlock_issue", "tool"),
        ("start_server", "stop_server", "tool"),
        ("enable_alarm", "disable_alarm", "tool"),
        ("delete_branch", "create_branch", "tool"),
        ("get_settings", "set_settings", "tool"),
        ("subscribe", "unsubscribe", "tool"),
        ("convert_pdf_to_word", "convert_word_to_pdf", "tool"),
        ("get_gem_owners", "get_owner_gems", "tool"),
        ("create_sns_topic", "create_sqs_topic", "tool"),
        ("call_grpc_method", "call_rpc_method", "tool"),
        ("http_request", "https_request", "tool"),
        ("list_tables_v1", "list_tables_v2", "tool"),
        ("get_ipv4_address", "get_ipv6_address", "tool"),
        ("before", "after", "parameter"),
        ("min_price", "max_price", "parameter"),
        ("source_path", "target_path", "parameter"),
        ("start_date", "end_date", "parameter"),
        ("county", "country", "parameter"),
        ("context", "content", "parameter"),
        ("from", "form", "parameter"),
        ("issn", "isbn", "parameter"),
        ("pointA", "pointB", "parameter"),
        ("axis_x", "axis_y", "parameter"),
        ("settings_x", "setting_y", "parameter"),
        ("timeout_ms", "timeout_s", "parameter"),
        ("size_kb", "size_mb", "parameter"),
        ("name2", "name", "parameter"),
        ("weight", "height", "parameter"),
        ("new", "news", "value"),
        ("C++", "C", "value"),
        ("-1", "1", "value"),
        ("us-east-1", "us-east-2", "value"),
        ("utf-8", "utf-16", "value"),
        ("active", "inactive", "value"),
        ("Today", "Monday", "value"),
        ("15m", "5m", "value"),
    ],
)
def test_a_name_of_a_different_thing_is_never_a_fix(mistake: str, name: str, kind: Kind) -> None:
    assert not any(match.is_clear for match in read(mistake, name, "unrelated_thing", kind=kind))
    assert not any(match.is_clear for match in read(name, mistake, "unrelated_thing", kind=kind))


@pytest.mark.parametrize("kind", EACH)
@pytest.mark.parametrize(
    "garbage", ["xyzzy", "foo", "asdfgh", "null", "n/a", "<|im_end|>", "12345", "…", "", "_", "😀"]
)
def test_garbage_matches_nothing(garbage: str, kind: Kind) -> None:
    assert read(garbage, "search_code", "get_definition", "list_files", kind=kind) == ()


APART = """
    minprice/maxprice getbalance/setbalance poweron/poweroff nocache/cache clientid/clientip xlabel/ylabel
    positionx/positiony lhost/rhost umount/mount pkill/kill unpublish/republish enqueue/dequeue preload/reload
    onboard/offboard mentor/mentee hypercapnia/hypocapnia prednisone/prednisolone butanol/butanal
    fluoxetine/duloxetine ldaps/ldap windows/window check_kpi/check_pki size_mwh/size_mw
    size_kibibyte/size_gibibyte preferencse/references conersion/conversation arhive/active json2csv/csv2json
    convert_csv_json/convert_json_csv
"""


@pytest.mark.parametrize("pair", APART.split())
@pytest.mark.parametrize("kind", EACH)
def test_technical_terms_that_differ_by_few_letters_are_never_a_fix(pair: str, kind: Kind) -> None:
    one, other = pair.split("/")
    assert not any(match.is_clear for match in read(one, other, "unrelated_thing", kind=kind))


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("m/s", "ms"), ("16:9", "169"), (">=10", "<=10"), ("A-", "A"), ("-created_at", "created_at"), ("1_2", "12"),
        ("en-fr", "fr-en"), ("eur_usd", "usd_eur"), (".5", "5"),
    ],
)  # fmt: skip
def test_signs_and_word_order_distinguish_values(value: str, name: str) -> None:
    assert not any(match.is_clear for match in read(value, name, "unrelated_thing", kind="value"))


@pytest.mark.parametrize("modifier", ["bulk", "soft", "before", "can", "not", "sandbox", "preview"])
def test_a_modifier_in_front_of_names_is_no_namespace(modifier: str) -> None:
    known = [f"{modifier}_{rest}" for rest in ("delete_users", "create_users", "list_users", "get_users", "move_users")]
    assert not any(match.is_clear for match in read("delete_users", *known))


@pytest.mark.parametrize(
    ("mistake", "known"),
    [
        ("delete", ["delete_function", "list_functions"]),
        ("delete_function", ["delete", "list"]),
        ("call_user", ["user", "group"]),
        ("server_restart", ["restart", "stop"]),
        ("use_item", ["item", "shop"]),
    ],
)
def test_ordinary_words_around_a_name_are_not_ignored(mistake: str, known: list[str]) -> None:
    assert not any(match.is_clear for match in read(mistake, *known))


@pytest.mark.parametrize("mistake", ["input_format", "body_weight", "request_date"])
def test_a_word_in_front_of_a_parameter_is_part_of_its_name(mistake: str) -> None:
    assert not any(match.is_clear for match in read(mistake, mistake.split("_")[1], kind="parameter"))


def test_the_prefix_of_another_server_is_not_ignored() -> None:
    known, here = ["create_issue", "get_issue"], {"server": "github-mcp-server"}
    assert read("mcp__github__create_issue", *known, context=here)[0].is_clear
    assert read("mcp__githbu__create_issue", *known, context=here)[0].is_clear
    assert not read("mcp__calendar__create_issue", *known, context=here)[0].is_clear


@pytest.mark.parametrize(
    ("short", "full"), [("exp_date", "export_date"), ("temp_path", "template_path"), ("sales_rep", "sales_report")]
)
def test_a_short_form_is_a_fix_only_for_its_usual_meaning(short: str, full: str) -> None:
    assert not any(match.is_clear for match in read(short, full, kind="parameter"))


def test_two_spellings_of_one_unit_match_and_two_units_do_not() -> None:
    assert read("timeout_secs", "timeout_seconds", kind="parameter")[0].confidence > 0.7
    assert not any(match.confidence > 0.5 for match in read("timeout_ms", "timeout_seconds", kind="parameter"))


@pytest.mark.parametrize("around", ["{},", '"{}"', "`{}`", "{}?", "*{}*", "  {} ", "\ufeff{}"])
def test_quotes_and_punctuation_around_a_name_are_ignored(around: str) -> None:
    first = read(around.format("private"), "internal", "private", "public", kind="value")[0]
    assert (first.name, first.confidence, first.is_clear) == ("private", 1.0, True)


def test_an_exact_name_wins_over_one_that_differs_by_case() -> None:
    first, second = read("get_user", "getUser", "get_user")
    assert (first.name, first.is_clear) == ("get_user", True)
    assert second.confidence < 0.9


def test_the_order_of_many_similar_candidates_does_not_matter() -> None:
    names = [f"{a}{b}{c}p" for a in "abcde" for b in "mnst" for c in "mnst"]
    for asked in ("amxp", "bsnq", "ctt"):
        assert closest(asked, names, "value") == closest(asked, names[::-1], "value")
    units = [f"m{a}{b}" for a in "abcdefgh" for b in "stuvw"]
    assert closest("mt", units, "value") == closest("mt", units[::-1], "value")


def test_an_unknown_kind_raises_an_error_that_lists_the_kinds() -> None:
    with pytest.raises(ValueError, match="kind must be one of tool, parameter, value, got 'verb'"):
        closest("a", ["b"], cast("Kind", "verb"))


# Fixes


@pytest.mark.parametrize(
    ("mistake", "name", "kind"),
    [
        ("Search-Code", "search_code", "tool"),
        ("functions.search_code:0", "search_code", "tool"),
        ("mcp__any__search_code", "search_code", "tool"),
        ("search_code()", "search_code", "tool"),
        ("search_code_tool", "search_code", "tool"),
        ("`search_code`", "search_code", "tool"),
        ("code_search", "search_code", "tool"),
        ("serach_code", "search_code", "tool"),
        ("search_codes", "search_code", "tool"),
        ("list_repos", "list_repositories", "tool"),
        ("analyse_logs", "analyze_logs", "tool"),
        ("--pattern", "pattern", "parameter"),
        ("params.pattern", "pattern", "parameter"),
        ("patern", "pattern", "parameter"),
        ("nmae", "name", "parameter"),
        ("filePath", "filepath", "parameter"),
        ("repositoryName", "repo_name", "parameter"),
        ("msg", "message", "parameter"),
        ("favourite", "favorite", "value"),
        ("IN PROGRESS", "in_progress", "value"),
        ("kilgoram", "kilogram", "value"),
    ],
)
def test_the_only_plausible_match_is_a_fix(mistake: str, name: str, kind: Kind) -> None:
    first = read(mistake, name, "unrelated_thing", kind=kind)[0]
    assert (first.name, first.is_clear) == (name, True)


def test_a_prefix_that_many_names_share_may_be_omitted() -> None:
    known = ["linear_create_issue", "linear_get_issue", "linear_list_teams", "linear_archive_issue"]
    assert read("create_issue", *known)[0].is_clear
    assert not read("archive", *known)[0].is_clear
    assert not read("issue", *known)[0].is_clear


def test_the_name_of_this_server_may_be_a_prefix_but_not_that_of_another() -> None:
    known = ["add_comment", "get_comment"]
    assert read("acme_add_comment", *known, context={"server": "acme-mcp-server"})[0].is_clear
    assert not read("acme_add_comment", *known, context={"server": "other"})[0].is_clear


def test_two_equally_near_names_are_listed_and_neither_is_a_fix() -> None:
    found = read("serch_user", "search_user", "serve_user")
    assert [match.name for match in found][:2] == ["search_user", "serve_user"]
    assert not any(match.is_clear for match in read("colmn", "column", "colman"))


def test_the_name_with_fewer_slips_wins() -> None:
    assert read("get-entity-atrtibutes", "get-entity-attribute", "get-entity-attributes")[0].name == (
        "get-entity-attributes"
    )


# Context


def test_a_parameter_that_is_already_given_is_not_suggested() -> None:
    found = read("search_query", "query", "search", kind="parameter", context={"given": ["query"]})
    assert [match.name for match in found] == ["search"]
    assert not any(
        match.is_clear for match in read("maxRows", "max_rows", kind="parameter", context={"given": ["max_rows"]})
    )


def test_a_parameter_that_cannot_hold_the_value_is_no_fix() -> None:
    context = {"types": {"node_id": "string"}, "value_type": "array"}
    assert read("node_ids", "node_id", kind="parameter")[0].is_clear
    assert not any(match.is_clear for match in read("node_ids", "node_id", kind="parameter", context=context))


@pytest.mark.parametrize(
    ("declared", "value", "order"),
    [
        ({"start": "integer", "since": "string"}, "number", ["start"]),
        ({"start": "string", "since": "integer"}, "integer", ["since", "start"]),
        ({"start": "any", "since": "object"}, "string", ["start"]),
    ],
)
def test_the_type_of_the_value_ranks_parameters(declared: Any, value: str, order: list[str]) -> None:
    found = read("from", "start", "since", kind="parameter", context={"types": declared, "value_type": value})
    assert [match.name for match in found] == order


def test_the_only_missing_parameter_is_not_filled_with_an_unrelated_argument() -> None:
    context = {
        "args": {"blurb": "x", "title": "y"},
        "types": {"title": "string", "body": "string"},
        "given": ["title"],
        "required": ["title", "body"],
        "value_type": "string",
        "read_only": True,
    }
    assert read("blurb", "title", "body", kind="parameter", context=context) == ()
    assert read("bdoy", "title", "body", kind="parameter", context=context)[0].is_clear


def test_a_word_in_the_description_raises_the_rank() -> None:
    context = {"descriptions": {"beta_report": "Reports by cohort of customers", "alpha_report": None}}
    assert read("cohort_report", "alpha_report", "beta_report")[0].name == "alpha_report"
    assert read("cohort_report", "alpha_report", "beta_report", context=context)[0].name == "beta_report"


def test_no_match_is_clear_while_a_guarded_name_is_nearer() -> None:
    names = ["milligram", "milligray", "millibar", "gram", "bar"]
    assert not closest("milligam", names, "value")[0].is_clear


def test_a_tool_that_takes_the_given_arguments_ranks_higher() -> None:
    schemas: dict[str, Any] = {
        "find_alpha": {"properties": {"path": {}}},
        "find_beta": {"properties": {"sql": {}}},
        "other": "?",
    }
    for argument, intended in (("path", "find_alpha"), ("sql", "find_beta")):
        context: dict[str, Any] = {"args": [argument], "schemas": schemas}
        assert read("lookup_gamma", "find_alpha", "find_beta", context=context) == ()
        assert read("find", "find_alpha", "find_beta", "other", context=context)[0].name == intended


def test_the_context_may_contain_the_kind() -> None:
    assert read("max_results", "limit", context={"kind": "param"})[0].name == "limit"
    assert read("celsius", "C", context={"kind": "enum"})[0].name == "C"


def test_a_context_of_the_wrong_shape_is_ignored() -> None:
    odd: Any = {"args": 7, "types": [], "schemas": "x", "given": None, "required": "name", "descriptions": 1}
    for context in (odd, 7, ["kind"]):
        assert read("patern", "pattern", kind="parameter", context=context) == read(
            "patern", "pattern", kind="parameter"
        )


# Short values


def test_two_letters_match_values_with_the_same_initial_and_are_never_a_fix() -> None:
    found = find_readings("mt", ["meter", "mole", "millennium", "second"], "value")
    assert [(each.match.name, each.match.is_clear) for each in found] == [("meter", False), ("mole", False)]


# Long and malicious input


@pytest.mark.parametrize("kind", EACH)
@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "a_" * 500_000,
        "Aa" * 100_000,
        "(" * 100_000,
        "\U0001f600" * 100_000,
        "é" * 100_000,
        "1_" * 9999,
    ],
)
def test_very_long_input_never_gives_a_fix(text: str, kind: Kind) -> None:
    assert not any(match.is_clear for match in read(text, "search_code", "a", "get_definition", kind=kind))


def test_long_names_are_distinguished_by_their_ends() -> None:
    long = "a_very_long_name_" * 10
    assert normal_form(long + "one") != normal_form(long + "two")
    assert read((long + "one").upper(), long + "one", long + "two")[0].name == long + "one"


def test_few_candidates_are_compared_however_many_share_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[int] = []
    real = matching.compare_names

    def count_and_compare(query: Query, known: Names, index: int) -> Evidence:
        compared.append(index)
        return real(query, known, index)

    monkeypatch.setattr(matching, "compare_names", count_and_compare)
    crowd = Names(
        f"get_{a}{b}{c}_report" for a in string.ascii_lowercase for b in "aeiou" for c in string.ascii_lowercase
    )
    assert closest("get_report", crowd)
    assert closest("report_of_xyz_get", crowd)
    assert len(compared) <= 16


def test_a_full_cache_does_not_change_the_result() -> None:
    known = Names(["search_code", "list_files"])
    before = closest("serach_code", known)
    for number in range(1100):
        closest(f"{number:x}_word{number}", known)
    assert closest("serach_code", known) == before


# Measured quality


@cache
def scores() -> dict[str, Score]:
    return score_mistakes(mistakes())


def share(sort: str, part: str, whole: str) -> float:
    return scores()[sort].share(part, whole)


@pytest.mark.no_cover
def test_wrong_fixes_are_at_most_three_in_ten_thousand_and_none_in_the_worst_classes() -> None:
    assert scores()["all"].harm <= 0.3
    for sort in ("real.pos", "real.neg", "neg.antonym", "neg.garbage", "neg.builtin", "neg.prefixed"):
        assert scores()[sort].counts["wrong"] == 0, sort


@pytest.mark.no_cover
def test_the_intended_name_is_usually_first_and_usually_fixed() -> None:
    assert share("all", "fixed", "fixable") >= 0.92
    assert share("all", "first", "intended") >= 0.98
    assert share("all", "first three", "intended") >= 0.985
    assert share("llm.synonym", "first three", "intended") >= 0.90
    assert share("real.pos", "first three", "intended") >= 0.95


@pytest.mark.no_cover
def test_meaningless_names_are_rejected() -> None:
    assert share("all", "rejected", "meaningless") >= 0.985


@pytest.mark.no_cover
def test_names_that_other_servers_use_are_usually_among_the_first_three() -> None:
    """The goal of 0.94 is reached with descriptions, which this data does not contain; without them it is 0.93."""
    assert share("llm.mined", "first three", "intended") >= 0.93


@pytest.mark.no_cover
def test_the_stored_curves_are_those_fitted_on_the_mistakes() -> None:
    assert {name: list(curve) for name, curve in curves().items()} == fit_curves(mistakes())


@pytest.mark.no_cover
def test_the_documentation_has_the_measured_numbers() -> None:
    """Run in its own process: with coverage it would take three times as long."""
    page = (ROOT / "docs" / "matching.md").read_text("utf-8")
    script = (
        "from bench.calibrate import by_class, by_folds, reliability; from bench.mistakes import mistakes;"
        "print(*reliability(mistakes()), *by_folds(), *by_class(), sep='\\n')"
    )
    bare = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    rows = subprocess.run([sys.executable, "-c", script], env=bare, check=True, capture_output=True, text=True).stdout
    assert len(rows.splitlines()) > 20
    for row in rows.splitlines():
        assert row in page


def test_every_guard_and_tier_has_an_explanation() -> None:
    explanations: set[str] = set()
    for mistake in mistakes()[::7]:
        for reading in mistake.find_readings():
            lines = list(explain_evidence(reading.evidence))
            assert lines
            explanations.update(lines)
    assert len(explanations) > 100
