"""EX-SW-40: a whole draft, played as the page tells it."""

from __future__ import annotations

import pytest

from services.strange_world.rules import TITLE, State
from services.strange_world.rules.actions import (
    ChooseDirection,
    Direction,
)
from services.strange_world.rules.events import (
    LandPlaced,
    PassesResolved,
    Passing,
    Transfer,
    TurnStarted,
)
from services.strange_world.rules.knowledge import Known
from services.strange_world.rules.phases import PlacingLand
from shared.kernel import Reason
from tests.unit.strange_world.drafts import ONE, TWO, answer, dealt, turn_two
from tests.unit.strange_world.games import refusal


@pytest.mark.rule("EX-SW-40", "SW-3.3", "SW-3.7", "SW-4.2", "SW-4.6")
def test_the_draft_of_the_page() -> None:
    """Dealt, passed twice to the right and played in the order 1 0 2, then seat 2 has the Sun."""
    state = turn_two()
    assert (state.turn, state.holder) == (2, 1)
    assert TITLE.legal_actions(state, 1) == (ChooseDirection(Direction.LEFT), ChooseDirection(Direction.RIGHT))
    state = dealt()
    assert state.hands == (("gw1", "mm1", "mo1"), ("fa1", "vf1", "wp1"), ("gp2", "mf1", "vw1"))
    assert [len(TITLE.legal_actions(state, seat)) for seat in range(3)] == [3, 3, 3]
    state, _ = answer(state, TWO)
    assert state.hands == (("fa1", "gw1", "wp1"), ("gp2", "vf1", "vw1"), ("mf1", "mm1", "mo1"))
    assert [len(TITLE.legal_actions(state, seat)) for seat in range(3)] == [3, 3, 3]
    state, _ = answer(state, ONE)
    assert state.hands == (("gw1", "vf1", "wp1"), ("gp2", "mo1", "vw1"), ("fa1", "mf1", "mm1"))
    order, started = finish_turn(state)
    assert order == [1, 0, 2, 1, 0, 2, 1, 0, 2]
    assert started == TurnStarted(3, 2)


def finish_turn(state: State) -> tuple[list[int], TurnStarted]:
    """Play with first options until the next turn starts; return who placed Lands, and that start."""
    order: list[int] = []
    while True:
        decision = TITLE.decision(state)
        assert decision is not None
        assert isinstance(state.phase, PlacingLand) or decision.kind not in {"pass_two", "pass_one"}
        seat = decision.seats[0]
        state, events = answer(state, [(seat, TITLE.legal_actions(state, seat)[0])])
        order += [event.seat for event in events if isinstance(event, LandPlaced)]
        for event in events:
            if isinstance(event, TurnStarted):
                return order, event


@pytest.mark.rule("EX-SW-40", "SW-4.7", "SW-4.8", "SW-15.5")
def test_the_first_pass_waits_for_seat_one() -> None:
    """While 0 and 2 have chosen no hand changes, others see only that they have, and a second answer is refused."""
    before = dealt()
    state, _ = answer(before, TWO[:2])
    assert state.hands == before.hands
    decision = TITLE.decision(state)
    assert decision is not None
    assert decision.seats == (1,)
    for reader in (1, None):
        shown = TITLE.view(state, reader)
        assert (shown.chosen, shown.choice) == ((0, 2), ())
        assert not {"mo1", "mm1", "gp2"} & {land for moved in shown.transfers for land in moved.lands}
    assert refusal(state, 0, TWO[0][1]) is Reason.NOT_YOUR_DECISION


@pytest.mark.rule("EX-SW-40", "SW-15.6", "SW-15.7", "SW-15.8", "SW-15.9")
def test_what_the_seats_of_the_draft_know() -> None:
    """The last three notes of the example: what PassesResolved shows seat 0, and what seats 0 and 1 know."""
    state, events = answer(dealt(), TWO)
    shown = TITLE.redact(events[-1], 0)
    assert isinstance(shown, PassesResolved)
    assert shown.passing is Passing.TWO
    assert set(shown.transfers) == {
        Transfer(0, 2, 2, ("mo1", "mm1")),
        Transfer(1, 0, 2, ("wp1", "fa1")),
        Transfer(2, 1, 2, ()),
    }
    state, events = answer(state, ONE)
    assert set(TITLE.view(state, 0).known) == {Known("fa1", (2,)), Known("mm1", (1, 2)), Known("mo1", (1, 2))}
    assert set(TITLE.view(state, 1).known) == {Known("vf1", (0,)), Known("fa1", (0, 2)), Known("wp1", (0, 2))}
    resolved = TITLE.redact(events[-1], 0)
    assert isinstance(resolved, PassesResolved)
    assert Transfer(2, 1, 1, ()) in resolved.transfers
    resolved = TITLE.redact(events[-1], 1)
    assert isinstance(resolved, PassesResolved)
    assert Transfer(2, 1, 1, ("mo1",)) in resolved.transfers
    assert not any(moved.giver == 0 and moved.lands for moved in TITLE.view(state, 1).transfers)
    spectator = TITLE.view(state, None)
    assert (spectator.known, spectator.hand, spectator.hands) == ((), (), (3, 3, 3))
    assert all(moved.lands == () for moved in spectator.transfers)
