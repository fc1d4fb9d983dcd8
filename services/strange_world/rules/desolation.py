"""Which Lands a placed Land turns face down, itself included (SW-7)."""

from __future__ import annotations

from services.strange_world.content import Land, Pack
from services.strange_world.rules.board import BELOW, CELLS, NEIGHBOURS, ROWS, STRIDE, places, row_of
from services.strange_world.rules.events import Cause, Flip
from services.strange_world.rules.portals import gates_beside
from services.strange_world.rules.state import World

BURIED = (Cause.MOON_BURIED,)


def flips(pack: Pack, world: World, land: Land, place: int) -> tuple[Flip, ...]:
    """Return every flip that placing `land` at `place` causes, the placed cell first (SW-6.3, SW-7.11, SW-17.3).

    `world` is the World before the placing; all conditions are tested against the position right after it.
    """
    causes = _causes(pack, world, land, place)
    found = [Flip(CELLS[place], causes)] if causes else []
    below = places(world.face_up & BELOW[row_of(place)])
    found += [Flip(CELLS[other], BURIED) for other in below if pack.lands[world.lands[other]].moon]
    return tuple(found)


def _causes(pack: Pack, world: World, land: Land, place: int) -> tuple[Cause, ...]:
    """Return why the placed Land flips, in the order of SW-7.11."""
    causes = []
    if land.gate and _blocks_gate(pack, world, place):
        causes.append(Cause.GATE)
    if land.moon and _lies_below_top(world, place):
        causes.append(Cause.MOON_LOW)
    if land.plants and _shows_plant(pack, world, world.face_up & ROWS[row_of(place)]):
        causes.append(Cause.PLANT)
    if land.volcanoes and not NEIGHBOURS[place] & world.occupied & ~world.fumaroles:
        causes.append(Cause.VOLCANO)
    if land.waters and _shows_water(pack, world, world.face_up & NEIGHBOURS[place]):
        causes.append(Cause.WATER)
    return tuple(causes)


def _blocks_gate(pack: Pack, world: World, place: int) -> bool:
    """SW-7.4, SW-8.3, SW-8.4: a linked gate beside it, or a gate on either side."""
    beside = gates_beside(pack, world, place)
    return len(beside) == 2 or any(world.linked >> gate & 1 for gate in beside)


def _lies_below_top(world: World, place: int) -> bool:
    """SW-7.5, SW-7.8: some card lies in a row above, whatever it is."""
    return world.occupied & ((1 << (row_of(place) * STRIDE)) - 1) != 0


def _shows_plant(pack: Pack, world: World, cells: int) -> bool:
    """SW-7.3."""
    return any(pack.lands[world.lands[place]].plants for place in places(cells))


def _shows_water(pack: Pack, world: World, cells: int) -> bool:
    """SW-7.2."""
    return any(pack.lands[world.lands[place]].waters for place in places(cells))
