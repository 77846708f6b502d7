"""Comparing replies with those to right calls."""

from __future__ import annotations

from fingerpost.audit.judge.reply import Reply
from tests.support.audit_replies import error, expect, result


def test_replies_are_compared_without_the_time_in_them() -> None:
    known = expect(result("at 10:01:07"), result("at 10:01:08"))
    assert known.matches(Reply(result("at 11:59:59")).fingerprint)
    assert not known.matches(Reply(result("on Monday")).fingerprint)
    assert not known.matches(Reply(error("at 10:01:07")).fingerprint)


def test_a_failing_right_call_is_recognized_by_all_of_its_lines() -> None:
    known = expect(error("no such file 1"), error("no such file 2"))
    assert known.matches(Reply({**result("no such file 3", "Try another."), "isError": True}).fingerprint)
    assert not known.matches(Reply(error("no such folder")).fingerprint)
    assert not expect(error("Error 401")).matches(Reply(error("Error 400")).fingerprint)
    assert not expect(error("")).matches(Reply(error("Error 400")).fingerprint)


def test_a_call_that_works_only_once_is_recognized_by_either_reply() -> None:
    known = expect(result("deleted"), error("it is not there"))
    assert known.matches(Reply(result("deleted")).fingerprint)
    assert known.matches(Reply(error("it is not there")).fingerprint)
    assert not known.matches(Reply(result("hidden")).fingerprint)


def test_a_reply_may_contain_more_than_expected_but_not_less() -> None:
    known = expect(result("one", "two"))
    assert known.matches(Reply(result("one", "two", "Unknown param 'x' ignored")).fingerprint)
    assert not known.matches(Reply(result("one")).fingerprint)


def test_further_lines_in_the_last_of_several_blocks_are_more_than_expected() -> None:
    known = expect(result("no files", "Without filters: list_files()"))
    assert known.matches(Reply(result("no files", "'golb' was corrected.\nWithout filters: list_files()")).fingerprint)
    assert not known.matches(Reply(result("no files", "'golb' was corrected.")).fingerprint)
    assert not known.matches(
        Reply(result("1 file", "'golb' was corrected.\nWithout filters: list_files()")).fingerprint
    )
