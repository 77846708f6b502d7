"""Digests are those of `hashlib`, whichever module of Python computes them."""

from __future__ import annotations

import importlib
import sys
from hashlib import blake2b

import pytest

from fingerpost.engine import digest as module


def test_a_digest_is_the_one_of_hashlib() -> None:
    for text in ("", "text", "\ud800"):
        assert module.digest(text) == blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def test_without_its_own_hashes_python_takes_those_of_openssl(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = module.digest("text")
    monkeypatch.setitem(sys.modules, "_blake2", None)
    try:
        assert importlib.reload(module).digest("text") == expected
    finally:
        monkeypatch.undo()
        importlib.reload(module)
