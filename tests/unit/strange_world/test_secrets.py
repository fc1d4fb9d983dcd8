"""SW-15: hidden and public information."""

from __future__ import annotations

import re

import msgspec
import pytest

from services.strange_world.content import newest
from services.strange_world.rules import TITLE, Action, State, View
from services.strange_world.rules.actions import PassOne, PassTwo, PlaceLand
from services.strange_world.rules.events import (
    DeckShuffled,
    LandsDealt,
    PassChosen,
    PassesResolved,
    Passing,
    StacksLaid,
    Transfer,
)
from services.strange_world.rules.knowledge import Known
from services.strange_world.rules.phases import GameOver, PlacingLand
from services.strange_world.rules.state import replaced
from services.strange_world.rules.views import Face
from shared.kernel import Refusal
from tests.unit.strange_world.building import NoChance, fold
from tests.unit.strange_world.drafts import DEALT, ONE, TWO, answer, dealt
from tests.unit.strange_world.games import game

LANDS = set(newest("classic").lands)
READERS = (0, 1, 2, None)


def named(shown: object) -> set[str]:
    """Return the Land ids that a view or an event names."""
    return set(re.findall(r'"(\w+)"', msgspec.json.encode(shown).decode())) & LANDS


def public(state: State) -> set[str]:
    """Return the Lands that everybody knows: in Worlds, out of the game, open on a stack; in solo in hand."""
    placed = {land for world in state.worlds for land in world.lands if land}
    opened = {stack[0] for stack in state.stacks if len(stack) == 3}
    return placed | set(state.unused) | opened | set(state.hands[0] if state.seats == 1 else ())


@pytest.mark.rule("SW-15.1", "INV-40")
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_a_view_names_no_hidden_card(seats: int) -> None:
    """In random games a reader sees public cards, its own hand and what it gave or got this turn, and no other id."""
    for state in game(seats).states[:-1]:
        for reader in (*range(seats), None):
            moved = [given.lands for given in state.transfers if reader in (given.giver, given.receiver)]
            own = {land for lands in moved for land in lands}
            own |= set() if reader is None else set(state.hands[reader])
            assert named(TITLE.view(state, reader)) <= public(state) | own


@pytest.mark.rule("SW-15.2")
@pytest.mark.parametrize("seats", [1, 2, 4])
def test_everything_public_is_in_every_view(seats: int) -> None:
    """Worlds with blank cards' identities, supplies, Sun, direction, sizes, pack and unused cards are for everybody."""
    for state in game(seats).states:
        for reader in (0, seats - 1, None):
            shown = TITLE.view(state, reader)
            for world, cards in zip(state.worlds, (view.cards for view in shown.worlds), strict=True):
                assert {card.land for card in cards} == {land for land in world.lands if land}
                blank = [card for card in cards if card.face is not Face.LAND]
                assert len(blank) == (world.tzimimes | world.fumaroles).bit_count()
            assert (shown.cities, shown.fumaroles, set(shown.display)) == (
                state.cities,
                state.fumaroles,
                set(state.display),
            )
            assert (shown.holder, shown.direction, shown.turn) == (state.holder, state.direction, state.turn)
            assert (shown.hands, shown.deck) == (tuple(map(len, state.hands)), len(state.deck))
            assert (shown.pack, shown.unused_starting_lands) == (state.pack, state.unused)


@pytest.mark.rule("SW-15.3", "SW-15.4", "SW-15.10")
def test_a_seat_sees_its_hand_and_the_size_of_others() -> None:
    """After the deal of the example seat 1 sees fa1, vf1, wp1, in pack order, and that all hands have three cards."""
    state = dealt()
    shown = TITLE.view(state, 1)
    assert shown.hand == ("wp1", "fa1", "vf1")
    assert shown.hands == (3, 3, 3)
    assert not named(shown) & (set(DEALT[0]) | set(DEALT[2]))
    assert not named(TITLE.view(state, None)) & {land for hand in DEALT for land in hand}


@pytest.mark.rule("SW-15.5")
def test_that_a_seat_has_chosen_is_public_and_what_is_its_secret() -> None:
    """Seats 0 and 2 have chosen: all see who, seat 0 sees its own choice, the others see a count."""
    state, events = answer(dealt(), TWO[:2])
    for reader in READERS:
        assert TITLE.view(state, reader).chosen == (0, 2)
    assert TITLE.view(state, 0).choice == ("mo1", "mm1")
    assert TITLE.view(state, 1).choice == TITLE.view(state, None).choice == ()
    assert TITLE.redact(events[0], 0) == PassChosen(0, Passing.TWO, 2, ("mo1", "mm1"))
    for reader in (1, 2, None):
        assert TITLE.redact(events[0], reader) == PassChosen(0, Passing.TWO, 2, ())


@pytest.mark.rule("SW-15.6", "SW-17.1")
@pytest.mark.parametrize("reader", READERS)
def test_only_giver_and_receiver_learn_the_cards_of_a_transfer(reader: int | None) -> None:
    """0 gave mo1, mm1 to 2; 1 gave wp1, fa1 to 0; 2 gave gp2, vw1 to 1; a third party sees a number."""
    state, events = answer(dealt(), TWO)
    told = TITLE.redact(events[-1], reader)
    assert isinstance(told, PassesResolved)
    lands = {0: ("mo1", "mm1"), 1: ("wp1", "fa1"), 2: ("gp2", "vw1")}
    receivers = {0: 2, 1: 0, 2: 1}
    expected = tuple(
        Transfer(giver, receivers[giver], 2, lands[giver] if reader in (giver, receivers[giver]) else ())
        for giver in (0, 1, 2)
    )
    assert told.transfers == expected
    assert TITLE.view(state, reader).transfers == expected


@pytest.mark.rule("SW-15.7")
def test_nobody_else_learns_that_a_card_was_passed_on() -> None:
    """Seat 2 passed on mo1 or kept it: seat 0 has the same view; seat 1 gets it without a trace to seat 0."""
    first, _ = answer(dealt(), TWO)
    passed_on, _ = answer(first, ONE)
    kept, events = answer(first, [*ONE[:2], (2, PassOne("mf1"))])
    assert "mo1" in passed_on.hands[1]
    assert "mo1" in kept.hands[2]
    assert TITLE.view(passed_on, 0) == TITLE.view(kept, 0)
    assert TITLE.redact(events[-1], 0) is not None
    seen = TITLE.view(passed_on, 1).transfers
    assert [(given.giver, given.lands) for given in seen if "mo1" in given.lands] == [(2, ("mo1",))]


@pytest.mark.rule("SW-15.8")
def test_after_the_first_pass_given_cards_are_with_the_receiver() -> None:
    """Seat 0 knows mo1 and mm1 in seat 2's hand, seat 1 wp1 and fa1 in seat 0's; a spectator knows nothing."""
    state, _ = answer(dealt(), TWO)
    assert set(TITLE.view(state, 0).known) == {Known("mo1", (2,)), Known("mm1", (2,))}
    assert set(TITLE.view(state, 1).known) == {Known("wp1", (0,)), Known("fa1", (0,))}
    assert TITLE.view(state, None).known == ()


@pytest.mark.rule("SW-15.9")
def test_after_the_second_pass_first_cards_may_have_gone_on() -> None:
    """The card given last is certain, those given first are with the receiver or the seat after it."""
    state, _ = answer(dealt(), [*TWO, *ONE])
    assert set(TITLE.view(state, 0).known) == {Known("fa1", (2,)), Known("mo1", (1, 2)), Known("mm1", (1, 2))}
    assert set(TITLE.view(state, 1).known) == {Known("vf1", (0,)), Known("fa1", (0, 2)), Known("wp1", (0, 2))}
    assert TITLE.view(state, None).known == ()


@pytest.mark.rule("SW-15.9")
def test_with_two_seats_a_given_card_is_back_or_with_the_other() -> None:
    """In random games of two, before any play, what a seat gave is in its hand or known with the other seat."""
    checked = 0
    for state in game(2).states:
        if isinstance(state.phase, PlacingLand) and not state.played:
            for seat in (0, 1):
                given = {land for moved in state.transfers if moved.giver == seat for land in moved.lands}
                known = TITLE.view(state, seat).known
                assert {card.land for card in known} == given - set(state.hands[seat])
                assert {card.seats for card in known} <= {(1 - seat,)}
                checked += 1
    assert checked == 10


@pytest.mark.rule("SW-15.10")
def test_hidden_cards_are_numbers() -> None:
    """Deck, hands, sealed choices and lower stack cards appear as counts, with an empty list of ids beside them."""
    for reader in (0, None):
        told = game(1)
        for event in told.events:
            shown = TITLE.redact(event, reader)
            if isinstance(shown, DeckShuffled):
                assert (shown.count, shown.order) == (21, ())
        shown_view = TITLE.view(told.start, reader)
        assert [(stack.hidden, stack.lands) for stack in shown_view.stacks] == [(2, ())] * 7
    for event in game(4).of(LandsDealt):
        seen = TITLE.redact(event, 2)
        assert isinstance(seen, LandsDealt)
        assert [(hand.count, len(hand.lands)) for hand in seen.hands] == [(3, 0), (3, 0), (3, 3), (3, 0)]


def shuffled_secrets(state: State) -> State:
    """Change what seat 0 may not know right after a deal: the deck is turned over, hands 1 and 2 trade cards."""
    one, two = state.hands[1], state.hands[2]
    hands = (state.hands[0], tuple(sorted((*one[:1], *two[1:]))), tuple(sorted((*two[:1], *one[1:]))))
    return msgspec.structs.replace(state, deck=state.deck[::-1], hands=hands)


@pytest.mark.rule("SW-15.11", "INV-39")
def test_what_a_seat_may_not_know_changes_nothing_it_receives() -> None:
    """View, options, its own redacted events, refusals and their sentences are equal in both states."""
    state = dealt()
    other = shuffled_secrets(state)
    assert other != state
    assert TITLE.view(state, 0) == TITLE.view(other, 0)
    assert TITLE.view(state, None) == TITLE.view(other, None)
    assert TITLE.legal_actions(state, 0) == TITLE.legal_actions(other, 0)
    assert [told(state, 0, action) for action in TITLE.legal_actions(state, 0)] == [
        told(other, 0, action) for action in TITLE.legal_actions(other, 0)
    ]
    for foreign in ("fa1", "vf1", "gp2", "mo9", "nothing"):
        assert told(state, 0, PassTwo(("mo1", foreign))) == told(other, 0, PassTwo(("mo1", foreign)))


def told(state: State, seat: int, action: Action) -> object:
    """Return the events of an action as its seat sees them, or the refusal."""
    try:
        events = TITLE.decide(state, seat, action, NoChance())
    except Refusal as refused:
        return refused.reason, refused.sentence
    return [TITLE.redact(event, seat) for event in events], TITLE.view(fold(events, state), seat)


@pytest.mark.rule("SW-15.12")
@pytest.mark.parametrize("seats", [1, 2, 3])
def test_a_spectator_sees_what_is_public(seats: int) -> None:
    """No id of a hand, no knowledge of transfers; in solo exactly the player's view."""
    for state in game(seats).states[:-1]:
        shown = TITLE.view(state, None)
        assert named(shown) <= public(state)
        if seats == 1:
            assert msgspec.structs.replace(shown, seat=0) == TITLE.view(state, 0)
        else:
            assert (shown.hand, shown.choice, shown.known) == ((), (), ())


@pytest.mark.rule("SW-15.13")
@pytest.mark.parametrize("seats", [1, 3])
def test_options_of_passes_and_placings_are_for_their_seat(seats: int) -> None:
    """Others see who decides which kind; all other options are open, and in solo all are."""
    kinds: dict[str, set[bool]] = {}
    for number in range(6):
        for state in game(seats, number).states[:-1]:
            decision = TITLE.decision(state)
            assert decision is not None
            kinds.setdefault(decision.kind, set()).add(decision.open)
            shown = TITLE.view(state, None).pending
            assert shown is not None
            assert (shown.kind, shown.seats) == (decision.kind, decision.seats)
    closed = {"pass_two", "pass_one", "place_land"} if seats > 1 else set()
    assert kinds == {kind: {kind not in closed} for kind in kinds}
    assert {"place_land", "welcome_traveller", "cover_card"} < set(kinds)


@pytest.mark.rule("SW-15.13", "SW-19.2")
def test_a_view_does_not_betray_a_volcano_in_hand() -> None:
    """With strict_volcano, exchanging the active seat's hand for another changes no other reader's view."""
    for state in game(3, strict=True).states:
        if isinstance(state.phase, PlacingLand) and not state.transfers:
            raise AssertionError("a play comes after two passes")
        if isinstance(state.phase, PlacingLand) and len(state.hands[state.phase.seat]) == 3:
            seat = state.phase.seat
            hands = replaced(state.hands, seat, ("vm1", "vf1", "vp1"))
            other = msgspec.structs.replace(state, hands=hands)
            assert TITLE.view(state, None) == TITLE.view(other, None)
            assert sum(isinstance(option, PlaceLand) for option in TITLE.legal_actions(state, seat)) > 0


@pytest.mark.rule("SW-15.14")
@pytest.mark.parametrize("seats", [1, 2])
def test_the_finished_game_hides_nothing(seats: int) -> None:
    """Undealt cards or unused stacks are shown to everybody, so that every Land of the deck is named."""
    state = game(seats).states[-1]
    assert isinstance(state.phase, GameOver)
    for reader in (0, None):
        shown: View = TITLE.view(state, reader)
        assert set(newest("classic").deck_for(seats)) <= named(shown)


@pytest.mark.rule("SW-15.1", "SW-14.3")
def test_solo_hides_the_lower_cards_of_unpicked_stacks() -> None:
    """StacksLaid names the seven open cards and nothing else."""
    told_game = game(1)
    (event,) = told_game.of(StacksLaid)
    assert named(TITLE.redact(event, None)) == {stack[0] for stack in told_game.start.stacks}
