"""What a view is made of (SW-15).

Hidden cards appear as numbers (SW-15.10). Lists that have no order in the game are in pack order, so that two states
which differ only in what the reader may not know give equal views (SW-15.11).
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from services.strange_world.rules.actions import Cell, Direction, Side
from services.strange_world.rules.events import Score, Transfer
from services.strange_world.rules.knowledge import Known
from services.strange_world.rules.state import City, PlacedTraveller, Portal
from shared.kernel import PackRef


class Face(Enum):
    """What a card of a World shows (SW-5.2)."""

    LAND = "land"
    TZIMIME = "tzimime"
    FUMAROLE = "fumarole"


class PlacedLand(Struct, frozen=True):
    """One card of a World; its identity stays public when it lies face down or covered (SW-15.2)."""

    cell: Cell
    land: str
    face: Face


class WorldView(Struct, frozen=True):
    """One World; cards by row, then by column, the rest in order of arrival.

    `side` is the frozen side and `edge` the x of its last column, None before the first Traveller (SW-9.7).
    """

    cards: tuple[PlacedLand, ...]
    portals: tuple[Portal, ...]
    travellers: tuple[PlacedTraveller, ...]
    cities: tuple[City, ...]
    side: Side | None
    edge: int | None
    score: Score


class Stack(Struct, frozen=True):
    """A solo stack that still has cards: its open one, None while the stack is being played, and how many are hidden.

    `lands` are the hidden ones from the top, shown once the game is over (SW-15.14).
    """

    number: int
    open: str | None
    hidden: int
    lands: tuple[str, ...]


class Pending(Struct, frozen=True):
    """What the game waits for and for whom; the cells belong to the play in progress.

    `left` and `right` are the Portal that a Traveller may come through, `source` is the placed Volcano that erupts now
    or next, `fumarole` the new one that a City will join.
    """

    kind: str
    seats: tuple[int, ...]
    left: Cell | None = None
    right: Cell | None = None
    source: Cell | None = None
    fumarole: Cell | None = None


class View(Struct, frozen=True):
    """A game as its reader may see it; `seat` is None for a spectator.

    `worlds` and `hands` (numbers of cards) go by seat; `hand` is the reader's own, in solo everybody's. `chosen` are
    the seats whose choice in the pending pass is sealed, `choice` is the reader's. `transfers` are this turn's passes,
    the cards left out where the reader was not part of it; `known` says where cards that the reader gave away may be;
    `played` are the Lands placed this turn, in order. `deck` counts the deck; `undealt` lists it once the game is over,
    when `ranks` (by seat), `winners` and in solo `level` are set.
    """

    seat: int | None
    pack: PackRef
    strict_volcano: bool
    turn: int
    holder: int | None
    direction: Direction | None
    pending: Pending | None
    worlds: tuple[WorldView, ...]
    hands: tuple[int, ...]
    hand: tuple[str, ...]
    chosen: tuple[int, ...]
    choice: tuple[str, ...]
    transfers: tuple[Transfer, ...]
    known: tuple[Known, ...]
    played: tuple[str, ...]
    deck: int
    undealt: tuple[str, ...]
    stacks: tuple[Stack, ...]
    display: tuple[str, ...]
    unused_starting_lands: tuple[str, ...]
    unused_travellers: tuple[str, ...]
    cities: tuple[int, ...]
    fumaroles: int
    ranks: tuple[int, ...]
    winners: tuple[int, ...]
    level: int | None
