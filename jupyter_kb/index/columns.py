"""Columns of tables, as numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def column(values: Sequence[Any]) -> NDArray[Any]:
    """Text, or values among which None may be, as a column."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
