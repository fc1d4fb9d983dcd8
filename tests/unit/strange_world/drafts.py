"""The draft of EX-SW-40: three seats, turn 2, seat 1 holds the Sun and will choose right."""

from __future__ import annotations

from collections.abc import Sequence

from services.strange_world.content import newest
from services.strange_world.rules import TITLE, Action, Event, Settings, State
from services.strange_world.rules.actions import ChooseDirection, Direction, PassOne, PassTwo
from services.strange_world.rules.events import DeckShuffled
from tests.unit.strange_world.building import NoChance, fold
from tests.unit.strange_world.games import Script

DEALT = (("gw1", "mm1", "mo1"), ("fa1", "vf1", "wp1"), ("gp2", "mf1", "vw1"))
"""What turn 2 deals to seats 0, 1 and 2."""
TWO: list[tuple[int, Action]] = [
    (0, PassTwo(("mo1", "mm1"))),
    (2, PassTwo(("gp2", "vw1"))),
    (1, PassTwo(("wp1", "fa1"))),
]
ONE: list[tuple[int, Action]] = [(0, PassOne("fa1")), (1, PassOne("vf1")), (2, PassOne("mo1"))]


def answer(state: State, answers: Sequence[tuple[int, Action]]) -> tuple[State, tuple[Event, ...]]:
    """Let seats act one after the other; return the state and all events."""
    told: tuple[Event, ...] = ()
    for seat, action in answers:
        events = TITLE.decide(state, seat, action, NoChance())
        state, told = fold(events, state), told + events
    return state, told


def turn_two() -> State:
    """Play turn 1 with first options and stop where seat 1 chooses the direction of turn 2."""
    ready = [land for hand in (DEALT[1], DEALT[2], DEALT[0]) for land in hand]
    others = [land for land in newest("classic").deck_for(3) if land not in ready]
    deck = (*others[:9], *ready, *others[9:])
    opening = TITLE.setup(Settings(), 3, Script())
    state = fold([DeckShuffled(45, deck) if isinstance(event, DeckShuffled) else event for event in opening])
    while state.turn < 2:
        decision = TITLE.decision(state)
        assert decision is not None
        seat = decision.seats[0]
        state, _ = answer(state, [(seat, TITLE.legal_actions(state, seat)[0])])
    return state


def dealt() -> State:
    """Let seat 1 choose right; the cards of turn 2 are dealt."""
    return answer(turn_two(), [(1, ChooseDirection(Direction.RIGHT))])[0]
