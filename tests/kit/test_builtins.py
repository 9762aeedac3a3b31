"""Every built-in component keeps every law of its kind."""

from functools import cache

import pytest

from adidem.core.kit.check import check
from adidem.core.kit.law import told
from adidem.core.kit.target import subjects
from adidem.core.setup import load

pytestmark = pytest.mark.slow


@cache
def builtins():
    return [f"{item.kind.name}:{item.name}" for item in load().components.registered if item.origin.how == "builtin"]


@pytest.mark.parametrize("target", builtins())
def test_a_builtin_keeps_every_law(target, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    broken = [told(verdict) for verdict in check(subjects(target, examples=60)) if verdict.status == "broken"]
    assert not broken, "\n".join(broken)
