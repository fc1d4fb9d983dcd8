"""Everything there is to know about a running game (SW-2 to SW-14).

The state holds ids and records of cells, never cards: what a Land shows is read from the pack. Nothing in it depends
on the order in which seats answered a sealed pass (SW-4.9).
"""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct

from services.strange_world.rules.actions import Cell, Direction, Side
from services.strange_world.rules.board import PLACES
from services.strange_world.rules.events import Transfer
from services.strange_world.rules.phases import Phase
from shared.kernel import PackRef

Item = TypeVar("Item")


class Portal(Struct, frozen=True):
    """Two gates that were linked to each other, for good (SW-8.7)."""

    left: Cell
    right: Cell


class PlacedTraveller(Struct, frozen=True):
    """A Traveller beside a World; `slot` is the upper of its two rows, `position` counts a stack from 1 (SW-9.19)."""

    traveller: str
    side: Side
    slot: int
    position: int


class City(Struct, frozen=True):
    """A Dark City and the two Fumaroles it joins (SW-11.3)."""

    value: int
    cell: Cell
    partner: Cell


class World(Struct, frozen=True):
    """The cards of one seat.

    `lands` names the Land on each place of the board, face-up, face-down or covered, "" where there is none. The
    others are sets of places (`rules/board.py`): `occupied` those with a card; of these `tzimimes` lie face down and
    `fumaroles` are covered, no cell being both (SW-5.2); `used` are the Fumaroles in a City; `linked` the cells that
    are half of a Portal, also after one of them is covered (SW-8.7). `portals`, `travellers` and `cities` stand in
    order of arrival. A World with Travellers is frozen on the side they share; the frozen edge is the edge of its box
    there, which cannot move any more (SW-9.7).
    """

    lands: tuple[str, ...] = ("",) * PLACES
    occupied: int = 0
    tzimimes: int = 0
    fumaroles: int = 0
    used: int = 0
    linked: int = 0
    portals: tuple[Portal, ...] = ()
    travellers: tuple[PlacedTraveller, ...] = ()
    cities: tuple[City, ...] = ()

    @property
    def face_up(self) -> int:
        """Return the places of the face-up Lands: the only cards that show anything (SW-7.1)."""
        return self.occupied & ~(self.tzimimes | self.fumaroles)

    @property
    def side(self) -> Side | None:
        """Return the side its Travellers share and that is frozen, None before the first of them (SW-9.8)."""
        return self.travellers[0].side if self.travellers else None


class State(Struct, frozen=True):
    """One game at one moment.

    `pack` and `strict_volcano` are the table's options; `unused` are the starting Lands that left the game. `turn` is
    0 before the first; `holder` has the Sun (None in solo); `direction` is None until chosen. `deck` is the rest of the
    Land deck from the top; `stacks` are the seven solo stacks from the top, taken cards left out: one of three is still
    to be picked, one of two is being played, an empty one is gone. `hands` and `worlds` go by seat; a hand is in
    alphabetical order, which says nothing (SW-4.11); in solo the hand holds the open cards that are to be played.
    `played` are the Lands placed this turn, in order, and `transfers` what this turn's passes moved, in seat order, the
    first pass before the second: from these follows what a seat knows of other hands (SW-15.8, SW-15.9). `display` are
    the Travellers that may be taken, in the order in which they were drawn; `cities` is the City stack from the top;
    `fumaroles` counts the supply.
    """

    pack: PackRef
    seats: int
    strict_volcano: bool
    phase: Phase
    cities: tuple[int, ...]
    fumaroles: int
    worlds: tuple[World, ...]
    hands: tuple[tuple[str, ...], ...]
    turn: int = 0
    holder: int | None = None
    direction: Direction | None = None
    deck: tuple[str, ...] = ()
    stacks: tuple[tuple[str, ...], ...] = ()
    played: tuple[str, ...] = ()
    transfers: tuple[Transfer, ...] = ()
    display: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()


def replaced(items: tuple[Item, ...], index: int, item: Item) -> tuple[Item, ...]:
    """Return the items with another one at `index`."""
    return (*items[:index], item, *items[index + 1 :])
