"""What a Volcano may cover, and which Fumaroles a Dark City may join (SW-10, SW-11)."""

from __future__ import annotations

from services.strange_world.rules.board import NEIGHBOURS
from services.strange_world.rules.state import World


def targets(world: World, source: int) -> int:
    """Return the cells that a Volcano at the place `source` may cover (SW-10.2, SW-10.4), as a set of places."""
    return NEIGHBOURS[source] & world.occupied & ~world.fumaroles


def partners(world: World, fumarole: int, cities: tuple[int, ...]) -> int:
    """Return the free Fumaroles that a City may join to the new one at a place (SW-11.1, SW-11.5, SW-11.6).

    `cities` is what is left of the City stack; without a City there is nothing to join.
    """
    return NEIGHBOURS[fumarole] & world.fumaroles & ~world.used if cities else 0
