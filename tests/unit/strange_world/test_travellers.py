"""SW-9: Travellers, their sides and their slots."""

from __future__ import annotations

from itertools import pairwise

import pytest

from services.strange_world.rules import TITLE
from services.strange_world.rules.actions import DeclineTraveller, Side, WelcomeTraveller
from services.strange_world.rules.board import CELLS, places
from services.strange_world.rules.events import PortalAssembled, TravellerDeclined, TravellerWelcomed
from services.strange_world.rules.phases import WelcomingTraveller
from services.strange_world.rules.scoring import bonuses
from shared.kernel import Reason
from tests.unit.strange_world.building import Scene, scene
from tests.unit.strange_world.checking import holds
from tests.unit.strange_world.games import game, refusal
from tests.unit.strange_world.positions import OWNER

GUESTS = ("splash", "burk", "kark", "floulou", "pshit", "boung", "roro", "rumph")
FIRST = """
      |  a     b     c     |
    1 |  .     .     .     |
    2 |  .     (M)   ?     |
    3 |  .     Fb    .     |
    play: (P) at c2
"""


def welcoming(text: str) -> Scene:
    """Play the card of a block that makes a Portal, up to the question for a Traveller."""
    drawn = scene(text)
    wanted, name = text.split("play: ")[1].split("\n", maxsplit=1)[0].split(" at ")
    drawn.play(wanted, name)
    assert isinstance(drawn.state.phase, WelcomingTraveller)
    return drawn


def slots(drawn: Scene) -> list[int]:
    """Return the upper rows of the slots offered, in the numbers of the drawing."""
    upper = {option.slot + drawn.frame.row for option in drawn.options() if isinstance(option, WelcomeTraveller)}
    return sorted(upper)


@pytest.mark.rule("SW-9.1", "SW-9.5", "SW-9.6")
def test_the_owner_may_take_any_traveller_on_either_side_or_none() -> None:
    """Eight Travellers, two sides, two slots, or to decline; nobody else is asked."""
    drawn = welcoming(FIRST)
    expected = [
        WelcomeTraveller(guest, side, slot - drawn.frame.row)
        for guest in GUESTS
        for side in (Side.LEFT, Side.RIGHT)
        for slot in (1, 2)
    ]
    assert drawn.options() == (DeclineTraveller(), *expected)
    assert refusal(drawn.state, 1, DeclineTraveller()) is Reason.NOT_YOUR_DECISION


@pytest.mark.rule("SW-9.1")
@pytest.mark.parametrize("chosen", ["decline", "rumph R 1|2", "splash L 2|3"])
def test_every_answer_is_recorded(chosen: str) -> None:
    """Declined, the display stays as it was; taken, the Traveller has left it and stands in its slot."""
    drawn = welcoming(FIRST)
    drawn.welcome(chosen)
    guest = chosen.split(maxsplit=1)[0]
    assert drawn.state.display == tuple(other for other in GUESTS if other != guest)
    assert [placed.traveller for placed in drawn.world.travellers] == ([] if chosen == "decline" else [guest])


@pytest.mark.rule("SW-9.2", "SW-18.3")
def test_with_an_empty_display_nobody_is_asked() -> None:
    """The Portal stands, and the next seat plays."""
    holds("""
          |  a     b     |  a     b     |
        1 |  (M)   ?     |  (M=   =P)   |
        2 |  Fb    .     |  Fb    .     |
        display: empty
        play: (P) at b1
        portal: a1+b1
        """)


@pytest.mark.rule("SW-9.2")
def test_with_an_empty_display_a_gate_with_a_volcano_still_erupts() -> None:
    """The eruption follows the Portal at once."""
    holds("""
          |  a     b     |  a     b     |
        1 |  (M)   ?     |  *     =V)   |
        2 |  Fb    .     |  Fb    .     |
        display: empty
        play: (V) at b1
        portal: a1+b1
        erupt: forced a1
        """)


@pytest.mark.rule("SW-9.3", "SW-9.4", "INV-16")
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_every_portal_is_answered_once_and_at_once(seats: int) -> None:
    """In random games each Portal is followed by one answer at once, and no answer comes without one."""
    portals = 0
    for number in range(4):
        events = game(seats, number).events
        for before, after in pairwise(events):
            assert isinstance(before, PortalAssembled) == isinstance(after, (TravellerWelcomed, TravellerDeclined))
            portals += isinstance(before, PortalAssembled)
    assert portals


@pytest.mark.rule("SW-9.5")
def test_only_the_display_is_offered() -> None:
    """With two Travellers left there are two for each slot, in the order of the table; others are refused."""
    drawn = welcoming(FIRST + "display: rumph burk\n")
    assert len(drawn.options()) == 1 + 2 * 2 * 2
    offered = [option.traveller for option in drawn.options() if isinstance(option, WelcomeTraveller)]
    assert list(dict.fromkeys(offered)) == ["burk", "rumph"]
    assert refusal(drawn.state, OWNER, WelcomeTraveller("kark", Side.LEFT, 0)) is Reason.NOT_AN_OPTION


@pytest.mark.rule("SW-9.6")
def test_a_world_four_wide_still_chooses_its_side() -> None:
    """The first Traveller of a World that cannot get wider may stand on the left or on the right."""
    holds("""
          |  a     b     c     d     |  a     b     c     d     |
        1 |  M     MM    (M)   ?     |  M     MM    (M=   =P)   |
        play: (P) at d1
        portal: c1+d1
        welcome: 33 options; slots L 0|1, L 1|2, R 0|1, R 1|2; chosen burk L 0|1
        after_travellers: L 0|1 burk
        """)


@pytest.mark.rule("SW-9.7")
@pytest.mark.parametrize(
    ("chosen", "side", "edge", "legal"),
    [
        ("kark L 1|2", Side.LEFT, "b", "b1 c1 d2 c3 b4"),
        ("kark R 1|2", Side.RIGHT, "c", "b1 c1 a2 a3 c3 b4"),
    ],
)
def test_the_first_traveller_freezes_its_side(chosen: str, side: Side, edge: str, legal: str) -> None:
    """The edge is the outermost column of the box, the card just placed included."""
    drawn = welcoming(FIRST)
    drawn.welcome(chosen)
    shown = TITLE.view(drawn.state, None).worlds[OWNER]
    assert shown.side is side
    assert shown.edge == drawn.cell(edge + "1").x
    assert drawn.legal() == legal.split()


@pytest.mark.rule("SW-9.8")
def test_later_travellers_stand_on_the_same_side() -> None:
    """Only the frozen side is offered, also for a Portal whose row does not reach it; the edge stays."""
    block = """
          |  a     b     c     d     |  a     b     c     d     |
        1 |  M     MM    (M=   =P)   |  M     MM    (M=   =P)   |
        2 |  .     .     (W)   ?     |  .     .     (W=   =Fr)  |
        travellers: L 0|1 kark
        play: (Fr) at d2
        portal: c2+d2
        welcome: 15 options; slots L 1|2, L 2|3; chosen burk L 2|3
        after_travellers: L 0|1 kark; L 2|3 burk
        """
    drawn = holds(block)
    assert TITLE.view(drawn.state, None).worlds[OWNER].edge == drawn.cell("a1").x
    drawn = welcoming(block)
    assert refusal(drawn.state, OWNER, WelcomeTraveller("burk", Side.RIGHT, 1)) is Reason.NOT_AN_OPTION
    assert refusal(drawn.state, OWNER, WelcomeTraveller("burk", Side.LEFT, 1)) is None


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
    drawn = welcoming(FIRST + f"travellers: L {taken} roro\n")
    assert slots(drawn) == [free]
    assert len(drawn.options()) == 1 + 7


@pytest.mark.rule("SW-9.16")
def test_when_all_legal_slots_are_taken_all_are_offered() -> None:
    """Two taken slots are both offered, and a third Traveller may join two."""
    drawn = welcoming(FIRST + "travellers: L 1|2 roro; L 2|3 kark; L 1|2 burk #2\n")
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
    drawn = welcoming(FIRST + "travellers: L 1|2 roro\n")
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
