"""Hide the secrets on a command line that is given as words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fingerpost.engine.safety.redact import is_secret, scrub
from fingerpost.engine.safety.secrets import HIDDEN, hide_secrets


def hide_in_command(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command line without its secrets, which follow `=` or an option."""
    option = ""
    for word in words:
        name, is_pair, _ = word.partition("=")
        if is_pair and is_secret(name):
            yield f"{name}={HIDDEN}"
        else:
            yield HIDDEN if option and is_secret(option) else hide_in_word(word)
        option = word if word[:1] == "-" and not is_pair else ""


def hide_in_word(word: str) -> str:
    """Return a word or a URL without its secrets; unchanged if it has none."""
    is_path = "/" in word and "://" not in word
    scrubbed = hide_secrets(word) if is_path else scrub(word, 4 * len(word))
    return scrubbed if HIDDEN in scrubbed else word
