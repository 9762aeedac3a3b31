"""The types that the fields of an agreement's terms may have; records are read and schemas are made from them.

A family's `terms` is a frozen attrs class whose fields are annotated with these. Anything a person may write another
way ("$240", "9 am", a list in another order, a name in other case) is brought to one form when a record is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NewType, TypeAlias, TypeVar

T = TypeVar("T")

Amount: TypeAlias = int | float
"""A count or a sum of money in the scenario's unit. Whole in every feasible plan; a written fraction is kept, so that
a checker can name it."""

Time = NewType("Time", str)
"""A time of day, `HH:MM` on the 24-hour clock."""

Text = NewType("Text", str)
"""One of a family's `choices` for the field; other text is kept as written, so that a checker can name it."""

Items: TypeAlias = tuple[Text, ...]
"""A set of choices, in the order of the family's `choices`; other text follows, sorted."""

ByRole: TypeAlias = Mapping[str, T]
"""One value for each role, by the person's name. A role may be missing; a checker says so."""
