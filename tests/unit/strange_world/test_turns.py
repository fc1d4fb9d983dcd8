"""SW-3: turns, the Sun and the order of play."""

from __future__ import annotations

import pytest

from services.strange_world.rules import TITLE, Event
from services.strange_world.rules.actions import ChooseDirection, Direction, PlaceLand
from services.strange_world.rules.events import (
    DirectionChosen,
    LandPlaced,
    LandsDealt,
    PassChosen,
    PassesResolved,
    Passing,
    SunAssigned,
    SunPassed,
    TurnEnded,
    TurnStarted,
)
from services.strange_world.rules.phases import PlacingLand
from tests.unit.strange_world.games import Game, game

TABLES = [(seats, number) for seats in (2, 3, 4) for number in range(3)]
each_table = pytest.mark.parametrize(("seats", "number"), TABLES)
STEP = {Direction.LEFT: 1, Direction.RIGHT: -1}


class Turn:
    """One turn of a game as its events tell it."""

    def __init__(self, started: TurnStarted) -> None:
        assert started.holder is not None
        self.holder = started.holder
        self.events: list[Event] = []

    @property
    def direction(self) -> Direction:
        """The direction chosen, left where nobody chooses."""
        chosen = [event.direction for event in self.events if isinstance(event, DirectionChosen)]
        return chosen[0] if chosen else Direction.LEFT

    @property
    def step(self) -> int:
        """How many seats on the next seat is."""
        return STEP[self.direction]

    @property
    def players(self) -> list[int]:
        """Who played, in order."""
        return [event.seat for event in self.events if isinstance(event, LandPlaced)]


def turns(told: Game) -> list[Turn]:
    """Cut a game into its turns, each with the events after its start."""
    found: list[Turn] = []
    for event in told.events:
        if isinstance(event, TurnStarted):
            found.append(Turn(event))
        elif found:
            found[-1].events.append(event)
    return found


@pytest.mark.rule("SW-3.1")
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_a_game_has_five_turns(seats: int) -> None:
    """Turns 1 to 5 start and end, and no other."""
    assert [event.turn for event in game(seats).of(TurnStarted)] == [1, 2, 3, 4, 5]
    assert [event.turn for event in game(seats).of(TurnEnded)] == [1, 2, 3, 4, 5]


@pytest.mark.rule("SW-3.2")
@each_table
def test_a_turn_goes_through_its_stages(seats: int, number: int) -> None:
    """Direction (three or four seats), deal, first pass of two, second pass of one, three laps, end."""
    for turn in turns(game(seats, number)):
        told = [
            (type(event), event.passing if isinstance(event, (PassChosen, PassesResolved)) else None)
            for event in turn.events
            if isinstance(event, (DirectionChosen, LandsDealt, PassChosen, PassesResolved, LandPlaced, TurnEnded))
        ]
        direction = [(DirectionChosen, None)] if seats > 2 else []
        assert told == [
            *direction,
            (LandsDealt, None),
            *[(PassChosen, Passing.TWO)] * seats,
            (PassesResolved, Passing.TWO),
            *[(PassChosen, Passing.ONE)] * seats,
            (PassesResolved, Passing.ONE),
            *[(LandPlaced, None)] * (3 * seats),
            (TurnEnded, None),
        ]
        dealt = next(event for event in turn.events if isinstance(event, LandsDealt))
        assert [hand.count for hand in dealt.hands] == [3] * seats
        counts = {event.passing: event.count for event in turn.events if isinstance(event, PassChosen)}
        assert counts == {Passing.TWO: 2, Passing.ONE: 1}


@pytest.mark.rule("SW-3.3")
@each_table
def test_the_sun_goes_to_the_left_after_every_turn(seats: int, number: int) -> None:
    """The holder of turn t is (h + t - 1) mod n, whatever the directions were."""
    told = game(seats, number)
    first = told.of(SunAssigned)[0].seat
    assert [turn.holder for turn in turns(told)] == [(first + turn - 1) % seats for turn in (1, 2, 3, 4, 5)]
    assert [(event.giver, event.receiver) for event in told.of(SunPassed)] == [
        ((first + turn - 1) % seats, (first + turn) % seats) for turn in (1, 2, 3, 4)
    ]


@pytest.mark.rule("SW-3.3")
def test_the_games_looked_at_have_both_directions() -> None:
    """The rule above is tested after turns to the left and after turns to the right."""
    chosen = {turn.direction for seats, number in TABLES for turn in turns(game(seats, number))[:4]}
    assert chosen == {Direction.LEFT, Direction.RIGHT}


@pytest.mark.rule("SW-3.4")
@pytest.mark.parametrize("seats", [3, 4])
def test_the_holder_chooses_the_direction_of_every_turn(seats: int) -> None:
    """In each of the five turns exactly the holder is asked, and may choose left or right."""
    asked = 0
    for state in game(seats).states:
        decision = TITLE.decision(state)
        if decision is not None and decision.kind == "choose_direction":
            asked += 1
            assert state.turn == asked
            assert decision.seats == (state.holder,)
            assert state.holder is not None
            options = TITLE.legal_actions(state, state.holder)
            assert options == (ChooseDirection(Direction.LEFT), ChooseDirection(Direction.RIGHT))
    assert asked == 5


@pytest.mark.rule("SW-3.5")
@pytest.mark.parametrize("seats", [3, 4])
def test_the_direction_is_chosen_before_the_deal(seats: int) -> None:
    """At the choice nobody has a card in hand."""
    choices = [step for step in game(seats).steps if isinstance(step.action, ChooseDirection)]
    assert len(choices) == 5
    for step in choices:
        assert step.before.hands == ((),) * seats
        assert TITLE.view(step.before, None).direction is None
        assert [type(event) for event in step.events] == [DirectionChosen, LandsDealt]


@pytest.mark.rule("SW-3.6")
def test_two_seats_choose_no_direction() -> None:
    """Nobody is asked; the recorded direction is left in every turn."""
    told = game(2)
    assert not told.of(DirectionChosen)
    assert {state.direction for state in told.states} == {Direction.LEFT}
    assert not any(isinstance(step.action, ChooseDirection) for step in told.steps)


@pytest.mark.rule("SW-3.7")
@each_table
def test_the_direction_rules_passes_and_play(seats: int, number: int) -> None:
    """Left is one seat up, right is one seat down, for both passes and for who plays next."""
    for turn in turns(game(seats, number)):
        for event in turn.events:
            if isinstance(event, PassesResolved):
                given = {transfer.giver: transfer.receiver for transfer in event.transfers}
                assert given == {seat: (seat + turn.step) % seats for seat in range(seats)}
        assert turn.players[1] == (turn.players[0] + turn.step) % seats


@pytest.mark.rule("SW-3.8", "INV-29")
@each_table
def test_every_lap_has_one_play_of_each_seat(seats: int, number: int) -> None:
    """Three laps, each from the holder on by step."""
    for turn in turns(game(seats, number)):
        lap = [(turn.holder + turn.step * place) % seats for place in range(seats)]
        assert turn.players == lap * 3


@pytest.mark.rule("SW-3.9", "SW-3.10")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_seat_must_play_and_may_play_any_card(seats: int) -> None:
    """When a seat is to play, its options are placements only, with every card of its hand among them."""
    for state in game(seats).states:
        if isinstance(state.phase, PlacingLand):
            seat = state.phase.seat
            options = TITLE.legal_actions(state, seat)
            assert all(isinstance(option, PlaceLand) for option in options)
            assert {option.land for option in options if isinstance(option, PlaceLand)} == set(state.hands[seat])


@pytest.mark.rule("SW-3.9", "SW-3.11")
@each_table
def test_a_turn_ends_with_empty_hands(seats: int, number: int) -> None:
    """TurnEnded comes with the last of 3n plays; all hands are then empty and no card was kept."""
    for step in game(seats, number).steps:
        plays = len(step.before.played) + sum(isinstance(event, LandPlaced) for event in step.events)
        ended = any(isinstance(event, TurnEnded) for event in step.events)
        if ended:
            assert plays == 3 * seats
            dealt = any(isinstance(event, LandsDealt) for event in step.events)
            assert all(len(hand) == (3 if dealt else 0) for hand in step.after.hands)
            placed = [event.land for event in step.events if isinstance(event, LandPlaced)]
            assert [land for hand in step.before.hands for land in hand if land not in placed] == []


@pytest.mark.rule("SW-3.12")
@each_table
def test_after_the_last_turn_the_sun_stays(seats: int, number: int) -> None:
    """The Sun is passed four times; after turn 5 nobody chooses a direction."""
    told = game(seats, number)
    assert len(told.of(SunPassed)) == 4
    last = max(place for place, event in enumerate(told.events) if isinstance(event, TurnEnded))
    assert not any(isinstance(event, (SunPassed, DirectionChosen, TurnStarted)) for event in told.events[last:])
    assert TITLE.decision(told.states[-1]) is None
