"""SW-17: events, their order, and who sees them."""

from __future__ import annotations

import re
import typing
from itertools import pairwise

import msgspec
import pytest

from services.strange_world.rules import TITLE, Event
from services.strange_world.rules.events import (
    DarkCityBuilt,
    DeckShuffled,
    DirectionChosen,
    FumarolePlaced,
    GameBegun,
    GameEnded,
    LandPlaced,
    LandsDealt,
    LandsDesolated,
    PassChosen,
    PassesResolved,
    PortalAssembled,
    StartingLandsDealt,
    SunAssigned,
    SunPassed,
    TravellerDeclined,
    TravellersDisplayed,
    TravellerWelcomed,
    TurnEnded,
    TurnStarted,
    WorldsScored,
)
from shared.kernel import PackRef
from tests.unit.strange_world.building import fold
from tests.unit.strange_world.drawing import PAGE
from tests.unit.strange_world.games import game

TABLE_E = PAGE.split("\nTable E ")[1].split("### SW-18")[0]
PRIVATE = (DeckShuffled, LandsDealt, PassChosen, PassesResolved)
GAMES = [(seats, number) for seats in (1, 2, 3, 4) for number in range(2)]
STEPS = (
    (LandPlaced,),
    (LandsDesolated,),
    (PortalAssembled,),
    (TravellerWelcomed, TravellerDeclined),
    (FumarolePlaced,),
    (DarkCityBuilt,),
)
"""S1, S3, S4, S5, S6, S7."""


@pytest.mark.rule("SW-17.1")
def test_the_events_are_those_of_the_table() -> None:
    """Table E names them; GameCreated is split into GameBegun and what the platform writes itself."""
    named = re.findall(r"^\| `(\w+)`", TABLE_E, re.MULTILINE)
    assert len(named) == 24
    assert {event.__name__ for event in typing.get_args(TITLE.events)} == {*named, "GameBegun"} - {"GameCreated"}


@pytest.mark.rule("SW-17.1")
@pytest.mark.parametrize(("seats", "number"), GAMES)
def test_only_four_events_have_a_private_part(seats: int, number: int) -> None:
    """Every other event is shown whole to everybody."""
    for event in game(seats, number).events:
        for reader in (*range(seats), None):
            if not isinstance(event, PRIVATE):
                assert TITLE.redact(event, reader) == event


@pytest.mark.rule("SW-17.1", "SW-15.3")
def test_a_deal_is_shown_to_each_seat_for_itself() -> None:
    """Of LandsDealt a seat sees its own three ids, a spectator none; the deck's order is for nobody."""
    told = game(3)
    for event in told.of(LandsDealt):
        for reader in (0, 1, 2, None):
            shown = TITLE.redact(event, reader)
            assert isinstance(shown, LandsDealt)
            for hand, whole in zip(shown.hands, event.hands, strict=True):
                assert hand == (whole if hand.seat == reader else msgspec.structs.replace(whole, lands=()))
    for reader in (0, None):
        assert TITLE.redact(told.of(DeckShuffled)[0], reader) == DeckShuffled(45, ())


@pytest.mark.rule("SW-17.2", "INV-37")
@pytest.mark.parametrize(("seats", "number"), GAMES)
def test_the_events_alone_rebuild_the_state(seats: int, number: int) -> None:
    """Folded from the first one they give the live state, also where the pack is unknown: nothing is looked up."""
    told = game(seats, number)
    assert fold(told.events) == told.states[-1]
    begun = told.events[0]
    assert isinstance(begun, GameBegun)
    nowhere = PackRef("nowhere", 9, "0" * 64)
    state = fold([msgspec.structs.replace(begun, pack=nowhere), *told.events[1:]])
    assert state == msgspec.structs.replace(told.states[-1], pack=nowhere)


@pytest.mark.rule("SW-17.3")
@pytest.mark.parametrize(("seats", "number"), GAMES)
def test_the_events_of_a_play_come_in_the_order_of_its_steps(seats: int, number: int) -> None:
    """Each play has its steps at most once and in order."""
    play: list[int] = []
    for event in game(seats, number).events:
        for step in [place for place, kinds in enumerate(STEPS) if type(event) in kinds]:
            play = [] if step == 0 else play
            assert not play or play[-1] < step
            play.append(step)


@pytest.mark.rule("SW-17.3", "INV-10")
def test_flips_list_the_placed_cell_first_then_by_row_and_column() -> None:
    """In random games; every cell has a cause, and only the placed one has another than moon_buried."""
    several = 0
    for seats in (2, 4):
        for number in range(8):
            events = game(seats, number).events
            for before, event in pairwise(events):
                if isinstance(event, LandsDesolated):
                    assert isinstance(before, LandPlaced)
                    cells = [flip.cell for flip in event.flips]
                    others = [cell for cell in cells if cell != before.cell]
                    assert cells in ([before.cell, *others], others)
                    assert others == sorted(others, key=lambda cell: (cell.y, cell.x))
                    causes = {cause.value for flip in event.flips for cause in flip.causes if flip.cell in others}
                    assert causes <= {"moon_buried"}
                    assert all(flip.causes for flip in event.flips)
                    assert before.cell not in cells or "moon_buried" not in {c.value for c in event.flips[0].causes}
                    several += len(cells) > 1
    assert several


def outline(seats: int) -> list[type[Event]]:
    """Return the kinds of events of a whole game of two to four seats, one for each play."""
    passes: list[type[Event]] = [*[PassChosen] * seats, PassesResolved] * 2
    direction: list[type[Event]] = [DirectionChosen] if seats > 2 else []
    turn: list[type[Event]] = [TurnStarted, *direction, LandsDealt, *passes, *[LandPlaced] * (3 * seats), TurnEnded]
    opening: list[type[Event]] = [GameBegun, StartingLandsDealt, DeckShuffled, SunAssigned, TravellersDisplayed]
    return [*opening, *([*turn, SunPassed] * 4), *turn, WorldsScored, GameEnded]


@pytest.mark.rule("SW-17.5")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_outside_plays_events_come_in_the_order_of_the_table(seats: int) -> None:
    """Set-up, five turns with their deal and passes, the end; an event whose condition fails is left out."""
    inside = tuple(kind for kinds in STEPS[1:] for kind in kinds)
    told = [type(event) for event in game(seats).events if not isinstance(event, inside)]
    assert told == outline(seats)
