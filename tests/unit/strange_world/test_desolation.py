"""SW-7.1 to SW-7.7: which Lands flip, and why."""

from __future__ import annotations

import pytest

from tests.unit.strange_world.building import scene
from tests.unit.strange_world.checking import holds


@pytest.mark.rule("SW-7.1", "SW-7.14")
@pytest.mark.parametrize("blank", ["T", "*"])
def test_blank_cards_offend_nothing(blank: str) -> None:
    """Beside and in the row of a face-down or covered Water with Plant, a Water with Plant stays."""
    holds(f"""
          |  a     b     c     |  a     b     c     |
        1 |  M     {blank}     ?     |  M     {blank}     WP    |
        hidden: b1 WP
        play: WP at c1
        """)


@pytest.mark.rule("SW-7.1", "SW-7.3")
def test_a_starting_plant_is_compared_too() -> None:
    """The starting Land's Plant flips a Plant of its row."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  P     MM    ?     |  P     MM    T     |
        play: MP at c1
        flips: c1 {plant}
        """)


@pytest.mark.rule("SW-7.2", "SW-7.10")
@pytest.mark.parametrize("name", ["b1", "a2", "c2", "b3"])
def test_a_water_flips_on_each_side_of_a_water(name: str) -> None:
    """Above, left, right and below; the older Water stays."""
    drawn = scene("""
          |  a     b     c     |
        1 |  .     .     .     |
        2 |  .     W     .     |
        3 |  .     .     .     |
        play: MW at b1
        """)
    drawn.play("MW", name)
    assert drawn.flips() == {name: ["water"]}
    assert drawn.drawing()[name] == "T"
    assert drawn.drawing()["b2"] == "W"


@pytest.mark.rule("SW-7.2")
def test_a_diagonal_water_is_no_neighbour() -> None:
    """Waters that touch at a corner only both stay."""
    holds("""
          |  a     b     |  a     b     |
        1 |  W     MM    |  W     MM    |
        2 |  MFg   ?     |  MFg   MW    |
        play: MW at b2
        """)


@pytest.mark.rule("SW-7.3", "SW-7.10")
def test_a_plant_flips_near_and_far_in_its_row() -> None:
    """A Plant beside it and one three columns away flip the new card, never the older one."""
    holds("""
          |  a     b     |  a     b     |
        1 |  WP    ?     |  WP    T     |
        2 |  M     .     |  M     .     |
        play: PFk at b1
        flips: b1 {plant}
        """)
    holds("""
          |  a     b     c     d     |  a     b     c     d     |
        1 |  ?     .     .     WP    |  T     .     .     WP    |
        2 |  M     MM    MFg   MW    |  M     MM    MFg   MW    |
        play: PFk at a1
        flips: a1 {plant}
        """)


@pytest.mark.rule("SW-7.3")
def test_a_plant_of_another_row_does_not_count() -> None:
    """One above the other, two Plants stay."""
    holds("""
          |  a     |  a     |
        1 |  P     |  P     |
        2 |  ?     |  MP    |
        play: MP at a2
        """)


@pytest.mark.rule("SW-7.4")
def test_a_gate_flips_at_a_linked_gate_and_between_two() -> None:
    """Both conditions of SW-8 have the cause gate."""
    holds(
        """
          |  a     b     c     |  a     b     c     |
        1 |  ?     (M=   =P)   |  T     (M=   =P)   |
        2 |  .     W     .     |  .     W     .     |
        play: (Fr) at a1
        flips: a1 {gate}
        """
    )
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  (M)   ?     (P)   |  (M)   T     (P)   |
        2 |  W     MM    MFg   |  W     MM    MFg   |
        play: (Fr) at b1
        flips: b1 {gate}
        """)


@pytest.mark.rule("SW-7.5")
def test_a_moon_stays_in_the_top_row_only() -> None:
    """Beside the starting Land it stays, one row lower it flips."""
    holds("""
          |  a     b     |  a     b     |
        1 |  M     ?     |  M     O     |
        play: O at b1
        """)
    holds("""
          |  a     |  a     |
        1 |  M     |  M     |
        2 |  ?     |  T     |
        play: O at a2
        flips: a2 {moon_low}
        """)


@pytest.mark.rule("SW-7.6")
def test_every_moon_below_the_row_of_the_new_card_flips() -> None:
    """Also a moon in another column and two rows lower; a moon in the row of the new card stays."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  ?     O     .     |  MM    O     .     |
        2 |  MP    M     O     |  MP    M     T     |
        3 |  .     .     O     |  .     .     T     |
        play: MM at a1
        flips: c2 {moon_buried}; c3 {moon_buried}
        """)


@pytest.mark.rule("SW-7.6")
def test_a_card_in_or_below_the_row_of_a_moon_flips_no_moon() -> None:
    """Beside it and under it Lands may be placed."""
    for name in ("c1", "a2", "b2"):
        drawn = scene("""
              |  a     b     c     |
            1 |  O     M     .     |
            2 |  .     .     .     |
            play: MM at c1
            """)
        drawn.play("MM", name)
        assert drawn.flips() == {}


@pytest.mark.rule("SW-7.7", "SW-7.11")
@pytest.mark.parametrize(
    ("token", "after", "own"), [("O", "O", ""), ("MM", "MM", ""), ("(Fr)", "(Fr)", ""), ("MW", "T", "b1 {water}; ")]
)
def test_any_card_buries_a_moon(token: str, after: str, own: str) -> None:
    """Another moon, a plain Land, a gate, and a Land that flips itself."""
    holds(f"""
          |  a     b     |  a     b     |
        1 |  .     ?     |  .     {after}     |
        2 |  O     W     |  T     W     |
        play: {token} at b1
        flips: {own}a2 {{moon_buried}}
        """)
