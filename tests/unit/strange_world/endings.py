"""Games at their last play whose totals are known: made-up Cities bring each seat what it lacks.

Every World has its starting Land and Tzimimes, which score nothing; so does the moon that is played last, for it flips.
"""

from __future__ import annotations

from services.strange_world.content import newest
from services.strange_world.rules import TITLE, Event, State
from services.strange_world.rules.actions import Cell, Direction, PlaceLand
from services.strange_world.rules.events import (
    Cause,
    DarkCityBuilt,
    DeckShuffled,
    DirectionChosen,
    Flip,
    GameBegun,
    Hand,
    LandPlaced,
    LandsDealt,
    LandsDesolated,
    PassesResolved,
    Passing,
    StackPicked,
    StackRevealed,
    StacksLaid,
    StartingLandsDealt,
    SunAssigned,
    TravellersDisplayed,
    TurnStarted,
)
from tests.unit.strange_world.building import NoChance, fold

STARTING = {"sm": 1, "sw": 0, "sf": 2, "sp": 3}
"""What each starting Land scores when it lies alone: one Mountain, no Water side, one animal, one Plant."""


def before_last_play(totals: tuple[int, ...]) -> State:
    """Return a game that needs one more play, after which the seats have these totals."""
    seats = len(totals)
    pack = newest("classic").ref
    opening: list[Event] = [
        GameBegun(seats, pack, strict_volcano=False, cities=(0,) * seats, fumaroles=11),
        StartingLandsDealt(tuple(STARTING)[:seats], ()),
    ]
    built: list[Event] = [
        DarkCityBuilt(seat, total - base, Cell(0, 0), Cell(0, 0), forced=True)
        for seat, (total, base) in enumerate(zip(totals, STARTING.values(), strict=False))
    ]
    turn = _solo_turn() if seats == 1 else _shared_turn(seats)
    return fold([*opening, *turn[:-1], *built, turn[-1]])


def end(*totals: int) -> tuple[Event, ...]:
    """Play the last card and return the events."""
    state = before_last_play(totals)
    return TITLE.decide(state, len(totals) - 1, PlaceLand("mo1", Cell(0, 1)), NoChance())


def _face_down(seat: int) -> tuple[Event, Event]:
    cell = Cell(1, 0)
    return LandPlaced(seat, "mm1", cell), LandsDesolated(seat, (Flip(cell, (Cause.WATER,)),))


def _shared_turn(seats: int) -> list[Event]:
    plays = [event for play in range(3 * seats - 1) for event in _face_down(play % seats)]
    return [
        DeckShuffled(0, ()),
        SunAssigned(0),
        TravellersDisplayed(()),
        TurnStarted(5, 0),
        *([DirectionChosen(0, Direction.LEFT)] if seats > 2 else []),
        LandsDealt((Hand(seats - 1, 1, ("mo1",)),), 0),
        PassesResolved(Passing.ONE, ()),
        *plays,
    ]


def _solo_turn() -> list[Event]:
    deck = ("mm1", "mm1", "mo1", *newest("classic").deck_for(1)[3:])
    return [
        DeckShuffled(21, deck),
        TravellersDisplayed(()),
        StacksLaid(deck[::3]),
        TurnStarted(5, None),
        StackPicked(1, "mm1"),
        *_face_down(0),
        StackRevealed(1, ("mm1", "mo1")),
        *_face_down(0),
    ]
