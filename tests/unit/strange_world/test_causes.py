"""SW-7.8 to SW-7.18: the top row, Volcanoes without a target, several causes, and what a Tzimime is."""

from __future__ import annotations

import pytest

from services.strange_world.content import newest
from services.strange_world.rules.board import CELLS, places, row_of
from services.strange_world.rules.events import Cause, LandsDesolated
from services.strange_world.rules.scoring import score
from services.strange_world.rules.state import State
from tests.unit.strange_world.building import scene
from tests.unit.strange_world.checking import holds
from tests.unit.strange_world.games import game
from tests.unit.strange_world.packs import gate_moons
from tests.unit.strange_world.positions import OWNER


def settled(state: State) -> bool:
    """Tell whether no play is in progress."""
    return type(state.phase).__name__ not in {"WelcomingTraveller", "CoveringCard", "ChoosingCityPartner"}


@pytest.mark.rule("SW-7.8")
@pytest.mark.parametrize("blank", ["T", "*"])
def test_a_blank_row_is_the_top_row_too(blank: str) -> None:
    """Under a row that holds one Tzimime or one Fumarole only, a moon flips; in that row it stays."""
    holds(f"""
          |  a     b     |  a     b     |
        1 |  {blank}     .     |  {blank}     .     |
        2 |  M     ?     |  M     T     |
        play: O at b2
        flips: b2 {{moon_low}}
        """)
    holds(f"""
          |  a     b     |  a     b     |
        1 |  {blank}     ?     |  {blank}     O     |
        2 |  M     .     |  M     .     |
        play: O at b1
        """)


@pytest.mark.rule("SW-7.9")
def test_a_volcano_beside_fumaroles_only_flips() -> None:
    """With Fumaroles on two sides it flips; with one Tzimime among them it stays and covers that."""
    holds("""
          |  a     b     |  a     b     |
        1 |  MM    *     |  MM    *     |
        2 |  *     ?     |  *     T     |
        play: VFp at b2
        flips: b2 {volcano}
        """)
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  MM    *     W     |  MM    *     W     |
        2 |  *     ?     T     |  *     VFp   *     |
        play: VFp at b2
        erupt: forced c2
        """)


@pytest.mark.rule("SW-7.11")
def test_several_causes_are_listed_in_their_order() -> None:
    """Gate before plant, gate before water, plant before volcano, gate before moon_low: by name."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  (M=   =P)   ?     |  (M=   =P)   T     |
        2 |  W     .     .     |  W     .     .     |
        play: (P) at c1
        flips: c1 {gate, plant}
        """)
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  (M=   =W)   ?     |  (M=   =W)   T     |
        2 |  P     .     .     |  P     .     .     |
        play: (W) at c1
        flips: c1 {gate, water}
        """)
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  P     *     ?     |  P     *     T     |
        play: VP at c1
        flips: c1 {plant, volcano}
        """)
    holds(
        """
          |  a     b     c     |  a     b     c     |
        1 |  .     MM    .     |  .     MM    .     |
        2 |  (M=   =P)   ?     |  (M=   =P)   T     |
        3 |  W     .     .     |  W     .     .     |
        play: (O) at c2
        flips: c2 {gate, moon_low}
        """,
        pack=gate_moons(),
    )
    assert [cause.value for cause in Cause] == ["gate", "moon_buried", "moon_low", "plant", "volcano", "water"]


@pytest.mark.rule("SW-7.12")
def test_a_flip_is_not_asked() -> None:
    """The answer to the play already carries the flip, and the next seat plays."""
    drawn = scene("""
          |  a     b     |
        1 |  W     ?     |
        play: MW at b1
        """)
    events = drawn.play("MW", "b1")
    assert isinstance(events[1], LandsDesolated)
    assert drawn.decision is not None
    assert drawn.decision.seats == (1,)


@pytest.mark.rule("SW-7.13", "INV-09", "INV-11", "SW-7.16")
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_a_tzimime_never_turns_up_again(seats: int) -> None:
    """In random games a Tzimime stays one or is covered, a Fumarole stays, and no starting Land ever flips."""
    for number in range(2):
        for step in game(seats, number).steps:
            for before, after in zip(step.before.worlds, step.after.worlds, strict=True):
                assert before.tzimimes & ~(after.tzimimes | after.fumaroles) == 0
                assert before.fumaroles & ~after.fumaroles == 0
                starting = next(place for place, cell in enumerate(CELLS) if (cell.x, cell.y) == (0, 0))
                assert not after.tzimimes >> starting & 1


@pytest.mark.rule("SW-7.14")
def test_a_tzimime_shows_and_scores_nothing() -> None:
    """Face-down Mountains, Plants, Forests, a moon and a card beside a Water bring no Star."""
    drawn = scene("""
          |  a     b     c     |
        1 |  T     T     T     |
        2 |  T     W     T     |
        hidden: a1 MM
        """)
    counted = score(drawn.pack, drawn.world, OWNER)
    assert counted.total == 0


@pytest.mark.rule("SW-7.15")
def test_a_tzimime_occupies_supports_counts_and_can_be_covered() -> None:
    """Its cell is not free, cells beside it are, the box is four wide with it, and a Volcano may cover it."""
    holds("""
          |  a     b     c     d     e     |  a     b     c     d     e     |
        1 |  .     .     .     ?     .     |  .     .     .     VP    .     |
        2 |  T     MM    M     T     .     |  T     MM    M     *     .     |
        play: VP at d1
        erupt: forced d2
        legal: d0 a1 c1 a3 b3 c3 d3 b1
        """)


@pytest.mark.rule("SW-7.16")
def test_a_starting_land_can_be_covered() -> None:
    """It is a target like any other."""
    holds(
        """
          |  a     b     |  a     b     |
        1 |  P     ?     |  *     VP    |
        play: VP at b1
        erupt: forced a1
        """.replace("VP", "VW")
    )


@pytest.mark.rule("SW-7.18", "INV-08")
@pytest.mark.parametrize(("seats", "pack"), [(1, "classic"), (2, "skyward"), (3, "classic"), (4, "skyward")])
def test_after_every_play_moons_lie_in_the_top_row(seats: int, pack: str) -> None:
    """In random games no face-up moon lies below the first row of its box."""
    lands = newest(pack).lands
    seen = 0
    states = [state for number in range(3) for state in game(seats, number, pack=pack).states if settled(state)]
    for world in (world for state in states for world in state.worlds):
        moons = [place for place in places(world.face_up) if lands[world.lands[place]].moon]
        seen += len(moons)
        assert {row_of(place) for place in moons} <= {row_of(places(world.occupied)[0])}
    assert seen
