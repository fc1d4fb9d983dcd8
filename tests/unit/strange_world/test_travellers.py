"""SW-9.1 to SW-9.8: taking a Traveller, and its side."""

from __future__ import annotations

from itertools import pairwise

import pytest

from services.strange_world.rules import TITLE
from services.strange_world.rules.actions import DeclineTraveller, Side, WelcomeTraveller
from services.strange_world.rules.events import PortalAssembled, TravellerDeclined, TravellerWelcomed
from shared.kernel import Reason
from tests.unit.strange_world.building import FIRST_PORTAL, Scene, welcoming
from tests.unit.strange_world.checking import holds
from tests.unit.strange_world.games import game, refusal
from tests.unit.strange_world.positions import OWNER

GUESTS = ("splash", "burk", "kark", "floulou", "pshit", "boung", "roro", "rumph")


def slots(drawn: Scene) -> list[int]:
    """Return the upper rows of the slots offered, in the numbers of the drawing."""
    upper = {option.slot + drawn.frame.row for option in drawn.options() if isinstance(option, WelcomeTraveller)}
    return sorted(upper)


@pytest.mark.rule("SW-9.1", "SW-9.5", "SW-9.6")
def test_the_owner_may_take_any_traveller_on_either_side_or_none() -> None:
    """Eight Travellers, two sides, two slots, or to decline; nobody else is asked."""
    drawn = welcoming(FIRST_PORTAL)
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
    drawn = welcoming(FIRST_PORTAL)
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
    drawn = welcoming(FIRST_PORTAL + "display: rumph burk\n")
    assert len(drawn.options()) == 1 + 2 * 2 * 2
    offered = [option.traveller for option in drawn.options() if isinstance(option, WelcomeTraveller)]
    assert list(dict.fromkeys(offered)) == ["burk", "rumph"]
    upper = drawn.cell("b2").y
    assert refusal(drawn.state, OWNER, WelcomeTraveller("burk", Side.LEFT, upper)) is None
    assert refusal(drawn.state, OWNER, WelcomeTraveller("kark", Side.LEFT, upper)) is Reason.NOT_AN_OPTION


@pytest.mark.rule("SW-9.9", "SW-16.2")
@pytest.mark.parametrize("row", [-1, 0, 3, 4])
def test_another_slot_is_refused(row: int) -> None:
    """For a Portal in row 2 the slots begin in rows 1 and 2."""
    drawn = welcoming(FIRST_PORTAL)
    slot = row - drawn.frame.row
    assert refusal(drawn.state, OWNER, WelcomeTraveller("kark", Side.LEFT, slot)) is Reason.NOT_AN_OPTION


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
    drawn = welcoming(FIRST_PORTAL)
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
