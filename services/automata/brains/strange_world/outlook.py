"""What a World promises: the Stars its owner may expect from it at the end, estimated from what lies there now.

The estimate is a weighted sum of signs (`SIGNS`): what each scoring category is worth already, and what could still
become of it. Each sign has two weights, one that always counts and one that fades with the plays left
(`weights.py`). Rule numbers are those of docs/rules/strange-world.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from services.automata.brains.strange_world.ground import LONGEST, Ground, ground, weigh
from services.automata.brains.strange_world.guests import chance
from services.strange_world.content import Land, Pack
from services.strange_world.rules.board import (
    NEIGHBOURS,
    PLACES,
    REACH,
    ROWS,
    SPAN,
    STRIDE,
    around,
    left_and_right,
    places,
    top_and_bottom,
)
from services.strange_world.rules.scoring import moon_value
from services.strange_world.rules.state import World

SIGNS = (
    "constant",
    "mountain",
    "mountain_room",
    "mountain_apart",
    "water",
    "water_room",
    "water_places",
    "plant",
    "plant_rows",
    "forest",
    "moon",
    "moon_undecided",
    "moon_room",
    "moon_open_sky",
    "moon_places",
    "moon_best_place",
    "city",
    "city_beginnings",
    "traveller",
    "traveller_bonus",
    "portal_beginnings",
    "portal_hindrance",
    "tzimimes",
    "fumaroles",
    "frozen",
    "full_height",
    "full_width",
)

Lands = dict[int, Land]
"""Face-up Lands by place."""

CARDS = 16
MOST_CITY_BEGINNINGS = 2


class Shown(Struct):
    """The face-up Lands of a World as sets of places, and their animals."""

    mountains: int = 0
    waters: int = 0
    plants: int = 0
    gates: int = 0
    moons: int = 0


class Outlook:
    """Estimates Worlds of one pack with one set of weights."""

    def __init__(self, pack: Pack, weights: Mapping[str, tuple[float, float]]) -> None:
        """Use `weights` by sign: one that always counts, one per play left."""
        self._pack = pack
        self._lands = pack.lands
        self._travellers = {traveller.id: traveller for traveller in pack.travellers}
        self._weights = tuple(weights.get(sign, (0.0, 0.0)) for sign in SIGNS)

    def value(self, world: World, next_city: int) -> float:
        """Return the Stars to expect from a World, `next_city` being the value on top of the City stack."""
        left = CARDS - world.occupied.bit_count()
        total = 0.0
        for (always, per_play), sign in zip(self._weights, self.signs(world, next_city), strict=True):
            total += (always + per_play * left) * sign
        return total

    def signs(self, world: World, next_city: int) -> tuple[float, ...]:
        """Return the value of every sign, in the order of `SIGNS`."""
        lands = {place: self._lands[world.lands[place]] for place in places(world.face_up)}
        shown, animals = _shown(lands)
        top, bottom = top_and_bottom(world.occupied)
        left, right = left_and_right(world.occupied)
        land = ground(world)
        empty = land.reach & ~world.occupied
        best, apart, room = _mountains(shown, lands, empty, land)
        near_water = around(shown.waters)
        moon, undecided, moon_room = _moons(shown, lands, world, empty, land)
        top_row = ROWS[top + REACH] & empty
        return (
            1.0,
            best,
            room,
            apart,
            sum((NEIGHBOURS[p] & (world.face_up | world.fumaroles)).bit_count() for p in places(shown.waters)),
            sum(weigh(NEIGHBOURS[p] & empty, land) for p in places(shown.waters)),
            weigh(empty & ~near_water, land),
            3.0 * shown.plants.bit_count(),
            sum(land.rows[row] for row in range(SPAN) if empty & ROWS[row] and not shown.plants & ROWS[row]),
            2.0 * len(animals),
            moon,
            undecided,
            moon_room,
            shown.moons.bit_count() * (LONGEST - bottom + top),
            weigh(top_row, land),
            max((moon_value(lands, p) for p in places(top_row)), default=0),
            sum(city.value for city in world.cities),
            next_city * _city_beginnings(world, empty),
            5.0 * len(world.travellers),
            sum(self._bonus(world, lands, guest.traveller, guest.slot, empty) for guest in world.travellers),
            *_portals(shown, world, empty, land),
            world.tzimimes.bit_count(),
            world.fumaroles.bit_count(),
            0.0 if world.side is None else 1.0,
            1.0 if bottom - top == LONGEST else 0.0,
            1.0 if right - left == LONGEST else 0.0,
        )

    def bonus_at(self, world: World, traveller: str, slot: int) -> float:
        """Return the bonus to expect from a Traveller at a slot of a World (SW-13.13)."""
        lands = {place: self._lands[world.lands[place]] for place in places(world.face_up)}
        return self._bonus(world, lands, traveller, slot, ground(world).reach & ~world.occupied)

    def _bonus(self, world: World, lands: Lands, traveller: str, slot: int, empty: int) -> float:
        guest = self._travellers[traveller]
        return guest.bonus * chance(guest.condition, slot, world, lands, empty)


def _shown(lands: Lands) -> tuple[Shown, set[str]]:
    shown = Shown()
    animals: set[str] = set()
    for place, land in lands.items():
        bit = 1 << place
        if land.mountains:
            shown.mountains |= bit
        if land.waters:
            shown.waters |= bit
        if land.plants:
            shown.plants |= bit
        if land.gate:
            shown.gates |= bit
        if land.moon:
            shown.moons |= bit
        animals.update(land.animals)
    return shown, animals


def _mountains(shown: Shown, lands: Lands, empty: int, land: Ground) -> tuple[float, float, float]:
    """Return the icons of the largest group, all other Mountain icons, and the room beside that group (SW-13.3)."""
    rest, best, best_group, total = shown.mountains, 0, 0, 0
    while rest:
        group = rest & -rest
        while (grown := (group | around(group)) & rest) != group:
            group = grown
        rest &= ~group
        icons = sum(lands[place].mountains for place in places(group))
        total += icons
        if icons > best:
            best, best_group = icons, group
    return best, total - best, weigh(around(best_group) & empty, land)


def _moons(shown: Shown, lands: Lands, world: World, empty: int, land: Ground) -> tuple[float, float, float]:
    """Return what the moons are worth, how many have nothing below yet, and the room for icons they want."""
    value, undecided, room = 0.0, 0.0, 0.0
    for moon in places(shown.moons):
        below = moon + STRIDE
        column = [place for place in range(below, PLACES, STRIDE) if empty >> place & 1]
        if not world.occupied >> below & 1:
            undecided += 1
        elif below in lands and lands[below].kinds:
            value += moon_value(lands, moon)
            room += len(lands[below].kinds) * sum(land.places[place] for place in column)
    return value, undecided, room


def _city_beginnings(world: World, empty: int) -> float:
    """Return how many free Fumaroles have a neighbour that a later eruption may cover (SW-11.1)."""
    count = 0.0
    for place in places(world.fumaroles & ~world.used):
        beside = NEIGHBOURS[place] & world.occupied & ~world.fumaroles
        if beside and around(beside) & empty:
            count += 1
        elif NEIGHBOURS[place] & empty:
            count += 0.5
    return min(count, MOST_CITY_BEGINNINGS)


def _portals(shown: Shown, world: World, empty: int, land: Ground) -> tuple[float, float]:
    """Return the room for gates that would make a Portal, and for those that would flip (SW-8.3 to SW-8.5)."""
    free, linked = shown.gates & ~world.linked, shown.gates & world.linked
    beside_left, beside_right = shown.gates << 1, shown.gates >> 1
    bad = (beside_left & beside_right) | linked << 1 | linked >> 1
    good = (free << 1 | free >> 1) & ~bad
    return weigh(good & empty, land), weigh(bad & empty, land)
