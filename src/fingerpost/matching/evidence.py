"""How one name compares with another: which words answer which, what is left over, and what speaks against."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

from fingerpost.matching.index import Names, distance_of_spelling, is_telling
from fingerpost.matching.lexicon import (
    LONGEST,
    NO,
    are_glued_apart,
    are_opposite,
    full_forms,
    is_modifier,
    is_near_a_word,
    is_ordinary,
    is_term,
    is_verb,
    is_word_against,
    senses,
    stem,
    unit_of,
    words,
)


class Tier(IntEnum):
    """By what one name answers another, surest first. Up to `SPELLING` nothing of either is left unexplained."""

    LETTERS = 0
    """The same but for case and separators."""
    WRAPPED = 1
    """The same once the client's wrapping (`functions.`, `mcp__server__`, `--`, `params.`) is off."""
    NUMBER = 2
    """The same but for singular and plural, or British and American."""
    ORDER = 3
    """The same words in another order."""
    SHORT = 4
    """The same but for short forms (`repo`, `cfg`)."""
    NAMESPACE = 5
    """The same once the prefix that many of the known names share is off."""
    SPELLING = 6
    """The same but for a misspelling."""
    PART = 7
    """All the words of one are words of the other."""
    WORDS = 8
    """Some words are shared or alike, and each has others."""
    MEANING = 9
    """Some words, or the whole names, mean alike."""
    SLOT = 10
    """It is the one place left open for the one argument left over."""
    INITIALS = 11
    """Two letters that occur in it, the first at its beginning."""
    INITIAL = 12
    """It begins with the same letter."""


class Pair(NamedTuple):
    """A word of the mistake and the word of the known name that answers it."""

    ours: int
    theirs: int
    how: str
    likeness: float


OTHER_THING = frozenset({"symbols", "number", "unit", "opposite", "sibling"})
"""Guards that say: this names another thing. It may be listed, and never leads."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for and against one name being meant by another."""

    tier: Tier
    strength: float
    guards: tuple[str, ...] = ()
    """Why this may be listed and yet is no fix."""
    steps: int = 0
    """How many separate slips it takes to get from one to the other."""
    pairs: tuple[tuple[str, str, str], ...] = ()

    @property
    def is_whole(self) -> bool:
        return self.tier <= Tier.SPELLING


@dataclass(frozen=True, slots=True)
class Asked:
    """The mistaken name, taken apart once."""

    text: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    key: str
    kind: str
    server: str


_STRENGTH = {
    Tier.LETTERS: 1.0, Tier.WRAPPED: 0.99, Tier.NUMBER: 0.985, Tier.ORDER: 0.975, Tier.SHORT: 0.97,
    Tier.NAMESPACE: 0.965, Tier.SPELLING: 0.96,
}  # fmt: skip
_SAME, _SHORT, _SPELLING, _SENSE = "same", "short", "spelling", "sense"
_EXACT = frozenset({_SAME, _SHORT, _SPELLING})
_BEGUN = _EXACT | {"beginning"}
_PARTIAL = ("partial",)
_INITIALED = 6
"""Letters of a value that one or two letters may stand for."""

_CALL = re.compile(r"(?:\(.*|:\d+)$", re.DOTALL)
_QUOTES = re.compile(r"^[\s'\"`,;?*\\\u2018-\u201f\ufeff\u200b]+|[\s'\"`,;?!*\\\u2018-\u201f\ufeff\u200b]+$")
"""What stands around a name and is none of it."""
_SYMBOL = re.compile(r"[^\w\s.\-]|^-|-$")
_SPACING = re.compile(r"[/:(){}\[\]<>]")
"""Signs that in the name of a tool are as good as a dot."""
_SIGNED = re.compile(r"(?:^|(?<=\d))[-._](?=\d)")
_WRAPPING = {
    "tool": frozenset({"mcp", "mmcp", "call", "invoke", "default", "api"}),
    "parameter": frozenset({"params", "param", "args", "arg", "kwargs"}),
}
"""Words that clients put in front of a name with any separator; others count only before a dot, a colon or a slash."""
_DOTTED = {
    "tool": frozenset({
        "functions", "function", "tools", "tool", "server", "plugin", "skill", "client", "self", "agent",
    }),
    "parameter": frozenset({
        "parameters", "parameter", "arguments", "argument", "input", "inputs", "body", "payload", "request", "options",
        "opts", "data", "json", "properties", "root", "query", "config", "self",
    }),
}  # fmt: skip
_LEAD = re.compile(r"^[\s'\"`({\[]*((?:\w+?(?:\.|::?|/|__))+)")
_NOTHING: frozenset[str] = frozenset()
_TAIL = frozenset({"tool", "tools", "function"})
_DIRECTIONS = frozenset({
    "to", "from", "into", "by", "of", "in", "on", "at", "with", "as", "for", "per", "than", "vs", "before", "after",
    "2", "4",
})  # fmt: skip


def asked_for(mistake: str, kind: str, server: str = "") -> Asked:
    text = mistake
    if len(mistake) <= LONGEST:
        text = _QUOTES.sub("", text.removeprefix("--") if kind == "parameter" else text)
        text = _CALL.sub("", text) if kind == "tool" else text
    found = words(text)
    return Asked(
        text, found, tuple([stem(word) for word in found]), "".join(found), kind, _core("".join(words(server)))
    )


def compare(asked: Asked, known: Names, index: int) -> Evidence:
    """What speaks for the known name at `index` being meant."""
    if asked.key == known.keys[index]:
        guards = tuple(_other_symbols(asked.text, known.names[index], asked.kind))
        return Evidence(Tier.LETTERS, 1.0, guards)
    pairs, left, right = _aligned(asked.stems, known.stems[index], asked.kind)
    tier = _tier(asked, known, index, pairs, left, right)
    if tier is None:
        return _partial(asked, known, index, pairs, left, right)
    is_one_word = tier is Tier.SPELLING and (bool(left and right) or not _explains(pairs))
    guards = tuple(
        dict.fromkeys(
            _against_one_word(asked, known, index)
            if is_one_word
            else _guards(asked, known, index, pairs, has_spare=bool(right))
        )
    )
    edits, steps = _slips(asked, known, index, pairs)
    steps += bool(left) + bool(right)
    strength = _STRENGTH[tier] - 0.005 * steps
    if tier is Tier.SPELLING:
        strength = _of_spelling(0.96 - 0.5 * edits / len(asked.key) - 0.02 * steps, edits, len(asked.key), guards)
    return Evidence(tier, strength, guards, edits + steps, _shown(asked, known, index, pairs))


def _of_spelling(strength: float, edits: int, length: int, guards: tuple[str, ...]) -> float:
    """A word is seldom a misspelling of another word, and of three letters any three are near."""
    if "word" in guards:
        strength *= 0.55 if "far" in guards else 0.8 if edits < 2 else 0.6
    return strength * 0.7 if "short" in guards and length < 4 else strength


def _slips(asked: Asked, known: Names, index: int, pairs: Sequence[Pair]) -> tuple[int, int]:
    """Letters that are wrong, and other slips: another number, a short form, another order."""
    edits = steps = 0
    theirs = known.words[index]
    for i, j, how, _ in pairs:
        if how == _SPELLING:
            edits += _edits(asked.words[i], theirs[j], 9)
        elif asked.words[i] != theirs[j]:
            steps += 1
    if not all(pair.how in _EXACT for pair in pairs):
        edits += 1
    return edits, steps + (not _is_in_order(pairs))


def _partial(
    asked: Asked, known: Names, index: int, pairs: Sequence[Pair], left: list[int], right: list[int]
) -> Evidence:
    """Some of the words answer each other: how much of both names that covers, telling words first."""
    ours, theirs, key = asked.stems, known.stems[index], known.keys[index]
    odd = [(ours[i], theirs[j]) for i in left for j in right]
    loose = [(ours[i], theirs[j]) for i, j, how, _ in pairs if how not in _EXACT]
    is_opposite = any(are_opposite(one, other) for one, other in (*odd, *loose)) or not NO.isdisjoint(
        [*[ours[i] for i in left], *[theirs[j] for j in right]]
    )
    share = _share(asked, known, index, pairs, left, right) * (0.85 if is_opposite else 1.0)
    whole = len(senses("".join(ours), asked.kind) & senses("".join(theirs), asked.kind))
    strength = max(0.84 * share, 0.62 + 0.03 * min(whole, 4) if whole else 0.0)
    if not left and all(pair.how in _BEGUN and pair.likeness > (0.8 if right else 0.5) for pair in pairs):
        strength = max(strength, 0.44 if right else 0.72)
    longest = max(len(asked.key), len(key))
    if longest > 5:
        most = 2 if longest < 12 else 3
        edits = _edits(asked.key, key, most)
        if edits <= most:
            strength = max(strength, 0.84 - 1.3 * edits / longest)
    if asked.kind == "value" and len(asked.key) <= 2 and len(key) <= _INITIALED and key[:1] == asked.key[:1]:
        return Evidence(Tier.INITIALS if asked.key[-1] in key[1:] else Tier.INITIAL, strength, _PARTIAL)
    if any(len(ours[i]) == 1 for i in left) and any(len(theirs[j]) == 1 for j in right):
        strength *= 0.6  # `pointC` is a third point, not a slip for `pointA`
    means_alike = whole or any(pair.how == _SENSE for pair in pairs)
    guards = (*_PARTIAL, "opposite") if is_opposite else _PARTIAL
    if odd:
        guards = (*guards, *_against_partial(odd))
    tier = Tier.MEANING if means_alike else Tier.WORDS if left and right else Tier.PART
    return Evidence(tier, strength, guards, 0, _shown(asked, known, index, pairs))


def _against_partial(odd: list[tuple[str, str]]) -> Iterator[str]:
    """Whether what is left over on either side makes it another thing."""
    if not any(is_telling(one) or is_telling(other) for one, other in odd):
        yield "sibling"
    if any(_differ_by_unit(one, other) for one, other in odd):
        yield "unit"
    if any(one.isdigit() and other.isdigit() for one, other in odd):
        yield "number"


def _share(asked: Asked, known: Names, index: int, pairs: Sequence[Pair], left: list[int], right: list[int]) -> float:
    ours, theirs, weight = asked.stems, known.stems[index], known.weight
    worth = sum([likeness * (weight(ours[i]) + weight(theirs[j])) for i, j, _, likeness in pairs])
    if not worth:
        return 0.0
    load = sum([weight(word) for word in ours]) + known.loads[index]
    if asked.kind == "tool":  # a first word that is no verb is some namespace, and says little
        load -= 0.5 * weight(ours[0]) if 0 in left and not is_verb(ours[0]) else 0.0
        load -= 0.5 * weight(theirs[0]) if 0 in right and not is_verb(theirs[0]) else 0.0
    share = worth / load
    spare = _leading(right)
    named = spare if spare and known.prefixes[theirs[:spare]] > 1 else 0
    if any(is_telling(ours[i]) for i in left) and any(is_telling(theirs[j]) for j in right if j >= named):
        share *= 0.85 if any(is_telling(ours[i]) and is_telling(theirs[j]) for i, j, _, _ in pairs) else 0.6
    if (left or right) and all(pair.how not in (_SAME, _SHORT, _SENSE) and pair.likeness < 0.8 for pair in pairs):
        share *= 0.75
    if not right:
        share *= 1.1
    return share


@lru_cache(maxsize=16384)
def relation(one: str, other: str, kind: str) -> tuple[str, float]:
    """How two different stems may be the same word: by short form, spelling, sense or containment."""
    ones, others = full_forms(one), full_forms(other)
    if one in others or other in ones:
        return _SHORT, 0.95
    near = _spelled(one, other)
    if near > 0.8:
        return _SPELLING, near
    shared = max([len(senses(a, kind) & senses(b, kind)) for a in ones for b in others])
    if shared:
        return _SENSE, 0.66 + 0.04 * min(shared, 3)
    if near:
        return _SPELLING, near
    shorter, longer = (one, other) if len(one) < len(other) else (other, one)
    if len(shorter) > (3 if len(longer) > 7 else 2) and longer.startswith(shorter):
        return "beginning", 0.6
    if len(shorter) > 3 and shorter in longer:
        return ("ending", 0.55) if longer.endswith(shorter) else ("inside", 0.45)
    return "", 0.0


def _spelled(one: str, other: str) -> float:
    shortest, longest = sorted((len(one), len(other)))
    most = 1 if longest < 5 and one[0] != other[0] else 2 if longest < 9 else 3
    if longest - shortest > most or shortest < 2:
        return 0.0
    edits = _edits(one, other, most)
    return 0.97 - 0.9 * edits / longest if edits <= most else 0.0


def _edits(one: str, other: str, most: int) -> int:
    return distance_of_spelling()(one, other, score_cutoff=most)


def _aligned(ours: Sequence[str], theirs: Sequence[str], kind: str) -> tuple[list[Pair], list[int], list[int]]:
    """Words that answer each other (the same first, then the likeliest), and the places left over on either side."""
    left, right = list(range(len(ours))), list(range(len(theirs)))
    pairs: list[Pair] = []
    for i in reversed(range(len(ours))):
        for j in reversed(right):
            if ours[i] == theirs[j]:
                pairs.append(Pair(i, j, _SAME, 1.0))
                left.remove(i)
                right.remove(j)
                break
    if left and right:
        options = [(*relation(ours[i], theirs[j], kind), i, j) for i in left for j in right]
        for how, likeness, i, j in sorted(options, key=lambda option: -option[1]):
            if how and i in left and j in right:
                pairs.append(Pair(i, j, how, likeness))
                left.remove(i)
                right.remove(j)
    return pairs, left, right


def _tier(
    asked: Asked, known: Names, index: int, pairs: Sequence[Pair], left: list[int], right: list[int]
) -> Tier | None:
    """The tier in which nothing of either name is left unexplained, if there is one."""
    ours, theirs = asked.stems, known.stems[index]
    if "".join(ours) == "".join(theirs):
        return Tier.NUMBER
    hows = {pair.how for pair in pairs}
    in_order = _is_in_order(pairs)
    if not hows or hows - _EXACT or (left and right) or (right and not in_order):
        return _as_one_word(asked, known, index)
    if (left and not _is_wrapping(asked, left)) or (right and not _is_namespace(asked, known, theirs, right)):
        return _as_one_word(asked, known, index)
    if _SPELLING in hows:
        return Tier.SPELLING
    if right:
        return Tier.NAMESPACE
    if _SHORT in hows:
        return Tier.SHORT
    if not in_order:
        return Tier.ORDER
    return Tier.WRAPPED if left else Tier.NUMBER


def _as_one_word(asked: Asked, known: Names, index: int) -> Tier | None:
    """A slip that moved a border between words: the letters are near though the words are not."""
    key, other = asked.key, known.keys[index]
    if min(len(key), len(other)) < 8 or len(asked.words) == len(known.words[index]):
        return None
    return Tier.SPELLING if _edits(key, other, 1) <= 1 else None


def _is_wrapping(asked: Asked, left: list[int]) -> bool:
    """Whether the words that nothing answers are what clients put around a name."""
    head = _leading(left)
    tail, matched = left[head:], len(asked.words) - len(left)
    if tail and (asked.kind != "tool" or tail[-1] != len(asked.words) - 1 or matched < 2):
        return False
    if any(asked.words[i] not in _TAIL for i in tail):
        return False
    lead = asked.words[:head]
    dotted = _LEAD.match(asked.text)
    is_dotted = bool(dotted) and len(words(dotted[1])) >= head
    noise = _WRAPPING.get(asked.kind, _NOTHING) | (_DOTTED.get(asked.kind, _NOTHING) if is_dotted else _NOTHING)
    rest = [word for word in lead if word not in noise]
    if not rest:
        return asked.kind != "tool" or is_dotted or matched > 1
    if asked.kind != "tool":
        return False
    ours = _core("".join(rest)), _core("".join(lead))
    if asked.server:
        return any(_is_server(asked.server, one) for one in ours)
    return lead[0] in ("mcp", "mmcp") and not any(is_verb(word) for word in lead[1:])


def _is_server(server: str, lead: str) -> bool:
    """Whether what stands in front is this server's name, or the end of it, or a slip for it."""
    return server == lead or (len(lead) > 3 and (server.endswith(lead) or _edits(server, lead, 2) < 3))


def _is_namespace(asked: Asked, known: Names, theirs: tuple[str, ...], right: list[int]) -> bool:
    """Whether the words that answer nothing are a prefix that other known names share, and no verb."""
    head = _leading(right)
    tail = right[head:]
    if asked.kind != "tool" or (tail and (len(theirs) - len(right) < 2 or any(theirs[j] not in _TAIL for j in tail))):
        return False
    lead = theirs[:head]
    if not lead:
        return True
    if any(is_verb(word) or is_modifier(word) for word in lead):
        return False
    is_ours = bool(asked.server) and all(word in asked.server for word in lead)
    if is_ours or not all(is_ordinary(word) for word in lead):
        return known.prefixes[lead] > 1
    return len(asked.words) > 1 and known.prefixes[lead] > 3


def _explains(pairs: Sequence[Pair]) -> bool:
    """Whether the misspelling is in the words as they are paired, and not where one ends and the next begins."""
    hows = {pair.how for pair in pairs}
    return hows <= _EXACT and _SPELLING in hows


def _against_one_word(asked: Asked, known: Names, index: int) -> Iterator[str]:
    """The guards for names whose letters are near though their words are not."""
    theirs = known.words[index]
    yield from _other_symbols(asked.text, known.names[index], asked.kind)
    if [word for word in asked.words if word.isdigit()] != [word for word in theirs if word.isdigit()]:
        yield "number"
    if sorted([word for word in asked.words if len(word) == 1]) != sorted([word for word in theirs if len(word) == 1]):
        yield "letter"
    if any(len(word) > 2 and word not in theirs and is_ordinary(word) for word in asked.words):
        yield "word"


def _guards(asked: Asked, known: Names, index: int, pairs: Sequence[Pair], *, has_spare: bool) -> Iterator[str]:
    """What speaks against taking the one name for the other, however alike they look."""
    ours, theirs, their_words = asked.stems, known.stems[index], known.words[index]
    yield from _other_symbols(asked.text, known.names[index], asked.kind)
    if any(ours[i].isdigit() or theirs[j].isdigit() for i, j, how, _ in pairs if how != _SAME):
        yield "number"
    same = sum([len(ours[i]) for i, _, how, _ in pairs if how == _SAME])
    for i, j, how, _ in pairs:
        if how == _SAME:
            if has_spare and asked.words[i] != their_words[j]:
                yield "plural"
            continue
        if are_opposite(ours[i], theirs[j]):
            yield "opposite"
        if _differ_by_unit(asked.words[i], their_words[j]):
            yield "unit"
        if how == _SPELLING:
            yield from _against_spelling(asked, known, i, their_words[j], theirs[j], same)
        elif theirs[j] not in full_forms(ours[i])[:2] and ours[i] not in full_forms(theirs[j])[:2]:
            yield "short"  # `temp` is rather a temperature than a template
    if min(len(asked.key), len(known.keys[index])) < (4 if any(how == _SPELLING for _, _, how, _ in pairs) else 3):
        yield "short"
    if not _is_in_order(pairs):
        if asked.kind == "value" or _directions(ours) != _directions(theirs) or _swaps_equals(ours, theirs):
            yield "direction"
        if sum([how == _SAME and asked.words[i] != their_words[j] for i, j, how, _ in pairs]) > 1:
            yield "plural"  # the owners of a gem are not the gems of an owner


def _against_spelling(asked: Asked, known: Names, at: int, word: str, other: str, same: int) -> Iterator[str]:
    """An unknown string may be a misspelling; a word may not, and of a few letters any few are near."""
    ours, one = asked.words[at], asked.stems[at]
    if one in known.by_stem or is_word_against(ours, word) or is_word_against(one, other):
        yield "word"
    longest, shortest = max(len(ours), len(word)), min(len(ours), len(word))
    edits = min(_edits(ours, word, 9), _edits(one, other, 9))
    is_swapped, is_doubled = sorted(one) == sorted(other), _without_doubles(one) == _without_doubles(other)
    is_changed = len(one) == len(other) and not is_swapped
    if longest < 5 and (
        not is_ordinary(other)
        or (same < 4 and not is_swapped and not is_doubled)
        or (longest < 4 and (is_changed or is_term(other)))
    ):
        yield "short"
    if edits > (1 if longest < 6 else 2 if longest < 12 else 3):
        yield "far"
    is_beheaded = one == other[1:] and same > 7 and is_ordinary(other)
    has_other_head = one[0] != other[0] and not is_swapped and not is_beheaded
    if (has_other_head and shortest < 5) or (one[1:] == other and not is_doubled):
        yield "initial"
    if (edits > 1 and is_near_a_word(ours)) or (not is_doubled and are_glued_apart(one, other)):
        yield "word"
    if not is_swapped and not is_doubled:
        if (is_changed or edits > 1) and not is_ordinary(word) and not is_ordinary(other):
            yield "jargon"
        elif longest > 4 and known.has_twin(other, edits):
            yield "twins"


def _differ_by_unit(one: str, other: str) -> bool:
    units = unit_of(one), unit_of(other)
    return None not in units and units[0] != units[1]


def _without_doubles(word: str) -> str:
    return "".join([letter for letter, _ in groupby(word)])


def _other_symbols(text: str, name: str, kind: str) -> Iterator[str]:
    """Letters are not all of a name: `C++` is not `C`, and `10` is not `1.0`."""
    text, name = text[:LONGEST], name[:LONGEST]
    if kind == "tool":
        text, name = _SPACING.sub(".", text), _SPACING.sub(".", name)
    elif kind == "parameter" and (dotted := _LEAD.match(text)):
        text = text[dotted.end() :]
    if _SYMBOL.findall(text) != _SYMBOL.findall(name) or _SIGNED.findall(text) != _SIGNED.findall(name):
        yield "symbols"


def _directions(stems: Sequence[str]) -> list[tuple[str, str]]:
    """What each direction points at: `pdf_to_word` is not `word_to_pdf`."""
    return sorted([(one, then) for one, then in zip(stems, (*stems[1:], ""), strict=True) if one in _DIRECTIONS])


def _swaps_equals(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether neighbours that changed places are opposites, or two things of the trade (`csv_json`)."""
    turned = {(other, one) for one, other in pairwise(theirs)}
    return any(
        are_opposite(one, other) or (is_term(one) and is_term(other))
        for one, other in pairwise(ours)
        if (one, other) in turned
    )


def _is_in_order(pairs: Sequence[Pair]) -> bool:
    places = [pair.theirs for pair in sorted(pairs)]
    return places == sorted(places)


def _leading(places: Sequence[int]) -> int:
    """How many of the first places are among these."""
    return next((number for number, place in enumerate(places) if number != place), len(places))


def _core(server: str) -> str:
    return server.replace("mcp", "").replace("server", "")


def _shown(asked: Asked, known: Names, index: int, pairs: Sequence[Pair]) -> tuple[tuple[str, str, str], ...]:
    return tuple([(asked.words[i], known.words[index][j], how) for i, j, how, _ in pairs])
