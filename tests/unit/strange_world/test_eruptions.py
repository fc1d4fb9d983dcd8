"""SW-10: Volcanoes and Fumaroles."""

from __future__ import annotations

import pytest

from services.strange_world.content import newest
from services.strange_world.rules import TITLE
from services.strange_world.rules.actions import CoverCard, PlaceLand
from services.strange_world.rules.board import place_of, places
from services.strange_world.rules.events import FumarolePlaced, LandPlaced
from services.strange_world.rules.phases import PlacingLand
from shared.kernel import Reason
from tests.unit.strange_world.building import scene
from tests.unit.strange_world.checking import holds
from tests.unit.strange_world.games import game, refusal
from tests.unit.strange_world.positions import OWNER

CROSS = """
      |  a     b     c     |
    1 |  FdFg  {top}   MFg   |
    2 |  W     ?     {right}  |
    3 |  MW    {low}   MM    |
"""


@pytest.mark.rule("SW-10.1")
def test_one_fumarole_of_the_supply_covers_one_card() -> None:
    """The supply of 11 becomes 10, and one cell is covered."""
    drawn = holds("""
          |  a     b     |  a     b     |
        1 |  M     ?     |  *     VFp   |
        play: VFp at b1
        erupt: forced a1
        """)
    assert (drawn.before.fumaroles, drawn.state.fumaroles) == (11, 10)


@pytest.mark.rule("SW-10.2", "SW-10.4")
def test_every_neighbour_but_a_fumarole_is_a_target() -> None:
    """A starting Land, a Tzimime, a gate and another Volcano are offered; no corner, no Fumarole, not itself."""
    drawn = scene(CROSS.format(top="(M)", right="VMM", low="T") + "play: VFp at b2")
    drawn.play("VFp", "b2")
    assert drawn.option_cells() == ["b1", "a2", "c2", "b3"]
    drawn = scene(CROSS.format(top="*", right="VMM", low="T") + "play: VFp at b2")
    drawn.play("VFp", "b2")
    assert drawn.option_cells() == ["a2", "c2", "b3"]


@pytest.mark.rule("SW-10.2")
@pytest.mark.parametrize("name", ["b1", "a2", "c2", "b3"])
def test_each_target_can_be_covered(name: str) -> None:
    """A gate, the starting Land, a Volcano, a Tzimime: each becomes a Fumarole."""
    drawn = scene(CROSS.format(top="(M)", right="VMM", low="T") + "play: VFp at b2")
    drawn.play("VFp", "b2")
    (event,) = drawn.cover(name)
    assert isinstance(event, FumarolePlaced)
    assert event.tzimime == (name == "b3")
    assert drawn.drawing()[name] == "*"


@pytest.mark.rule("SW-10.2", "SW-7.6")
def test_a_moon_is_a_target() -> None:
    """A Volcano beside a moon of its own row may cover it while it lies face up."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  M     O     ?     |  M     *     VP    |
        play: VP at c1
        erupt: forced b1
        """)


@pytest.mark.rule("SW-10.3", "SW-10.4")
@pytest.mark.parametrize("name", ["a1", "b2", "c3", "e5"])
def test_only_a_target_can_be_chosen(name: str) -> None:
    """A corner, the Volcano itself and a distant cell are refused; the eruption cannot be left out."""
    drawn = scene(CROSS.format(top="(M)", right="VMM", low="T") + "play: VFp at b2")
    drawn.play("VFp", "b2")
    before = drawn.state
    assert drawn.decision is not None
    assert drawn.decision.kind == "cover_card"
    assert refusal(before, OWNER, CoverCard(drawn.cell(name))) is Reason.NOT_AN_OPTION
    assert len(drawn.options()) == 4


@pytest.mark.rule("SW-10.5", "INV-20")
@pytest.mark.parametrize(("seats", "pack"), [(1, "skyward"), (2, "classic"), (4, "classic"), (4, "skyward")])
def test_a_land_erupts_once_when_it_is_placed(seats: int, pack: str) -> None:
    """In random games Fumaroles and Volcano Lands that stayed face up when placed are as many, one at each source."""
    lands = newest(pack).lands
    for number in range(2):
        told = game(seats, number, pack=pack)
        erupting = [(event.seat, event.cell) for event in told.of(LandPlaced) if event.erupts]
        assert [(event.seat, event.source) for event in told.of(FumarolePlaced)] == erupting
        assert len(set(erupting)) == len(erupting)
        assert all(lands[event.land].volcanoes for event in told.of(LandPlaced) if event.erupts)


@pytest.mark.rule("SW-10.6", "SW-16.3")
def test_a_single_target_is_covered_without_asking() -> None:
    """The event says that it was forced, and the game does not wait."""
    drawn = scene("""
          |  a     b     |
        1 |  T     ?     |
        2 |  M     *     |
        play: VP at b1
        """)
    events = drawn.play("VP", "b1")
    assert isinstance(events[-1], FumarolePlaced)
    assert events[-1].forced
    assert isinstance(drawn.state.phase, PlacingLand)


@pytest.mark.rule("SW-10.7", "SW-7.1", "SW-13.2")
def test_a_covered_card_has_lost_everything() -> None:
    """Under Fumaroles lie a Water with Plant, a gate, two Mountains and a moon: nothing of them counts or hinders."""
    holds("""
          |  a     b     c     d     |  a     b     c     d     |
        1 |  *     *     W     *     |  *     *     W     *     |
        2 |  MM    ?     .     *     |  MM    (P)   .     *     |
        hidden: a1 WP; b1 VMM; d1 O
        play: (P) at b2
        score: mountain 2, water 2, plant 3, forest 0, moon 0, city 0, traveller 0, total 7
        """)
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  *     ?     M     |  *     (Fr)  M     |
        hidden: a1 (W)
        play: (Fr) at b1
        score: mountain 1, water 0, plant 0, forest 2, moon 0, city 0, traveller 0, total 3
        """)


@pytest.mark.rule("SW-10.7", "INV-26")
@pytest.mark.parametrize("seats", [2, 4])
def test_a_fumarole_is_never_covered_or_removed(seats: int) -> None:
    """In random games each covered cell is covered once and stays covered."""
    for number in range(2):
        told = game(seats, number)
        covered = [(event.seat, event.cell) for event in told.of(FumarolePlaced)]
        assert len(set(covered)) == len(covered)
        for seat, world in enumerate(told.states[-1].worlds):
            cells = {place_of(cell) for owner, cell in covered if owner == seat}
            assert set(places(world.fumaroles)) == cells


@pytest.mark.rule("SW-10.8")
def test_a_fumarole_occupies_supports_counts_and_lies_beside_a_water() -> None:
    """Its cell is taken, cells beside it are legal, the box is four wide with it, and the Water scores it."""
    holds("""
          |  a     b     c     d     |
        1 |  .     .     .     .     |
        2 |  M     MM    MW    *     |
        legal: a1 b1 c1 d1 a3 b3 c3 d3
        score: mountain 4, water 2, plant 0, forest 0, moon 0, city 0, traveller 0, total 6
        """)


@pytest.mark.rule("SW-10.9")
def test_a_volcano_may_go_where_it_will_flip() -> None:
    """Cells beside a target are open, yet the cell beside the Fumarole only may be chosen."""
    drawn = holds("""
          |  a     b     c     |  a     b     c     |
        1 |  M     *     ?     |  M     *     T     |
        2 |  MM    .     .     |  MM    .     .     |
        play: VP at c1
        flips: c1 {volcano}
        """)
    beside_a_target = PlaceLand(drawn.hand["VP"], drawn.cell("b2"))
    assert beside_a_target in TITLE.legal_actions(drawn.before, OWNER)


@pytest.mark.rule("SW-10.10")
@pytest.mark.parametrize("name", ["classic", "skyward"])
def test_the_reminder_symbol_is_no_icon(name: str) -> None:
    """Land icons are M, W, F, P and V; every Volcano Land has exactly one V."""
    pack = newest(name)
    assert {icon.value for land in pack.deck for icon in land.icons} == set("MWFPV")
    assert {land.volcanoes for land in pack.deck} == {0, 1}
