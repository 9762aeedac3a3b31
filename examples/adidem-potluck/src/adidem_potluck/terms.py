"""What is settled: which dish each of the two brings."""

from __future__ import annotations

from attrs import frozen

from adidem.core.domain import ByRole, Text


@frozen(unsafe_hash=False)
class Table:
    """The dish that each brings, by the person's name."""

    brings: ByRole[Text]
