"""Checking a block of drawings against the rules, in the notation of docs/rules/strange-world.md, chapter 6.1."""

from __future__ import annotations

import re

from services.strange_world.rules.actions import DeclineTraveller, PlaceLand, WelcomeTraveller
from services.strange_world.rules.board import place_of, places
from services.strange_world.rules.events import (
    Cause,
    DarkCityBuilt,
    Event,
    Flip,
    FumarolePlaced,
    LandPlaced,
    LandsDesolated,
    PortalAssembled,
    TravellerDeclined,
    TravellerWelcomed,
)
from services.strange_world.rules.scoring import CATEGORIES, bonuses, moon_value, score
from services.strange_world.rules.state import PlacedTraveller
from services.strange_world.rules.worlds import with_traveller
from tests.unit.strange_world.building import Scene
from tests.unit.strange_world.drawing import Block, parse
from tests.unit.strange_world.positions import OWNER, SIDES


def holds(text: str, *, pack: str = "classic", strict: bool = False) -> Scene:
    """Check a block given as text; return the scene after its play."""
    return check(parse(text), pack=pack, strict=strict)


def check(block: Block, *, pack: str = "classic", strict: bool = False) -> Scene:
    """Play a block: it has exactly the drawn outcome, every key comes true, and nothing else happens."""
    scene = Scene(block, pack=pack, strict=strict)
    drawn = {name: "." if token == "?" else token for name, token in block.before.items()}
    assert scene.drawing() == drawn
    if "play" in block.keys:
        _check_play(scene, block)
    else:
        assert not block.after
    if "legal" in block.keys:
        assert set(scene.legal()) == set(block.keys["legal"].split())
    if "legal_strict" in block.keys:
        wanted, cells = block.keys["legal_strict"].split(" -> ")
        assert scene.legal(wanted) == scene.legal()
        assert set(scene.legal(wanted, strict=True)) == set(cells.split())
    _check_score(scene, block)
    return scene


def _check_play(scene: Scene, block: Block) -> None:
    wanted, name = block.keys["play"].split(" at ")
    stack = scene.state.cities
    travellers = scene.world.travellers
    assert block.before[name] == "?"
    assert PlaceLand(scene.hand[wanted], scene.cell(name)) in scene.options()
    scene.play(wanted, name)
    _answer_welcome(scene, block)
    _answer_cells(scene, block, "erupt", "cover_card")
    _answer_cells(scene, block, "city", "choose_city_partner")
    assert scene.decision is not None
    assert scene.decision.kind == "place_land"
    assert scene.decision.seats == (1,)
    assert scene.events == tuple(_expected_events(scene, block))
    assert scene.drawing() == block.after
    after = block.parts("after_travellers")
    assert scene.world.travellers == (scene.frame.travellers(after) if after else travellers)
    left = tuple(map(int, block.words("after_stack")))
    assert scene.state.cities == (left if "after_stack" in block.keys else stack)


def _answer_welcome(scene: Scene, block: Block) -> None:
    assert scene.decision is not None
    assert (scene.decision.kind == "welcome_traveller") == ("welcome" in block.keys)
    if "welcome" not in block.keys:
        return
    number, offered, chosen = block.parts("welcome")
    slots = [
        re.fullmatch(r"([LR]) (\d+)\|\d+(?: #(\d+))?", slot) for slot in offered.removeprefix("slots ").split(", ")
    ]
    display = [guest.id for guest in scene.pack.travellers if guest.id in scene.state.display]
    expected = [
        WelcomeTraveller(guest, SIDES[slot[1]], int(slot[2]) - scene.frame.row)
        for guest in display
        for slot in slots
        if slot is not None
    ]
    assert scene.options() == (DeclineTraveller(), *expected)
    assert len(scene.options()) == int(number.split()[0])
    for slot in slots:
        assert slot is not None
        upper = int(slot[2]) - scene.frame.row
        assert int(slot[3] or 1) == 1 + sum(guest.slot == upper for guest in scene.world.travellers)
    scene.welcome(chosen.removeprefix("chosen "))


def _answer_cells(scene: Scene, block: Block, key: str, kind: str) -> None:
    parts = block.parts(key)
    asked = bool(parts) and parts[0].startswith("options")
    assert scene.decision is not None
    assert (scene.decision.kind == kind) == asked
    if asked:
        assert set(scene.option_cells()) == set(parts[0].removeprefix("options ").split())
        chosen = parts[1].removeprefix("chosen ")
        _ = scene.cover(chosen) if kind == "cover_card" else scene.join(chosen)


def _expected_events(scene: Scene, block: Block) -> list[Event]:
    wanted, name = block.keys["play"].split(" at ")
    cell = scene.cell(name)
    flips = [_flip(scene, part) for part in block.parts("flips")]
    stays = all(flip.cell != cell for flip in flips)
    events: list[Event] = [LandPlaced(OWNER, scene.hand[wanted], cell, erupts="V" in wanted and stays)]
    if flips:
        events.append(LandsDesolated(OWNER, tuple(flips)))
    if "portal" in block.keys:
        left, right = scene.frame.cells(block.keys["portal"])
        events.append(PortalAssembled(OWNER, left, right, welcomes="welcome" in block.keys))
    if "welcome" in block.keys:
        events.append(_expected_answer(scene, block))
    if "erupt" in block.keys:
        events += _expected_eruption(scene, block)
    return events


def _expected_answer(scene: Scene, block: Block) -> Event:
    left, right = scene.frame.cells(block.keys["portal"])
    chosen = block.parts("welcome")[-1].removeprefix("chosen ")
    if chosen == "decline":
        return TravellerDeclined(OWNER, left, right)
    guest = scene.frame.travellers(block.parts("after_travellers"))[-1]
    assert chosen.split()[0] == guest.traveller
    return TravellerWelcomed(OWNER, guest.traveller, guest.side, guest.slot, guest.position, left, right)


def _expected_eruption(scene: Scene, block: Block) -> list[Event]:
    name = block.keys["play"].split(" at ")[1]
    erupt, city = block.parts("erupt"), block.parts("city")
    target = scene.frame.cells(erupt[-1])[0]
    lay_face_down = scene.before.worlds[OWNER].tzimimes >> place_of(target) & 1 == 1
    flipped = any(scene.cell(part.split()[0]) == target for part in block.parts("flips"))
    land = scene.before.worlds[OWNER].lands[place_of(target)]
    forced = erupt[0].startswith("forced")
    events: list[Event] = [
        FumarolePlaced(
            OWNER, scene.cell(name), target, land, tzimime=lay_face_down or flipped, forced=forced, builds=bool(city)
        )
    ]
    if city:
        partner = scene.frame.cells(city[-2])[0]
        value = int(city[-1].removeprefix("value "))
        events.append(DarkCityBuilt(OWNER, value, target, partner, forced=city[0].startswith("forced")))
    return events


def _flip(scene: Scene, part: str) -> Flip:
    name, causes = part.split(" ", 1)
    return Flip(scene.cell(name), tuple(Cause(cause) for cause in causes.strip("{}").split(", ")))


def _check_score(scene: Scene, block: Block) -> None:
    pack, world = scene.pack, scene.world
    if "score" in block.keys:
        expected = dict(part.split() for part in block.keys["score"].split(", "))
        counted = score(pack, world, OWNER)
        assert {name: str(getattr(counted, name)) for name in (*CATEGORIES, "total")} == expected
    if "moon_each" in block.keys:
        shown = {place: pack.lands[world.lands[place]] for place in places(world.face_up)}
        for part in block.keys["moon_each"].split():
            name, value = part.split("=")
            assert moon_value(shown, place_of(scene.cell(name))) == int(value)
    if "bonus" in block.keys:
        names = [guest.traveller for guest in world.travellers]
        earned = [f"{name} {bonus}" for name, bonus in zip(names, bonuses(pack, world), strict=True)]
        assert earned == block.parts("bonus")
    for part in block.parts("whatif"):
        guest, *values = part.split()
        for slot, value in enumerate(values, start=1):
            visited = with_traveller(world, PlacedTraveller(guest, SIDES["R"], slot - scene.frame.row, 1))
            assert bonuses(pack, visited)[-1] == int(value), (guest, slot)
