"""EX-SW-39: a whole solo game, played as the page tells it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from msgspec import Struct

from services.strange_world.content import newest
from services.strange_world.rules import TITLE, Event, Settings, State
from services.strange_world.rules.actions import (
    CoverCard,
    DeclineTraveller,
    PickStack,
    PlaceLand,
    WelcomeTraveller,
)
from services.strange_world.rules.board import place_of, places
from services.strange_world.rules.events import (
    DarkCityBuilt,
    FumarolePlaced,
    GameEnded,
    LandsDesolated,
    PortalAssembled,
    StackRevealed,
    TravellerWelcomed,
    WorldsScored,
)
from services.strange_world.rules.scoring import CATEGORIES, bonuses, moon_value
from services.strange_world.rules.state import PlacedTraveller
from shared.kernel import drawn_sample
from tests.unit.strange_world.building import NoChance, fold
from tests.unit.strange_world.drawing import blocks, sections
from tests.unit.strange_world.games import Script
from tests.unit.strange_world.positions import SIDES, Frame, token

SOLO = sections()["EX-SW-39"]
SCRIPT = SOLO.split("```sw-solo\n")[1].split("```")[0].splitlines()
FRAME = Frame(2, 2)
"""`start sw c2`: the starting Land lies in column c, row 2 of the finished square."""


class Telling(Struct):
    """A game in progress and its last events."""

    state: State
    events: tuple[Event, ...] = ()

    def act(self, action: PickStack | PlaceLand | CoverCard | WelcomeTraveller) -> None:
        """Let the player act."""
        self.events = TITLE.decide(self.state, 0, action, NoChance())
        self.state = fold(self.events, self.state)

    def one(self, kind: type[Event]) -> Event:
        """Return the only event of a kind among the last."""
        (event,) = (event for event in self.events if isinstance(event, kind))
        return event


def told(word: str) -> Iterator[list[str]]:
    """Return the lines of the script that begin with a word, without it."""
    for line in SCRIPT:
        first, *rest = line.split()
        if first == word:
            yield rest


def solo_setup() -> State:
    """Set the solo game up by draws that give the cards of the script."""
    pack = newest("classic")
    (start,) = told("start")
    (guests,) = told("travellers")
    deck = [land for line in told("stack") for land in line[1:]]
    wanted = (
        ([land.id for land in pack.starting_lands], start[:1], "starting_lands"),
        (pack.deck_for(1), deck, "land_deck"),
        ([guest.id for guest in pack.travellers], guests, "travellers"),
    )
    script = Script(*(drawn.result for items in wanted for drawn in drawn_sample(*items)))
    return fold(TITLE.setup(Settings(), 1, script))


def play(telling: Telling, land: str, name: str, outcome: dict[str, str]) -> None:
    """Play one line of the script and check what it says, and that nothing else happens."""
    options = [option for option in TITLE.legal_actions(telling.state, 0) if isinstance(option, PlaceLand)]
    assert sum(option.land == land for option in options) == int(outcome["cells"])
    telling.act(PlaceLand(land, FRAME.cell(name)))
    flips = [
        f"{FRAME.name(flip.cell)}{{{','.join(cause.value for cause in flip.causes)}}}"
        for event in telling.events
        if isinstance(event, LandsDesolated)
        for flip in event.flips
    ]
    assert ",".join(flips) == outcome.get("flips", "")
    check_portal(telling, outcome)
    check_eruption(telling, outcome)


def check_portal(telling: Telling, outcome: dict[str, str]) -> None:
    """Check `portal=` and `welcome=`: options, choice."""
    portals = [event for event in telling.events if isinstance(event, PortalAssembled)]
    assert [f"{FRAME.name(event.left)}+{FRAME.name(event.right)}" for event in portals] == [
        outcome[key] for key in outcome if key == "portal"
    ]
    assert bool(portals) == ("welcome" in outcome)
    if portals:
        number, chosen = outcome["welcome"].split(":")
        guest, side, slot = chosen.split("/")
        options = TITLE.legal_actions(telling.state, 0)
        assert len(options) == int(number)
        assert options[0] == DeclineTraveller()
        telling.act(WelcomeTraveller(guest, SIDES[side], int(slot[0]) - FRAME.row))
        assert isinstance(telling.one(TravellerWelcomed), TravellerWelcomed)


def check_eruption(telling: Telling, outcome: dict[str, str]) -> None:
    """Check `erupt=` and `city=`: options or forced, choice, value."""
    if "erupt" in outcome:
        offered, chosen = outcome["erupt"].split(":")
        options = [option for option in TITLE.legal_actions(telling.state, 0) if isinstance(option, CoverCard)]
        assert {FRAME.name(option.cell) for option in options} == set(offered.split(","))
        telling.act(CoverCard(FRAME.cell(chosen)))
    assert any(isinstance(event, FumarolePlaced) for event in telling.events) == ("erupt" in outcome)
    built = [event for event in telling.events if isinstance(event, DarkCityBuilt)]
    assert [f"forced:{FRAME.name(event.partner)}:{event.value}" for event in built if event.forced] == [
        outcome[key] for key in outcome if key == "city"
    ]
    assert all(event.forced for event in built)


@pytest.mark.rule("EX-SW-39", "SW-14.9", "SW-14.10", "SW-14.11", "SW-14.13", "SW-14.14")
def test_the_solo_game_of_the_page() -> None:
    """Every line comes true; the final World, its score and its level are those of the page."""
    telling = Telling(solo_setup())
    stacks = {int(line[0].rstrip(":")): line[1:] for line in told("stack")}
    number, plays = 0, 0
    for line in SCRIPT[9:]:
        word, *rest = line.split()
        if word == "pick":
            number = int(rest[0])
            assert PickStack(number) in TITLE.legal_actions(telling.state, 0)
            telling.act(PickStack(number))
        else:
            assert rest[0] in stacks[number]
            play(telling, rest[0], rest[1], dict(part.split("=", 1) for part in rest[2:]))
            plays += 1
            revealed = [event for event in telling.events if isinstance(event, StackRevealed)]
            assert [set(event.lands) for event in revealed] == ([set(stacks[number][1:])] if plays % 3 == 1 else [])
    assert plays == 15
    check_end(telling)


def check_end(telling: Telling) -> None:
    """Check the final World of the page."""
    (block,) = blocks(SOLO)
    state, pack = telling.state, newest("classic")
    (world,) = state.worlds
    for name, drawn in block.before.items():
        place = place_of(FRAME.cell(name))
        if drawn in {"*", "@"}:
            assert world.fumaroles >> place & 1
            assert world.used >> place & 1 == (drawn == "@")
        elif drawn == "T":
            assert world.tzimimes >> place & 1
        else:
            assert world.face_up >> place & 1
            plain = token(pack, pack.lands[world.lands[place]])
            assert plain.strip("()") == drawn.strip("()=")
            assert world.linked >> place & 1 == ("=" in drawn)
    assert world.travellers == FRAME.travellers(block.parts("travellers"))
    assert {(city.value, city.cell, city.partner) for city in world.cities} == {
        (int(part.split()[0]), *FRAME.cells(part)) for part in block.parts("cities")
    }
    assert [FRAME.cells("a3 b3"), FRAME.cells("b4 c4")] == [[portal.left, portal.right] for portal in world.portals]
    shown = {place: pack.lands[world.lands[place]] for place in places(world.face_up)}
    assert moon_value(shown, place_of(FRAME.cell("a1"))) == 10
    assert bonuses(pack, world) == (0, 0)
    scored = telling.one(WorldsScored)
    assert isinstance(scored, WorldsScored)
    expected = dict(part.split() for part in block.keys["score"].split(", "))
    assert {name: str(getattr(scored.scores[0], name)) for name in (*CATEGORIES, "total")} == expected
    assert telling.one(GameEnded) == GameEnded(ranks=(1,), winners=(), level=2)
    assert [number for number, stack in enumerate(state.stacks, start=1) if stack] == [2, 3]
    assert all(isinstance(guest, PlacedTraveller) for guest in world.travellers)


def test_the_script_is_read_completely() -> None:
    """It has a start, three Travellers, seven stacks of three, five picks and fifteen plays."""
    words = [re.split(r"\s", line)[0] for line in SCRIPT]
    assert words == ["start", "travellers", *["stack"] * 7, *["pick", "play", "play", "play"] * 5]
