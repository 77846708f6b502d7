"""Find the call that was probably intended: combine the fixes of several mistakes, and let the validator decide.

A best-first search over calls. A node is a call and the product of the confidences of the edits that led to it. Its
successors apply one fix of its first open diagnosis each, or leave an unknown argument out. A node without an open
diagnosis whose call is valid, apart from placeholders, is a solution. If a fix would move an attack into a place that
matters, the search ends with the attack. The search is bounded by the number of nodes, never by time, so that its
result does not depend on the machine.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple, TypeAlias

from fingerpost.engine.case import Case
from fingerpost.engine.matching import LIST_THRESHOLD, OFFER_THRESHOLD
from fingerpost.engine.matching.lexicon import is_commentary
from fingerpost.engine.model import (
    MIN_CLEAR_LEAD,
    Applicability,
    Call,
    Diagnosis,
    Drop,
    Edit,
    Fix,
    Path,
    Rename,
    Replace,
    Severity,
)
from fingerpost.engine.policy import DEFAULT_POLICY, Policy
from fingerpost.engine.rules import (
    invalid_choice,
    invalid_format,
    invalid_length,
    invalid_type,
    missing_required,
    out_of_range,
    unsafe_input,
)

ApplyRules: TypeAlias = Callable[[Case, Policy], tuple[Sequence[Diagnosis], Case]]

MAX_NODES = 24
"""How many calls the search looks at. Three slips with two readings each need fifteen."""

_MAX_OPTIONS = 4
_PLACEHOLDER_CONFIDENCE = 0.7
"""A placeholder is never wrong, but a value that was probably intended is of more use."""

_ABOUT_ONE_VALUE = frozenset(
    rule.CODE for rule in (missing_required, invalid_type, invalid_choice, out_of_range, invalid_length, invalid_format)
)
"""Findings that depend on their own parameter only."""

_WORST = (Applicability.HAS_PLACEHOLDERS, Applicability.MAYBE_INCORRECT, Applicability.MACHINE_APPLICABLE)


class Solution(NamedTuple):
    """A call to send instead, how probably it was intended, and how far a client may trust it."""

    call: Call
    confidence: float
    applicability: Applicability

    @property
    def is_complete(self) -> bool:
        return self.applicability is not Applicability.HAS_PLACEHOLDERS


class Start(NamedTuple):
    """Where a search begins: a case, what is wrong with it, and how probably its tool was intended."""

    case: Case
    open: Sequence[Diagnosis]
    confidence: float = 1.0

    @property
    def is_guess(self) -> bool:
        """Whether the tool itself is only guessed at."""
        return self.confidence < 1.0


class Outcome(NamedTuple):
    """What a search found: no solution, a clear one, the two or three that are too close, or an attack."""

    solutions: tuple[Solution, ...] = ()
    attack: Diagnosis | None = None


class _Step(NamedTuple):
    diagnosis: Diagnosis
    fix: Fix


class _Node(NamedTuple):
    """A call to look at. `open` is None if the rules have not been applied to it yet."""

    cost: float
    order: int
    case: Case
    open: tuple[Diagnosis, ...] | None
    reported: tuple[Diagnosis, ...]
    """Diagnoses of the server that are still open; the rules cannot find them again."""
    steps: tuple[_Step, ...]
    applicability: Applicability
    is_guess: bool = False
    parent: Case | None = None
    others: tuple[Diagnosis, ...] = ()
    """What else was wrong with the call of the parent."""


def solve(starts: Iterable[Start], apply_rules: ApplyRules, policy: Policy = DEFAULT_POLICY) -> Outcome:
    """Return the calls that were probably intended, or the attack that such a call would be.

    `apply_rules` returns what is wrong with a call, and the call as the certain fixes leave it.
    """
    order = count()
    frontier = [_first_node(start, next(order)) for start in starts]
    heapq.heapify(frontier)
    found: list[Solution] = []
    for _ in range(MAX_NODES):
        if not frontier or (found and not _is_close(-frontier[0].cost, found[0])):
            break
        node = _look_at(heapq.heappop(frontier), apply_rules, policy)
        if (attack := _find_attack(node.case, policy)) and _is_plausible(node):
            return Outcome(attack=attack)
        if node.open:
            for child in _expand(node, node.open, order):
                heapq.heappush(frontier, child)
        elif (whole := _complete(node.case)) and _is_plausible(node):
            if attack := _find_attack(whole, policy):
                return Outcome(attack=attack)
            found.append(Solution(whole.call, -node.cost, node.applicability))
    return Outcome(_select(found))


def _first_node(start: Start, order: int) -> _Node:
    trust = Applicability.MAYBE_INCORRECT if start.is_guess else Applicability.MACHINE_APPLICABLE
    return _Node(-start.confidence, order, start.case, tuple(start.open), (), (), trust, start.is_guess)


def _is_close(confidence: float, best: Solution) -> bool:
    return best.confidence - confidence < MIN_CLEAR_LEAD


def _select(found: list[Solution]) -> tuple[Solution, ...]:
    """Keep the best solution, and those that are as plausible, as complete, and different."""
    kept: list[Solution] = []
    for one in found:
        if all(one.call != other.call and one.is_complete == other.is_complete for other in kept):
            kept.append(one)
    return tuple(kept[:3])


def _look_at(node: _Node, apply_rules: ApplyRules, policy: Policy) -> _Node:
    """Find what is still wrong with the call of a node; its certain fixes are applied."""
    if node.open is not None:
        return node
    if not node.reported and node.case.needs_no_rule:
        return node._replace(open=())
    if node.others and _only_others_stay(node):
        return node._replace(open=node.others)
    diagnoses, case = apply_rules(node.case, policy)
    known = {(one.code, one.at) for one in node.reported}
    fresh = [one for one in diagnoses if one.certain_fix is None and (one.code, one.at) not in known]
    still = [one for one in node.reported if case.has(one.at) or one.code == missing_required.CODE]
    return node._replace(case=case, open=(*still, *fresh))


def _only_others_stay(node: _Node) -> bool:
    """Whether the last edit removed one violation and nothing else, so that the other diagnoses need no rule again."""
    edit, parent = node.steps[-1].fix.edit, node.parent
    if parent is None or parent.reported or not isinstance(edit, Replace) or not edit.at:
        return False
    if any(one.code not in _ABOUT_ONE_VALUE or one.at[:1] == edit.at[:1] for one in node.others):
        return False
    before, now = parent.violations, node.case.violations
    are_same = len(now) == len(node.others) == len(before) - 1 and all(one in before for one in now)
    return are_same and node.case.is_known_and_harmless


def _find_attack(case: Case, policy: Policy) -> Diagnosis | None:
    return next(unsafe_input.diagnose(case), None) if policy.unsafe_input == "refuse" else None


def _expand(node: _Node, found: tuple[Diagnosis, ...], order: Iterator[int]) -> Iterator[_Node]:
    """Yield the node with each option for its first open diagnosis applied."""
    together = _blanks(found)
    first, rest = found[0], tuple(one for one in found[1:] if one not in together)
    rest_reported = rest if node.case.reported else ()
    if len(together) > 1:
        yield _fill_in_blanks(node, together, rest, rest_reported, next(order))
        return
    for fix, confidence in _options(first):
        if any(_are_read_differently(fix, step.fix) for step in node.steps):
            continue
        steps = (_Step(first, fix), *_find_same_slips(first, fix, rest))
        repeated = [step.diagnosis for step in steps[1:]]
        yield _Node(
            node.cost * confidence,
            next(order),
            node.case.after([step.fix.edit for step in steps]),
            None,
            tuple(one for one in rest_reported if one not in repeated),
            (*node.steps, *steps),
            min(node.applicability, *[step.fix.applicability for step in steps], key=_WORST.index),
            node.is_guess,
            None if repeated else node.case,
            tuple(one for one in rest if one not in repeated),
        )
    if first.severity is Severity.LOW and not first.fixes:
        yield node._replace(order=next(order), open=rest)


def _find_same_slips(first: Diagnosis, fix: Fix, rest: Iterable[Diagnosis]) -> Iterator[_Step]:
    """Yield the same slip in other items of the same list, with the same fix: all of them are one decision."""
    place = _place_in_list(first.at)
    if place == first.at:
        return
    for one in rest:
        if one.code == first.code and _place_in_list(one.at) == place:
            same = next((other for other, _ in _options(one) if _is_same_edit(other.edit, fix.edit)), None)
            if same:
                yield _Step(one, same)


def _place_in_list(at: Path) -> Path:
    return tuple("*" if isinstance(step, int) else step for step in at)


def _is_same_edit(one: Edit, other: Edit) -> bool:
    """Whether two edits at different items of a list do the same."""
    if isinstance(one, Rename) and isinstance(other, Rename):
        return one.to == other.to
    if isinstance(one, Replace) and isinstance(other, Replace):
        return type(one.value) is type(other.value) and one.value == other.value
    return isinstance(one, Drop) and isinstance(other, Drop)


def _blanks(found: Sequence[Diagnosis]) -> list[Diagnosis]:
    """Return the missing values that only the caller knows, if the first mistake is one: they need no search."""
    blanks = [one for one in found if one.code == missing_required.CODE and _is_blank(one)]
    return blanks if blanks and blanks[0] is found[0] else []


def _is_blank(diagnosis: Diagnosis) -> bool:
    fixes = [fix for fix, _ in _options(diagnosis)]
    return len(fixes) == 1 and fixes[0].applicability is Applicability.HAS_PLACEHOLDERS


def _fill_in_blanks(
    node: _Node,
    blanks: Sequence[Diagnosis],
    rest: tuple[Diagnosis, ...],
    rest_reported: tuple[Diagnosis, ...],
    order: int,
) -> _Node:
    steps = [_Step(one, fix) for one in blanks for fix, _ in _options(one)]
    return _Node(
        node.cost * _PLACEHOLDER_CONFIDENCE,
        order,
        node.case.after([step.fix.edit for step in steps]),
        None,
        rest_reported,
        (*node.steps, *steps),
        Applicability.HAS_PLACEHOLDERS,
        node.is_guess,
        None,
        rest,
    )


def _options(diagnosis: Diagnosis) -> Iterator[tuple[Fix, float]]:
    """Yield the fixes of a diagnosis worth trying, and the confidence of each."""
    for fix in diagnosis.fixes[:_MAX_OPTIONS]:
        if fix.applicability is Applicability.HAS_PLACEHOLDERS:
            yield fix, min(fix.confidence, _PLACEHOLDER_CONFIDENCE)
        elif fix.confidence > LIST_THRESHOLD:
            yield fix, fix.confidence


def _are_read_differently(one: Fix, other: Fix) -> bool:
    """Whether two values of a call are read in different ways, such as one date by day and month, one the other way."""
    return bool(one.convention and other.convention) and one.convention != other.convention


def _is_plausible(node: _Node) -> bool:
    """Whether each step is likely by itself, or the only one that the other steps leave."""
    if node.is_guess and any(loses_argument(step.diagnosis, step.fix) for step in node.steps):
        return False
    if any(_waits_for_value(step) for step in node.steps) and not any(_is_filled_in(step) for step in node.steps):
        return False
    return all(_is_likely(step) or _is_only_one_left(step, node) for step in node.steps)


def loses_argument(diagnosis: Diagnosis, fix: Fix) -> bool:
    """Whether a fix leaves out an argument that may be for another tool than the one that is guessed at."""
    return isinstance(fix.edit, Drop) and not is_commentary(str(diagnosis.at[-1]))


def _waits_for_value(step: _Step) -> bool:
    """Whether a step leaves out an argument only because the caller has to fill in a value anyway."""
    return isinstance(step.fix.edit, Drop) and step.fix.applicability is Applicability.HAS_PLACEHOLDERS


def _is_filled_in(step: _Step) -> bool:
    """Whether a step puts a placeholder in the place of a missing value."""
    is_placeholder = step.fix.applicability is Applicability.HAS_PLACEHOLDERS
    return is_placeholder and step.diagnosis.code == missing_required.CODE


def _is_likely(step: _Step) -> bool:
    fix = step.fix
    if fix.applicability is Applicability.HAS_PLACEHOLDERS or isinstance(fix.edit, Drop):
        return True
    return fix.confidence > OFFER_THRESHOLD or step.diagnosis.code == missing_required.CODE


def _is_only_one_left(step: _Step, node: _Node) -> bool:
    """Whether a weak reading is the last one: its other readings are given, or another argument left this one free."""
    target = _target(step.fix.edit)
    if target is None:
        return False
    rivals = [_target(one.edit) for one in step.diagnosis.fixes if one is not step.fix]
    if rivals and all(rival and node.case.has(rival) for rival in rivals):
        return True
    others = [other for other in node.steps if other is not step and _target(other.fix.edit)]
    return any(_target(one.edit) == target for other in others for one in other.diagnosis.fixes)


def _target(edit: Edit) -> Path | None:
    """Return the parameter that an edit renames an argument to."""
    return (*edit.at[:-1], edit.to) if isinstance(edit, Rename) else None


def _complete(case: Case) -> Case | None:
    """Return the case with its edits repeated in all items of large lists; None if it is not valid then.

    Placeholders, which the caller fills in, count as valid.
    """
    case, _ = case.spread()
    is_right = isinstance(case.call.arguments, dict) and (case.is_valid or not case.violations)
    return case if is_right else None
