"""SW-9.9 to SW-9.20: the slots of Travellers."""

from __future__ import annotations

import pytest

from services.strange_world.rules import TITLE
from services.strange_world.rules.actions import Side, WelcomeTraveller
from services.strange_world.rules.board import CELLS, places
from services.strange_world.rules.phases import WelcomingTraveller
from services.strange_world.rules.scoring import bonuses
from tests.unit.strange_world.building import FIRST_PORTAL, Scene, scene, welcoming
from tests.unit.strange_world.checking import holds
from tests.unit.strange_world.games import game
from tests.unit.strange_world.positions import OWNER


def slots(drawn: Scene) -> list[int]:
    """Return the upper rows of the slots offered, in the numbers of the drawing."""
    upper = {option.slot + drawn.frame.row for option in drawn.options() if isinstance(option, WelcomeTraveller)}
    return sorted(upper)


HEIGHTS = [
    pytest.param([], 1, [], [0, 1], id="one row: both"),
    pytest.param([], 1, [2], [0, 1], id="two rows, in the upper one: both"),
    pytest.param([1], 2, [], [1, 2], id="two rows, in the lower one: both"),
    pytest.param([], 1, [2, 3], [0, 1], id="three rows, in the first: both"),
    pytest.param([1], 2, [3], [1, 2], id="three rows, in the middle: both"),
    pytest.param([1, 2], 3, [], [2, 3], id="three rows, in the last: both"),
    pytest.param([], 1, [2, 3, 4], [1], id="four rows, in the first: only below"),
    pytest.param([1], 2, [3, 4], [1, 2], id="four rows, in the second: both"),
    pytest.param([1, 2], 3, [4], [2, 3], id="four rows, in the third: both"),
    pytest.param([1, 2, 3], 4, [], [3], id="four rows, in the last: only above"),
]


@pytest.mark.rule("SW-9.9", "SW-9.10", "SW-9.12", "SW-9.18")
@pytest.mark.parametrize(("above", "row", "below", "offered"), HEIGHTS)
def test_a_slot_needs_a_world_at_most_four_high(
    above: list[int], row: int, below: list[int], offered: list[int]
) -> None:
    """A Portal in row r offers r-1|r and r|r+1, as far as both rows fit into a World of four rows."""
    lands = iter(["MM", "MFg", "FdFg"])
    lines = [f"{other} |  {next(lands)}  .  .  |" for other in above]
    lines += [f"{row} |  M  (M)  ?  |"]
    lines += [f"{other} |  {next(lands)}  .  .  |" for other in below]
    drawn = welcoming("\n".join([" |  a  b  c  |", *lines, f"play: (P) at c{row}", ""]))
    assert slots(drawn) == offered


@pytest.mark.rule("SW-9.11")
def test_rows_that_travellers_overhang_do_not_count() -> None:
    """Three rows with a Traveller over the missing fourth: the slot over the missing row 0 is offered all the same."""
    drawn = welcoming("""
          |  a     b     c     |
        1 |  M     (P)   ?     |
        2 |  MM    .     .     |
        3 |  FdFg  (W=   =Fr)  |
        travellers: R 3|4 splash
        play: (M) at c1
        """)
    assert slots(drawn) == [0, 1]


@pytest.mark.rule("SW-9.12", "INV-31")
@pytest.mark.parametrize(("seats", "pack"), [(1, "skyward"), (2, "classic"), (3, "skyward"), (4, "classic")])
def test_there_is_always_a_slot(seats: int, pack: str) -> None:
    """In random games every Portal offers every displayed Traveller at least one place."""
    for number in range(4):
        for state in game(seats, number, pack=pack).states:
            if isinstance(state.phase, WelcomingTraveller):
                options = TITLE.legal_actions(state, state.phase.seat)
                offered = {option.traveller for option in options if isinstance(option, WelcomeTraveller)}
                assert offered == set(state.display) != set()


@pytest.mark.rule("SW-9.13")
def test_an_overhung_row_need_not_be_built() -> None:
    """The World may grow upward, so that the row below, where a Traveller hangs, can never exist."""
    holds("""
          |  a     b     |  a     b     |
        0 |  ?     .     |  MFg   .     |
        1 |  M     MM    |  M     MM    |
        2 |  FdFg  MW    |  FdFg  MW    |
        3 |  (W=   =Fr)  |  (W=   =Fr)  |
        travellers: L 3|4 splash
        play: MFg at a0
        legal: b0 c1 c2 c3
        """)


@pytest.mark.rule("SW-9.14", "SW-13.18")
def test_a_row_that_never_came_is_empty() -> None:
    """Burk needs a Plant in both rows and gets none from a missing one; Splash may have all Waters in one row."""
    holds("""
          |  a     b     c     d     |
        1 |  MW    (P=   =W)   WFs   |
        2 |  M     MM    MFg   FdFg  |
        travellers: L 0|1 burk; L 0|1 splash #2
        bonus: burk 0; splash 5
        """)


@pytest.mark.rule("SW-9.15")
@pytest.mark.parametrize(("taken", "free"), [("1|2", 2), ("2|3", 1)])
def test_a_free_slot_goes_before_a_taken_one(taken: str, free: int) -> None:
    """With one of two legal slots taken only the other is offered."""
    drawn = welcoming(FIRST_PORTAL + f"travellers: L {taken} roro\n")
    assert slots(drawn) == [free]
    assert len(drawn.options()) == 1 + 7


@pytest.mark.rule("SW-9.16")
def test_when_all_legal_slots_are_taken_all_are_offered() -> None:
    """Two taken slots are both offered, and a third Traveller may join two."""
    drawn = welcoming(FIRST_PORTAL + "travellers: L 1|2 roro; L 2|3 kark; L 1|2 burk #2\n")
    assert slots(drawn) == [1, 2]
    assert len(drawn.options()) == 1 + 5 * 2
    drawn.welcome("rumph L 1|2")
    assert [(guest.traveller, guest.position) for guest in drawn.world.travellers] == [
        ("roro", 1),
        ("kark", 1),
        ("burk", 2),
        ("rumph", 3),
    ]


@pytest.mark.rule("SW-9.17")
def test_stacked_travellers_score_separately() -> None:
    """In one slot Splash has three Waters, Burk a Plant in each row, and Kark too few Mountains."""
    drawn = scene("""
          |  a     b     c     |
        1 |  (W=   =P)   MW    |
        2 |  WP    MM    M     |
        travellers: L 1|2 splash; L 1|2 burk #2; L 1|2 kark #3
        """)
    assert bonuses(drawn.pack, drawn.world) == (5, 4, 0)
    assert TITLE.view(drawn.state, None).worlds[OWNER].score.traveller == 5 + 5 + 5 + 4 + 5


@pytest.mark.rule("SW-9.18")
def test_neighbouring_slots_do_not_overlap() -> None:
    """A Traveller in 1|2 leaves 2|3 free: both can be taken, each with its own first place."""
    drawn = welcoming(FIRST_PORTAL + "travellers: L 1|2 roro\n")
    drawn.welcome("kark L 2|3")
    assert [guest.position for guest in drawn.world.travellers] == [1, 1]


@pytest.mark.rule("SW-9.19", "INV-17")
@pytest.mark.parametrize("seats", [1, 2, 4])
def test_a_traveller_never_moves(seats: int) -> None:
    """In random games the Travellers of a World only become more, and no card lies beyond the frozen edge."""
    for number in range(3):
        for step in game(seats, number).steps:
            for before, after in zip(step.before.worlds, step.after.worlds, strict=True):
                assert after.travellers[: len(before.travellers)] == before.travellers
                assert len({guest.side for guest in after.travellers}) <= 1
                if before.side is not None:
                    columns = [CELLS[place].x for place in places(before.occupied)]
                    later = [CELLS[place].x for place in places(after.occupied)]
                    outermost = min if before.side is Side.LEFT else max
                    assert outermost(columns) == outermost(later)


@pytest.mark.rule("SW-9.20")
def test_a_traveller_is_no_card() -> None:
    """It supports no card, is no target, and does not count beside a Water."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  .     ?     .     |  .     VMM   .     |
        2 |  .     (W=   =Fr)  |  .     *     =Fr)  |
        3 |  .     .     M     |  .     .     M     |
        travellers: L 1|2 roro
        play: VMM at b1
        erupt: forced b2
        legal: b0 c1 d2 b3 d3 c4
        """)
    holds("""
          |  a     b     |
        1 |  (W=   =Fr)  |
        2 |  M     .     |
        travellers: L 1|2 roro
        score: mountain 1, water 2, plant 0, forest 2, moon 0, city 0, traveller 5, total 10
        """)
