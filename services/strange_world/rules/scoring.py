"""What a World is worth, finished or not (SW-13), and how a game ended (SW-12)."""

from __future__ import annotations

from services.strange_world.content import Land, Pack
from services.strange_world.rules import solo
from services.strange_world.rules.board import NEIGHBOURS, PLACES, STRIDE, around, places
from services.strange_world.rules.events import Score
from services.strange_world.rules.phases import GameOver
from services.strange_world.rules.state import State, World
from services.strange_world.rules.travellers import is_met
from shared.kernel import Line, Result, Standing

CATEGORIES = ("mountain", "water", "plant", "forest", "moon", "city", "traveller")
TRAVELLER_VALUE = 5

Shown = dict[int, Land]


def score(pack: Pack, world: World, seat: int) -> Score:
    """Score a World in its present shape (SW-13.1, SW-13.2, SW-13.19); `seat` is only its label."""
    shown = {place: pack.lands[world.lands[place]] for place in places(world.face_up)}
    lines = (
        _mountain(shown),
        _water(shown, world.face_up | world.fumaroles),
        3 * sum(land.plants for land in shown.values()),
        2 * len({animal for land in shown.values() for animal in land.animals}),
        sum(moon_value(shown, place) for place, land in shown.items() if land.moon),
        sum(city.value for city in world.cities),
        sum(TRAVELLER_VALUE + bonus for bonus in bonuses(pack, world)),
    )
    return Score(seat, *lines, sum(lines))


def bonuses(pack: Pack, world: World) -> tuple[int, ...]:
    """Return what each Traveller of a World earns beside its five Stars, in order of arrival (SW-13.13)."""
    known = {traveller.id: traveller for traveller in pack.travellers}
    return tuple(
        known[placed.traveller].bonus if is_met(pack, world, known[placed.traveller].condition, placed.slot) else 0
        for placed in world.travellers
    )


def moon_value(shown: Shown, moon: int) -> int:
    """Return the Stars of the face-up moon at a place; `shown` has the face-up Lands by place (SW-13.8 to SW-13.11)."""
    below = shown.get(moon + STRIDE)
    if below is None:
        return 0
    column = [shown[place] for place in range(moon + STRIDE, PLACES, STRIDE) if place in shown]
    return 2 * sum(land.icons.count(icon) for icon in below.kinds for land in column)


def result(state: State) -> Result | None:
    """Rank the seats once the game is over; solo has its level as outcome (SW-12.5, SW-14.14)."""
    if not isinstance(state.phase, GameOver) or not state.phase.ranks:
        return None
    standings = tuple(
        Standing(line.seat, rank, line.total, tuple(Line(name, getattr(line, name)) for name in CATEGORIES))
        for line, rank in zip(state.phase.scores, state.phase.ranks, strict=True)
    )
    level = state.phase.level
    return Result(standings, "" if level is None else solo.level_code(level))


def _mountain(shown: Shown) -> int:
    """SW-13.3."""
    left = sum(1 << place for place, land in shown.items() if land.mountains)
    best = 0
    while left:
        group = left & -left
        while (grown := (group | around(group)) & left) != group:
            group = grown
        left &= ~group
        best = max(best, sum(shown[place].mountains for place in places(group)))
    return best


def _water(shown: Shown, cards: int) -> int:
    """SW-13.4: `cards` are the cells that count beside a Water."""
    return sum(land.waters * (NEIGHBOURS[place] & cards).bit_count() for place, land in shown.items() if land.waters)
