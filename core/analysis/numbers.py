"""The type of an array of numbers, for annotations alone: numpy is imported by the functions that need it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]
