"""Where a Land may go (SW-5), and what the option `strict_volcano` adds (SW-19.2)."""

from __future__ import annotations

from services.strange_world.content import Land
from services.strange_world.rules.actions import Side
from services.strange_world.rules.board import around, open_cells
from services.strange_world.rules.state import World


def legal_cells(world: World) -> int:
    """Return the cells where any Land may be placed (SW-5.3 to SW-5.9), as a set of places."""
    side = world.side
    return open_cells(world.occupied, closed_left=side is Side.LEFT, closed_right=side is Side.RIGHT)


def legal_cells_for(world: World, land: Land, *, strict_volcano: bool) -> int:
    """Return the cells where this Land may be placed.

    SW-19.2, SW-19.3: with `strict_volcano` a Land with a Volcano goes beside a target if any legal cell has one.
    """
    cells = legal_cells(world)
    if not (strict_volcano and land.volcanoes):
        return cells
    return cells & around(world.occupied & ~world.fumaroles) or cells
