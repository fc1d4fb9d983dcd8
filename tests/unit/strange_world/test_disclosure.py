"""Which seats learn something hidden by each event: the fence behind which nothing may be undone."""

from __future__ import annotations

import pytest

from services.strange_world.rules import TITLE
from services.strange_world.rules.events import (
    GameEnded,
    LandPlaced,
    LandsDealt,
    PassChosen,
    PassesResolved,
    StackRevealed,
    StacksLaid,
    StartingLandsDealt,
    SunAssigned,
    TravellersDisplayed,
)
from tests.unit.strange_world.building import fold
from tests.unit.strange_world.games import game

SHOWN_TO_ALL = (StartingLandsDealt, SunAssigned, StacksLaid, LandsDealt, PassesResolved, StackRevealed, GameEnded)
"""Draws, cards dealt, moved or turned up, and the end, which opens the whole record (SW-15.14)."""


@pytest.mark.rule("SW-2.7", "SW-4.8", "SW-14.5", "SW-14.10", "SW-15.1", "SW-15.2", "SW-15.6", "SW-15.14")
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_who_learns_something_by_an_event(seats: int) -> None:
    """All learn what chance or a pass has shown, the others what a seat plays from its hand, a sealed choice is final.

    A display of three was drawn (solo), that of all eight tells nobody anything; nor does any other event.
    """
    everybody = tuple(range(seats))
    kinds = set()
    for number in range(6):
        told = game(seats, number)
        state = fold(told.opening[:1])
        assert TITLE.disclosed(None, told.opening[0]) == ()
        for event in told.events[1:]:
            kinds.add(type(event))
            expected: tuple[int, ...] = ()
            if isinstance(event, SHOWN_TO_ALL) or (isinstance(event, TravellersDisplayed) and seats == 1):
                expected = everybody
            elif isinstance(event, PassChosen):
                expected = (event.seat,)
            elif isinstance(event, LandPlaced):
                expected = tuple(seat for seat in everybody if seat != event.seat)
            assert TITLE.disclosed(state, event) == expected, event
            state = TITLE.evolve(state, event)
    assert {StartingLandsDealt, LandPlaced, GameEnded} <= kinds
    assert {StacksLaid, StackRevealed} <= kinds if seats == 1 else {SunAssigned, LandsDealt, PassesResolved} <= kinds
