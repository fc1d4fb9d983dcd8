"""SW-2: how a game begins."""

from __future__ import annotations

import pytest

from services.strange_world.content import newest
from services.strange_world.rules import TITLE, Event, Settings
from services.strange_world.rules.actions import Cell
from services.strange_world.rules.board import place_of
from services.strange_world.rules.events import (
    DeckShuffled,
    GameBegun,
    LandsDealt,
    StacksLaid,
    StartingLandsDealt,
    SunAssigned,
    TravellersDisplayed,
    TurnStarted,
)
from shared.kernel import Drawn, Reason, Refusal
from shared.rng import KeyedDraw
from tests.unit.strange_world.building import fold
from tests.unit.strange_world.games import Script, game

TRAVELLERS = ("splash", "burk", "kark", "floulou", "pshit", "boung", "roro", "rumph")


def begin(seats: int, script: Script | None = None) -> tuple[Event, ...]:
    """Set a game up with scripted draws; unscripted ones leave every card where it lies."""
    return TITLE.setup(Settings(), seats, script or Script())


@pytest.mark.rule("SW-2.1")
@pytest.mark.parametrize("seats", [0, 5, -1])
def test_other_numbers_of_seats_are_refused(seats: int) -> None:
    """A game has 1 to 4 seats."""
    with pytest.raises(Refusal) as refused:
        begin(seats)
    assert refused.value.reason is Reason.BAD_SEATS


@pytest.mark.rule("SW-2.1")
def test_one_to_four_seats_may_play() -> None:
    """One seat plays with stacks and no Sun, more have a Sun and no stacks."""
    assert TITLE.seats == (1, 2, 3, 4)
    for seats in TITLE.seats:
        kinds = {type(event) for event in begin(seats)}
        assert (StacksLaid in kinds) == (seats == 1)
        assert (SunAssigned in kinds) == (seats > 1)


@pytest.mark.rule("SW-2.2", "SW-2.3")
def test_every_seat_gets_a_starting_land_and_the_rest_leave() -> None:
    """Draws 2 and 1 swap sf to the front of sm sw sf sp and then sm to the second place; sw and sp are out."""
    events = begin(2, Script(2, 1))
    assert events[1] == StartingLandsDealt(("sf", "sm"), ("sw", "sp"))
    state = fold(events)
    for seat, land in enumerate(("sf", "sm")):
        world = state.worlds[seat]
        assert world.lands[place_of(Cell(0, 0))] == land
        assert world.occupied == world.face_up == 1 << place_of(Cell(0, 0))
    assert state.unused == ("sw", "sp")


@pytest.mark.rule("SW-2.4")
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_the_whole_deck_is_shuffled_once(seats: int) -> None:
    """Every card of the deck is in the order, once, and every order can come: the draws have bounds n, n-1 … 2."""
    script = Script()
    events = begin(seats, script)
    shuffles = [event for event in events if isinstance(event, DeckShuffled)]
    deck = newest("classic").deck_for(seats)
    assert [(event.count, sorted(event.order)) for event in shuffles] == [(len(deck), sorted(deck))]
    assert [bound for label, bound in script.asked if label == "land_deck"] == list(range(len(deck), 1, -1))
    later = [event for step in game(seats).steps for event in step.events]
    assert not any(isinstance(event, DeckShuffled) for event in later)


@pytest.mark.rule("SW-2.5", "SW-2.6")
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_the_supplies_are_shared(seats: int) -> None:
    """The City stack is 9, 7, 5, 4, 4 and there are 11 Fumaroles, for all seats together."""
    state = fold(begin(seats))
    assert state.cities == (9, 7, 5, 4, 4)
    assert state.fumaroles == 11


@pytest.mark.rule("SW-2.7")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_travellers_are_displayed(seats: int) -> None:
    """With two or more seats all eight lie open, and nothing is drawn for them."""
    script = Script()
    assert TravellersDisplayed(TRAVELLERS) in begin(seats, script)
    assert "travellers" not in {label for label, _ in script.asked}


@pytest.mark.rule("SW-2.8")
@pytest.mark.parametrize(("seats", "holder"), [(seats, holder) for seats in (2, 3, 4) for holder in range(seats)])
def test_every_seat_can_be_the_first_holder(seats: int, holder: int) -> None:
    """The holder is one draw below the number of seats: each of its results is one seat."""
    script = Script(*[0] * (seats - (seats == 4)), *[0] * (len(newest("classic").deck_for(seats)) - 1), holder)
    events = begin(seats, script)
    assert SunAssigned(holder) in events
    assert TurnStarted(1, holder) in events
    assert [bound for label, bound in script.asked if label == "first_holder"] == [seats]


@pytest.mark.rule("SW-2.9")
def test_draws_come_in_the_fixed_order() -> None:
    """Starting Lands, Land deck, then the first holder; in solo three Travellers instead."""
    for seats, last in ((1, "travellers"), (2, "first_holder"), (3, "first_holder"), (4, "first_holder")):
        script = Script()
        begin(seats, script)
        labels = list(dict.fromkeys(label for label, _ in script.asked))
        assert labels == ["starting_lands", "land_deck", last]
        assert [label for label, _ in script.asked] == sorted((label for label, _ in script.asked), key=labels.index)


@pytest.mark.rule("SW-2.9")
def test_solo_draws_bounds_of_its_cards() -> None:
    """One of 4 starting Lands, an order of 21 Lands, and three of 8 Travellers one after the other."""
    script = Script()
    begin(1, script)
    assert script.asked == [
        ("starting_lands", 4),
        *(("land_deck", bound) for bound in range(21, 1, -1)),
        ("travellers", 8),
        ("travellers", 7),
        ("travellers", 6),
    ]


@pytest.mark.rule("SW-2.10")
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_setup_is_complete_before_the_first_turn(seats: int) -> None:
    """The first turn starts after all set-up events; three or four seats wait for its direction before any deal."""
    kinds = [type(event) for event in begin(seats)]
    first_turn = kinds.index(TurnStarted)
    middle = [TravellersDisplayed, StacksLaid] if seats == 1 else [SunAssigned, TravellersDisplayed]
    assert kinds[:first_turn] == [GameBegun, StartingLandsDealt, DeckShuffled, *middle]
    assert kinds[first_turn:] == ([TurnStarted, LandsDealt] if seats == 2 else [TurnStarted])


@pytest.mark.rule("SW-2.9", "SW-17.2")
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_every_draw_can_be_read_from_its_event(seats: int) -> None:
    """The draws that the events of a set-up claim are those that were made: label, bound and result, in order."""
    draw = KeyedDraw(b"set-up")
    events = TITLE.setup(Settings(), seats, draw)
    claimed = list(TITLE.draws(None, events[0]))
    for number in range(1, len(events)):
        claimed += TITLE.draws(fold(events[:number]), events[number])
    assert claimed == [Drawn(record.label, record.bound, record.result) for record in draw.records]
