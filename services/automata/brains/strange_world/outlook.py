"""What a World promises: the Stars its owner may expect from it at the end, estimated from what lies there now.

The estimate is a weighted sum of signs (`SIGNS`): what each scoring category is worth already, and what could still
become of it. Each sign has two weights, one that always counts and one that fades with the plays left
(`weights.py`). Rule numbers are those of docs/rules/strange-world.md.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from services.strange_world.content import Icon, Land, Pack
from services.strange_world.content.pack import (
    DifferentAnimals,
    Fumaroles,
    IconInEachRow,
    Icons,
    LivePortals,
    Traveller,
)
from services.strange_world.rules.actions import Side
from services.strange_world.rules.board import (
    NEIGHBOURS,
    PLACES,
    ROWS,
    SPAN,
    STRIDE,
    around,
    left_and_right,
    place_of,
    places,
    row_cells,
    top_and_bottom,
)
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

CARDS = 16
REACH = 3
_FULL = 4
_RATE = {Icon.MOUNTAIN: 0.45, Icon.WATER: 0.25, Icon.FOREST: 0.45, Icon.PLANT: 0.25, Icon.VOLCANO: 0.2}


class Ground(Struct, frozen=True):
    """How likely each place, and each row, belongs to the finished square, by what lies there now."""

    places: tuple[float, ...]
    rows: tuple[float, ...]
    reach: int


def _ground(world: World) -> Ground:
    top, bottom = top_and_bottom(world.occupied)
    left, right = left_and_right(world.occupied)
    return ground(top + REACH, bottom + REACH, left + REACH, right + REACH, world.side)


@lru_cache(maxsize=4096)
def ground(top: int, bottom: int, left: int, right: int, side: Side | None) -> Ground:
    """Return the chances for a box (numbers of lines, 0 to 6) whose `side` is frozen: every finished square alike."""
    rows = _chances(range(max(0, bottom - REACH), min(top, REACH) + 1))
    starts = range(max(0, right - REACH), min(left, REACH) + 1)
    if side is Side.LEFT:
        starts = range(left, left + 1)
    elif side is Side.RIGHT:
        starts = range(right - REACH, right - REACH + 1)
    columns = _chances(starts)
    chances = [0.0] * PLACES
    for row in range(SPAN):
        for column in range(SPAN):
            chances[row * STRIDE + column] = rows[row] * columns[column]
    reach = sum(1 << place for place, chance in enumerate(chances) if chance)
    return Ground(tuple(chances), rows, reach)


def _chances(starts: range) -> tuple[float, ...]:
    return tuple(sum(1 for start in starts if start <= line <= start + REACH) / len(starts) for line in range(SPAN))


class Shown(Struct):
    """The face-up Lands of a World as sets of places, and their animals."""

    mountains: int = 0
    double_mountains: int = 0
    waters: int = 0
    plants: int = 0
    gates: int = 0
    moons: int = 0


class Outlook:
    """Estimates Worlds of one pack with one set of weights."""

    def __init__(self, pack: Pack, weights: dict[str, tuple[float, float]]) -> None:
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
        land = _ground(world)
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
            sum(_weigh(NEIGHBOURS[p] & empty, land) for p in places(shown.waters)),
            _weigh(empty & ~near_water, land),
            3.0 * shown.plants.bit_count(),
            sum(land.rows[row] for row in range(SPAN) if empty & ROWS[row] and not shown.plants & ROWS[row]),
            2.0 * len(animals),
            moon,
            undecided,
            moon_room,
            shown.moons.bit_count() * (_FULL - 1 - bottom + top),
            _weigh(top_row, land),
            max((_moon_value(lands, p) for p in places(top_row)), default=0),
            sum(city.value for city in world.cities),
            next_city * _city_beginnings(world, empty, land),
            5.0 * len(world.travellers),
            sum(self._bonus(world, lands, guest.traveller, guest.slot, empty) for guest in world.travellers),
            *_portals(shown, world, empty, land),
            world.tzimimes.bit_count(),
            world.fumaroles.bit_count(),
            0.0 if world.side is None else 1.0,
            1.0 if bottom - top == REACH else 0.0,
            1.0 if right - left == REACH else 0.0,
        )

    def bonus_at(self, world: World, traveller: str, slot: int) -> float:
        """Return the bonus to expect from a Traveller at a slot of a World (SW-13.13)."""
        lands = {place: self._lands[world.lands[place]] for place in places(world.face_up)}
        return self._bonus(world, lands, traveller, slot, _ground(world).reach & ~world.occupied)

    def _bonus(self, world: World, lands: dict[int, Land], traveller: str, slot: int, empty: int) -> float:
        guest = self._travellers[traveller]
        upper, lower = row_cells(slot), row_cells(slot + 1)
        free = min((empty & (upper | lower)).bit_count(), 8)
        return guest.bonus * _chance(guest, world, lands, upper, lower, free, empty)


def _weigh(cells: int, land: Ground) -> float:
    return sum(land.places[place] for place in places(cells))


def _shown(lands: dict[int, Land]) -> tuple[Shown, set[str]]:
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


def _mountains(shown: Shown, lands: dict[int, Land], empty: int, land: Ground) -> tuple[float, float, float]:
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
    return best, total - best, _weigh(around(best_group) & empty, land)


def _moon_value(lands: dict[int, Land], moon: int) -> int:
    """SW-13.8."""
    below = lands.get(moon + STRIDE)
    if below is None:
        return 0
    column = [lands[place] for place in range(moon + STRIDE, PLACES, STRIDE) if place in lands]
    return 2 * sum(land.icons.count(icon) for icon in below.kinds for land in column)


def _moons(
    shown: Shown, lands: dict[int, Land], world: World, empty: int, land: Ground
) -> tuple[float, float, float]:
    """Return what the moons are worth, how many have nothing below yet, and the room for icons they want."""
    value, undecided, room = 0.0, 0.0, 0.0
    for moon in places(shown.moons):
        below = moon + STRIDE
        column = [place for place in range(below, PLACES, STRIDE) if empty >> place & 1]
        if not world.occupied >> below & 1:
            undecided += 1
        elif below in lands and lands[below].kinds:
            value += _moon_value(lands, moon)
            room += len(lands[below].kinds) * sum(land.places[place] for place in column)
    return value, undecided, room


def _city_beginnings(world: World, empty: int, land: Ground) -> float:
    """Return how many free Fumaroles have a neighbour that a later eruption may cover (SW-11.1)."""
    count = 0.0
    for place in places(world.fumaroles & ~world.used):
        beside = NEIGHBOURS[place] & world.occupied & ~world.fumaroles
        if beside and around(beside) & empty:
            count += 1
        elif NEIGHBOURS[place] & empty:
            count += 0.5
    return min(count, 2.0)


def _portals(shown: Shown, world: World, empty: int, land: Ground) -> tuple[float, float]:
    """Return the room for gates that would make a Portal, and for those that would flip (SW-8.3 to SW-8.5)."""
    free, linked = shown.gates & ~world.linked, shown.gates & world.linked
    beside_left, beside_right = shown.gates << 1, shown.gates >> 1
    bad = (beside_left & beside_right) | linked << 1 | linked >> 1
    good = (free << 1 | free >> 1) & ~bad
    return _weigh(good & empty, land), _weigh(bad & empty, land)


def _chance(
    guest: Traveller, world: World, lands: dict[int, Land], upper: int, lower: int, free: int, empty: int
) -> float:
    """Return how likely a Traveller's condition will hold, by what is missing and how much room there is for it."""
    rows = upper | lower
    match guest.condition:
        case Icons(least):
            icons = [icon for place, land in lands.items() if rows >> place & 1 for icon in land.icons]
            return _likely(
                sum(max(0, count - icons.count(icon)) / _RATE[icon] for icon, count in least.items()), free
            )
        case IconInEachRow(icon):
            lacking = [row for row in (upper, lower) if not any(row >> p & 1 and icon in lands[p].icons for p in lands)]
            if any(not row & empty for row in lacking):
                return 0.0
            return _likely(len(lacking) / _RATE[icon], free)
        case Fumaroles(least):
            return _likely(max(0, least - (world.fumaroles & rows).bit_count()) / 0.2, free + 2)
        case LivePortals(least):
            up = world.face_up & rows
            live = sum(1 for p in world.portals if up >> place_of(p.left) & 1 and up >> place_of(p.right) & 1)
            return _likely(max(0, least - live) / 0.2, free)
        case DifferentAnimals(least):
            kinds = {animal for place, land in lands.items() if rows >> place & 1 for animal in land.animals}
            return _likely(max(0, least - len(kinds)) / 0.35, free)


def _likely(cards_wanted: float, free: int) -> float:
    """Return a chance from the number of ordinary cards that would bring what is missing, and the cells for them."""
    if cards_wanted <= 0:
        return 1.0
    return max(0.0, min(0.8, 1.0 - 0.55 * cards_wanted / free)) if free else 0.0
