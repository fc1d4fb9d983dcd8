"""The brains of Strange World: how they play, what they look at, and that they know the rules."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from services.automata.brains import brains_of
from services.automata.brains.strange_world.ground import ground
from services.automata.brains.strange_world.guests import chance as guest_chance
from services.automata.brains.strange_world.plays import Scene, placed
from services.cli.simulation import Plan, simulate
from services.strange_world.content import Icon, newest
from services.strange_world.content.pack import Fumaroles, IconInEachRow, Icons
from services.strange_world.rules import TITLE, State
from services.strange_world.rules.actions import Cell, PlaceLand, Side, WelcomeTraveller
from services.strange_world.rules.board import BOARD, place_of
from services.strange_world.rules.phases import ChoosingCityPartner, CoveringCard, WelcomingTraveller
from services.strange_world.rules.state import PlacedTraveller, World
from services.strange_world.rules.worlds import with_fumarole, with_land, with_traveller
from tests.unit.automata.positions import chance, evolved, positions

GREEDY = brains_of("strange_world")["greedy"]
PACK = newest("classic")


def test_greedy_plays_solo_well() -> None:
    """Over twenty solo games greedy gets 55 Stars and more on average."""
    assert simulate(Plan("strange_world", 1, ("greedy",), "test"), 20).score.mean >= 55


@pytest.mark.parametrize("players", [2, 3, 4])
def test_greedy_beats_random(players: int) -> None:
    """Against random opponents greedy wins at least nineteen of twenty games, from whatever seat."""
    brains = ("greedy", *["random"] * (players - 1))
    report = simulate(Plan("strange_world", players, brains, "test"), 20)
    assert report.wins["greedy"] >= 19


@pytest.mark.parametrize("options", [{}, {"pack": "skyward", "strict_volcano": "true"}])
@pytest.mark.parametrize("seats", [1, 2, 4])
def test_greedy_answers_every_decision(seats: int, options: dict[str, str]) -> None:
    """In every position of a game greedy gives a legal answer, whatever the pack and the options."""
    for state, seat in positions(seats, "legal", options):
        legal = TITLE.legal_actions(state, seat)
        assert GREEDY.choose(TITLE, TITLE.view(state, seat), legal, chance("x")) in legal


def test_greedy_does_not_guess() -> None:
    """What greedy does follows from what its seat sees: another guess at the hidden cards changes nothing."""
    for state, seat in positions(3, "hidden"):
        view, legal = TITLE.view(state, seat), TITLE.legal_actions(state, seat)
        assert len({repr(GREEDY.choose(TITLE, view, legal, chance(guess))) for guess in "abc"}) == 1


def _settled(state: State, seat: int) -> Iterator[World]:
    """Yield every World of a seat that its play can end with, whatever it answers on the way."""
    if not isinstance(state.phase, WelcomingTraveller | CoveringCard | ChoosingCityPartner):
        yield state.worlds[seat]
        return
    for action in TITLE.legal_actions(state, seat):
        yield from _settled(evolved(state, TITLE.decide(state, seat, action, chance("x"))), seat)


@pytest.mark.parametrize("seats", [1, 3])
def test_plays_in_mind_follow_the_rules(seats: int) -> None:
    """What greedy imagines of a play is what the rules make of it, but for Travellers that it does not consider."""
    for state, seat in positions(seats, "mind"):
        scene = Scene(state.worlds[seat], state.cities, state.display)
        for action in TITLE.legal_actions(state, seat):
            if isinstance(action, PlaceLand):
                after = evolved(state, TITLE.decide(state, seat, action, chance("x")))
                real = set(_settled(after, seat))
                imagined = placed(PACK, scene, action.land, place_of(action.cell), lambda *_: 1.0)
                worlds = {outcome.world for outcome in imagined}
                assert worlds <= real
                if not isinstance(after.phase, WelcomingTraveller):
                    assert worlds == real


def test_a_better_traveller_is_preferred() -> None:
    """Of the Travellers that may come to a slot the one that promises most is considered."""
    world = with_land(World(), "gw1", Cell(0, 0))
    scene = Scene(world, (9,), ("splash", "kark", "boung"))
    outcomes = placed(PACK, scene, "gm1", place_of(Cell(1, 0)), lambda _, name, __: float(name == "kark"))
    guests = [outcome.world.travellers for outcome in outcomes]
    assert guests == [
        (),
        *((PlacedTraveller("kark", side, slot, 1),) for slot in (-1, 0) for side in (Side.LEFT, Side.RIGHT)),
    ]
    assert all(outcome.display == ("splash", "boung") for outcome in outcomes[1:])


def test_the_ground_of_a_lone_card() -> None:
    """A lone card may lie in any of four rows and columns: its neighbour belongs to three of four squares."""
    land = ground(with_land(World(), "sm", Cell(0, 0)))
    assert land.reach == BOARD
    assert land.places[place_of(Cell(0, 0))] == 1
    assert land.places[place_of(Cell(1, 0))] == 0.75
    assert land.places[place_of(Cell(-3, 3))] == 0.25 * 0.25
    assert land.rows == (0.25, 0.5, 0.75, 1, 0.75, 0.5, 0.25)


def test_the_ground_beside_a_frozen_side() -> None:
    """A Traveller on the left fixes all four columns."""
    lone = with_land(World(), "sm", Cell(0, 0))
    land = ground(with_traveller(lone, PlacedTraveller("burk", Side.LEFT, 0, 1)))
    assert [land.places[place_of(Cell(x, 0))] for x in range(-3, 4)] == [0, 0, 0, 1, 1, 1, 1]


def test_what_a_traveller_promises() -> None:
    """A condition that is met is sure, one that lacks something and has no room is lost, one with room lies between."""
    world = with_land(with_land(World(), "wp1", Cell(0, 0)), "mw1", Cell(0, 1))
    lands = {place_of(Cell(0, 0)): PACK.lands["wp1"], place_of(Cell(0, 1)): PACK.lands["mw1"]}
    room = BOARD & ~world.occupied
    assert guest_chance(Icons({Icon.WATER: 2}), 0, world, lands, 0) == 1
    assert guest_chance(Icons({Icon.WATER: 3}), 0, world, lands, 0) == 0
    assert 0 < guest_chance(Icons({Icon.WATER: 3}), 0, world, lands, room) < 1
    assert guest_chance(IconInEachRow(Icon.PLANT), 0, world, lands, 0) == 0
    covered = with_fumarole(world, Cell(0, 1))
    assert guest_chance(Fumaroles(1), 0, covered, lands, 0) == 1


def test_greedy_is_hospitable() -> None:
    """Five Stars are five Stars: in positions of random games greedy lets no Traveller go by."""
    asked = [
        (state, seat)
        for game in range(6)
        for state, seat in positions(2, f"welcome{game}")
        if isinstance(state.phase, WelcomingTraveller)
    ]
    assert asked, "random games come to Portals"
    for state, seat in asked:
        legal = TITLE.legal_actions(state, seat)
        assert isinstance(GREEDY.choose(TITLE, TITLE.view(state, seat), legal, chance("x")), WelcomeTraveller)
