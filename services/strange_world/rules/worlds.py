"""What each thing that happens in a World changes in its record (SW-5.2, SW-8.7, SW-9.19, SW-10.7, SW-11.3).

Nothing is tested here: these functions write down what the rules have found, in live play and in replay alike.
"""

from __future__ import annotations

from msgspec.structs import replace

from services.strange_world.rules.actions import Cell
from services.strange_world.rules.board import place_of
from services.strange_world.rules.events import Flip
from services.strange_world.rules.state import City, PlacedTraveller, Portal, World


def with_land(world: World, land: str, cell: Cell) -> World:
    """Lay a Land face up on an empty cell."""
    place = place_of(cell)
    lands = world.lands
    return replace(world, lands=(*lands[:place], land, *lands[place + 1 :]), occupied=world.occupied | 1 << place)


def with_flips(world: World, flips: tuple[Flip, ...]) -> World:
    """Turn Lands face down."""
    tzimimes = world.tzimimes
    for flip in flips:
        tzimimes |= 1 << place_of(flip.cell)
    return replace(world, tzimimes=tzimimes)


def with_portal(world: World, left: Cell, right: Cell) -> World:
    """Link two gates."""
    halves = 1 << place_of(left) | 1 << place_of(right)
    return replace(world, portals=(*world.portals, Portal(left, right)), linked=world.linked | halves)


def with_traveller(world: World, traveller: PlacedTraveller) -> World:
    """Put a Traveller beside the World."""
    return replace(world, travellers=(*world.travellers, traveller))


def with_fumarole(world: World, cell: Cell) -> World:
    """Cover a card, face up or face down."""
    place = 1 << place_of(cell)
    return replace(world, fumaroles=world.fumaroles | place, tzimimes=world.tzimimes & ~place)


def with_city(world: World, city: City) -> World:
    """Join two Fumaroles for good."""
    used = 1 << place_of(city.cell) | 1 << place_of(city.partner)
    return replace(world, cities=(*world.cities, city), used=world.used | used)
