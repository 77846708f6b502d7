"""Read overrides from plain values: the arguments of `Guidance`, or the tables of the proxy's configuration file.

A wrong declaration is an error at the start, which names the place and what is allowed there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, cast

from fingerpost.engine.failure_kinds import CATEGORIES
from fingerpost.engine.matching import OFFER_THRESHOLD, closest
from fingerpost.engine.model import Path
from fingerpost.engine.overrides import ANY_TOOL, LONGEST_HINT, Hint, Overrides
from fingerpost.engine.phrases import format_path
from fingerpost.engine.policy import CHOICES, Policy
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.safety.redact_error import redact_error
from fingerpost.engine.safety.secrets import hide_secrets

_LONGEST_URL = 500
_MOST_STEPS = 8
_SERVER_FIELDS = ("info_tool", "unknown_tool")
"""What a policy says about the server as a whole. These fields are the same for every tool."""
_TOOL_FIELDS = tuple(field.name for field in fields(Policy) if field.name not in _SERVER_FIELDS)
_HINT_FIELDS = ("tool", "match", "hint", "code", "category", "next_steps", "documentation_url")
_CODE = re.compile(r"[A-Za-z][\w.\-]{0,63}")
_URL = re.compile(r"https?://\S+", re.IGNORECASE)


class OverridesError(ValueError):
    """A declaration that cannot be right: where it is, what is wrong with it, and what is allowed."""

    def __init__(self, path: Path, fact: str, way_out: str = "") -> None:
        super().__init__(f"{format_path(path)}: {fact}{f'. {way_out}' if way_out else ''}")
        self.path, self.fact, self.way_out = path, fact, way_out


def read_overrides(policy: Policy, tools: Any = None, aliases: Any = None, hints: Any = None) -> Overrides:
    """Read what is declared for single tools; `policy` is the policy of all other tools.

    A tool has a `Policy` of its own, or a mapping with the fields in which it differs from `policy`.
    """
    declared = {
        name: _read_policy(("tools", name), one, policy) for name, one in _read_table(("tools",), tools).items()
    }
    renamed = {name: _read_aliases(("aliases", name), one) for name, one in _read_table(("aliases",), aliases).items()}
    return Overrides(declared, renamed, tuple(_read_hints(hints)))


def suggest_name(name: str, names: Iterable[str]) -> str:
    """Return a question that names the nearest of these names, or an empty string."""
    near = closest(name, list(names), "parameter")
    return f"Did you mean {near[0].name}?" if near and near[0].confidence > OFFER_THRESHOLD else ""


def _read_table(path: Path, value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise OverridesError(path, f"must be a table of names, got {_kind(value)}")
    for name in (table := dict(cast("Mapping[Any, Any]", value))):
        if not isinstance(name, str) or not name:
            raise OverridesError(path, f"a name must be a text, got {name!r}")
    return table


def _kind(value: Any) -> str:
    return type(value).__name__


# policies


def _read_policy(path: Path, value: Any, base: Policy) -> Policy:
    if isinstance(value, Policy):
        return replace(value, **{name: getattr(base, name) for name in _SERVER_FIELDS})
    if not isinstance(value, Mapping):
        raise OverridesError(path, f"must be a policy, got {_kind(value)}", f"Fields: {', '.join(_TOOL_FIELDS)}")
    policy = base
    for key, one in _read_table(path, value).items():
        name, at = key.replace("-", "_"), (*path, key)
        if name not in _TOOL_FIELDS:
            raise OverridesError(at, *_explain_policy_field(key, str(path[-1])))
        try:
            policy = replace(policy, **{name: one})
        except ValueError as error:
            near = suggest_name(str(one), CHOICES.get(name, ()))
            raise OverridesError(at, str(error).removeprefix(name).strip(), near) from error
    return policy


def _explain_policy_field(key: str, tool: str) -> tuple[str, str]:
    if key.replace("-", "_") in _SERVER_FIELDS:
        return "is the same for every tool", "Set it for the whole server."
    if key in ("aliases", "hints"):
        place = f"[aliases.{tool}]" if key == "aliases" else "[[hints]]"
        return "does not belong to a policy", f"In the configuration file it is {place}, in Python an own argument."
    return _explain_unknown(key, _TOOL_FIELDS)


def _explain_unknown(key: str, allowed: tuple[str, ...]) -> tuple[str, str]:
    return "there is no such field", " ".join(
        filter(None, [suggest_name(key, allowed), f"Fields: {', '.join(allowed)}"])
    )


# aliases


def _read_aliases(path: Path, value: Any) -> Mapping[str, str]:
    if not isinstance(value, Mapping):
        raise OverridesError(path, f"must be a table of aliases, got {_kind(value)}", 'For example query = "pattern"')
    table = _read_table(path, value)
    for alias, parameter in table.items():
        if not isinstance(parameter, str) or not all(parameter.split(".")):
            way_out = 'The alias comes first: query = "pattern" lets callers send query for pattern'
            raise OverridesError((*path, alias), f"must name a parameter, got {parameter!r}", way_out)
        if parameter == alias:
            raise OverridesError((*path, alias), "is an alias of itself")
    return table


# hints


def _read_hints(value: Any) -> Iterable[Hint]:
    if value is None:
        return
    if not isinstance(value, list | tuple):
        raise OverridesError(("hints",), f"must be a list, got {_kind(value)}", "In the configuration file: [[hints]]")
    for index, one in enumerate(cast("list[Any]", value)):
        yield _read_hint(("hints", index), one)


def _read_hint(path: Path, value: Any) -> Hint:
    if isinstance(value, Hint):
        steps = {name: redact_error(step) for name, step in value.next_steps.items()}
        return replace(value, text=hide_secrets(value.text), next_steps=steps)
    if not isinstance(value, Mapping):
        raise OverridesError(path, f"must be a hint, got {_kind(value)}", f"Fields: {', '.join(_HINT_FIELDS)}")
    given: dict[str, Any] = {}
    for key, one in _read_table(path, value).items():
        if (name := key.replace("-", "_")) not in _HINT_FIELDS:
            raise OverridesError((*path, key), *_explain_unknown(key, _HINT_FIELDS))
        given[name] = one
    for name in ("match", "hint"):
        if name not in given:
            raise OverridesError(path, f"{name} is missing", "A hint needs a match and a hint")
    texts = {name: _read_text((*path, name), given[name]) for name in _HINT_FIELDS if _is_text_field(name, given)}
    return Hint(
        matches=tuple(_read_matches((*path, "match"), given["match"])),
        text=(text := _read_shown(texts["hint"])),
        is_cut=text.endswith("…") and not texts["hint"].rstrip().endswith("…"),
        tool=texts.get("tool", ANY_TOOL),
        code=_read_code((*path, "code"), texts.get("code", "")),
        category=_read_category((*path, "category"), texts.get("category", "")),
        next_steps=_read_next_steps(path, given.get("next_steps"), texts.get("documentation_url", "")),
    )


def _is_text_field(name: str, given: Mapping[str, Any]) -> bool:
    return name in given and name not in ("match", "next_steps")


def _read_text(path: Path, value: Any) -> str:
    if not isinstance(value, str) or not clean(value, LONGEST_HINT):
        raise OverridesError(path, f"must be a text that is not empty, got {value!r}")
    return value


def _read_matches(path: Path, value: Any) -> Iterable[str]:
    several: list[Any] = [*cast("list[Any]", value)] if isinstance(value, list | tuple) and value else [value]
    for one in several:
        if not isinstance(one, str) or not one.strip():
            raise OverridesError(path, f"must be a text that is not empty, or a list of such texts, got {value!r}")
        yield one.casefold()


def _read_code(path: Path, value: str) -> str:
    if value and not _CODE.fullmatch(value):
        raise OverridesError(path, f"must be a word of at most 64 letters, got {value!r}", "For example ACCESS_DENIED")
    return value


def _read_category(path: Path, value: str) -> str:
    if value and value not in CATEGORIES:
        near = suggest_name(value, CATEGORIES)
        raise OverridesError(path, f"must be one of {', '.join(CATEGORIES)}, got {value!r}", near)
    return value


def _read_next_steps(path: Path, value: Any, url: str) -> Mapping[str, Any]:
    steps = {
        clean(hide_secrets(name)): _read_step((*path, "next_steps", name), one)
        for name, one in _read_table((*path, "next_steps"), value).items()
    }
    if len(steps) > _MOST_STEPS:
        raise OverridesError((*path, "next_steps"), f"has {len(steps)} steps, at most {_MOST_STEPS} are shown")
    if url and (len(url) > _LONGEST_URL or not _URL.fullmatch(url)):
        raise OverridesError((*path, "documentation_url"), f"must be a URL, got {clean(url)!r}", "https://…")
    return {**steps, **({"docs": hide_secrets(url)} if url else {})}


def _read_step(path: Path, value: Any) -> str | list[str]:
    if isinstance(value, list | tuple):
        return [_read_shown(_read_text(path, one)) for one in cast("list[Any]", value)[:_MOST_STEPS]]
    return _read_shown(_read_text(path, value))


def _read_shown(text: str) -> str:
    """Return a text as it is shown: on one line, shortened, and without secrets."""
    return clean(hide_secrets(text), LONGEST_HINT)
