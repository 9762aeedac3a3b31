"""docs/kit.md lists the laws that there are, in their own words and order."""

import re
from pathlib import Path

from adidem.core.contracts import Family
from adidem.core.kit.check import LAWS

PAGES = Path(__file__).parents[2] / "docs"
DOC = (PAGES / "kit.md").read_text(encoding="utf-8")


def test_every_law_is_listed_with_what_it_states():
    listed = re.findall(r"^\| `(\w+)` \| (.+) \|$", DOC, re.MULTILINE)
    assert listed == [(law.name, law.states) for laws in LAWS.values() for law in laws]


def test_every_member_that_a_family_may_have_besides_is_in_the_table_of_hooks():
    contract = set(re.findall(r"^    - `(\w+)", Family.__doc__, re.MULTILINE))
    table = (PAGES / "hooks.md").read_text(encoding="utf-8").partition("Members that a family may have")[2]
    named = set(re.findall(r"^\| `(\w+)", table.partition("**Public facts.**")[0], re.MULTILINE))
    assert len(contract) > 10
    assert contract == named


def test_the_public_facts_that_judges_and_records_read_are_in_the_table_of_hooks():
    """Every name that code outside of families looks for in `public.facts`."""
    text = (PAGES / "hooks.md").read_text(encoding="utf-8").partition("**Public facts.**")[2].partition("**Tools.**")[0]
    root = PAGES.parent
    read = set()
    for file in (*root.glob("core/judging/*.py"), *root.glob("plugins/judges/**/*.py"), *root.glob("core/domain/*.py")):
        code = file.read_text(encoding="utf-8")
        read |= set(re.findall(r"""(?:self|public|\b)\.?facts(?:\.get\(|\[)"(\w+)\"""", code))
    assert {"day", "items", "total"} <= read
    assert read <= set(re.findall(r"`(\w+)`", text))
