"""SW-1: what is in the box, and what makes a pack fit to play with."""

from __future__ import annotations

import re

import msgspec
import pytest

from services.strange_world.content import Land, newest, shipped
from services.strange_world.rules import Settings
from services.strange_world.rules.actions import PlaceLand
from services.strange_world.rules.events import FumarolePlaced
from tests.unit.strange_world.checking import holds
from tests.unit.strange_world.drawing import PAGE
from tests.unit.strange_world.packs import gate_moons

PACKS = ("classic", "skyward")
YES = {"yes": True, "–": False}
DESIGN = re.compile(
    r"^\| (\w+) \| `(.*?)` \| (.*?) \| (.*?) \| (yes|–) \| (yes|–) \| (.*?) \| (.*?) \| (.*?) \| (.*?) \| (\d+) \|$",
    re.MULTILINE,
)
TABLES = dict(zip(PACKS, re.split(r"^### 4\.\d Pack .*$", PAGE, flags=re.MULTILINE)[1:], strict=True))


def tabled(pack: str) -> list[tuple[str, int, str, tuple[str, ...], bool, bool]]:
    """Read the Lands of a pack from the page: id, mark, icons, animals, gate, moon, in table order."""
    lands = []
    for row in DESIGN.findall(TABLES[pack].split("### 4.3")[0]):
        icons = row[2].replace(" ", "").replace("–", "")
        animals = tuple(row[3].replace("–", "").replace(",", " ").split())
        copies = [(name, mark) for mark in (1, 2, 3, 4) for name in row[5 + mark].replace("–", "").split()]
        assert len(copies) == int(row[10])
        lands += [(name, mark, icons, animals, YES[row[4]], YES[row[5]]) for name, mark in copies]
    return lands


def letters(land: Land) -> str:
    """Return a Land's icons as the page writes them."""
    return "".join(icon.value for icon in land.icons)


@pytest.mark.rule("SW-1.1")
@pytest.mark.parametrize("name", PACKS)
def test_the_box_holds_what_the_page_counts(name: str) -> None:
    """A pack has 60 Lands, 4 starting Lands, 8 Travellers, 5 Dark Cities and 11 Fumaroles."""
    pack = newest(name)
    assert (len(pack.deck), len(pack.starting_lands), len(pack.travellers)) == (60, 4, 8)
    assert (len(pack.cities), pack.fumaroles) == (5, 11)


@pytest.mark.rule("SW-1.2", "SW-1.14")
@pytest.mark.parametrize("name", PACKS)
def test_every_land_is_the_one_of_the_table(name: str) -> None:
    """Ids, marks, icons, animals, gates and moons of the 60 Lands are those of tables 4.1 and 4.2, in their order."""
    pack = newest(name)
    lands = [(land.id, land.mark, letters(land), land.animals, land.gate, land.moon) for land in pack.deck]
    assert lands == tabled(name)
    assert len(lands) == 60


@pytest.mark.rule("SW-1.3")
def test_a_moon_with_a_gate_is_both() -> None:
    """In a pack whose moons bear gates, one in the top row makes a Portal and scores its column."""
    holds(
        """
          |  a     b     |  a     b     |
        1 |  (M)   ?     |  (M=   =O)   |
        2 |  .     MM    |  .     MM    |
        3 |  .     Fb    |  .     Fb    |
        play: (O) at b1
        portal: a1+b1
        welcome: 33 options; slots L 0|1, L 1|2, R 0|1, R 1|2; chosen decline
        moon_each: b1=4
        """,
        pack=gate_moons(),
    )


@pytest.mark.rule("SW-1.3")
def test_a_moon_without_a_gate_makes_no_portal() -> None:
    """Beside a gate a plain moon lies like any other card."""
    holds(
        """
          |  a     b     |  a     b     |
        1 |  (M)   ?     |  (M)   O     |
        2 |  .     Fb    |  .     Fb    |
        play: O at b1
        """
    )


@pytest.mark.rule("SW-1.4")
@pytest.mark.parametrize("name", PACKS)
def test_every_forest_has_one_animal(name: str) -> None:
    """Each Land has as many animals as Forest icons."""
    for land in newest(name).lands.values():
        assert len(land.animals) == letters(land).count("F")


@pytest.mark.rule("SW-1.5")
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_gate_links_on_either_edge(side: str) -> None:
    """One design of gate is linked at its left edge and at its right edge."""
    at_the_left = """
          |  a     b     |  a     b     |
        1 |  (M)   ?     |  (M=   =P)   |
        2 |  Fb    .     |  Fb    .     |
        play: (P) at b1
        portal: a1+b1
        welcome: 33 options; slots L 0|1, L 1|2, R 0|1, R 1|2; chosen decline
        """
    at_the_right = """
          |  a     b     |  a     b     |
        1 |  ?     (M)   |  (P=   =M)   |
        2 |  .     Fb    |  .     Fb    |
        play: (P) at a1
        portal: a1+b1
        welcome: 33 options; slots L 0|1, L 1|2, R 0|1, R 1|2; chosen decline
        """
    holds(at_the_left if side == "left" else at_the_right)


@pytest.mark.rule("SW-1.6")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("classic", [("sm", "M", ()), ("sw", "W", ()), ("sf", "F", ("bear",)), ("sp", "P", ())]),
        ("skyward", [("ksm", "M", ()), ("ksw", "W", ()), ("ksf", "F", ("otter",)), ("ksp", "P", ())]),
    ],
)
def test_a_starting_land_has_one_icon_and_nothing_else(name: str, expected: list[tuple[str, str, tuple[str]]]) -> None:
    """The four starting Lands show M, W, F and P, have no gate, no moon and no mark."""
    lands = newest(name).starting_lands
    assert [(land.id, letters(land), land.animals) for land in lands] == expected
    assert not any(land.gate or land.moon or land.mark for land in lands)


@pytest.mark.rule("SW-1.7")
def test_only_the_starting_land_cannot_flip() -> None:
    """It is in no deck and so never the placed card; beside its Water it is the new card that flips."""
    for name in PACKS:
        pack = newest(name)
        assert not set(pack.deck_for(4)) & {land.id for land in pack.starting_lands}
    holds(
        """
          |  a     b     |  a     b     |
        1 |  W     ?     |  W     T     |
        play: MW at b1
        flips: b1 {water}
        """
    )


@pytest.mark.rule("SW-1.8")
@pytest.mark.parametrize(("name", "sizes"), [("classic", (21, 38, 45, 60)), ("skyward", (21, 36, 48, 60))])
def test_the_deck_has_every_land_up_to_the_mark(name: str, sizes: tuple[int, ...]) -> None:
    """For n seats these are the Lands of the table with mark 1 to n."""
    for seats, size in enumerate(sizes, start=1):
        deck = newest(name).deck_for(seats)
        assert list(deck) == [row[0] for row in tabled(name) if row[1] <= seats]
        assert len(deck) == size


@pytest.mark.rule("SW-1.9")
@pytest.mark.parametrize("name", PACKS)
def test_the_cities_have_their_values(name: str) -> None:
    """From the top 9, 7, 5, 4, 4."""
    assert newest(name).cities == (9, 7, 5, 4, 4)


@pytest.mark.rule("SW-1.10")
def test_the_orientation_of_a_city_has_no_effect() -> None:
    """Joined side by side or one above the other, the same City brings the same Stars."""
    across = """
          |  a     b     c     |  a     b     c     |
        1 |  *     M     ?     |  @     @     VP    |
        play: VP at c1
        erupt: forced b1
        city: forced a1; value 9
        after_stack: 7 5 4 4
        score: mountain 0, water 0, plant 3, forest 0, moon 0, city 9, traveller 0, total 12
        """
    upright = """
          |  a     |  a     |
        1 |  *     |  @     |
        2 |  M     |  @     |
        3 |  ?     |  VP    |
        play: VP at a3
        erupt: forced a2
        city: forced a1; value 9
        after_stack: 7 5 4 4
        score: mountain 0, water 0, plant 3, forest 0, moon 0, city 9, traveller 0, total 12
        """
    holds(across)
    holds(upright)


@pytest.mark.rule("SW-1.11")
def test_fumaroles_are_a_number() -> None:
    """What is recorded of a Fumarole is where it came from and what it covers: no Fumarole has an id."""
    assert {field for field in FumarolePlaced.__struct_fields__ if "fumarole" in field} == set()
    assert isinstance(newest("classic").fumaroles, int)


@pytest.mark.rule("SW-1.12")
@pytest.mark.parametrize("name", PACKS)
def test_the_travellers_all_differ(name: str) -> None:
    """Ids and bonuses are those of table 4.5 in its order; no two have the same condition."""
    bonuses = {"splash": 5, "burk": 4, "kark": 6, "floulou": 8, "pshit": 5, "boung": 8, "roro": 4, "rumph": 6}
    travellers = newest(name).travellers
    assert {guest.id: guest.bonus for guest in travellers} == bonuses
    assert [guest.id for guest in travellers] == list(bonuses)
    assert len({msgspec.json.encode(guest.condition) for guest in travellers}) == 8


@pytest.mark.rule("SW-1.13")
def test_a_card_lies_upright() -> None:
    """Placing a Land says which card and which cell; there is no turn to choose."""
    assert PlaceLand.__struct_fields__ == ("land", "cell")


@pytest.mark.rule("SW-1.14")
def test_there_are_two_packs() -> None:
    """They are called classic, which is the default, and skyward."""
    assert sorted(pack.ref.id for pack in shipped()) == ["classic", "skyward"]
    assert Settings().pack == "classic"
