"""What a group of checks found: the value of each check, and the absolute figures they were made from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from msgspec import Struct


class Figure(Struct, frozen=True):
    """One absolute figure, for people only."""

    about: str
    value: float
    unit: str


class Measured(Struct, frozen=True):
    """The values of a group's checks by name, and the figures behind them."""

    values: dict[str, float]
    figures: tuple[Figure, ...] = ()


def ratio(over: Sequence[float], under: Sequence[float]) -> float:
    """Return the median of the ratios of two series, round by round."""
    return median(a / b for a, b in zip(over, under, strict=True))


def p99(values: Iterable[float]) -> float:
    """Return the value that one in a hundred exceeds."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]


def micros(about: str, seconds: Sequence[float]) -> Figure:
    """Return the median of some times as a figure in µs."""
    return Figure(about, median(seconds) * 1e6, "µs")
