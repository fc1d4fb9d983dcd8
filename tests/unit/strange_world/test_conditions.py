"""SW-13.13 to SW-13.18: what Travellers bring."""

from __future__ import annotations

import pytest

from services.strange_world.rules.scoring import bonuses, score
from tests.unit.strange_world.building import scene
from tests.unit.strange_world.positions import OWNER


def stars(category: str, drawing: str) -> int:
    """Return what a drawn World scores in one category."""
    drawn = scene(drawing)
    points = getattr(score(drawn.pack, drawn.world, OWNER), category)
    assert isinstance(points, int)
    return points


def earned(drawing: str) -> tuple[int, ...]:
    """Return the bonuses of the Travellers of a drawn World."""
    drawn = scene(drawing)
    return bonuses(drawn.pack, drawn.world)


@pytest.mark.rule("SW-13.13")
def test_a_traveller_scores_five_and_its_bonus_once() -> None:
    """Splash with four Waters is 5 + 5; Burk, with no Plant in row 3, is 5 + 0."""
    drawing = """
          |  a     b     c     d     |
        1 |  MW    FdFg  (W=   =P)   |
        2 |  VP    WP    MM    WFs   |
        3 |  W     .     .     MW    |
        4 |  MFg   WP    MP    .     |
        travellers: R 2|3 splash; R 3|4 burk
        """
    assert earned(drawing) == (5, 0)
    assert stars("traveller", drawing) == 5 + 5 + 5


CONDITIONS = [
    ("splash", "3 W in one row", ["MW    WP    WFs", "M     .     ."], 5),
    ("splash", "2 W and 1 W", ["MW    WP    M", "(W)   .     ."], 5),
    ("splash", "2 W", ["MW    WP    M", "MM    .     ."], 0),
    ("splash", "3 W, one covered", ["MW    WP    *", "M     .     ."], 0),
    ("burk", "a P in each row", ["MP    M     .", ".     WP    ."], 4),
    ("burk", "2 P in one row", ["MP    M     WP", "MM    .     ."], 0),
    ("burk", "no P in the upper row", ["MM    M     .", "MP    WP    ."], 0),
    ("kark", "5 M on 3 cards", ["MM    M     .", "VMM   .     ."], 6),
    ("kark", "4 M on 3 cards", ["MM    M     .", "MFg   .     ."], 0),
    ("floulou", "2 of each on four cards", ["MW    PFk   M", "WP    WFs   ."], 8),
    ("floulou", "1 P only", ["MW    PFk   M", "MW    WFs   ."], 0),
    ("floulou", "1 W only", ["MW    PFk   M", "MP    FdFg  ."], 0),
    ("floulou", "1 M only", ["MW    PFk   P", "WFs   WP    ."], 0),
    ("floulou", "1 F only", ["MW    PFk   M", "WP    (W)   ."], 0),
    ("floulou", "FF are two", ["MW    FdFs  M", "WP    MP    ."], 8),
    ("pshit", "3 Fumaroles, 2 of them used", ["@     @     M", "*     .     ."], 5),
    ("pshit", "2 Fumaroles", ["@     @     M", "MM    .     ."], 0),
    ("pshit", "2 Fumaroles and a Tzimime", ["@     @     M", "T     .     ."], 0),
    ("boung", "a live Portal in each row", ["(M=   =P)   M", "(W=   =Fr)  ."], 8),
    ("boung", "1 live Portal", ["(M=   =P)   M", "(W)   .     ."], 0),
    ("boung", "1 live and 1 widowed", ["(M=   =P)   M", "(W=   *     ."], 0),
    ("roro", "deer, goat, spirit, rat", ["FdFg  WFs   (Fr)", "M     .     ."], 4),
    ("roro", "deer, goat, spirit", ["FdFg  FdFs  WFs", "M     MFg   ."], 0),
    ("roro", "the bear is one of four", ["FdFg  WFs   Fb", ".     .     ."], 4),
    ("rumph", "3 V", ["VMM   VP    M", "(V)   .     ."], 6),
    ("rumph", "2 V", ["VMM   VP    M", "MM    .     ."], 0),
]


@pytest.mark.rule("SW-13.13", "SW-13.14", "SW-13.15", "SW-13.16", "SW-13.17", "SW-13.18")
@pytest.mark.parametrize(
    ("guest", "rows", "bonus"),
    [(case[0], *case[2:]) for case in CONDITIONS],
    ids=[f"{c[0]}, {c[1]}" for c in CONDITIONS],
)
def test_a_condition_is_met_or_not(guest: str, rows: list[str], bonus: int) -> None:
    """Each condition of table 4.5 at its limit, one below it, and with the cards that do not count."""
    cities = "cities: 9 a1+b1" if "@" in rows[0] else ""
    drawing = f"""
          |  a b c  |
        1 |  {rows[0]}  |
        2 |  {rows[1]}  |
        travellers: R 1|2 {guest}
        {cities}
        """
    assert earned(drawing) == (bonus,)


@pytest.mark.rule("SW-13.14")
def test_a_condition_looks_at_its_two_rows_over_the_full_width() -> None:
    """Three Waters in rows 2 and 3, of which one is in the far column, count at 2|3 and not at 1|2 or 3|4."""
    drawing = """
          |  a     b     c     d     |
        1 |  M     MM    .     .     |
        2 |  MW    .     .     WP    |
        3 |  .     WFs   .     .     |
        4 |  .     MFg   .     .     |
        travellers: R 1|2 splash
        """
    assert earned(drawing) == (0,)
    assert earned(drawing.replace("R 1|2", "R 2|3")) == (5,)
    assert earned(drawing.replace("R 1|2", "R 3|4")) == (0,)


@pytest.mark.rule("SW-13.15")
def test_conditions_and_groups_count_icons() -> None:
    """MM, MM and M are five Mountains for Kark and for the mountain category."""
    drawing = """
          |  a     b     c     |
        1 |  MM    MM    M     |
        travellers: R 1|2 kark
        """
    assert earned(drawing) == (6,)
    assert stars("mountain", drawing) == 5
