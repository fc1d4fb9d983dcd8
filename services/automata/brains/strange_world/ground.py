"""Where a World can still grow: how likely each place belongs to the finished square (SW-5.5, SW-5.6, SW-5.9)."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from services.strange_world.rules.actions import Side
from services.strange_world.rules.board import PLACES, REACH, SPAN, STRIDE, left_and_right, places, top_and_bottom
from services.strange_world.rules.state import World

LONGEST = 3
"""How far the last line of a finished square lies from its first."""


class Ground(Struct, frozen=True):
    """How likely each place, and each row, belongs to the finished square; `reach` are the places that may."""

    places: tuple[float, ...]
    rows: tuple[float, ...]
    reach: int


def ground(world: World) -> Ground:
    """Return the ground of a World, every finished square that its box and its frozen side allow being as likely."""
    top, bottom = top_and_bottom(world.occupied)
    left, right = left_and_right(world.occupied)
    return _ground(top + REACH, bottom + REACH, left + REACH, right + REACH, world.side)


def weigh(cells: int, land: Ground) -> float:
    """Return how many of these cells will belong to the finished square, on average."""
    return sum(land.places[place] for place in places(cells))


@lru_cache(maxsize=4096)
def _ground(top: int, bottom: int, left: int, right: int, side: Side | None) -> Ground:
    """Return the ground of a box, given by the numbers of its lines."""
    rows = _chances(range(max(0, bottom - LONGEST), min(top, SPAN - 1 - LONGEST) + 1))
    starts = range(max(0, right - LONGEST), min(left, SPAN - 1 - LONGEST) + 1)
    if side is Side.LEFT:
        starts = range(left, left + 1)
    elif side is Side.RIGHT:
        starts = range(right - LONGEST, right - LONGEST + 1)
    columns = _chances(starts)
    chances = [0.0] * PLACES
    for row in range(SPAN):
        for column in range(SPAN):
            chances[row * STRIDE + column] = rows[row] * columns[column]
    reach = sum(1 << place for place, chance in enumerate(chances) if chance)
    return Ground(tuple(chances), rows, reach)


def _chances(starts: range) -> tuple[float, ...]:
    """Return how many of the squares that may start at these lines hold each line."""
    return tuple(sum(1 for start in starts if start <= line <= start + LONGEST) / len(starts) for line in range(SPAN))
