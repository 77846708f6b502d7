"""How a text tells what to do: in the imperative, as a question, as a list to choose from; in a few languages."""

from __future__ import annotations

import re

_VERBS = (
    "Add|Ask|Choose|Correct|Fill|Give|Include|Omit|Pass|Pick|Provide|Put|Remove|Rename|Replace|Retry|See|Send|Specify"
    "|Supply|Tell|Try|Use|Wait"
)
_NO_ORDER = (
    r"(?! of\b| (?:the )?(?:server )?logs?\b"
    r"|(?: [\w-]{1,40}){0,2} (?:failed|failure|error|exceeded|aborted|rejected|denied)\b)"
)
"""What makes a verb a noun: `Use of undeclared variable`, `Add operation failed`; and `See log` is no help."""
_NOUNS_TOO = (
    "Call|Change|Check|Increase|Leave|Limit|List|Look|Lower|Make|Name|Raise|Read|Reduce|Run|Search|Set|Start|Write"
)
"""Verbs only before what one does it to: `Call failed` is no advice, and `Call info()` is."""
_TO_WHAT = (
    r"(?:(?:an?|the|one|each|all|every|your|its?|again|at|for|whether|that|if|with|out|first)\b|[\w.]{1,80}\(|['\"`]"
    r"|[\w.-]{1,80} to\b)"
)
_BEGIN = r"(?:^|[.!?;:,\u2013]\s{1,9}|\(\s{0,9}|\b(?:then|or|and)\s{1,9})"
_BEGIN_ANY_CASE = (
    r"(?:^\s{0,9}(?:[-*\u2022]|\d{1,2}[.)])\s{1,9}|[(;\u2013]\s{0,9}|\b(?:tip|hint|fix|note|suggestion):\s{1,9})"
)
STEP = re.compile(
    rf"{_BEGIN}(?:(?:{_VERBS})\b{_NO_ORDER}|(?:{_NOUNS_TOO})\s{{1,9}}{_TO_WHAT})"
    rf"|(?i:{_BEGIN_ANY_CASE}(?:(?:{_VERBS})\b{_NO_ORDER}|(?:{_NOUNS_TOO})\s{{1,9}}{_TO_WHAT})"
    rf"|please (?:{_VERBS}|{_NOUNS_TOO})\b|\bd(?:id|o) you mean|\b(?:perhaps|maybe) you (?:meant?|want(?:ed)?)\b"
    r"|corrected call|\binstead\b|\byou (?:can|could|may|might|must|should|need to|have to)\b"
    r"|\bavailable (?:tools|commands|options)\b"
    r"|\b(?:valid|allowed|accepted|supported|possible|permitted|available|known) (?:tool|command|option|value|choice"
    r"|name|param(?:eter)?|argument|field|type|format)s? ?(?:are\b|:)"
    r"|\b(?:help|usage|example|hint): "
    r"|\bbitte\b|\bstattdessen\b|\bveuillez\b|\bessayez\b|\butilisez\b|\bpor favor\b|\u8bf7|\u304f\u3060\u3055\u3044)",
    re.MULTILINE,
)
