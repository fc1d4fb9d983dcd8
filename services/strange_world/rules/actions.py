"""Everything a seat can ask for, one struct per kind of decision (SW-16, table D)."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct


class Cell(Struct, frozen=True, order=True):
    """A place of a World: x grows to the right, y downward; the starting Land lies at (0, 0) (SW-5.1)."""

    x: int
    y: int


class Direction(Enum):
    """Where passed cards go and who plays next (SW-3.7)."""

    LEFT = "left"
    RIGHT = "right"


class Side(Enum):
    """On which side of a World Travellers stand (SW-9.6)."""

    LEFT = "left"
    RIGHT = "right"


class ChooseDirection(Struct, frozen=True):
    """The holder of the Sun chooses the direction of this turn (SW-3.4)."""

    direction: Direction


class PassTwo(Struct, frozen=True):
    """Give two of three cards to the next seat, sealed (SW-4.3); `lands` in pack order."""

    lands: tuple[str, ...]


class PassOne(Struct, frozen=True):
    """Give one of three cards to the next seat, sealed (SW-4.4)."""

    land: str


class PickStack(Struct, frozen=True):
    """Solo: take one of the remaining stacks, 1 to 7 (SW-14.8)."""

    stack: int


class PlaceLand(Struct, frozen=True):
    """Put a card of the hand on a legal cell of the own World (SW-5)."""

    land: str
    cell: Cell


class WelcomeTraveller(Struct, frozen=True):
    """Take a Traveller for the Portal just made; `slot` is the upper one of its two rows (SW-9)."""

    traveller: str
    side: Side
    slot: int


class DeclineTraveller(Struct, frozen=True):
    """Take no Traveller for the Portal just made (SW-9.1)."""


class CoverCard(Struct, frozen=True):
    """Choose which neighbour the eruption covers (SW-10.3)."""

    cell: Cell


class ChooseCityPartner(Struct, frozen=True):
    """Choose the free Fumarole that a new City joins to the new one (SW-11.4)."""

    cell: Cell


Action = (
    ChooseDirection
    | PassTwo
    | PassOne
    | PickStack
    | PlaceLand
    | WelcomeTraveller
    | DeclineTraveller
    | CoverCard
    | ChooseCityPartner
)
