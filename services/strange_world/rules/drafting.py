"""Dealing cards and passing them on (SW-4)."""

from __future__ import annotations

from itertools import combinations

from services.strange_world.content import Pack
from services.strange_world.rules.events import Event, Hand, LandsDealt, PassChosen, PassesResolved, Passing, Transfer
from services.strange_world.rules.phases import PassingLands
from services.strange_world.rules.playing_order import neighbour
from services.strange_world.rules.state import State

HAND = 3


def deal(pack: Pack, deck: tuple[str, ...], seats: int, holder: int) -> LandsDealt:
    """Deal three cards to every seat, the holder first, then to the left (SW-4.1, SW-4.2)."""
    hands = []
    for seat in range(seats):
        top = HAND * ((seat - holder) % seats)
        hands.append(Hand(seat, HAND, pack.in_order(deck[top : top + HAND])))
    return LandsDealt(tuple(hands), len(deck) - HAND * seats)


def pairs(pack: Pack, hand: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return every pair of a hand, each in pack order (SW-4.3, SW-16.5)."""
    return tuple(combinations(pack.in_order(hand), 2))


def choose(state: State, phase: PassingLands, seat: int, lands: tuple[str, ...]) -> tuple[Event, ...]:
    """Seal a seat's choice; the last one of a pass moves all its cards at once (SW-4.7, SW-4.8)."""
    sealed = PassChosen(seat, phase.passing, len(lands), lands)
    chosen = [lands if giver == seat else given for giver, given in enumerate(phase.chosen)]
    if not all(chosen):
        return (sealed,)
    return sealed, _resolved(state, phase.passing, chosen)


def _resolved(state: State, passing: Passing, chosen: list[tuple[str, ...]]) -> PassesResolved:
    """SW-4.6."""
    transfers = tuple(
        Transfer(giver, neighbour(giver, 1, state.direction, state.seats), len(lands), lands)
        for giver, lands in enumerate(chosen)
    )
    return PassesResolved(passing, transfers)
