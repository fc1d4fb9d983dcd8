"""How likely a Traveller will earn its bonus, by what lies in its two rows and what may still come (SW-13.14)."""

from __future__ import annotations

from collections.abc import Mapping

from services.strange_world.content import Icon, Land
from services.strange_world.content.pack import (
    Condition,
    DifferentAnimals,
    Fumaroles,
    IconInEachRow,
    Icons,
    LivePortals,
)
from services.strange_world.rules.board import place_of, row_cells
from services.strange_world.rules.state import World
from shared.kernel import unreachable

PER_CARD = {Icon.MOUNTAIN: 0.45, Icon.WATER: 0.25, Icon.FOREST: 0.45, Icon.PLANT: 0.25, Icon.VOLCANO: 0.2}
"""How many such icons an ordinary card brings."""

FUMAROLE_PER_CARD = PORTAL_PER_CARD = 0.2
ANIMAL_PER_CARD = 0.35
CARE = 0.55
"""How much of an ordinary card's worth of luck a careful player still needs."""

NEVER_SURE = 0.8
COVERABLE = 2
"""Fumaroles may come on cards that lie there already, too."""


def chance(condition: Condition, slot: int, world: World, lands: Mapping[int, Land], empty: int) -> float:
    """Return the chance, 0 to 1, that a condition will hold in the rows of a slot.

    `lands` are the face-up Lands by place, `empty` the places that may still be filled.
    """
    upper, lower = row_cells(slot), row_cells(slot + 1)
    rows = upper | lower
    room = min((empty & rows).bit_count(), 8)
    match condition:
        case Icons(least):
            icons = [icon for place, land in lands.items() if rows >> place & 1 for icon in land.icons]
            lacking = {icon: max(0, count - icons.count(icon)) for icon, count in least.items()}
            return _likely(sum(count / PER_CARD[icon] for icon, count in lacking.items()), room)
        case IconInEachRow(icon):
            bare = [row for row in (upper, lower) if not any(row >> p & 1 and icon in lands[p].icons for p in lands)]
            return _likely(len(bare) / PER_CARD[icon], room) if all(row & empty for row in bare) else 0.0
        case Fumaroles(least):
            lacks = max(0, least - (world.fumaroles & rows).bit_count())
            return _likely(lacks / FUMAROLE_PER_CARD, room + COVERABLE)
        case LivePortals(least):
            return _likely(max(0, least - _live_portals(world, rows)) / PORTAL_PER_CARD, room)
        case DifferentAnimals(least):
            kinds = {animal for place, land in lands.items() if rows >> place & 1 for animal in land.animals}
            return _likely(max(0, least - len(kinds)) / ANIMAL_PER_CARD, room)
        case _:
            unreachable(condition)


def _live_portals(world: World, rows: int) -> int:
    up = world.face_up & rows
    return sum(1 for p in world.portals if up >> place_of(p.left) & 1 and up >> place_of(p.right) & 1)


def _likely(cards: float, room: int) -> float:
    """Return a chance from the number of ordinary cards that would bring what is lacking, and the room for them."""
    if cards <= 0:
        return 1.0
    return max(0.0, min(NEVER_SURE, 1.0 - CARE * cards / room)) if room else 0.0
