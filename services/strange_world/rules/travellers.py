"""Which Travellers may come, where they may stand, and when their condition is met (SW-9, SW-13.13 to SW-13.18)."""

from __future__ import annotations

from services.strange_world.content import Icon, Pack
from services.strange_world.content.pack import (
    Condition,
    DifferentAnimals,
    Fumaroles,
    IconInEachRow,
    Icons,
    LivePortals,
)
from services.strange_world.rules.actions import Side
from services.strange_world.rules.board import LONGEST_SIDE, place_of, places, row_cells, top_and_bottom
from services.strange_world.rules.state import World
from shared.kernel import unreachable


def in_display_order(pack: Pack, travellers: tuple[str, ...]) -> tuple[str, ...]:
    """Return Travellers in the order of table 4.5 (SW-16.5)."""
    return tuple(traveller.id for traveller in pack.travellers if traveller.id in travellers)


def sides(world: World) -> tuple[Side, ...]:
    """Return the sides where the next Traveller may stand (SW-9.6, SW-9.8)."""
    side = world.side
    return (Side.LEFT, Side.RIGHT) if side is None else (side,)


def slots(world: World, y: int) -> tuple[int, ...]:
    """Return the upper rows of the slots offered for a Portal in the row y (SW-9.9 to SW-9.12, SW-9.15, SW-9.16)."""
    top, bottom = top_and_bottom(world.occupied)
    legal = tuple(slot for slot in (y - 1, y) if max(bottom, slot + 1) - min(top, slot) < LONGEST_SIDE)
    free = tuple(slot for slot in legal if not travellers_in(world, slot))
    return free or legal


def travellers_in(world: World, slot: int) -> int:
    """Return how many Travellers stand in a slot (SW-9.16)."""
    return sum(1 for traveller in world.travellers if traveller.slot == slot)


def is_met(pack: Pack, world: World, condition: Condition, slot: int) -> bool:
    """Tell whether a condition holds in the two rows of a slot (SW-13.14)."""
    rows = row_cells(slot), row_cells(slot + 1)
    both = rows[0] | rows[1]
    match condition:
        case Icons(least):
            shown = _icons(pack, world, both)
            return all(shown.count(icon) >= count for icon, count in least.items())
        case IconInEachRow(icon):
            return all(icon in _icons(pack, world, row) for row in rows)
        case Fumaroles(least):
            return (world.fumaroles & both).bit_count() >= least
        case LivePortals(least):
            return _live_portals(world, both) >= least
        case DifferentAnimals(least):
            return len(_animals(pack, world, both)) >= least
        case _:
            unreachable(condition)


def _icons(pack: Pack, world: World, cells: int) -> list[Icon]:
    """SW-13.15: every icon counts, not every card."""
    return [icon for place in places(world.face_up & cells) for icon in pack.lands[world.lands[place]].icons]


def _animals(pack: Pack, world: World, cells: int) -> set[str]:
    return {animal for place in places(world.face_up & cells) for animal in pack.lands[world.lands[place]].animals}


def _live_portals(world: World, cells: int) -> int:
    """SW-8.10, SW-13.17: both halves face up; a Portal lies in one row."""
    up = world.face_up & cells
    return sum(1 for portal in world.portals if up >> place_of(portal.left) & 1 and up >> place_of(portal.right) & 1)
