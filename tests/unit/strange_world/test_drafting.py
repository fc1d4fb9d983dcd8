"""SW-4: dealing cards and passing them on."""

from __future__ import annotations

from itertools import combinations, permutations

import msgspec
import pytest

from services.strange_world.content import newest
from services.strange_world.rules import TITLE, Action, Settings, State
from services.strange_world.rules.actions import ChooseDirection, Direction, PassOne, PassTwo
from services.strange_world.rules.events import DeckShuffled, LandsDealt, PassChosen, PassesResolved, Passing
from shared.kernel import Reason
from tests.unit.strange_world.building import NoChance, fold
from tests.unit.strange_world.games import Game, Script, game, refusal

TABLES = [(seats, number) for seats in (2, 3, 4) for number in range(2)]
each_table = pytest.mark.parametrize(("seats", "number"), TABLES)


def answer(state: State, *answers: tuple[int, Action]) -> State:
    """Let seats act one after the other."""
    for seat, action in answers:
        state = fold(TITLE.decide(state, seat, action, NoChance()), state)
    return state


def dealt(seats: int, direction: Direction = Direction.LEFT) -> State:
    """Set up an unshuffled game with seat 0 as holder, and deal its first turn.

    The deck begins mo1 mo2 mo3 mo4 mo5 mo6 (n = 2) or, with n = 3, mo1 … mo8 gm1.
    """
    state = fold(TITLE.setup(Settings(), seats, Script()))
    return answer(state, (0, ChooseDirection(direction))) if seats > 2 else state


def resolutions(told: Game) -> list[tuple[State, PassesResolved]]:
    """Return every resolved pass with the state before its last answer."""
    return [(step.before, event) for step in told.steps for event in step.events if isinstance(event, PassesResolved)]


@pytest.mark.rule("SW-4.1", "SW-4.2")
@each_table
def test_the_deal_serves_the_holder_first_then_to_the_left(seats: int, number: int) -> None:
    """Each turn takes the next 3n cards of the deck: the first three for the holder, and so on to the left."""
    told = game(seats, number)
    deck = list(told.of(DeckShuffled)[0].order)
    first_holder = next(state.holder for state in told.states)
    assert first_holder is not None
    assert len(told.of(LandsDealt)) == 5
    for turn, event in enumerate(told.of(LandsDealt)):
        hands = {hand.seat: set(hand.lands) for hand in event.hands}
        for place in range(seats):
            seat = (first_holder + turn + place) % seats
            assert hands[seat] == {deck.pop(0) for _ in range(3)}
        assert event.deck == len(deck)


@pytest.mark.rule("SW-4.2")
@pytest.mark.parametrize("direction", [Direction.LEFT, Direction.RIGHT])
def test_the_deal_goes_left_whatever_the_direction(direction: Direction) -> None:
    """Holder 0 of three gets the top three cards, seat 1 the next three, also when the direction is right."""
    assert dealt(3, direction).hands == (("mo1", "mo2", "mo3"), ("mo4", "mo5", "mo6"), ("gm1", "mo7", "mo8"))


@pytest.mark.rule("SW-4.3", "SW-4.4")
def test_a_seat_gives_two_then_one_of_three() -> None:
    """First every pair of the hand is offered, then every card; fewer, more or foreign cards are refused."""
    state = dealt(2)
    pairs = [("mo1", "mo2"), ("mo1", "mo3"), ("mo2", "mo3")]
    assert TITLE.legal_actions(state, 0) == tuple(PassTwo(pair) for pair in pairs)
    for lands in ((), ("mo1",), ("mo1", "mo2", "mo3"), ("mo1", "mo4"), ("mo1", "mo1")):
        assert refusal(state, 0, PassTwo(lands)) is Reason.NOT_AN_OPTION
    assert refusal(state, 0, PassOne("mo1")) is Reason.WRONG_KIND
    state = answer(state, (0, PassTwo(("mo1", "mo2"))), (1, PassTwo(("mo4", "mo5"))))
    assert TITLE.legal_actions(state, 0) == (PassOne("mo3"), PassOne("mo4"), PassOne("mo5"))
    assert refusal(state, 0, PassOne("mo1")) is Reason.NOT_AN_OPTION
    assert refusal(state, 0, PassTwo(("mo3", "mo4"))) is Reason.WRONG_KIND


@pytest.mark.rule("SW-4.5")
@pytest.mark.parametrize("given", ["mo3", "mo4", "mo5"])
def test_the_second_pass_may_give_a_kept_or_a_received_card(given: str) -> None:
    """Seat 0 kept mo3 and received mo4 and mo5: each of them may go, and arrives."""
    state = answer(dealt(2), (0, PassTwo(("mo1", "mo2"))), (1, PassTwo(("mo4", "mo5"))))
    state = answer(state, (0, PassOne(given)), (1, PassOne("mo6")))
    assert given in state.hands[1]
    assert set(state.hands[0]) == {"mo3", "mo4", "mo5", "mo6"} - {given}


@pytest.mark.rule("SW-4.6")
@pytest.mark.parametrize(("direction", "receivers"), [(Direction.LEFT, (1, 2, 0)), (Direction.RIGHT, (2, 0, 1))])
def test_both_passes_go_in_the_direction(direction: Direction, receivers: tuple[int, int, int]) -> None:
    """With three seats, left goes 0 to 1 to 2 to 0 and right goes 0 to 2 to 1 to 0."""
    state = dealt(3, direction)
    first = (("mo1", "mo2"), ("mo4", "mo5"), ("mo7", "mo8"))
    state = answer(state, *((seat, PassTwo(lands)) for seat, lands in enumerate(first)))
    assert [transfer.receiver for transfer in state.transfers] == list(receivers)
    for seat, lands in enumerate(first):
        assert set(lands) <= set(state.hands[receivers[seat]])
    given = ("mo3", "mo6", "gm1")
    state = answer(state, *((seat, PassOne(land)) for seat, land in enumerate(given)))
    assert [transfer.receiver for transfer in state.transfers[3:]] == list(receivers)
    assert all(given[seat] in state.hands[receivers[seat]] for seat in range(3))


@pytest.mark.rule("SW-4.7", "SW-4.8")
def test_nothing_moves_before_all_have_chosen() -> None:
    """After one of two answers all hands are as dealt; a second answer of the same seat is refused; then all move."""
    before = dealt(2)
    state = answer(before, (1, PassTwo(("mo4", "mo6"))))
    assert state.hands == before.hands
    assert state.transfers == ()
    assert TITLE.legal_actions(state, 1) == ()
    assert refusal(state, 1, PassTwo(("mo4", "mo5"))) is Reason.NOT_YOUR_DECISION
    events = TITLE.decide(state, 0, PassTwo(("mo2", "mo3")), NoChance())
    assert [type(event) for event in events] == [PassChosen, PassesResolved]
    assert fold(events, state).hands == (("mo1", "mo4", "mo6"), ("mo2", "mo3", "mo5"))


@pytest.mark.rule("SW-4.8")
def test_a_sealed_choice_is_final() -> None:
    """The platform is told that the seat's own choice is binding: it is never undone."""
    state = dealt(2)
    (event,) = TITLE.decide(state, 0, PassTwo(("mo1", "mo2")), NoChance())
    assert TITLE.disclosed(state, event) == (0,)


@pytest.mark.rule("SW-4.9", "INV-38")
def test_the_order_of_answers_has_no_effect() -> None:
    """All six orders in which three seats answer lead to one state, and partial answers to one view for everybody."""
    state = dealt(3)
    answers: list[tuple[int, Action]] = [
        (0, PassTwo(("mo2", "mo3"))),
        (1, PassTwo(("mo4", "mo6"))),
        (2, PassTwo(("mo7", "gm1"))),
    ]
    ends = {msgspec.json.encode(answer(state, *order)) for order in permutations(answers)}
    assert len(ends) == 1
    for pair in combinations(answers, 2):
        one, two = answer(state, *pair), answer(state, *reversed(pair))
        assert one == two
        assert all(TITLE.view(one, reader) == TITLE.view(two, reader) for reader in (0, 1, 2, None))


@pytest.mark.rule("SW-4.10", "INV-28")
@each_table
def test_after_each_pass_every_hand_has_three_cards(seats: int, number: int) -> None:
    """Five turns have ten passes; before and after each, all hands have three cards."""
    passes = 0
    for step in game(seats, number).steps:
        if isinstance(step.action, (PassOne, PassTwo)):
            passes += any(isinstance(event, PassesResolved) for event in step.events)
            assert [len(hand) for hand in step.after.hands] == [3] * seats
    assert passes == 10


@pytest.mark.rule("SW-4.11")
def test_a_hand_has_no_order() -> None:
    """Dealt from the top as gm1 mo1 mm1 or as mm1 gm1 mo1, a hand is the same state and is shown in pack order."""
    pack = newest("classic").ref
    opening = TITLE.setup(Settings(), 2, Script())
    hands = []
    for order in permutations(("gm1", "mo1", "mm1")):
        rest = tuple(land for land in newest("classic").deck_for(2) if land not in order)
        deck = DeckShuffled(38, (*order, *rest))
        events = [deck if isinstance(event, DeckShuffled) else event for event in opening]
        event = next(event for event in events if isinstance(event, LandsDealt))
        lands = msgspec.structs.replace(event.hands[0], lands=order)
        changed = msgspec.structs.replace(event, hands=(lands, event.hands[1]))
        state = fold([changed if isinstance(event, LandsDealt) else event for event in events])
        assert TITLE.view(state, 0).hand == ("mo1", "gm1", "mm1")
        hands.append(state.hands[0])
        assert state.pack == pack
    assert len(set(hands)) == 1


@pytest.mark.rule("SW-4.12")
@pytest.mark.parametrize(("seats", "left"), [(2, 8), (3, 0), (4, 0)])
def test_undealt_cards_stay_hidden_to_the_end(seats: int, left: int) -> None:
    """The classic deck leaves 8 cards with two seats and none with three or four; only the finished game shows them."""
    told = game(seats)
    assert told.of(LandsDealt)[-1].deck == left
    last = told.states[-1]
    for state in told.states[:-1]:
        assert TITLE.view(state, 0).undealt == ()
    assert len(TITLE.view(last, None).undealt) == left
    assert TITLE.view(last, None).undealt == told.of(DeckShuffled)[0].order[15 * seats :]


@pytest.mark.rule("SW-4.3", "SW-4.4", "SW-4.7")
@each_table
def test_a_resolved_pass_moves_what_was_chosen(seats: int, number: int) -> None:
    """Every pass of a game moves each seat's chosen cards, two or one, and each receiver has them afterwards."""
    told = game(seats, number)
    found = resolutions(told)
    assert [event.passing for _, event in found] == [Passing.TWO, Passing.ONE] * 5
    for before, event in found:
        for transfer in event.transfers:
            assert transfer.count == len(transfer.lands) == (2 if event.passing is Passing.TWO else 1)
            assert set(transfer.lands) <= set(before.hands[transfer.giver])
