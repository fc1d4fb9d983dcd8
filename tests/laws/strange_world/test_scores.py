"""INV-33 to INV-36: what a World is worth, and what has no part in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import msgspec
import pytest

from services.strange_world.rules import TITLE, state
from services.strange_world.rules.actions import Cell, Side
from services.strange_world.rules.board import CELLS, PLACES, REACH, left_and_right, place_of, places, top_and_bottom
from services.strange_world.rules.events import FumarolePlaced, WorldsScored
from services.strange_world.rules.scoring import score
from shared.rng import KeyedDraw
from tests.laws.playing import Step, fold, play, variants
from tests.laws.strange_world.tables import Table, renamed, tables


@cache
def finished() -> tuple[tuple[Step, Table], ...]:
    """Return the last position of every random game."""
    return tuple((table.step, table) for table in tables() if TITLE.decision(table.step.after) is None)


@pytest.mark.rule("INV-33", "INV-35", "SW-13.19")
def test_scores_add_up() -> None:
    """The total is the sum of seven categories within their bounds; the final score is the view's current score."""
    for step, table in finished():
        (scored,) = [event for event in step.events if isinstance(event, WorldsScored)]
        for line, world, shown in zip(scored.scores, table.worlds, TITLE.view(step.after, None).worlds, strict=True):
            assert shown.score == line
            lines = (line.mountain, line.water, line.plant, line.forest, line.moon, line.city, line.traveller)
            assert line.total == sum(lines)
            assert min(lines) >= 0
            assert line.moon % 2 == line.forest % 2 == 0
            assert line.plant in (0, 3, 6, 9, 12)
            assert line.city == sum(city.value for city in world.cities) <= 29
            bonuses = {traveller.id: traveller.bonus for traveller in table.pack.travellers}
            extra = line.traveller - 5 * len(world.travellers)
            possible = {0}
            for traveller in world.travellers:
                possible |= {bonus + bonuses[traveller.traveller] for bonus in possible}
            assert extra in possible


def moved(world: state.World, move: Callable[[Cell], Cell], sides: tuple[Side, Side], down: int = 0) -> state.World:
    """Return a World with every cell elsewhere; `sides` are what left and right become, `down` moves the slots."""
    replace = msgspec.structs.replace
    there = {place: place_of(move(CELLS[place])) for place in places(world.occupied)}
    lands = [""] * PLACES
    for place, elsewhere in there.items():
        lands[elsewhere] = world.lands[place]
    cells = {
        name: sum(1 << there[place] for place in places(getattr(world, name)))
        for name in ("occupied", "tzimimes", "fumaroles", "used", "linked")
    }
    halves = [sorted((move(portal.left), move(portal.right))) for portal in world.portals]
    return state.World(
        lands=tuple(lands),
        portals=tuple(state.Portal(left, right) for left, right in halves),
        travellers=tuple(
            replace(guest, side=sides[guest.side is Side.RIGHT], slot=guest.slot + down) for guest in world.travellers
        ),
        cities=tuple(replace(city, cell=move(city.cell), partner=move(city.partner)) for city in world.cities),
        **cells,
    )


@pytest.mark.rule("INV-34", "SW-5.1")
def test_a_mirrored_world_scores_the_same() -> None:
    """Turning a World left to right changes no score."""
    for step, table in finished():
        for seat, world in enumerate(step.after.worlds):
            turned = moved(world, lambda cell: Cell(-cell.x, cell.y), (Side.RIGHT, Side.LEFT))
            assert moved(turned, lambda cell: Cell(-cell.x, cell.y), (Side.RIGHT, Side.LEFT)) == world
            assert score(table.pack, turned, seat) == score(table.pack, world, seat)


@pytest.mark.rule("INV-34", "SW-5.9")
def test_a_shifted_world_scores_the_same() -> None:
    """Wherever a finished World lies on the board, its score is the same."""
    for step, table in finished():
        for seat, world in enumerate(step.after.worlds):
            (left, right), (top, bottom) = left_and_right(world.occupied), top_and_bottom(world.occupied)
            for x in range(-REACH - left, REACH - right + 1):
                for y in range(-REACH - top, REACH - bottom + 1):
                    shifted = moved(world, partial(shift, x, y), (Side.LEFT, Side.RIGHT), y)
                    assert score(table.pack, shifted, seat) == score(table.pack, world, seat)


def shift(x: int, y: int, cell: Cell) -> Cell:
    """Return the cell so many columns and rows on."""
    return Cell(cell.x + x, cell.y + y)


@pytest.mark.rule("INV-36", "SW-7.14", "SW-10.7", "SW-13.2")
def test_what_lies_hidden_in_a_world_no_longer_matters() -> None:
    """Exchanging the identities of two face-down or covered Lands changes no score, no option and no later outcome.

    The rest of the game is played again: its events differ in the name of a card that is covered later, if at all.
    """
    tried = 0
    for variant, game in variants(TITLE):
        steps = list(play(TITLE, variant, game))
        for start in range(len(steps) // 3, len(steps), len(steps) // 3):
            for seat, (one, two) in hidden_pairs(steps[start].after):
                tried += 1
                play_on(steps[start + 1 :], exchanged(steps[start].after, seat, one, two), {one: two, two: one})
    assert tried > 50


def hidden_pairs(now: state.State) -> Iterator[tuple[int, tuple[str, str]]]:
    """Return, for each seat that has them, the first and the last Land of its World that lie face down or covered."""
    for seat, world in enumerate(now.worlds):
        hidden = places(world.tzimimes | world.fumaroles)
        if len(hidden) > 1:
            yield seat, (world.lands[hidden[0]], world.lands[hidden[-1]])


def exchanged(now: state.State, seat: int, one: str, two: str) -> state.State:
    """Let two Lands of a World trade places."""
    names = {one: two, two: one}
    world = msgspec.structs.replace(now.worlds[seat], lands=tuple(names.get(a, a) for a in now.worlds[seat].lands))
    return msgspec.structs.replace(now, worlds=state.replaced(now.worlds, seat, world))


def play_on(steps: list[Step], now: state.State, names: dict[str, str]) -> None:
    """Give the answers of a game in another state; its options, events and current scores must be the same."""
    for step in steps:
        assert TITLE.legal_actions(now, step.seat) == TITLE.legal_actions(step.before, step.seat)
        events = TITLE.decide(now, step.seat, step.action, KeyedDraw(b""))
        assert (
            tuple(renamed(event, names) if isinstance(event, FumarolePlaced) else event for event in events)
            == step.events
        )
        now = fold(TITLE, now, events)
        here, there = TITLE.view(now, None), TITLE.view(step.after, None)
        assert [world.score for world in here.worlds] == [world.score for world in there.worlds]
