"""SW-1.15 and SW-1.16: which packs are fit to play with, and that the rules know no id."""

from __future__ import annotations

import re

import msgspec
import pytest

from services.strange_world.content import Icon, PackError, newest
from services.strange_world.rules import Settings
from shared.rng import KeyedDraw
from tests.unit.strange_world.games import play
from tests.unit.strange_world.packs import CLASSIC, admitted, changed

FAULTY = [
    ("two ids alike", [('code = "gw"', 'code = "gm"')], "two Lands have the same id"),
    ("a starting id alike", [('id = "sw"', 'id = "sm"')], "two Lands have the same id"),
    ("solo deck of 22", [("copies = [4, 2, 2, 2]", "copies = [5, 1, 2, 2]")], "1 seat has 22"),
    ("solo deck of 20", [("copies = [4, 2, 2, 2]", "copies = [3, 3, 2, 2]")], "1 seat has 20"),
    ("44 for three", [("copies = [4, 2, 2, 2]", "copies = [4, 2, 1, 3]")], "3 seats has 44"),
    ("59 for four", [("copies = [4, 2, 2, 2]", "copies = [4, 2, 2, 1]")], "4 seats has 59"),
    ("twelve Volcano Lands", [('"VW", copies = [1, 0, 0, 1]', '"VW", copies = [1, 0, 0, 2]')], "12 Lands"),
    ("two Waters", [('icons = "MW"', 'icons = "WW"')], "two W"),
    ("two Plants", [('icons = "MP"', 'icons = "PP"')], "two P"),
    ("two Volcanoes", [('icons = "VP"', 'icons = "VV"')], "two V"),
    ("a Forest without animal", [('animals = ["goat"], copies', "copies")], "animals"),
    ("an animal without Forest", [('icons = "MM", copies', 'icons = "MM", animals = ["goat"], copies')], "animals"),
    ("a moon with an icon", [('icons = "", moon = true', 'icons = "M", moon = true')], "moon"),
    ("three starting Lands", [('    { id = "sm", icons = "M" },\n', "")], "starting"),
    ("a starting Land with two icons", [('id = "sm", icons = "M"', 'id = "sm", icons = "MM"')], "one icon"),
    ("a starting Volcano", [('id = "sm", icons = "M"', 'id = "sm", icons = "V"')], "one icon"),
    ("a starting gate", [('id = "sm", icons = "M"', 'id = "sm", icons = "M", gate = true')], "no gate"),
    ("a starting moon", [('id = "sm", icons = "M"', 'id = "sm", icons = "M", moon = true')], "moon"),
]


@pytest.mark.rule("SW-1.15")
@pytest.mark.parametrize(("changes", "sentence"), [case[1:] for case in FAULTY], ids=[case[0] for case in FAULTY])
def test_an_unfit_pack_is_refused(changes: list[tuple[str, str]], sentence: str) -> None:
    """Each fault that SW-1.15 names is refused with a sentence about it."""
    with pytest.raises(PackError, match=sentence):
        changed(*changes)


@pytest.mark.rule("SW-1.15")
def test_a_pack_too_small_for_two_is_refused() -> None:
    """With n = 2 the deck needs 30 cards; this one has the 21 of mark 1 and two moons of mark 2."""
    text = [("copies = [1, 1, 0, 1]", "copies = [1, 0, 2, 0]"), ("copies = [1, 1, 1, 0]", "copies = [1, 0, 2, 0]")]
    with pytest.raises(PackError, match="2 seats has 23"):
        changed(*text)


@pytest.mark.rule("SW-1.15")
def test_eleven_volcano_lands_and_the_least_decks_are_fit() -> None:
    """The limits themselves are allowed: 11 Volcano Lands, 21, 38, 45 and 60 cards."""
    pack = changed()
    assert sum(1 for land in pack.deck if Icon.VOLCANO in land.icons) == 11
    assert [len(pack.deck_for(seats)) for seats in (1, 2, 3, 4)] == [21, 38, 45, 60]


def renamed_pack() -> tuple[str, dict[str, str]]:
    """Make a pack known with other Land ids and animals; return its name and the new names by the old."""
    codes = sorted(set(re.findall(r'code = "(\w+)"', CLASSIC)), reverse=True)
    animals = re.findall(r'^(\w+) = "\w"$', CLASSIC, re.MULTILINE)
    words = {f'code = "{code}"': f'code = "q{number:02}x"' for number, code in enumerate(codes)}
    words |= {f'id = "{start}"': f'id = "z{start}"' for start in ("sm", "sw", "sf", "sp")}
    words |= {f'"{animal}"': f'"{animal[::-1]}y"' for animal in animals}
    words |= {f"\n{animal} = ": f"\n{animal[::-1]}y = " for animal in animals}
    name = admitted("renamed", *words.items())
    old, new = newest("classic"), newest(name)
    return name, dict(zip(old.lands, new.lands, strict=True))


@pytest.mark.rule("SW-1.16")
@pytest.mark.parametrize("seats", [1, 3])
def test_the_rules_know_no_id(seats: int) -> None:
    """With every Land id and animal renamed, the same game is played."""
    name, renamed = renamed_pack()
    games = [play(seats, KeyedDraw(b"renaming"), KeyedDraw(b"choices"), Settings(pack)) for pack in ("classic", name)]
    told = [msgspec.json.encode([(type(event).__name__, event) for event in game.events[1:]]) for game in games]
    text = re.sub(rb'"(\w+)"', lambda word: f'"{renamed.get(word[1].decode(), word[1].decode())}"'.encode(), told[0])
    assert text == told[1]
