"""SW-13: what a World is worth."""

from __future__ import annotations

import pytest

from services.strange_world.content import newest
from services.strange_world.rules import TITLE
from services.strange_world.rules.events import WorldsScored
from services.strange_world.rules.scoring import CATEGORIES, score
from tests.unit.strange_world.building import scene
from tests.unit.strange_world.checking import holds
from tests.unit.strange_world.games import game
from tests.unit.strange_world.positions import OWNER


def stars(category: str, drawing: str) -> int:
    """Return what a drawn World scores in one category."""
    drawn = scene(drawing)
    points = getattr(score(drawn.pack, drawn.world, OWNER), category)
    assert isinstance(points, int)
    return points


@pytest.mark.rule("SW-13.1", "INV-33")
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_the_total_is_the_sum_of_seven_categories(seats: int) -> None:
    """The final sheet of every seat has the seven named categories, and the total is their sum."""
    assert CATEGORIES == ("mountain", "water", "plant", "forest", "moon", "city", "traveller")
    (sheet,) = game(seats).of(WorldsScored)
    assert [line.seat for line in sheet.scores] == list(range(seats))
    for line in sheet.scores:
        parts = (line.mountain, line.water, line.plant, line.forest, line.moon, line.city, line.traveller)
        assert line.total == sum(parts)
        assert min(parts) >= 0


@pytest.mark.rule("SW-13.2")
def test_blank_cards_bring_nothing_to_any_category() -> None:
    """Mountains, Water, Plant, animals, a moon and a gate, all face down or covered: only the start scores."""
    holds("""
          |  a     b     c     d     |
        1 |  *     T     *     O     |
        2 |  T     *     M     T     |
        hidden: a1 WP; b1 VMM; c1 O; a2 (W); b2 PFk; d2 FdFg
        moon_each: d1=0
        score: mountain 1, water 0, plant 0, forest 0, moon 0, city 0, traveller 0, total 1
        """)


@pytest.mark.rule("SW-13.3")
@pytest.mark.parametrize(
    ("rows", "points"),
    [
        (["W     PFk   FdFg"], 0),
        (["MM    W     MFg"], 2),
        (["MM    MP    W"], 3),
        (["MM    W     MFg", "MP    FdFg  M"], 3),
        (["M     FdFg  MFg", "FdFs  MM    PFk"], 2),
        (["MM    *     MFg", "MP    T     M"], 3),
        (["MM    VMM   MW", "W     FdFg  M"], 6),
    ],
)
def test_mountains_count_in_the_richest_group(rows: list[str], points: int) -> None:
    """Icons count, not cards; groups join at edges, not at corners, and not through blank cards."""
    lines = "\n".join(f"{number} |  {row}  |" for number, row in enumerate(rows, start=1))
    assert stars("mountain", f" |  a b c  |\n{lines}") == points


@pytest.mark.rule("SW-13.4")
@pytest.mark.parametrize(
    ("beside", "points"), [("MM", 1), ("O", 1), ("(P)", 1), ("*", 1), ("@", 1), ("T", 0), (".", 0)]
)
def test_a_water_scores_the_cards_beside_it(beside: str, points: int) -> None:
    """Any face-up Land and any Fumarole is 1 Star; a Tzimime and a missing card are 0. MFg below is 1 more."""
    drawing = f"""
          |  a     b     |
        1 |  W     {beside}     |
        2 |  MFg   .     |
        """
    assert stars("water", drawing) == points + 1


@pytest.mark.rule("SW-13.4")
def test_every_water_scores_all_its_four_sides() -> None:
    """The middle Water has four cards beside it; a card between two Waters counts for both."""
    assert (
        stars(
            "water",
            """
          |  a     b     c     d     |
        1 |  .     MM    .     .     |
        2 |  M     WP    MFg   MW    |
        3 |  .     FdFg  .     .     |
        """,
        )
        == 4 + 1
    )


@pytest.mark.rule("SW-13.5")
def test_every_plant_scores_three() -> None:
    """Four Plants, one on the starting Land and one on a gate, are 12 Stars; a covered fifth is nothing."""
    drawing = """
          |  a     b     |
        1 |  P     *     |
        2 |  WP    MM    |
        3 |  (P)   .     |
        4 |  PFk   .     |
        hidden: b1 MP
        """
    assert stars("plant", drawing) == 12


@pytest.mark.rule("SW-13.6")
def test_every_different_animal_scores_two() -> None:
    """Deer, goat and spirit, the deer and the goat twice: 6 Stars for seven Forest icons."""
    drawing = """
          |  a     b     c     d     |
        1 |  M     FdFg  FdFs  MFg   |
        2 |  .     WFs   .     MFg   |
        """
    assert stars("forest", drawing) == 6


@pytest.mark.rule("SW-13.7")
def test_the_bear_of_the_starting_forest_counts() -> None:
    """With all seven kinds of the classic pack a World has 14 Stars."""
    drawing = """
          |  a     b     c     d     |
        1 |  Fb    (Fr)  FdFg  FdFs  |
        2 |  VFp   PFk   .     .     |
        """
    assert stars("forest", drawing) == 14
    assert len(newest("classic").animals) == 7


COLUMNS = [
    pytest.param(["O", "MM", "W", "MFg"], 6, id="three M wanted and found"),
    pytest.param(["O", "MFg", "FdFg", "M"], 10, id="M and F wanted: 1 + 1, 2, 1"),
    pytest.param(["O", "VP", "VMM", "P"], 8, id="V counts: V and P, V, P"),
    pytest.param(["O", "FdFs", "PFk", "M"], 6, id="FF is two"),
    pytest.param(["O", "MP", "T", "M"], 6, id="a Tzimime between does not interrupt"),
    pytest.param(["O", "MP", "*", "M"], 6, id="a Fumarole between does not interrupt"),
    pytest.param(["O", "MP", "W", "MM"], 8, id="a Land without wanted icon between does not interrupt"),
    pytest.param(["O", "(W)", "M", "(P)"], 2, id="a gate is no icon"),
    pytest.param(["O", "M", ".", "."], 2, id="an unfinished column"),
    pytest.param(["O", "*", "M", "MM"], 0, id="a Fumarole straight below"),
    pytest.param(["O", "T", "M", "MM"], 0, id="a Tzimime straight below"),
    pytest.param(["O", ".", ".", "."], 0, id="no card below"),
    pytest.param(["O", "O", "M", "MM"], 6, id="the upper moon has no icons below, the lower one three M (made-up)"),
]


@pytest.mark.rule("SW-13.8", "SW-13.9", "SW-13.10", "SW-13.11")
@pytest.mark.parametrize(("column", "points"), COLUMNS)
def test_a_moon_counts_the_icons_below_it(column: list[str], points: int) -> None:
    """Two Stars for every icon of the column that the card straight below shows; a Fumarole or Tzimime there is 0."""
    beside = iter(["MW", "Fb", "PFk", "WFs"] if not {"M", "P", "W"} & set(column) else ["MW", "VW", "WP", "WFs"])
    lines = "\n".join(f"{number} |  {card}  {next(beside)}  |" for number, card in enumerate(column, start=1))
    assert stars("moon", f" |  a b  |\n{lines}") == points


@pytest.mark.rule("SW-13.8")
def test_a_moon_looks_at_its_own_column_downward_only() -> None:
    """Mountains beside the column and above the moon (made-up) do not count."""
    drawing = """
          |  a     b     c     |
        1 |  MM    VMM   M     |
        2 |  MFg   O     MW    |
        3 |  MP    MM    MFg   |
        """
    assert stars("moon", drawing) == 4


@pytest.mark.rule("SW-13.12")
def test_cities_add_up() -> None:
    """A World with the Cities 9 and 4 has 13 Stars, whatever the others got."""
    drawing = """
          |  a     b     c     d     |
        1 |  @     @     @     @     |
        2 |  M     .     .     .     |
        stack: 7 5 4
        cities: 9 a1+b1; 4 c1+d1
        """
    assert stars("city", drawing) == 13


@pytest.mark.rule("SW-13.19", "SW-13.20")
def test_the_current_score_is_public() -> None:
    """Every seat and a spectator see the score of an unfinished World: 2 M, the Water with one card beside it."""
    drawn = scene("""
          |  a     b     |
        1 |  W     MM    |
        """)
    for reader in (0, 1, 2, 3, None):
        shown = TITLE.view(drawn.state, reader).worlds[OWNER].score
        assert (shown.mountain, shown.water, shown.total) == (2, 1, 3)


@pytest.mark.rule("SW-13.19", "INV-35")
@pytest.mark.parametrize("seats", [1, 3])
def test_the_final_score_is_the_current_score_after_the_last_play(seats: int) -> None:
    """What WorldsScored says is what the last view shows."""
    told = game(seats)
    last = TITLE.view(told.states[-1], None)
    assert told.of(WorldsScored)[0].scores == tuple(world.score for world in last.worlds)
