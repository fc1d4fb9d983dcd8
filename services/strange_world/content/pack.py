"""What a pack is made of: Lands, Travellers with their conditions, Cities (SW-1).

These are the read-only structs that the rules see. A Traveller's condition is a kind with parameters; the rules
interpret each kind in one function (`rules/travellers.py`), and a kind that is not listed here cannot be loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct

from shared.kernel import PackRef


class Icon(Enum):
    """The five land icons (SW-1.2)."""

    MOUNTAIN = "M"
    WATER = "W"
    FOREST = "F"
    PLANT = "P"
    VOLCANO = "V"


class Land(Struct, frozen=True):
    """One card; `order` is its place in the pack, by which options are listed (SW-1.2, SW-16.5).

    `mark` is None on a starting Land. `mountains` to `volcanoes` count its icons and `kinds` names each icon once:
    both follow from `icons` and are kept because every test of a rule asks for them.
    """

    id: str
    order: int
    mark: int | None
    icons: tuple[Icon, ...]
    animals: tuple[str, ...]
    gate: bool
    moon: bool
    mountains: int
    waters: int
    forests: int
    plants: int
    volcanoes: int
    kinds: tuple[Icon, ...]


class Icons(Struct, frozen=True, tag_field="kind", tag="icons"):
    """At least so many of each icon, both rows together."""

    least: dict[Icon, int]


class IconInEachRow(Struct, frozen=True, tag_field="kind", tag="icon_in_each_row"):
    """At least one such icon in each of the two rows."""

    icon: Icon


class Fumaroles(Struct, frozen=True, tag_field="kind", tag="fumaroles"):
    """At least so many Fumarole cells, used or free."""

    least: int


class LivePortals(Struct, frozen=True, tag_field="kind", tag="live_portals"):
    """At least so many Portals with both halves face up."""

    least: int


class DifferentAnimals(Struct, frozen=True, tag_field="kind", tag="different_animals"):
    """At least so many kinds of animals."""

    least: int


Condition = Icons | IconInEachRow | Fumaroles | LivePortals | DifferentAnimals


class Traveller(Struct, frozen=True):
    """One Traveller: what it earns beside its five Stars, and when (SW-13.13, table 4.5)."""

    id: str
    bonus: int
    condition: Condition


class Pack(Struct, frozen=True):
    """One set of cards and numbers; `lands` holds deck and starting Lands by id, everything in the table's order.

    `deck` has the Lands that bear a mark, `animals` maps each kind to its letter in drawings, `cities` are the values
    from the top of the stack.
    """

    ref: PackRef
    lands: Mapping[str, Land]
    deck: tuple[Land, ...]
    starting_lands: tuple[Land, ...]
    travellers: tuple[Traveller, ...]
    cities: tuple[int, ...]
    fumaroles: int
    animals: Mapping[str, str]

    def deck_for(self, seats: int) -> tuple[str, ...]:
        """Return the ids of the Land deck for a number of seats, in pack order (SW-1.8)."""
        return tuple(land.id for land in self.deck if land.mark is not None and land.mark <= seats)

    def in_order(self, lands: tuple[str, ...]) -> tuple[str, ...]:
        """Return Land ids sorted by their place in the pack (SW-16.5)."""
        return tuple(sorted(lands, key=lambda land: self.lands[land].order))
