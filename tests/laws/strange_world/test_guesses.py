"""What `determinize` invents: whole games that could be, with every card once, and any of them that could be.

Each law looks at the invented state itself: that a view of it is the reader's view again is tested for all titles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import pytest

from services.strange_world.content import newest
from services.strange_world.rules import TITLE, State, View
from services.strange_world.rules.actions import ChooseDirection, Direction
from services.strange_world.rules.events import LandPlaced, Passing, TurnStarted
from services.strange_world.rules.phases import PassingLands
from shared.rng import KeyedDraw
from tests.laws.playing import Step, fold, play, variants

FEW, MANY = 20, 1_000

Hands = list[set[str]]


def guesses(view: View, count: int) -> list[State]:
    """Return so many invented states of one view."""
    return [TITLE.determinize(view, KeyedDraw(b"guess %d" % number)) for number in range(count)]


def positions() -> Iterator[tuple[Step, list[tuple[int, str]], int | None]]:
    """Return every fifth position of every random game with this turn's plays, for one reader after the other."""
    count = 0
    for variant, game in variants(TITLE):
        played: list[tuple[int, str]] = []
        for step in play(TITLE, variant, game):
            for event in step.events:
                if isinstance(event, TurnStarted):
                    played = []
                elif isinstance(event, LandPlaced):
                    played.append((event.seat, event.land))
            count += 1
            if count % 5 == 0:
                yield step, list(played), (*range(variant.seats), None)[count // 5 % (variant.seats + 1)]


def before_passes(state: State, played: list[tuple[int, str]]) -> list[Hands]:
    """Take plays and passes of this turn back; return all hands before each pass, the later pass first.

    Every card must be found where a play or a transfer says that it was.
    """
    hands = [set(hand) for hand in state.hands]
    for seat, land in played:
        hands[seat].add(land)
    found = []
    for moved in (state.transfers[state.seats :], state.transfers[: state.seats]):
        for transfer in moved:
            assert set(transfer.lands) <= hands[transfer.receiver]
            hands[transfer.receiver] -= set(transfer.lands)
        for transfer in moved:
            hands[transfer.giver] |= set(transfer.lands)
        if moved:
            found.append([set(hand) for hand in hands])
    return found


@pytest.mark.rule("INV-27", "INV-28", "SW-15.11")
def test_an_invented_game_has_every_card_once() -> None:
    """Deck, stacks, hands, Worlds and unused starting Lands hold each Land of the game exactly once."""
    for step, _, reader in positions():
        pack, seats = newest(step.variant.options["pack"]), step.variant.seats
        lands = sorted([*pack.deck_for(seats), *(land.id for land in pack.starting_lands)])
        for guess in guesses(TITLE.view(step.after, reader), FEW):
            everywhere = [*guess.deck, *guess.unused]
            for heap in (*guess.stacks, *guess.hands, *(world.lands for world in guess.worlds)):
                everywhere += [land for land in heap if land]
            assert sorted(everywhere) == lands


@pytest.mark.rule("INV-28", "SW-4.3", "SW-4.4", "SW-4.6", "SW-15.8", "SW-15.9")
def test_an_invented_turn_could_have_happened() -> None:
    """Taking its passes back leaves three cards in every hand each time; sealed choices are cards in hand."""
    for step, played, reader in positions():
        if step.variant.seats == 1:
            continue
        for guess in guesses(TITLE.view(step.after, reader), FEW):
            moved = [(given.giver, given.receiver, len(given.lands)) for given in guess.transfers]
            assert moved == [(given.giver, given.receiver, given.count) for given in step.after.transfers]
            for hands in before_passes(guess, played):
                assert [len(hand) for hand in hands] == [3] * step.variant.seats
            if isinstance(guess.phase, PassingLands):
                sealed = guess.phase.chosen
                assert all(set(lands) <= set(hand) for lands, hand in zip(sealed, guess.hands, strict=True))
                assert {len(lands) for lands in sealed} <= {0, 2 if guess.phase.passing is Passing.TWO else 1}


def draft(seats: int, *, answers: int, plays: int = 0) -> State:
    """Play the first turn of an unshuffled game up to some answers of its passes, and some plays."""
    state: State = fold(TITLE, None, TITLE.setup(TITLE.settings(), seats, KeyedDraw(b"draft %d" % seats)))
    if seats > 2:
        state = act(state, lambda _: ChooseDirection(Direction.LEFT))
    for _ in range(answers + plays):
        state = act(state, lambda legal: legal[0])
        while (decision := TITLE.decision(state)) is not None and decision.open:
            state = act(state, lambda legal: legal[0])
    return state


def act(state: State, choose: Callable[[tuple[Any, ...]], Any]) -> State:
    """Let the first seat that is asked act."""
    decision = TITLE.decision(state)
    assert decision is not None
    seat = decision.seats[0]
    action = choose(TITLE.legal_actions(state, seat))
    after: State = fold(TITLE, state, TITLE.decide(state, seat, action, KeyedDraw(b"")))
    return after


def found_in(state: State, reader: int | None) -> set[str]:
    """Return the cards whose place a reader of a shared game knows for sure: Worlds, unused ones, its own hand."""
    placed = {land for world in state.worlds for land in world.lands if land}
    return placed | set(state.unused) | (set(state.hands[reader]) if reader is not None else set())


@pytest.mark.rule("SW-15.1", "SW-15.4", "INV-39")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_any_unseen_card_may_be_anywhere(seats: int) -> None:
    """Right after a deal each card that seat 0 has not seen turns up in every other hand and on top of the deck."""
    state = draft(seats, answers=0)
    invented = guesses(TITLE.view(state, 0), MANY)
    unseen = set(newest("classic").deck_for(seats)) - found_in(state, 0)
    for other in range(1, seats):
        assert {land for guess in invented for land in guess.hands[other]} == unseen
    if state.deck:
        assert {guess.deck[0] for guess in invented} == {guess.deck[-1] for guess in invented} == unseen


@pytest.mark.rule("SW-14.3", "SW-15.1")
def test_any_unseen_card_may_lie_in_any_stack() -> None:
    """Solo: each of the fourteen hidden cards turns up in each of the fourteen places."""
    state = fold(TITLE, None, TITLE.setup(TITLE.settings(), 1, KeyedDraw(b"solo")))
    hidden = {land for stack in state.stacks for land in stack[1:]}
    assert len(hidden) == 14
    invented = guesses(TITLE.view(state, None), MANY)
    for number in range(7):
        assert {guess.stacks[number][0] for guess in invented} == {state.stacks[number][0]}
        for depth in (1, 2):
            assert {guess.stacks[number][depth] for guess in invented} == hidden


@pytest.mark.rule("SW-15.5", "INV-39")
@pytest.mark.parametrize(("answers", "count"), [(2, 2), (5, 1)])
def test_a_sealed_choice_may_be_any(answers: int, count: int) -> None:
    """Seats 0 and 1 of three have chosen: to seat 2 each choice may be any of the three of a hand."""
    state = draft(3, answers=answers)
    invented = guesses(TITLE.view(state, 2), FEW * 5)
    for seat in (0, 1):
        chosen = {tuple(guess.hands[seat].index(land) for land in lands_of(guess, seat)) for guess in invented}
        assert {tuple(sorted(places)) for places in chosen} == set(combinations(range(3), count))


def lands_of(state: State, seat: int) -> tuple[str, ...]:
    """Return the sealed choice of a seat."""
    assert isinstance(state.phase, PassingLands)
    return state.phase.chosen[seat]


@pytest.mark.rule("SW-4.5", "SW-15.6", "SW-15.7", "INV-39")
@pytest.mark.parametrize("plays", [0, 4])
def test_a_pass_between_others_may_have_moved_any_cards(plays: int) -> None:
    """To a spectator of four seats each transfer may have moved any cards of the hand it came from."""
    state = draft(4, answers=8, plays=plays)
    assert state.holder is not None
    played = [((state.holder + number) % 4, land) for number, land in enumerate(state.played)]
    assert len(played) == plays
    patterns: list[set[tuple[int, ...]]] = [set() for _ in state.transfers]
    handed_on: list[set[bool]] = [set() for _ in range(4)]
    for guess in guesses(TITLE.view(state, None), FEW * 10):
        second, first = before_passes(guess, played)
        for number, given in enumerate(guess.transfers):
            hand = sorted((first if number < 4 else second)[given.giver])
            patterns[number].add(tuple(sorted(hand.index(land) for land in given.lands)))
        for came in guess.transfers[:4]:
            (passed_on,) = guess.transfers[4 + came.receiver].lands
            handed_on[came.receiver].add(passed_on in came.lands)
    assert patterns == [set(combinations(range(3), 2))] * 4 + [set(combinations(range(3), 1))] * 4
    assert handed_on == [{False, True}] * 4


@pytest.mark.rule("SW-15.9", "INV-39")
@pytest.mark.parametrize("seats", [3, 4])
def test_a_given_card_may_have_gone_on_or_not(seats: int) -> None:
    """After both passes to the left seat 0 sees three cases: one of its two first cards went on to 2, or neither did.

    The card it gave last is with seat 1 always.
    """
    state = draft(seats, answers=2 * seats)
    (one, two), (last,) = (given.lands for given in state.transfers if given.giver == 0)
    cases = set()
    for guess in guesses(TITLE.view(state, 0), FEW * 5):
        assert last in guess.hands[1]
        assert {one, two} <= {*guess.hands[1], *guess.hands[2]}
        cases.add(tuple(land for land in (one, two) if land in guess.hands[2]))
    assert cases == {(), (one,), (two,)}


@pytest.mark.rule("SW-15.6", "SW-15.9")
def test_two_seats_invent_nothing_that_they_moved() -> None:
    """Of two seats each took part in every pass, so all transfers stay, and what came back is in the own hand."""
    state = draft(2, answers=4)
    for guess in guesses(TITLE.view(state, 1), FEW):
        assert guess.transfers == state.transfers
        assert guess.hands[1] == state.hands[1]
        assert {land for given in guess.transfers if given.giver == 1 for land in given.lands} <= {
            *guess.hands[0],
            *guess.hands[1],
        }
