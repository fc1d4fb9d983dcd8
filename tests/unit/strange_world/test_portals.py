"""SW-8: gates and Portals."""

from __future__ import annotations

import pytest

from services.strange_world.rules.events import PortalAssembled
from services.strange_world.rules.phases import WelcomingTraveller
from tests.unit.strange_world.building import scene
from tests.unit.strange_world.checking import holds
from tests.unit.strange_world.games import game
from tests.unit.strange_world.packs import gate_moons


@pytest.mark.rule("SW-8.1")
@pytest.mark.parametrize("blank", ["T", "*"])
def test_a_blank_gate_is_no_candidate(blank: str) -> None:
    """Beside a face-down or covered gate a gate stays free; with a face-up one on its other side it makes a Portal."""
    holds(f"""
          |  a     b     |  a     b     |
        1 |  {blank}     ?     |  {blank}     (Fr)  |
        2 |  .     M     |  .     M     |
        hidden: a1 (W)
        play: (Fr) at b1
        """)
    holds(f"""
          |  a     b     c     |  a     b     c     |
        1 |  {blank}     ?     (P)   |  {blank}     (Fr=  =P)   |
        2 |  .     M     .     |  .     M     .     |
        hidden: a1 (W)
        play: (Fr) at b1
        portal: b1+c1
        welcome: 33 options; slots L 0|1, L 1|2, R 0|1, R 1|2; chosen decline
        """)


@pytest.mark.rule("SW-8.2")
def test_gates_above_each_other_do_not_interact() -> None:
    """A gate between two gates of its column, one of them linked, lies free."""
    holds("""
          |  a     b     |  a     b     |
        1 |  (M=   =P)   |  (M=   =P)   |
        2 |  ?     MM    |  (Fr)  MM    |
        3 |  (W)   M     |  (W)   M     |
        play: (Fr) at a2
        """)


@pytest.mark.rule("SW-8.3")
@pytest.mark.parametrize("far", [".", "(W)"])
def test_a_linked_candidate_flips_the_gate(far: str) -> None:
    """Also if the candidate on the other side is free, which it stays."""
    holds(f"""
          |  a     b     c     d     |  a     b     c     d     |
        1 |  (M=   =P)   ?     {far}     |  (M=   =P)   T     {far}     |
        2 |  M     MM    MFg   FdFg  |  M     MM    MFg   FdFg  |
        play: (Fr) at c1
        flips: c1 {{gate}}
        """)


@pytest.mark.rule("SW-8.4")
def test_between_two_free_gates_the_gate_flips() -> None:
    """No Portal is made on either side."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  .     M     .     |  .     M     .     |
        2 |  (M)   ?     (P)   |  (M)   T     (P)   |
        play: (Fr) at b2
        flips: b2 {gate}
        """)


@pytest.mark.rule("SW-8.5")
def test_a_portal_is_made_without_asking() -> None:
    """The answer that places the gate carries the Portal; what is asked then is only the Traveller."""
    drawn = scene("""
          |  a     b     |
        1 |  ?     (P)   |
        2 |  .     M     |
        play: (Fr) at a1
        """)
    drawn.play("(Fr)", "a1")
    assert len(drawn.of(PortalAssembled)) == 1
    assert drawn.drawing()["a1"] == "(Fr="
    assert isinstance(drawn.state.phase, WelcomingTraveller)


@pytest.mark.rule("SW-8.6")
def test_a_lone_gate_stays_free_and_may_be_linked_later() -> None:
    """Placed beside no gate nothing happens; the next gate beside it makes the Portal."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  M     ?     .     |  M     (Fr)  .     |
        play: (Fr) at b1
        """)
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  M     (Fr)  ?     |  M     (Fr=  =P)   |
        play: (P) at c1
        portal: b1+c1
        welcome: 33 options; slots L 0|1, L 1|2, R 0|1, R 1|2; chosen decline
        """)


@pytest.mark.rule("SW-8.7")
def test_a_half_stays_linked_when_the_other_is_covered() -> None:
    """A Volcano covers one half; the next gate beside the other one flips."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  (M=   =W)   .     |  *     =W)   .     |
        2 |  ?     P     .     |  VFp   P     .     |
        play: VFp at a2
        erupt: options a1 b2; chosen a1
        """)
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  *     =W)   ?     |  *     =W)   T     |
        2 |  VFp   P     .     |  VFp   P     .     |
        play: (Fr) at c1
        flips: c1 {gate}
        """)


@pytest.mark.rule("SW-8.7", "SW-1.3")
def test_a_half_stays_linked_when_the_other_flips() -> None:
    """In a pack with gate moons a buried half turns face down, and the other one still flips the next gate."""
    holds(
        """
          |  a     b     c     |  a     b     c     |
        1 |  .     .     ?     |  .     .     MM    |
        2 |  .     (P=   =O)   |  .     (P=   T     |
        3 |  .     M     .     |  .     M     .     |
        play: MM at c1
        flips: c2 {moon_buried}
        """,
        pack=gate_moons(),
    )
    drawn = scene(
        """
          |  a     b     c     |
        2 |  ?     (P=   T     |
        3 |  .     M     .     |
        play: (Fr) at a2
        """,
        pack=gate_moons(),
    )
    drawn.play("(Fr)", "a2")
    assert drawn.flips() == {"a2": ["gate"]}


@pytest.mark.rule("SW-8.8", "INV-13")
@pytest.mark.parametrize(("seats", "pack"), [(1, "classic"), (2, "skyward"), (3, "classic"), (4, "skyward")])
def test_a_land_is_half_of_one_portal(seats: int, pack: str) -> None:
    """In random games no cell is in two Portals."""
    portals = 0
    for number in range(4):
        for world in game(seats, number, pack=pack).states[-1].worlds:
            halves = [cell for portal in world.portals for cell in (portal.left, portal.right)]
            assert len(halves) == len(set(halves))
            for portal in world.portals:
                assert (portal.right.x - portal.left.x, portal.right.y - portal.left.y) == (1, 0)
            portals += len(world.portals)
    assert portals


@pytest.mark.rule("SW-8.9")
def test_a_portal_without_traveller_counts() -> None:
    """Both Portals serve Boung, though he came through only one of them, and a gate beside the other flips."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  (M=   =P)   ?     |  (M=   =P)   T     |
        2 |  (W=   =Fr)  M     |  (W=   =Fr)  M     |
        travellers: L 1|2 boung
        play: (V) at c1
        flips: c1 {gate}
        bonus: boung 8
        """)


@pytest.mark.rule("SW-8.10", "SW-13.17")
def test_a_portal_with_a_covered_half_is_not_live() -> None:
    """Boung loses his bonus by the eruption, keeps his five Stars, and is not sent away."""
    before = """
          |  a     b     c     |
        1 |  (M=   =P)   .     |
        2 |  (W=   =Fr)  M     |
        travellers: L 1|2 boung
        bonus: boung 8
        """
    after = """
          |  a     b     c     |  a     b     c     |
        1 |  (M=   =P)   ?     |  (M=   *     VFp   |
        2 |  (W=   =Fr)  M     |  (W=   =Fr)  M     |
        travellers: L 1|2 boung
        play: VFp at c1
        erupt: options b1 c2; chosen b1
        bonus: boung 0
        """
    holds(before)
    holds(after)


@pytest.mark.rule("SW-8.11")
def test_covering_a_half_keeps_the_traveller() -> None:
    """Travellers and their slots are as before."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  (M=   =P)   ?     |  (M=   *     VFp   |
        2 |  .     M     .     |  .     M     .     |
        travellers: L 1|2 rumph
        play: VFp at c1
        erupt: forced b1
        """)


@pytest.mark.rule("SW-8.12")
def test_covering_makes_no_portal() -> None:
    """With the linked neighbour covered, a free gate beside its other half stays free (made-up position)."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  (M=   =P)   (W)   |  *     =P)   (W)   |
        2 |  ?     .     M     |  VFp   .     M     |
        play: VFp at a2
        erupt: forced a1
        """)


@pytest.mark.rule("SW-8.12", "SW-8.5")
@pytest.mark.parametrize("seats", [2, 4])
def test_portals_arise_only_with_one_of_their_halves(seats: int) -> None:
    """In random games the placed gate of the same answer is always a half."""
    for number in range(4):
        for step in game(seats, number).steps:
            for event in step.events:
                if isinstance(event, PortalAssembled):
                    cells = [getattr(placed, "cell", None) for placed in step.events[:1]]
                    assert cells[0] in {event.left, event.right}
