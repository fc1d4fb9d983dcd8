"""SW-14: the game for one seat."""

from __future__ import annotations

import pytest

from services.strange_world.content import newest
from services.strange_world.rules import TITLE, Event, Settings, State
from services.strange_world.rules.actions import (
    ChooseDirection,
    PassOne,
    PassTwo,
    PickStack,
    PlaceLand,
    WelcomeTraveller,
)
from services.strange_world.rules.events import (
    DeckShuffled,
    DirectionChosen,
    LandPlaced,
    LandsDealt,
    PassChosen,
    PassesResolved,
    StackPicked,
    StackRevealed,
    StacksLaid,
    StartingLandsDealt,
    SunAssigned,
    SunPassed,
    TravellersDisplayed,
    TravellerWelcomed,
    TurnEnded,
    TurnStarted,
)
from services.strange_world.rules.phases import ChoosingCityPartner, CoveringCard, WelcomingTraveller
from shared.kernel import Reason
from tests.unit.strange_world.building import NoChance, fold
from tests.unit.strange_world.games import Script, game, refusal

SHARED = (SunAssigned, SunPassed, DirectionChosen, LandsDealt, PassChosen, PassesResolved)
TOPS = ("mo1", "mo4", "gf1", "mf1", "wp1", "fa1", "vf1")
"""Every third card of mo1 mo2 mo3 mo4 gm1 gw1 gf1 gp1 mm1 mf1 mw1 mp1 wp1 pf1 wf1 fa1 fb1 vm1 vf1 vp1 vw1."""


def fresh() -> State:
    """Set up a solo game with everything in its unshuffled order."""
    return fold(TITLE.setup(Settings(), 1, Script()))


def first_cell(state: State, land: str) -> PlaceLand:
    """Return the first option to place a card."""
    options = TITLE.legal_actions(state, 0)
    return next(option for option in options if isinstance(option, PlaceLand) and option.land == land)


def act(state: State, action: PickStack | PlaceLand) -> tuple[State, tuple[Event, ...]]:
    """Act and return the new state with the events."""
    events = TITLE.decide(state, 0, action, NoChance())
    return fold(events, state), events


@pytest.mark.rule("SW-14.1", "SW-14.2", "SW-14.3")
def test_the_deck_is_laid_in_seven_stacks_of_three() -> None:
    """Stack i takes positions 3i-2 to 3i of the deck, the first on top and open, the others hidden."""
    told = game(1)
    (deck,) = told.of(DeckShuffled)
    assert sorted(deck.order) == sorted(newest("classic").deck_for(1))
    assert told.start.stacks == tuple(deck.order[3 * number : 3 * number + 3] for number in range(7))
    assert told.of(StacksLaid) == [StacksLaid(tuple(deck.order[3 * number] for number in range(7)))]
    shown = TITLE.view(told.start, 0).stacks
    assert [(stack.number, stack.open, stack.hidden) for stack in shown] == [
        (number + 1, deck.order[3 * number], 2) for number in range(7)
    ]
    assert all(stack.lands == () for stack in shown)


@pytest.mark.rule("SW-14.2")
def test_unshuffled_stacks_show_every_third_card() -> None:
    """The seven open cards of the deck in table order."""
    assert tuple(stack.open for stack in TITLE.view(fresh(), 0).stacks) == TOPS


@pytest.mark.rule("SW-14.4", "SW-14.5")
def test_one_starting_land_and_three_travellers_are_drawn() -> None:
    """The other three starting Lands and five Travellers leave the game."""
    script = Script(2, *[0] * 20, 7, 0, 1)
    events = TITLE.setup(Settings(), 1, script)
    assert events[1] == StartingLandsDealt(("sf",), ("sm", "sw", "sp"))
    # Of the eight, the last is swapped to the front (rumph), then the second stays (burk), then the fourth comes third.
    (shown,) = (event for event in events if isinstance(event, TravellersDisplayed))
    assert shown.travellers == ("rumph", "burk", "floulou")
    assert TITLE.view(fold(events), 0).unused_travellers == ("splash", "kark", "pshit", "boung", "roro")


@pytest.mark.rule("SW-14.5", "INV-19")
def test_only_the_three_travellers_ever_come() -> None:
    """In random games nobody else is welcomed."""
    welcomed = 0
    for number in range(12):
        told = game(1, number)
        shown = set(told.of(TravellersDisplayed)[0].travellers)
        offered = {
            option.traveller
            for state in told.states
            for option in TITLE.legal_actions(state, 0)
            if isinstance(option, WelcomeTraveller)
        }
        guests = {event.traveller for event in told.of(TravellerWelcomed)}
        assert guests <= offered <= shown
        welcomed += len(guests)
    assert welcomed


@pytest.mark.rule("SW-14.6")
def test_supplies_are_those_of_the_shared_game() -> None:
    """City stack and Fumaroles are complete."""
    assert fresh().cities == (9, 7, 5, 4, 4)
    assert fresh().fumaroles == 11


@pytest.mark.rule("SW-14.7")
def test_there_is_no_sun_no_deal_and_no_pass() -> None:
    """No such event happens and no such question is asked."""
    told = game(1)
    assert not any(isinstance(event, SHARED) for event in told.events)
    assert not any(isinstance(step.action, (ChooseDirection, PassTwo, PassOne)) for step in told.steps)
    assert {event.holder for event in told.of(TurnStarted)} == {None}
    assert {(state.holder, state.direction) for state in told.states} == {(None, None)}


@pytest.mark.rule("SW-14.8")
def test_each_turn_begins_with_a_remaining_stack() -> None:
    """7, 6, 5, 4 and 3 stacks are offered; one that was picked, and a number that never was one, are refused."""
    told = game(1)
    picks = [step for step in told.steps if isinstance(step.action, PickStack)]
    gone: set[int] = set()
    for step in picks:
        options = TITLE.legal_actions(step.before, 0)
        assert options == tuple(PickStack(number) for number in range(1, 8) if number not in gone)
        for number in (*gone, 0, 8):
            assert refusal(step.before, 0, PickStack(number)) is Reason.NOT_AN_OPTION
        assert isinstance(step.action, PickStack)
        gone.add(step.action.stack)
    assert len(gone) == 5


@pytest.mark.rule("SW-14.9", "SW-14.10", "SW-14.11")
@pytest.mark.parametrize("second", ["mm1", "gp1"])
def test_a_turn_plays_the_open_card_then_the_two_below_in_either_order(second: str) -> None:
    """Stack 3 has gf1 on top of gp1 and mm1: gf1 is played, only then both others are revealed and played."""
    state, events = act(fresh(), PickStack(3))
    assert events == (StackPicked(3, "gf1"),)
    assert state.hands == (("gf1",),)
    assert "gp1" not in str(TITLE.view(state, 0))
    state, events = act(state, first_cell(state, "gf1"))
    assert events[-1] == StackRevealed(3, ("gp1", "mm1"))
    assert TITLE.view(state, 0).hand == ("gp1", "mm1")
    options = TITLE.legal_actions(state, 0)
    assert {option.land for option in options if isinstance(option, PlaceLand)} == {"gp1", "mm1"}
    cells = [(option.cell.x, option.cell.y) for option in options if isinstance(option, PlaceLand)]
    # gf1 lies above the starting Land; two cells further up the second row, off any gate.
    assert (0, -2) in cells
    placed = next(
        option
        for option in options
        if isinstance(option, PlaceLand) and option.land == second and (option.cell.x, option.cell.y) == (0, -2)
    )
    state, events = act(state, placed)
    assert [type(event) for event in events] == [LandPlaced]
    third = "gp1" if second == "mm1" else "mm1"
    assert state.hands == ((third,),)


@pytest.mark.rule("SW-14.9")
def test_the_open_card_is_resolved_completely_before_the_reveal() -> None:
    """While the open card's Traveller, eruption or City is to be settled, the two cards below are hidden still."""
    found = 0
    for number in range(12):
        for state in game(1, number).states:
            if len(state.played) == 1 and isinstance(
                state.phase, (WelcomingTraveller, CoveringCard, ChoosingCityPartner)
            ):
                found += 1
                assert state.hands == ((),)
                assert [stack.hidden for stack in TITLE.view(state, 0).stacks if stack.open is None] == [2]
    assert found


@pytest.mark.rule("SW-14.12")
def test_the_third_cell_is_chosen_after_the_second_play() -> None:
    """Each of the three cards is placed by an answer of its own, in the state the one before has led to."""
    told = game(1)
    placings = [step for step in told.steps if isinstance(step.action, PlaceLand)]
    assert len(placings) == 15
    assert [len(step.before.hands[0]) for step in placings] == [1, 2, 1] * 5
    assert all(sum(isinstance(event, LandPlaced) for event in step.events) == 1 for step in placings)


@pytest.mark.rule("SW-14.13")
def test_two_stacks_stay_unused() -> None:
    """After five turns the World has 16 cards, and six cards lie in two stacks, shown when the game is over."""
    told = game(1)
    last = told.states[-1]
    assert last.worlds[0].occupied.bit_count() == 16
    assert sorted(len(stack) for stack in last.stacks) == [0, 0, 0, 0, 0, 3, 3]
    shown = TITLE.view(last, 0).stacks
    assert [(stack.open, *stack.lands) for stack in shown] == [stack for stack in last.stacks if stack]


@pytest.mark.rule("SW-17.5")
def test_a_solo_turn_has_its_events_in_order() -> None:
    """TurnStarted, StackPicked, a play, StackRevealed, two plays, TurnEnded."""
    stages = (TurnStarted, StackPicked, LandPlaced, StackRevealed, TurnEnded)
    told = [type(event) for event in game(1).events if isinstance(event, stages)]
    assert told == [TurnStarted, StackPicked, LandPlaced, StackRevealed, LandPlaced, LandPlaced, TurnEnded] * 5


@pytest.mark.rule("SW-14.5", "SW-16.5")
def test_the_display_is_shown_in_the_order_of_the_table() -> None:
    """Rumph is drawn first, then Burk and Kark: the event tells it so, the view shows Burk, Kark, Rumph (table 4.5)."""
    opening = TITLE.setup(Settings(), 1, Script(*[0] * 21, 7, 0, 0))
    assert TravellersDisplayed(("rumph", "burk", "kark")) in opening
    assert TITLE.view(fold(opening), 0).display == ("burk", "kark", "rumph")
