"""docs/kit.md lists the laws that there are, in their own words and order."""

import re
from pathlib import Path

from adidem.core.kit.check import LAWS

DOC = (Path(__file__).parents[2] / "docs" / "kit.md").read_text(encoding="utf-8")


def test_every_law_is_listed_with_what_it_states():
    listed = re.findall(r"^\| `(\w+)` \| (.+) \|$", DOC, re.MULTILINE)
    assert listed == [(law.name, law.states) for laws in LAWS.values() for law in laws]
