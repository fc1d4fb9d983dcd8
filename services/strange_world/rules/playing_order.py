"""Who plays when within a turn (SW-3.7, SW-3.8)."""

from __future__ import annotations

from services.strange_world.rules.actions import Direction
from services.strange_world.rules.phases import Continuing, PlacingLand

PLAYS_PER_TURN = 3


def neighbour(seat: int, steps: int, direction: Direction | None, seats: int) -> int:
    """Return the seat so many steps on in the direction: +1 a step for left, -1 for right (SW-3.7)."""
    return (seat - steps if direction is Direction.RIGHT else seat + steps) % seats


def next_play(plays: int, holder: int | None, direction: Direction | None, seats: int) -> PlacingLand | Continuing:
    """Return who plays after so many plays of a turn: three laps, the holder first (SW-3.8).

    After the last play of a turn, and after the first of a solo turn (SW-14.10), the game goes on by itself.
    """
    if plays == PLAYS_PER_TURN * seats or (holder is None and plays == 1):
        return Continuing()
    return PlacingLand(0 if holder is None else neighbour(holder, plays, direction, seats))


def played_by_seat(
    played: tuple[str, ...], holder: int | None, direction: Direction | None, seats: int
) -> tuple[tuple[str, ...], ...]:
    """Deal the Lands played this turn, in order, to the seats that played them: laps from the holder on (SW-3.8)."""
    found: list[tuple[str, ...]] = [()] * seats
    for start in range(seats):
        found[neighbour(holder or 0, start, direction, seats)] = played[start::seats]
    return tuple(found)
