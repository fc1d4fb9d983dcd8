"""The time, as a function that is passed in, so that tests can hold it still."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], int]
"""Returns milliseconds since the epoch."""


def now() -> int:
    """Return the present time in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
