"""The pattern for advice in a text: an imperative, a question or a list of choices, in a few languages."""

from __future__ import annotations

import re

_VERBS = (
    "Add|Ask|Choose|Correct|Fill|Give|Include|Omit|Pass|Pick|Provide|Put|Remove|Rename|Replace|Retry|See|Send|Specify"
    "|Supply|Tell|Try|Use|Wait"
)
_NOT_ADVICE = (
    r"(?! of\b| (?:the )?(?:server )?logs?\b"
    r"|(?: [\w-]{1,40}){0,2} (?:failed|failure|error|exceeded|aborted|rejected|denied)\b)"
)
"""What turns a verb into a noun: `Use of undeclared variable`, `Add operation failed`; `See log` is no help either."""
_VERBS_OR_NOUNS = (
    "Call|Change|Check|Increase|Leave|Limit|List|Look|Lower|Make|Name|Raise|Read|Reduce|Run|Search|Set|Start|Write"
)
"""Words that are verbs only before an object: `Call failed` is no advice, and `Call info()` is."""
_OBJECT = (
    r"(?:(?:an?|the|one|each|all|every|your|its?|again|at|for|whether|that|if|with|out|first)\b|[\w.]{1,80}\(|['\"`]"
    r"|[\w.-]{1,80} to\b)"
)
_BEGIN = r"(?:^|[.!?;:,\u2013]\s{1,9}|\(\s{0,9}|\b(?:then|or|and)\s{1,9})"
_BEGIN_ANY_CASE = (
    r"(?:^\s{0,9}(?:[-*\u2022]|\d{1,2}[.)])\s{1,9}|[(;\u2013]\s{0,9}|\b(?:tip|hint|fix|note|suggestion):\s{1,9})"
)
STEP = re.compile(
    rf"{_BEGIN}(?:(?:{_VERBS})\b{_NOT_ADVICE}|(?:{_VERBS_OR_NOUNS})\s{{1,9}}{_OBJECT})"
    rf"|(?i:{_BEGIN_ANY_CASE}(?:(?:{_VERBS})\b{_NOT_ADVICE}|(?:{_VERBS_OR_NOUNS})\s{{1,9}}{_OBJECT})"
    rf"|please (?:{_VERBS}|{_VERBS_OR_NOUNS})\b|\bd(?:id|o) you mean|\b(?:perhaps|maybe) you (?:meant?|want(?:ed)?)\b"
    r"|corrected call|\binstead\b|\byou (?:can|could|may|might|must|should|need to|have to)\b"
    r"|\bavailable (?:tools|commands|options)\b"
    r"|\b(?:valid|allowed|accepted|supported|possible|permitted|available|known) (?:tool|command|option|value|choice"
    r"|name|param(?:eter)?|argument|field|type|format)s? ?(?:are\b|:)"
    r"|\b(?:help|usage|example|hint): "
    r"|\bbitte\b|\bstattdessen\b|\bveuillez\b|\bessayez\b|\butilisez\b|\bpor favor\b|\u8bf7|\u304f\u3060\u3055\u3044)",
    re.MULTILINE,
)
