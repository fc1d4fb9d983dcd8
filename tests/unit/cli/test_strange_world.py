"""Strange World in a terminal: what is drawn, and that everything that can happen or be offered has words."""

from __future__ import annotations

import asyncio
import typing
from collections.abc import Iterator

import msgspec
import pytest
from rich.console import Console

from services.cli.drawing import strange_world as drawing
from services.cli.telling import strange_world as telling
from services.strange_world.rules import TITLE, State
from services.strange_world.rules.actions import (
    Action,
    Cell,
    ChooseCityPartner,
    ChooseDirection,
    CoverCard,
    DeclineTraveller,
    Direction,
    PassOne,
    PassTwo,
    PickStack,
    PlaceLand,
    Side,
    WelcomeTraveller,
)
from services.strange_world.rules.events import (
    Cause,
    DarkCityBuilt,
    Event,
    Flip,
    FumarolePlaced,
    LandPlaced,
    LandsDesolated,
    PortalAssembled,
    TravellerWelcomed,
)
from shared.engine.game import Game
from shared.rng import KeyedDraw
from tests.museum.exhibits import play
from tests.titles import WIRES

WIRE = WIRES["strange_world"]
NAMES = ("Ada", "Bo", "Cy", "Di")


def drawn(state: State, width: int = 80) -> list[str]:
    """Return the lines of the board as a spectator's plain terminal shows them."""
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(drawing.board(TITLE.view(state, None), NAMES))
    return [line.rstrip() for line in capture.get().splitlines()]


def begun(seats: int) -> State:
    """Return a game right after its set-up."""
    state: State | None = None
    for event in TITLE.setup(TITLE.parse({}), seats, KeyedDraw(bytes(32))):
        state = TITLE.evolve(state, event)
    assert state is not None
    return state


@pytest.fixture(scope="module")
def games() -> list[tuple[Event, ...]]:
    """The events of whole games for one to four seats."""
    found = []
    for seats in (1, 2, 3, 4):
        game = Game(WIRE)
        entries = asyncio.run(play(WIRE, seats, {}))
        found.append(tuple(event for entry in entries for event in game.apply(entry).events))
    return found


def test_a_world_is_drawn_with_tokens_links_and_guests() -> None:
    """A Portal, a Traveller beside rows -1|0, a used and a free Fumarole, a Tzimime, a moon and a City."""
    state = begun(2)
    [start] = filter(None, state.worlds[0].lands)
    for event in (
        LandPlaced(0, "gm1", Cell(0, -1)),
        LandPlaced(0, "gf1", Cell(1, -1)),
        PortalAssembled(0, Cell(0, -1), Cell(1, -1)),
        TravellerWelcomed(0, "rumph", Side.RIGHT, -1, 1, Cell(0, -1), Cell(1, -1)),
        LandPlaced(0, "vm1", Cell(1, 0)),
        FumarolePlaced(0, Cell(1, 0), Cell(0, 0), start, False, True),
        LandPlaced(0, "vf1", Cell(0, 1)),
        LandPlaced(0, "fa1", Cell(-1, 0)),
        FumarolePlaced(0, Cell(0, 1), Cell(-1, 0), "fa1", False, False),
        DarkCityBuilt(0, 9, Cell(-1, 0), Cell(0, 0), True),
        LandPlaced(0, "mo1", Cell(-1, -2)),
        LandPlaced(0, "wp1", Cell(1, 1)),
        LandsDesolated(0, (Flip(Cell(1, 1), (Cause.WATER,)),)),
        LandPlaced(0, "mw1", Cell(-1, 1)),
        LandPlaced(0, "vp1", Cell(-1, 2)),
        FumarolePlaced(0, Cell(-1, 2), Cell(-1, 1), "mw1", False, True),
    ):
        state = TITLE.evolve(state, event)
    frame = [line[1:36].strip() for line in drawn(state)]
    assert frame[2:7] == [
        "-2 O    ·    ·",
        "-1 ·    (M=  =Fr)  ╮ru",
        "0 @    @    VMM   ╯",
        "1 *    VFp  T",
        "2 VP   ·    ·",
    ]
    assert frame[7:9] == ["rumph -1|0", "Cities 9"]


def test_four_worlds_fit_into_eighty_columns(games: list[tuple[Event, ...]]) -> None:
    """No line is longer than 80 signs, from the beginning to the end of a game for four."""
    state: State | None = None
    for number, event in enumerate(games[3]):
        state = TITLE.evolve(state, event)
        if number > 20 and number % 9 == 0:
            assert max(map(len, drawn(state))) <= 80
    assert state is not None
    assert max(map(len, drawn(state))) <= 80


def test_progress_counts_lands_from_none_to_fifteen_for_each_seat(games: list[tuple[Event, ...]]) -> None:
    """A game for three has 45 plays (SW-16.7: fifteen for each seat)."""
    state = begun(3)
    assert drawing.progress(TITLE.view(state, None)) == (0, 45)
    final: State | None = None
    for event in games[2]:
        final = TITLE.evolve(final, event)
    assert final is not None
    assert drawing.progress(TITLE.view(final, 1)) == (45, 45)


def test_every_event_has_words_for_every_reader(games: list[tuple[Event, ...]]) -> None:
    """Whole games for one to four seats are told without a gap, redacted for a seat and a spectator too."""
    told = set()
    for events in games:
        for event in events:
            for seen in (event, TITLE.redact(event, 0), TITLE.redact(event, None)):
                assert seen is not None
                assert telling.tell(seen, NAMES)
            told.add(type(event))
    assert told >= set(typing.get_args(Event)) - {DarkCityBuilt}


def test_hidden_cards_are_not_told(games: list[tuple[Event, ...]]) -> None:
    """What a spectator is told of a choice does not depend on what was chosen."""

    def public(events: tuple[Event, ...]) -> Iterator[str]:
        for event in events:
            seen = TITLE.redact(event, None)
            assert seen is not None
            if "lands" in event.__struct_fields__:
                yield telling.tell(seen, NAMES)

    choices = [line for line in public(games[3]) if "to give" in line]
    assert len(choices) == 2 * 4 * 5
    assert not any(":" in line for line in choices)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (ChooseDirection(Direction.LEFT), "choose the direction left"),
        (PassTwo(("mm1", "mo1")), "give 2 Mountains and a moon (mm1, mo1)"),
        (PassOne("gf1"), "give Forest (rat) with a gate (gf1)"),
        (PickStack(3), "pick stack 3"),
        (PlaceLand("vw1", Cell(-1, 2)), "place Volcano-Water (vw1) at (-1, 2)"),
        (WelcomeTraveller("boung", Side.LEFT, 0), "welcome Boung on the left, beside rows 0 and 1"),
        (DeclineTraveller(), "take no Traveller"),
        (CoverCard(Cell(0, 0)), "cover (0, 0) with the Fumarole"),
        (ChooseCityPartner(Cell(1, 0)), "join the Fumarole at (1, 0) to the City"),
    ],
)
def test_every_action_is_offered_in_words(action: Action, words: str) -> None:
    """One line says what each option would do."""
    assert telling.offer(action) == words


def test_every_kind_of_action_is_in_the_table_above() -> None:
    """Nine kinds of action exist and nine are tested."""
    assert len(typing.get_args(Action)) == 9


def test_both_packs_have_names_for_their_lands() -> None:
    """No Land is told by its bare id."""
    for name in ("classic", "skyward"):
        pack = TITLE.pack(msgspec.convert({"pack": name}, TITLE.settings))
        assert pack.id == name
    assert telling.land_name("kgv1") == "Volcano with a gate"
    assert telling.land_name("sf") == "Forest (bear)"
