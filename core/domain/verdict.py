"""Verdicts: what the rules and the judges say of an episode."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from attrs import field, frozen

from adidem.core.domain.scenario import Seat


@frozen(unsafe_hash=False)
class Violation:
    """One rule that a plan breaks: whose condition (None: neither's alone), the value found, what was due."""

    rule: str
    message: str
    seat: Seat | None = None
    found: Any = None
    required: Any = None


FailureKind: TypeAlias = Literal["unreadable", "mismatch", "outcome", "violation"]


@frozen(unsafe_hash=False)
class Failure:
    """Why a pair of records is infeasible: the kind, the rule or field, the role, the value found, what was due."""

    kind: FailureKind
    rule: str
    message: str
    seat: Seat | None = None
    found: Any = None
    required: Any = None


@frozen(unsafe_hash=False)
class Feasibility:
    """The rules' verdict on a pair of records: feasible exactly when there is no failure."""

    failures: tuple[Failure, ...] = ()

    @property
    def passed(self) -> bool:
        """True when the records match, the outcome is right and no checker finds a violation."""
        return not self.failures


@frozen(unsafe_hash=False)
class Flag:
    """One fault a judge found: its kind, whose turn or record it is in, and the words quoted as evidence."""

    kind: str
    seat: Seat | None
    turn: int | None
    quote: str
    reason: str = ""
    supported: bool = True


@frozen(unsafe_hash=False)
class Rating:
    """One score on a dimension, for one seat or (None) the episode. `score` is None when unscored; then `unscored`
    says why. A failed rating is never a number."""

    dimension: str
    seat: Seat | None
    score: float | None
    reason: str = ""
    unscored: str | None = None


@frozen(unsafe_hash=False)
class Judgement:
    """What one judge said of one episode. `judge` is its label in the run (`integrity`, or `integrity@SPEC` for a
    further spec of the same judge); `spec` the model it asked, None where it asked none."""

    judge: str
    ratings: tuple[Rating, ...] = ()
    flags: tuple[Flag, ...] = ()
    notes: dict[str, Any] = field(factory=dict)
    spec: str | None = None

    def score(self, dimension: str, seat: Seat | None = None) -> float | None:
        """The score on that dimension for that seat, or None where it is unscored or absent."""
        for rating in self.ratings:
            if rating.dimension == dimension and rating.seat == seat:
                return rating.score
        return None
