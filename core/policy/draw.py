"""How tokens are drawn from a distribution."""

from __future__ import annotations

from attrs import field, frozen
from attrs.validators import ge, gt, le


@frozen
class Draw:
    """How tokens are drawn. `temperature` 0 takes the likeliest. `top_p` below 1 leaves the unlikely rest out; in
    training it is 1, since the log-probs of what is drawn are those of the whole distribution."""

    temperature: float = field(default=1.0, validator=ge(0.0))
    top_p: float = field(default=1.0, validator=[gt(0.0), le(1.0)])


GREEDY = Draw(0.0)
