"""Pages of results and files: counts, next steps, tips and limits."""

# pyright: basic
from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.code_server import (
    PROJECT,
    CodeServer,
    call_server,
    write_files,
)
from tests.support.transcripts import parse_call


def test_a_page_has_next_steps_and_tips(code: CodeServer) -> None:
    page = code.search("User", max=2)
    assert (page["returned"], page["total"], page["has_more"]) == (2, 7, True)
    assert page["next_steps"] == {
        "get_more": 'search(pattern: "User", max: 2, offset: 2)',
        "get_details": 'get_definition(id: "src/auth.py:User")',
        "refine_search": 'search(pattern: "User", filter: "*.py", max: 2)',
    }
    assert page["tips"] == {
        "high_results": 'Use filter: "*.py" to narrow to Python files',
        "get_details": "Use get_definition(id) for full code and documentation",
        "pagination": "Use offset: 2 to see more results",
    }


def test_next_steps_are_valid_calls(project: Path, code: CodeServer) -> None:
    for step in code.search("User", max=2)["next_steps"].values():
        name, arguments = parse_call(step)
        assert not call_server(project, name, arguments).is_error


def test_a_filter_that_narrows_nothing_is_not_suggested(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"a.py": "x\nx\nx\n"}))
    page = code.search("x", max=1)
    assert "refine_search" not in page["next_steps"] and "high_results" not in page["tips"]
    write_files(tmp_path, {"src/b.py": "x\n", "Makefile": "x\n"})
    assert code.search("x", max=1, filter="*.py")["next_steps"].keys() == {"get_more", "get_details"}


def test_a_folder_is_suggested_if_all_files_have_the_same_extension(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"a/a.py": "x\n", "a/b.py": "x\n", "b/c.py": "x\n"}))
    page = code.search("x", max=1)
    assert page["tips"]["high_results"] == 'Use filter: "a/**" to narrow to the folder a'


@pytest.mark.parametrize("size", [7, 50, 1000])
def test_paging_through_gives_each_result_exactly_once(tmp_path: Path, size: int) -> None:
    files = {f"d{n % 7}/f{n}.py": f"def item_{n}():\n    return item\n" for n in range(60)}
    code = CodeServer(write_files(tmp_path, files))
    seen, step = list[str](), 'search(pattern: "item")'
    while step:
        page = code.search(**{**parse_call(step)[1], "max": size})
        seen += [one["id"] for one in page["results"]]
        step = page["next_steps"].get("get_more")
    assert len(seen) == len(set(seen)) == 120 == page["total"]
    assert seen == code.ids("item", max=1000)


def test_ten_thousand_hits_in_one_file_are_counted_and_paged(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {"big.log": "needle\n" * 10_000}))
    page = code.search("needle", max=1000)
    assert (page["total"], page["returned"], page["limit_reached"]) == (10_000, 1000, True)
    assert page["guidance"] == {
        "at_limit": "Showing maximum 1000 results",
        "recommendations": ["Use more specific pattern", "Results are sorted by relevance, best matches shown first"],
    }
    assert code.search("needle", max=1000, offset=9_500)["returned"] == 500


def test_the_total_is_a_minimum_if_the_hit_limit_is_reached(tmp_path: Path) -> None:
    files = {f"src/f{n}.py": "needle\n" * 3 for n in range(10)} | {"z.md": "needle\n"}
    page = CodeServer(write_files(tmp_path, files), max_hits=20).search("needle")
    assert (page["total"], page["total_is_at_least"], page["limit_reached"]) == (20, True, True)
    assert page["guidance"]["at_limit"] == "Stopped after 20 results"
    text = CodeServer(tmp_path, max_hits=20).text("search", pattern="needle", max=5)
    assert text.startswith('1-5 of at least 20 results for "needle"\n')
    assert "Stopped after 20 results. Use more specific pattern." in text


def test_more_results_than_the_page_limit_can_all_be_reached(tmp_path: Path) -> None:
    code = CodeServer(write_files(tmp_path, {f"f{n}.txt": "needle\n" * 500 for n in range(5)}))
    seen, step = list[str](), 'search(pattern: "needle", max: 1000)'
    while step:
        page = code.search(**parse_call(step)[1])
        seen += [one["id"] for one in page["results"]]
        step = page["next_steps"].get("get_more")
    assert len(seen) == len(set(seen)) == 2_500 == page["total"]
    assert code.search("needle", offset=2_500)["results"] == []
    assert code.search("needle", offset=10**30)["next_steps"]["go_back"] == 'search(pattern: "needle")'


def test_an_offset_past_the_last_file_suggests_the_first_page(code: CodeServer) -> None:
    page = code.files(offset=10**30, filter="*.py")
    assert (page["files"], page["total"], page["has_more"]) == ([], 2, False)
    assert page["next_steps"]["go_back"] == 'list_files(filter: "*.py")'
    assert page["warnings"] == [f"There are only 2 files: offset {10**30} is past the last"]


def test_an_offset_past_the_last_result_suggests_the_first_page(code: CodeServer) -> None:
    page = code.search("User", offset=100)
    assert (page["results"], page["has_more"]) == ([], False)
    assert page["next_steps"]["go_back"] == 'search(pattern: "User")'
    assert code.text("search", pattern="User", offset=100).startswith('none of 7 results for "User"')


def test_files_are_listed_page_by_page(code: CodeServer) -> None:
    assert code.files() == {"files": sorted(PROJECT), "returned": 4, "offset": 0, "total": 4, "has_more": False}
    page = code.files(max=3)
    assert page["next_steps"] == {
        "get_more": "list_files(max: 3, offset: 3)", "refine_search": 'list_files(filter: "*.py", max: 3)',
    }  # fmt: skip
    assert code.files(max=3, offset=3)["files"] == ["web/user.ts"]
    assert code.files(filter="src")["files"] == ["src/app.py", "src/auth.py"]
    assert code.text("list_files", filter="./src/").splitlines() == ["2 files", "src/app.py", "src/auth.py"]


def test_a_long_pattern_is_not_repeated_in_next_steps(code: CodeServer) -> None:
    page = code.search("User|" + "|".join(f"unlikely_{n}" for n in range(300)), max=1)
    assert page["next_steps"]["get_more"] == "search(pattern: <as sent>, max: 1, offset: 1)"
