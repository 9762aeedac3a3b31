"""The figures that a study tells of each configuration."""

from collections.abc import Mapping
from typing import Any

FIGURES = ("feasibility", "integrity", "verified_success", "conduct", "no_premature_decline", "substance", "disclosure")
MAIN = "verified_success"
HELD_OUT = "held_out"
"""The trial with partners who use phrases that training never heard."""

Row = Mapping[str, Any]
