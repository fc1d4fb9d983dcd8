"""Nasty situations, worked out by hand from the rulebook and the rule page before they were played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import pytest

from services.strange_world.content import newest
from services.strange_world.rules import TITLE, Action, Event, Settings, State
from services.strange_world.rules.actions import (
    Cell,
    ChooseCityPartner,
    ChooseDirection,
    CoverCard,
    DeclineTraveller,
    Direction,
    PassOne,
    PassTwo,
    PickStack,
    PlaceLand,
    Side,
    WelcomeTraveller,
)
from services.strange_world.rules.events import (
    Cause,
    DarkCityBuilt,
    DeckShuffled,
    DirectionChosen,
    Flip,
    FumarolePlaced,
    GameBegun,
    GameEnded,
    Hand,
    LandPlaced,
    LandsDealt,
    LandsDesolated,
    PassChosen,
    PassesResolved,
    Passing,
    PortalAssembled,
    Score,
    StackPicked,
    StackRevealed,
    StacksLaid,
    StartingLandsDealt,
    SunAssigned,
    SunPassed,
    Transfer,
    TravellerDeclined,
    TravellersDisplayed,
    TravellerWelcomed,
    TurnEnded,
    TurnStarted,
    WorldsScored,
)
from services.strange_world.rules.phases import PlacingLand
from services.strange_world.rules.scoring import bonuses
from services.strange_world.rules.views import Stack
from shared.kernel import Decision, Reason
from shared.rng import KeyedDraw
from tests.unit.strange_world.building import NoChance, Scene, fold, scene
from tests.unit.strange_world.checking import holds
from tests.unit.strange_world.games import Script, refusal
from tests.unit.strange_world.packs import admitted, gate_moons
from tests.unit.strange_world.positions import OWNER

TRAVELLERS = ("splash", "burk", "kark", "floulou", "pshit", "boung", "roro", "rumph")


def once_more(drawn: Scene) -> Scene:
    """Let the owner of a drawn World play again, as if its next turn had come."""
    drawn.state = msgspec.structs.replace(drawn.state, phase=PlacingLand(OWNER))
    return drawn


def act(state: State, seat: int, action: Action) -> tuple[State, tuple[Event, ...]]:
    """Let a seat act; return the new state and the events."""
    events = TITLE.decide(state, seat, action, NoChance())
    return fold(events, state), events


def after(state: State, *answers: tuple[int, Action]) -> State:
    """Let seats act one after the other."""
    for seat, action in answers:
        state, _ = act(state, seat, action)
    return state


# --- A. Where a card may go ------------------------------------------------------------------------------------------


@pytest.mark.rule("SW-5.4", "SW-5.5")
def test_an_angle_of_four_by_four_closes_everything_outside() -> None:
    """Seven cards in an angle span the whole square: only gaps with a neighbour are left, the far ones have none."""
    holds("""
          |  a     b     c     d     |
        1 |  MM    T     *     MFg   |
        2 |  VFp   .     .     .     |
        3 |  FdFg  .     .     .     |
        4 |  Fb    .     .     .     |
        legal: b2 c2 d2 b3 b4
        """)


@pytest.mark.rule("SW-5.4", "SW-5.5", "SW-5.9")
def test_a_ring_may_be_filled_or_grow_to_all_four_sides() -> None:
    """A ring of 3 by 3 has its hole and three cells on each side; corners have no neighbour."""
    holds("""
          |  a     b     c     d     e     |
        1 |  .     .     .     .     .     |
        2 |  .     MM    T     MFg   .     |
        3 |  .     FdFg  .     *     .     |
        4 |  .     Fb    VFp   MP    .     |
        5 |  .     .     .     .     .     |
        legal: b1 c1 d1 a2 e2 a3 c3 e3 a4 e4 b5 c5 d5
        """)


@pytest.mark.rule("SW-5.5", "SW-5.6", "SW-5.7")
@pytest.mark.parametrize(("travellers", "beyond"), [("R 3|4 kark", ""), ("L 3|4 kark", "f3 f4"), ("", "f3 f4")])
def test_an_odd_shape_four_high_grows_to_its_open_side(travellers: str, beyond: str) -> None:
    """Three wide, four high, with gaps: frozen at e nothing goes to f; frozen at c nothing goes to b."""
    lines = "" if not travellers else f"travellers: {travellers}"
    left = "" if travellers.startswith("L") else "b1 b2 b3"
    holds(f"""
          |  a     b     c     d     e     f     |
        1 |  .     .     MM    .     .     .     |
        2 |  .     .     T     .     .     .     |
        3 |  .     .     *     (M=   =P)   .     |
        4 |  .     .     .     .     WP    .     |
        hidden: c3 start
        {lines}
        legal: d1 d2 e2 c4 d4 {left} {beyond}
        """)


@pytest.mark.rule("SW-9.7", "SW-5.6")
@pytest.mark.parametrize(
    ("side", "legal"), [("L", "b0 c0 d1 b2 e2 c3 d3"), ("R", "b0 c0 a1 d1 b2 c3 d3")], ids=["left", "right"]
)
def test_the_edge_is_that_of_the_box_not_of_the_row(side: str, legal: str) -> None:
    """The Portal's row begins at c, the box at b: frozen on the left, b2 is a gap that may be filled, a1 is not."""
    holds(f"""
          |  a     b     c     d     e     |  a     b     c     d     e     |
        1 |  .     MM    Fb    .     .     |  .     MM    Fb    .     .     |
        2 |  .     .     (M)   ?     .     |  .     .     (M=   =P)   .     |
        3 |  .     .     .     .     .     |  .     .     .     .     .     |
        play: (P) at d2
        portal: c2+d2
        welcome: 33 options; slots L 1|2, L 2|3, R 1|2, R 2|3; chosen kark {side} 2|3
        after_travellers: {side} 2|3 kark
        legal: {legal}
        """)


@pytest.mark.rule("SW-5.5", "SW-5.6", "SW-9.8")
def test_a_world_frozen_on_the_right_grows_left_until_it_is_full() -> None:
    """A gate left of everything makes a Portal; its Traveller must stand on the right, beside the others."""
    holds("""
          |  a     b     c     d     |  a     b     c     d     |
        1 |  ?     (M)   MM    Fb    |  (Fr=  =M)   MM    Fb    |
        2 |  .     .     (W=   =P)   |  .     .     (W=   =P)   |
        travellers: R 2|3 kark
        play: (Fr) at a1
        portal: a1+b1
        welcome: 15 options; slots R 0|1, R 1|2; chosen roro R 1|2
        after_travellers: R 2|3 kark; R 1|2 roro
        legal: a0 b0 c0 d0 a2 b2 c3 d3
        """)


# --- B. Moons, Volcanoes and desolation ------------------------------------------------------------------------------


@pytest.mark.rule("SW-6.3", "SW-7.6", "SW-10.2", "SW-10.6", "SW-19.2")
def test_a_strict_volcano_may_use_the_moon_that_it_buries() -> None:
    """The moon is the only card to cover: the cell above it is legal, the moon flips, is covered, and a City rises."""
    block = """
          |  a     b     c     d     |  a     b     c     d     |
        1 |  .     .     ?     .     |  .     .     VW    .     |
        2 |  .     *     O     .     |  .     @     @     .     |
        3 |  .     .     .     .     |  .     .     .     .     |
        hidden: b2 start
        play: VW at c1
        flips: c2 {moon_buried}
        erupt: forced c2
        city: forced b2; value 9
        after_stack: 7 5 4 4
    """
    assert scene(block).legal("VW", strict=True) == ["c1", "d2", "c3"]
    assert scene(block).legal("VW") == ["b1", "c1", "a2", "d2", "b3", "c3"]
    drawn = holds(block, strict=True)
    covered = drawn.of(FumarolePlaced)[0]
    assert isinstance(covered, FumarolePlaced)
    assert (covered.land, covered.tzimime, covered.forced) == ("mo1", True, True)


@pytest.mark.rule("SW-10.2", "SW-10.7", "SW-7.8", "SW-13.9")
def test_a_moon_in_the_same_row_is_covered_face_up() -> None:
    """A Volcano beside a moon does not bury it, but covers it: the column scores nothing, the Water has a card more."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  .     O     ?     |  .     *     VFp   |
        2 |  .     W     .     |  .     W     .     |
        play: VFp at c1
        erupt: forced b1
        score: mountain 0, water 1, plant 0, forest 2, moon 0, city 0, traveller 0, total 3
        """)


@pytest.mark.rule("SW-7.5", "SW-7.8")
def test_a_lone_fumarole_is_a_top_row() -> None:
    """The upper row holds a covered card only; a moon one row lower flips, one beside the Fumarole stays."""
    low = """
          |  a     b     |  a     b     |
        1 |  *     .     |  *     .     |
        2 |  MM    ?     |  MM    T     |
        play: O at b2
        flips: b2 {moon_low}
    """
    high = """
          |  a     b     |  a     b     |
        1 |  *     ?     |  *     O     |
        2 |  MM    MFg   |  MM    MFg   |
        play: O at b1
        moon_each: b1=4
    """
    holds(low)
    holds(high)


@pytest.mark.rule("SW-7.2", "SW-7.7", "SW-6.11", "SW-17.3")
def test_a_volcano_killed_by_water_still_buries_the_moons() -> None:
    """VW above a Water flips and erupts not; the moons below flip with it, the placed cell named first."""
    drawn = holds("""
          |  a     b     c     d     |  a     b     c     d     |
        1 |  .     .     ?     .     |  .     .     T     .     |
        2 |  O     O     W     O     |  T     T     W     T     |
        play: VW at c1
        flips: c1 {water}; a2 {moon_buried}; b2 {moon_buried}; d2 {moon_buried}
        """)
    assert drawn.state.fumaroles == 11


@pytest.mark.rule("SW-7.6", "SW-7.7", "SW-7.9", "SW-7.11")
def test_a_volcano_above_a_fumarole_flips_and_buries_the_moons_beside_it() -> None:
    """Its only neighbour is covered, so it flips; the moons to the left and right of that Fumarole flip as well."""
    block = """
          |  a     b     c     d     e     |  a     b     c     d     e     |
        1 |  .     .     ?     .     .     |  .     .     T     .     .     |
        2 |  .     O     *     O     .     |  .     T     *     T     .     |
        hidden: c2 start
        play: VP at c1
        flips: c1 {volcano}; b2 {moon_buried}; d2 {moon_buried}
    """
    holds(block)
    assert scene(block).legal("VP", strict=True) == ["b1", "d1", "a2", "e2", "b3", "d3"]
    assert scene(block).legal("VP") == ["b1", "c1", "d1", "a2", "e2", "b3", "c3", "d3"]


@pytest.mark.rule("SW-7.11", "SW-7.9", "SW-7.3")
def test_plant_and_volcano_are_both_named() -> None:
    """VP beside a Fumarole only, in a row with a Plant, flips once for two causes."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  MP    *     ?     |  MP    *     T     |
        2 |  Fb    MM    .     |  Fb    MM    .     |
        play: VP at c1
        flips: c1 {plant, volcano}
        """)


@pytest.mark.rule("SW-6.9", "SW-7.3", "SW-6.11")
def test_a_volcano_cannot_cover_the_plant_that_flips_it() -> None:
    """VP beside the Plant of its row: the desolation comes before the eruption could hide the Plant."""
    holds("""
          |  a     b     |  a     b     |
        1 |  MP    ?     |  MP    T     |
        2 |  Fb    .     |  Fb    .     |
        play: VP at b1
        flips: b1 {plant}
        """)


@pytest.mark.rule("SW-7.11", "SW-8.3")
def test_three_causes_come_in_their_order() -> None:
    """A made-up gate with W and P, placed beside a linked Water in a row with a Plant, flips for three causes."""
    pack = admitted("wet_gates", ('code = "gp", icons = "P"', 'code = "gp", icons = "WP"'))
    holds(
        """
          |  a     b     c     d     |  a     b     c     d     |
        1 |  (M=   =W)   ?     MP    |  (M=   =W)   T     MP    |
        2 |  Fb    .     .     .     |  Fb    .     .     .     |
        play: (WP) at c1
        flips: c1 {gate, plant, water}
        """,
        pack=pack,
    )


@pytest.mark.rule("SW-1.3", "SW-7.11")
def test_a_gate_moon_flips_for_its_gate_and_its_row() -> None:
    """In a pack whose moons are gates, one placed low beside a linked gate names both causes."""
    holds(
        """
          |  a     b     c     |  a     b     c     |
        1 |  Fb    MM    .     |  Fb    MM    .     |
        2 |  (M=   =W)   ?     |  (M=   =W)   T     |
        play: (O) at c2
        flips: c2 {gate, moon_low}
        """,
        pack=gate_moons(),
    )


@pytest.mark.rule("SW-1.3", "SW-8.7", "SW-8.10", "SW-8.3")
def test_a_buried_gate_moon_leaves_a_widow_that_still_blocks() -> None:
    """A card above buries the gate moon of a Portal; it is no candidate any more, its partner flips the next gate."""
    drawn = scene(
        """
          |  a     b     c     d     e     |
        1 |  .     .     .     .     .     |
        2 |  .     .     (O=   =M)   .     |
        3 |  .     .     MM    Fb    .     |
        """,
        pack=gate_moons(),
        hand=["MP", "(P)", "(W)"],
    )
    drawn.play("MP", "d1")
    assert drawn.flips() == {"c2": ["moon_buried"]}
    once_more(drawn).play("(P)", "e2")
    assert drawn.flips() == {"c2": ["moon_buried"], "e2": ["gate"]}
    once_more(drawn).play("(W)", "b2")
    assert drawn.flips() == {"c2": ["moon_buried"], "e2": ["gate"]}
    assert not drawn.of(PortalAssembled)
    assert drawn.drawing()["b2"] == "(W)"


@pytest.mark.rule("SW-10.2", "SW-10.3", "SW-10.4", "SW-11.1")
def test_a_volcano_may_cover_a_volcano_and_splits_two_fumaroles() -> None:
    """Targets are a Tzimime, a Volcano and the starting Land; the Fumaroles left and right of it are no neighbours."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  .     T     MM    |  .     T     MM    |
        2 |  VFp   ?     *     |  *     VMM   *     |
        3 |  .     M     VP    |  .     M     VP    |
        play: VMM at b2
        erupt: options b1 a2 b3; chosen a2
        """)


# --- C. Gates and Portals --------------------------------------------------------------------------------------------


@pytest.mark.rule("SW-8.1", "SW-8.3", "SW-8.7", "SW-10.7")
def test_beside_the_covered_half_a_gate_is_free() -> None:
    """Left of the covered half of a Portal nothing is shown: the gate stays, and the next gate links to it."""
    block = """
          |  a     b     c     d     |
        1 |  .     .     *     =V)   |
        2 |  .     .     M     .     |
    """
    drawn = scene(block, hand=["(P)", "(Fr)"])
    drawn.play("(P)", "b1")
    assert drawn.flips() == {}
    assert not drawn.of(PortalAssembled)
    once_more(drawn).play("(Fr)", "a1")
    assert drawn.of(PortalAssembled) == [PortalAssembled(OWNER, drawn.cell("a1"), drawn.cell("b1"), welcomes=True)]
    assert len(drawn.world.portals) == 2


@pytest.mark.rule("SW-8.3", "SW-8.7")
def test_between_a_widow_and_a_free_gate_a_gate_flips() -> None:
    """The left candidate was half of a Portal whose other half is covered; the right one is free and stays so."""
    drawn = holds("""
          |  a     b     c     d     |  a     b     c     d     |
        1 |  *     =V)   ?     (P)   |  *     =V)   T     (P)   |
        2 |  M     .     .     .     |  M     .     .     .     |
        play: (Fr) at c1
        flips: c1 {gate}
        """)
    assert len(drawn.world.portals) == 1


@pytest.mark.rule("SW-8.1", "SW-8.5")
def test_a_face_down_gate_does_not_make_two_candidates() -> None:
    """Between a face-down gate and a free one the gate makes a Portal with the free one."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  T     ?     (P)   |  T     (M=   =P)   |
        2 |  Fb    .     .     |  Fb    .     .     |
        hidden: a1 (W)
        play: (M) at b1
        portal: b1+c1
        welcome: 33 options; slots L 0|1, L 1|2, R 0|1, R 1|2; chosen decline
        """)


@pytest.mark.rule("SW-8.12", "SW-8.4")
def test_covering_a_card_between_two_free_gates_links_nothing() -> None:
    """A Fumarole goes on the face-down gate between two free gates; neither becomes half of a Portal."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  .     ?     .     |  .     VMM   .     |
        2 |  (W)   T     (P)   |  (W)   *     (P)   |
        3 |  MM    Fb    MFg   |  MM    Fb    MFg   |
        hidden: b2 (Fr)
        play: VMM at b1
        erupt: forced b2
        """)


@pytest.mark.rule("SW-8.11", "SW-8.10", "SW-9.15", "SW-13.17")
def test_one_row_may_have_two_portals_one_of_them_dead() -> None:
    """With b2 covered, c2 was placed free; now c2+d2 is the second Portal of row 2. Boung sees one live Portal."""
    holds("""
          |  a     b     c     d     |  a     b     c     d     |
        2 |  (M=   *     (W)   ?     |  (M=   *     (W=   =Fr)  |
        3 |  .     M     .     .     |  .     M     .     .     |
        travellers: L 2|3 splash
        play: (Fr) at d2
        portal: c2+d2
        welcome: 8 options; slots L 1|2; chosen boung L 1|2
        after_travellers: L 2|3 splash; L 1|2 boung
        bonus: splash 0; boung 0
        score: mountain 1, water 2, plant 0, forest 2, moon 0, city 0, traveller 10, total 15
        """)


# --- D. Travellers ---------------------------------------------------------------------------------------------------


@pytest.mark.rule("SW-9.10", "SW-9.6")
@pytest.mark.parametrize(("row", "slot"), [(1, "1|2"), (4, "3|4")])
def test_at_the_end_of_four_rows_there_is_one_slot_on_each_side(row: int, slot: str) -> None:
    """A Portal in the top or bottom row of a World four high: 8 Travellers x 2 sides x 1 slot, and to decline."""
    drawn = scene(
        f"""
          |  a     b     |
        1 |  {"(P)" if row == 1 else "MM"}    .     |
        2 |  Fb    .     |
        3 |  FdFg  .     |
        4 |  {"(P)" if row == 4 else "MM"}    .     |
        """,
        hand=["(M)"],
    )
    drawn.play("(M)", f"b{row}")
    upper = int(slot[0]) - drawn.frame.row
    options = drawn.options()
    assert len(options) == 17
    assert options[0] == DeclineTraveller()
    assert options[1] == WelcomeTraveller("splash", Side.LEFT, upper)
    assert options[2] == WelcomeTraveller("splash", Side.RIGHT, upper)
    assert options[16] == WelcomeTraveller("rumph", Side.RIGHT, upper)


@pytest.mark.rule("SW-9.16", "SW-9.17")
def test_both_slots_taken_both_are_offered() -> None:
    """A Portal in row 2 between Portals in rows 1 and 3, whose Travellers stand in 1|2 and 2|3: stack on either."""
    holds("""
          |  a     b     |  a     b     |
        1 |  (M=   =P)   |  (M=   =P)   |
        2 |  (W)   ?     |  (W=   =Fr)  |
        3 |  (M=   =P)   |  (M=   =P)   |
        4 |  Fb    MM    |  Fb    MM    |
        travellers: L 1|2 roro; L 2|3 kark
        play: (Fr) at b2
        portal: a2+b2
        welcome: 13 options; slots L 1|2 #2, L 2|3 #2; chosen burk L 2|3
        after_travellers: L 1|2 roro; L 2|3 kark; L 2|3 burk #2
        bonus: roro 0; kark 0; burk 0
        """)


@pytest.mark.rule("SW-9.16", "SW-9.17", "SW-13.17")
def test_a_third_traveller_joins_a_stack_of_two() -> None:
    """Four high, the second Portal of row 1 has the slot 1|2 only, where two stand already; Boung earns his eight."""
    drawn = scene(
        """
          |  a     b     c     d     |
        1 |  (M=   *     (W)   .     |
        2 |  (M=   =P)   .     .     |
        3 |  (W=   =P)   .     .     |
        4 |  Fb    MM    .     .     |
        travellers: L 1|2 roro; L 2|3 kark; L 1|2 burk #2
        """,
        hand=["(Fr)"],
    )
    drawn.play("(Fr)", "d1")
    row = drawn.cell("a1").y
    left = ("splash", "floulou", "pshit", "boung", "rumph")
    assert drawn.options() == (DeclineTraveller(), *(WelcomeTraveller(guest, Side.LEFT, row) for guest in left))
    drawn.welcome("boung L 1|2")
    assert drawn.events[-1] == TravellerWelcomed(OWNER, "boung", Side.LEFT, row, 3, drawn.cell("c1"), drawn.cell("d1"))
    assert bonuses(drawn.pack, drawn.world) == (0, 0, 0, 8)


@pytest.mark.rule("SW-9.10", "SW-9.14", "SW-9.19", "SW-9.15")
def test_a_slot_over_a_row_that_can_no_longer_come_is_gone() -> None:
    """Burk hangs over row 0, then row 4 was built: the next Portal of row 1 has the slot 1|2 only, and Burk stays."""
    holds("""
          |  a     b     c     d     |  a     b     c     d     |
        1 |  (M=   *     (W)   ?     |  (M=   *     (W=   =P)   |
        2 |  MM    Fb    .     .     |  MM    Fb    .     .     |
        3 |  MFg   .     .     .     |  MFg   .     .     .     |
        4 |  VFp   .     .     .     |  VFp   .     .     .     |
        travellers: L 0|1 burk
        play: (P) at d1
        portal: c1+d1
        welcome: 8 options; slots L 1|2; chosen splash L 1|2
        after_travellers: L 0|1 burk; L 1|2 splash
        bonus: burk 0; splash 0
        legal: b3 b4 c2 d2
        """)


@pytest.mark.rule("SW-9.1", "SW-9.3", "SW-9.6", "SW-8.9")
def test_who_declined_once_still_chooses_the_side_of_the_first_traveller() -> None:
    """The first Portal brought nobody: the second one offers all eight on both sides and then freezes one."""
    holds("""
          |  a     b     c     d     e     |  a     b     c     d     e     |
        1 |  .     (M=   =P)   .     .     |  .     (M=   =P)   .     .     |
        2 |  .     Fb    (W)   ?     .     |  .     Fb    (W=   =Fr)  .     |
        play: (Fr) at d2
        portal: c2+d2
        welcome: 33 options; slots L 1|2, L 2|3, R 1|2, R 2|3; chosen roro R 1|2
        after_travellers: R 1|2 roro
        bonus: roro 0
        legal: b0 c0 a1 d1 a2 b3 c3 d3
        """)


@pytest.mark.rule("SW-9.9", "SW-9.8", "SW-9.5", "SW-16.2")
def test_a_wrong_guest_side_or_slot_is_refused() -> None:
    """With kark on the left, splash may not come to the right, nor into a distant slot, nor may kark come twice."""
    drawn = scene(
        """
          |  a     b     |
        1 |  (M=   =P)   |
        2 |  (W)   ?     |
        3 |  Fb    .     |
        travellers: L 1|2 kark
        """,
        hand=["(Fr)"],
    )
    drawn.play("(Fr)", "b2")
    row = drawn.cell("a2").y
    assert drawn.options()[1:3] == (
        WelcomeTraveller("splash", Side.LEFT, row),
        WelcomeTraveller("burk", Side.LEFT, row),
    )
    for wrong in (
        WelcomeTraveller("splash", Side.RIGHT, row),
        WelcomeTraveller("splash", Side.LEFT, row - 1),
        WelcomeTraveller("splash", Side.LEFT, row + 1),
        WelcomeTraveller("kark", Side.LEFT, row),
        WelcomeTraveller("nobody", Side.LEFT, row),
    ):
        assert refusal(drawn.state, OWNER, wrong) is Reason.NOT_AN_OPTION
    assert refusal(drawn.state, OWNER, CoverCard(drawn.cell("a2"))) is Reason.WRONG_KIND
    assert refusal(drawn.state, 1, DeclineTraveller()) is Reason.NOT_YOUR_DECISION


# --- E. Eruptions and Cities -----------------------------------------------------------------------------------------


@pytest.mark.rule("SW-6.1", "SW-6.10", "SW-8.11", "SW-11.4", "SW-13.16", "SW-13.17", "SW-17.3")
def test_one_card_does_everything() -> None:
    """(V) links left, brings Pshit, covers a half of the Portal Boung came through, and chooses its City's partner."""
    drawn = holds("""
          |  a     b     c     |  a     b     c     |
        1 |  (M)   ?     *     |  (M=   =V)   *     |
        2 |  *     (W=   =P)   |  @     @     =P)   |
        3 |  Fb    *     .     |  Fb    *     .     |
        travellers: R 2|3 boung
        play: (V) at b1
        portal: a1+b1
        welcome: 15 options; slots R 0|1, R 1|2; chosen pshit R 1|2
        erupt: options a1 b2; chosen b2
        city: options a2 b3; chosen a2; value 9
        after_travellers: R 2|3 boung; R 1|2 pshit
        after_stack: 7 5 4 4
        bonus: boung 0; pshit 5
        score: mountain 1, water 0, plant 3, forest 2, moon 0, city 9, traveller 15, total 30
        """)
    assert [type(event) for event in drawn.events] == [
        LandPlaced,
        PortalAssembled,
        TravellerWelcomed,
        FumarolePlaced,
        DarkCityBuilt,
    ]


@pytest.mark.rule("SW-11.4", "SW-11.5", "SW-16.5")
def test_a_city_may_choose_among_three_partners_and_the_others_stay_free() -> None:
    """Left, right and below the new Fumarole lie free ones; b3 is taken, and later a2 joins a City of its own."""
    drawn = scene(
        """
          |  a     b     c     |
        1 |  VP    ?     VFp   |
        2 |  *     M     *     |
        3 |  .     *     .     |
        """,
        hand=["VMM", "VW"],
    )
    drawn.play("VMM", "b1")
    assert drawn.option_cells() == ["a1", "c1", "b2"]
    drawn.cover("b2")
    assert drawn.option_cells() == ["a2", "c2", "b3"]
    for wrong in ("b1", "b2", "a1", "c3"):
        assert refusal(drawn.state, OWNER, ChooseCityPartner(drawn.cell(wrong))) is Reason.NOT_AN_OPTION
    drawn.join("b3")
    assert drawn.events[-1] == DarkCityBuilt(OWNER, 9, drawn.cell("b2"), drawn.cell("b3"), forced=False)
    once_more(drawn).play("VW", "a0")
    covered = FumarolePlaced(OWNER, drawn.cell("a0"), drawn.cell("a1"), "vp1", tzimime=False, forced=True, builds=True)
    assert drawn.events[-2:] == (
        covered,
        DarkCityBuilt(OWNER, 7, drawn.cell("a1"), drawn.cell("a2"), forced=True),
    )
    assert drawn.drawing() == {
        "a1": "@",
        "b1": "VMM",
        "c1": "VFp",
        "a2": "@",
        "b2": "@",
        "c2": "*",
        "a3": ".",
        "b3": "@",
        "c3": ".",
    }


@pytest.mark.rule("SW-11.1", "SW-11.4", "SW-11.5")
def test_beside_a_used_and_a_free_fumarole_the_free_one_joins() -> None:
    """Above the new Fumarole lies a used one, at its right a free one: one partner, so nobody is asked."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  @     @     MM    |  @     @     MM    |
        2 |  VFp   M     *     |  VFp   @     @     |
        3 |  VP    ?     .     |  VP    VMM   .     |
        cities: 9 a1+b1
        play: VMM at b3
        erupt: options b2 a3; chosen b2
        city: forced c2; value 7
        after_stack: 5 4 4
        """)


@pytest.mark.rule("SW-11.1")
def test_diagonal_fumaroles_make_no_city() -> None:
    """The new Fumarole touches the old one at a corner only."""
    holds("""
          |  a     b     |  a     b     |
        1 |  *     MFg   |  *     MFg   |
        2 |  MM    P     |  MM    *     |
        3 |  .     ?     |  .     VFp   |
        play: VFp at b3
        erupt: forced b2
        """)


@pytest.mark.rule("SW-11.2", "SW-11.6", "SW-11.7")
def test_after_the_last_city_fumaroles_stay_free() -> None:
    """The last 4 is built; the next Fumarole lies beside a free one and nothing is built or asked."""
    drawn = scene(
        """
          |  a     b     c     d     |
        1 |  *     M     .     .     |
        2 |  .     .     MM    .     |
        3 |  .     VW    *     .     |
        stack: 4
        """,
        hand=["VP", "VFp"],
    )
    drawn.play("VP", "c1")
    assert drawn.option_cells() == ["b1", "c2"]
    drawn.cover("b1")
    built = DarkCityBuilt(OWNER, 4, drawn.cell("b1"), drawn.cell("a1"), forced=True)
    assert drawn.of(DarkCityBuilt) == [built]
    assert drawn.state.cities == ()
    once_more(drawn).play("VFp", "d2")
    assert drawn.events[-1] == FumarolePlaced(
        OWNER, drawn.cell("d2"), drawn.cell("c2"), "mm1", tzimime=False, forced=True, builds=False
    )
    assert drawn.decision is not None
    assert drawn.decision.kind == "place_land"
    assert [drawn.drawing()[name] for name in ("a1", "b1", "c2", "c3")] == ["@", "@", "*", "*"]


@pytest.mark.rule("SW-11.2", "SW-11.8", "SW-2.6", "SW-6.13")
def test_two_seats_take_cities_from_one_stack_in_one_lap() -> None:
    """Seat 0 builds the 9, seat 1 right after it the 7; both cover a card from one supply."""
    drawn = scene(
        """
          |  a     b     c     |
        1 |  *     M     .     |
        """,
        hand=["VP"],
    )
    world = drawn.world
    hands = (drawn.state.hands[0], ("vp2",), (), ())
    drawn.state = msgspec.structs.replace(drawn.state, worlds=(world, world, world, world), hands=hands)
    drawn.play("VP", "c1")
    state, events = act(drawn.state, 1, PlaceLand("vp2", drawn.cell("c1")))
    assert [event.value for event in events if isinstance(event, DarkCityBuilt)] == [7]
    assert [[city.value for city in world.cities] for world in state.worlds] == [[9], [7], [], []]
    assert state.cities == (5, 4, 4)
    assert drawn.before.fumaroles - state.fumaroles == 2
    assert TITLE.decision(state) == Decision("place_land", (2,))


# --- F. The option strict_volcano ------------------------------------------------------------------------------------


@pytest.mark.rule("SW-19.2", "SW-7.9", "SW-5.12")
def test_a_strict_volcano_takes_the_last_cell_among_fumaroles() -> None:
    """The only empty cell has four Fumaroles around it: it stays legal, and the Volcano flips."""
    drawn = holds(
        """
          |  a     b     c     d     |  a     b     c     d     |
        1 |  MM    *     MFg   T     |  MM    *     MFg   T     |
        2 |  *     ?     *     FdFg  |  *     T     *     FdFg  |
        3 |  VFp   *     VP    MM    |  VFp   *     VP    MM    |
        4 |  Fb    VFp   WFs   FdFs  |  Fb    VFp   WFs   FdFs  |
        play: VMM at b2
        flips: b2 {volcano}
        """,
        strict=True,
    )
    assert drawn.world.occupied.bit_count() == 16


@pytest.mark.rule("SW-19.2", "SW-5.6")
def test_a_strict_volcano_finds_its_only_target_behind_a_frozen_side() -> None:
    """MM could be covered from a2 only. Frozen on the left that is no cell, so all legal cells stay; else only a2."""
    cards = """
          |  a     b     c     d     |
        1 |  .     @     @     .     |
        2 |  .     MM    *     .     |
        3 |  .     *     .     .     |
        hidden: b3 start
        lost: b1+c1
        cities: 9 b1+c1
    """
    assert scene(cards).legal("VP", strict=True) == ["a2"]
    assert scene(cards + "travellers: L 1|2 kark").legal("VP", strict=True) == ["b0", "c0", "d1", "d2", "c3", "b4"]
    assert scene(cards + "travellers: R 1|2 kark").legal("VP", strict=True) == ["a2"]


@pytest.mark.rule("SW-19.3", "SW-8.4", "SW-6.11")
def test_a_strict_volcano_may_go_where_its_gate_flips() -> None:
    """(V) between two free gates has targets enough, so the cell is legal; it flips for its gate and erupts not."""
    holds(
        """
          |  a     b     c     |  a     b     c     |
        1 |  (W)   ?     (P)   |  (W)   T     (P)   |
        2 |  MM    Fb    MFg   |  MM    Fb    MFg   |
        play: (V) at b1
        flips: b1 {gate}
        """,
        strict=True,
    )


@pytest.mark.rule("SW-19.2", "SW-19.3", "SW-16.5", "SW-15.13")
def test_strict_volcano_counts_each_card_of_a_hand_by_itself() -> None:
    """Eight cells for the moon and MM, five for VP: 21 options by card, row and column; the refusal names the five."""
    drawn = scene(
        """
          |  a     b     c     d     |
        1 |  .     .     .     .     |
        2 |  MP    VFp   *     VMM   |
        3 |  .     *     .     .     |
        hidden: b3 start
        """,
        hand=["VP", "MM", "O"],
        strict=True,
    )
    every = ["a1", "b1", "c1", "d1", "a3", "c3", "d3", "b4"]
    near = ["a1", "b1", "d1", "a3", "d3"]
    expected = [PlaceLand("mo1", drawn.cell(name)) for name in every]
    expected += [PlaceLand("mm1", drawn.cell(name)) for name in every]
    expected += [PlaceLand("vp1", drawn.cell(name)) for name in near]
    assert list(drawn.options()) == expected
    assert refusal(drawn.state, OWNER, PlaceLand("vp1", drawn.cell("c3"))) is Reason.NOT_AN_OPTION
    assert drawn.decision is not None
    assert not drawn.decision.open
    assert [TITLE.legal_actions(drawn.state, seat) for seat in (1, 2, 3)] == [(), (), ()]


# --- G. Drafting, order and secrets ----------------------------------------------------------------------------------

RIGHT_OF = {0: 3, 1: 0, 2: 1, 3: 2}


def dealt_four() -> State:
    """Deal an unshuffled game of four with seat 2 as holder, direction right.

    3 + 59 draws leave starting Lands and deck as they lie. Dealt to the left from seat 2 on: seat 2 has mo1 mo2 mo3,
    seat 3 mo4 mo5 mo6, seat 0 mo7 mo8 mo9, seat 1 mo10 gm1 gm2.
    """
    state = fold(TITLE.setup(Settings(), 4, Script(*[0] * 62, 2)))
    return after(state, (2, ChooseDirection(Direction.RIGHT)))


FIRST_PASS = {0: ("mo7", "mo8"), 1: ("mo10", "gm1"), 2: ("mo1", "mo2"), 3: ("mo4", "mo5")}
SECOND_PASS = {0: "gm1", 1: "mo1", 2: "mo3", 3: "mo7"}


def passed_four(second: Mapping[int, str] = SECOND_PASS) -> State:
    """Pass as above, the last seat first."""
    state = after(dealt_four(), *((seat, PassTwo(FIRST_PASS[seat])) for seat in (3, 1, 0, 2)))
    return after(state, *((seat, PassOne(second[seat])) for seat in (3, 1, 0, 2)))


def known(state: State, seat: int | None) -> dict[str, tuple[int, ...]]:
    """Return where a seat knows the cards it gave away."""
    return {card.land: card.seats for card in TITLE.view(state, seat).known}


def play_card(state: State, seat: int, land: str) -> State:
    """Play a card of the hand on the first cell that is legal, covering the first target if asked."""
    place = next(
        action for action in TITLE.legal_actions(state, seat) if isinstance(action, PlaceLand) and action.land == land
    )
    state, _ = act(state, seat, place)
    decision = TITLE.decision(state)
    while decision is not None and decision.kind in {"welcome_traveller", "cover_card", "choose_city_partner"}:
        state, _ = act(state, seat, TITLE.legal_actions(state, seat)[0])
        decision = TITLE.decision(state)
    return state


@pytest.mark.rule("SW-3.7", "SW-4.2", "SW-4.6", "SW-4.7")
def test_four_seats_pass_to_the_right() -> None:
    """Dealt to the left all the same, both passes go 0 to 3, 3 to 2, 2 to 1, 1 to 0."""
    state = dealt_four()
    assert [set(hand) for hand in state.hands] == [
        {"mo7", "mo8", "mo9"},
        {"mo10", "gm1", "gm2"},
        {"mo1", "mo2", "mo3"},
        {"mo4", "mo5", "mo6"},
    ]
    state = after(state, *((seat, PassTwo(FIRST_PASS[seat])) for seat in (3, 1, 0, 2)))
    assert [set(hand) for hand in state.hands] == [
        {"mo9", "mo10", "gm1"},
        {"gm2", "mo1", "mo2"},
        {"mo3", "mo4", "mo5"},
        {"mo6", "mo7", "mo8"},
    ]
    assert {seat: known(state, seat) for seat in range(4)} == {
        0: {"mo7": (3,), "mo8": (3,)},
        1: {"mo10": (0,), "gm1": (0,)},
        2: {"mo1": (1,), "mo2": (1,)},
        3: {"mo4": (2,), "mo5": (2,)},
    }
    state = after(state, *((seat, PassOne(SECOND_PASS[seat])) for seat in (3, 1, 0, 2)))
    assert [set(hand) for hand in state.hands] == [
        {"mo9", "mo10", "mo1"},
        {"gm2", "mo2", "mo3"},
        {"mo4", "mo5", "mo7"},
        {"mo6", "mo8", "gm1"},
    ]
    assert {transfer.giver: transfer.receiver for transfer in state.transfers[4:]} == RIGHT_OF


@pytest.mark.rule("SW-3.3", "SW-3.7", "SW-3.8")
def test_four_seats_play_to_the_right_and_the_sun_goes_left() -> None:
    """Holder 2: three laps of 2 1 0 3; the holder of the next turn is seat 3."""
    state = passed_four()
    players = []
    while state.turn == 1:
        decision = TITLE.decision(state)
        assert decision is not None
        (seat,) = decision.seats
        if decision.kind == "place_land":
            players.append(seat)
        state, events = act(state, seat, TITLE.legal_actions(state, seat)[0])
    assert players == [2, 1, 0, 3] * 3
    assert events[-3:] == (TurnEnded(1), SunPassed(2, 3), TurnStarted(2, 3))
    assert TITLE.decision(state) is not None
    assert [TITLE.legal_actions(state, seat) for seat in range(3)] == [(), (), ()]
    assert [known(state, seat) for seat in range(4)] == [{}, {}, {}, {}]
    assert all(TITLE.view(state, seat).transfers == () for seat in (0, 1, 2, 3, None))


@pytest.mark.rule("SW-15.8", "SW-15.9")
def test_four_seats_know_what_follows_from_their_own_gifts() -> None:
    """After both passes a gift of the first is with its receiver or the one after it; plays narrow it down."""
    state = passed_four()
    assert {seat: known(state, seat) for seat in range(4)} == {
        0: {"mo7": (2, 3), "mo8": (2, 3), "gm1": (3,)},
        1: {"mo10": (0, 3), "gm1": (0, 3), "mo1": (0,)},
        2: {"mo1": (0, 1), "mo2": (0, 1), "mo3": (1,)},
        3: {"mo4": (1, 2), "mo5": (1, 2), "mo7": (2,)},
    }
    assert known(state, None) == {}
    state = play_card(state, 2, "mo7")  # so it was mo7 that seat 3 handed on, and mo8 that it kept
    assert known(state, 0) == {"mo8": (3,), "gm1": (3,)}
    assert known(state, 3) == {"mo4": (1, 2), "mo5": (1, 2)}
    state = play_card(state, 1, "gm2")  # a card that seat 2 never saw: seat 1 handed on mo1 or mo2
    assert known(state, 2) == {"mo1": (0, 1), "mo2": (0, 1), "mo3": (1,)}
    state = play_card(state, 0, "mo1")
    assert known(state, 2) == {"mo2": (1,), "mo3": (1,)}
    assert known(state, 1) == {"mo10": (0, 3), "gm1": (0, 3)}
    state = play_card(state, 3, "gm1")
    assert known(state, 1) == {"mo10": (0,)}
    assert known(state, 0) == {"mo8": (3,)}


@pytest.mark.rule("SW-15.8", "SW-15.9")
def test_two_seats_know_everything_they_gave() -> None:
    """Seat 1 gives mo1 back and seat 0 mo4: each sees what returned and knows the rest to be with the other."""
    state = fold(TITLE.setup(Settings(), 2, Script()))
    assert [set(hand) for hand in state.hands] == [{"mo1", "mo2", "mo3"}, {"mo4", "mo5", "mo6"}]
    state = after(state, (0, PassTwo(("mo1", "mo2"))), (1, PassTwo(("mo4", "mo5"))))
    back = after(state, (0, PassOne("mo4")), (1, PassOne("mo1")))
    assert [set(hand) for hand in back.hands] == [{"mo1", "mo3", "mo5"}, {"mo2", "mo4", "mo6"}]
    assert known(back, 0) == {"mo2": (1,), "mo4": (1,)}
    assert known(back, 1) == {"mo5": (0,), "mo1": (0,)}
    kept = after(state, (0, PassOne("mo4")), (1, PassOne("mo6")))
    assert known(kept, 0) == {"mo1": (1,), "mo2": (1,), "mo4": (1,)}
    assert known(kept, 1) == {"mo5": (0,), "mo6": (0,)}


def passed_three(last: str) -> State:
    """Pass to the left in a game of three; seat 2 gives `last` in the second pass.

    Then seat 0 has mo7 mo8 and `last`, seat 1 mo1 mo2 mo3, seat 2 mo6 and two of gm1 mo4 mo5.
    """
    state = fold(TITLE.setup(Settings(), 3, Script()))
    return after(
        state,
        (0, ChooseDirection(Direction.LEFT)),
        (0, PassTwo(("mo1", "mo2"))),
        (1, PassTwo(("mo4", "mo5"))),
        (2, PassTwo(("mo7", "mo8"))),
        (0, PassOne("mo3")),
        (1, PassOne("mo6")),
        (2, PassOne(last)),
    )


@pytest.mark.rule("SW-15.9")
def test_three_seats_learn_from_plays() -> None:
    """Seat 1 gave mo4 mo5, then mo6, to seat 2, which may have handed one on to seat 0."""
    state = passed_three("mo4")
    assert known(state, 1) == {"mo4": (0, 2), "mo5": (0, 2), "mo6": (2,)}
    for seat, land in ((0, "mo7"), (1, "mo3"), (2, "mo6"), (0, "mo8"), (1, "mo1"), (2, "mo5")):
        state = play_card(state, seat, land)
    assert known(state, 1) == {"mo4": (0, 2)}
    assert known(state, 0) == {"mo2": (1, 2)}
    assert known(state, 2) == {"mo4": (0,)}
    state = play_card(state, 0, "mo4")
    assert known(state, 1) == {}
    assert known(state, 0) == {"mo2": (1, 2)}


@pytest.mark.rule("SW-15.9")
def test_an_empty_hand_tells_where_the_gift_is() -> None:
    """Seat 0 has played its three cards and mo4 was none of them: seat 2 kept it, seat 1 knows."""
    state = passed_three("gm1")
    for seat, land in ((0, "mo7"), (1, "mo3"), (2, "mo6"), (0, "mo8"), (1, "mo1"), (2, "mo5")):
        state = play_card(state, seat, land)
    assert known(state, 1) == {"mo4": (0, 2)}
    state = play_card(state, 0, "gm1")
    assert known(state, 1) == {"mo4": (2,)}


@pytest.mark.rule("SW-15.9")
def test_a_card_never_given_rules_out_that_it_was_handed_on() -> None:
    """Seat 2 plays gm1, which seat 1 never gave it, and then mo5: so it must have handed mo4 on to seat 0."""
    state = passed_three("mo4")
    for seat, land in ((0, "mo7"), (1, "mo3"), (2, "gm1"), (0, "mo8"), (1, "mo1"), (2, "mo5")):
        state = play_card(state, seat, land)
    assert known(state, 1) == {"mo4": (0,), "mo6": (2,)}


@pytest.mark.rule("SW-15.4", "SW-15.5", "SW-15.10", "SW-15.12", "INV-40")
def test_what_everybody_sees_in_the_middle_of_a_pass() -> None:
    """Seats 0 and 3 have sealed their pairs: that they have is public, what they chose is theirs alone."""
    state = after(dealt_four(), (3, PassTwo(("mo4", "mo5"))), (0, PassTwo(("mo7", "mo8"))))
    hands = {0: ("mo7", "mo8", "mo9"), 1: ("mo10", "gm1", "gm2"), 2: ("mo1", "mo2", "mo3"), 3: ("mo4", "mo5", "mo6")}
    choices: dict[int, tuple[str, ...]] = {0: ("mo7", "mo8"), 1: (), 2: (), 3: ("mo4", "mo5")}
    for reader in (0, 1, 2, 3, None):
        view = TITLE.view(state, reader)
        assert view.chosen == (0, 3)
        assert view.hands == (3, 3, 3, 3)
        assert view.hand == (() if reader is None else hands[reader])
        assert view.choice == (() if reader is None else choices[reader])
        assert view.transfers == ()
        assert view.known == ()
        assert view.deck == 48
        assert view.pending is not None
        assert view.pending.seats == (1, 2)
        text = msgspec.json.encode(view).decode()
        shown = {land for land in newest("classic").deck_for(4) if f'"{land}"' in text}
        assert shown == (set() if reader is None else set(hands[reader]))
    assert [len(TITLE.legal_actions(state, seat)) for seat in range(4)] == [0, 3, 3, 0]
    assert refusal(state, 0, PassTwo(("mo7", "mo9"))) is Reason.NOT_YOUR_DECISION


@pytest.mark.rule("SW-15.6", "SW-15.5", "SW-4.7")
def test_a_resolved_pass_is_shown_to_giver_and_receiver() -> None:
    """Seat 0 gave to 3 and received from 1: of 2 to 1 and 3 to 2 it sees the number only, a spectator of all four."""
    before = after(dealt_four(), *((seat, PassTwo(FIRST_PASS[seat])) for seat in (3, 1, 0)))
    _, events = act(before, 2, PassTwo(FIRST_PASS[2]))
    sealed, resolved = events
    assert sealed == PassChosen(2, Passing.TWO, 2, ("mo1", "mo2"))
    assert isinstance(resolved, PassesResolved)
    assert TITLE.redact(sealed, 2) == sealed
    for reader in (0, 1, 3, None):
        assert TITLE.redact(sealed, reader) == PassChosen(2, Passing.TWO, 2, ())
    assert TITLE.redact(resolved, 0) == PassesResolved(
        Passing.TWO,
        (
            Transfer(0, 3, 2, ("mo7", "mo8")),
            Transfer(1, 0, 2, ("mo10", "gm1")),
            Transfer(2, 1, 2, ()),
            Transfer(3, 2, 2, ()),
        ),
    )
    assert TITLE.redact(resolved, None) == PassesResolved(
        Passing.TWO, tuple(Transfer(giver, receiver, 2, ()) for giver, receiver in RIGHT_OF.items())
    )


@pytest.mark.rule("SW-15.3", "SW-15.4", "SW-15.1")
def test_a_deal_is_shown_hand_by_hand() -> None:
    """Each seat sees its own three cards, the others' number and the size of the deck; nobody sees its order."""
    opening = TITLE.setup(Settings(), 4, Script(*[0] * 62, 2))
    state = fold(opening)
    _, (chosen, dealt) = act(state, 2, ChooseDirection(Direction.RIGHT))
    assert TITLE.redact(chosen, None) == chosen == DirectionChosen(2, Direction.RIGHT)
    assert TITLE.redact(dealt, 1) == LandsDealt(
        (Hand(0, 3, ()), Hand(1, 3, ("mo10", "gm1", "gm2")), Hand(2, 3, ()), Hand(3, 3, ())), 48
    )
    assert TITLE.redact(dealt, None) == LandsDealt(tuple(Hand(seat, 3, ()) for seat in range(4)), 48)
    for reader in (0, 1, 2, 3, None):
        assert TITLE.redact(opening[2], reader) == DeckShuffled(60, ())


@pytest.mark.rule("SW-15.7", "SW-15.11")
@pytest.mark.parametrize("handed_on", ["mo6", "mo7", "mo8"])
def test_what_was_handed_on_is_between_two_seats(handed_on: str) -> None:
    """Whatever seat 3 gives to seat 2 in the second pass, seats 0 and 1 and a spectator receive the same."""
    usual, other = passed_four(), passed_four({**SECOND_PASS, 3: handed_on})
    for reader in (0, 1, None):
        assert TITLE.view(other, reader) == TITLE.view(usual, reader)
    assert (TITLE.view(other, 2) == TITLE.view(usual, 2)) == (handed_on == "mo7")


@pytest.mark.rule("SW-15.11")
@pytest.mark.parametrize("reader", [0, 1, 2, 3, None])
def test_an_invented_state_shows_the_same(reader: int | None) -> None:
    """Right after both passes, in the middle of one and after some plays: a state made up from a view has that view."""
    sealed = after(dealt_four(), (3, PassTwo(("mo4", "mo5"))), (0, PassTwo(("mo7", "mo8"))))
    played = play_card(play_card(passed_four(), 2, "mo7"), 1, "gm2")
    for number, state in enumerate((sealed, passed_four(), played)):
        view = TITLE.view(state, reader)
        for draw in range(5):
            invented = TITLE.determinize(view, KeyedDraw(f"{number} {draw}".encode()))
            assert TITLE.view(invented, reader) == view


@pytest.mark.rule("SW-15.13", "SW-16.4")
def test_nobody_else_may_know_the_options_of_a_pass_or_a_play() -> None:
    """Sealed passes and placings are not open, not even their number; the direction is."""
    start = fold(TITLE.setup(Settings(), 4, Script(*[0] * 62, 2)))
    for state, kind, seats, is_open in (
        (start, "choose_direction", (2,), True),
        (dealt_four(), "pass_two", (0, 1, 2, 3), False),
        (passed_four(), "place_land", (2,), False),
    ):
        decision = TITLE.decision(state)
        assert decision is not None
        assert (decision.kind, decision.seats, decision.open) == (kind, seats, is_open)


# --- H. Scoring ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("SW-13.8", "SW-13.9", "SW-13.10")
def test_a_moon_above_a_moon_scores_nothing() -> None:
    """The card below a1 has no icons. a2: M three times. b1: P once and F three times, over a Tzimime (made-up)."""
    holds("""
          |  a     b     |
        1 |  O     O     |
        2 |  O     PFk   |
        3 |  MM    T     |
        4 |  M     FdFg  |
        moon_each: a1=0 a2=6 b1=8
        score: mountain 3, water 0, plant 3, forest 6, moon 14, city 0, traveller 0, total 26
        """)


@pytest.mark.rule("SW-13.8", "SW-13.10", "SW-13.11", "SW-13.2")
def test_moons_count_icons_of_shown_cards_only() -> None:
    """FF counts twice, the covered FF not; W above and below the Mountain; V and P, of which V comes three times."""
    holds("""
          |  a     b     c     |
        1 |  O     O     O     |
        2 |  FdFs  (W)   VP    |
        3 |  *     M     (V)   |
        4 |  MFg   MW    VMM   |
        hidden: a3 FdFg
        moon_each: a1=6 b1=4 c1=8
        score: mountain 5, water 7, plant 3, forest 6, moon 18, city 0, traveller 0, total 39
        """)


@pytest.mark.rule("SW-13.3", "SW-13.6", "SW-13.4")
def test_a_winding_range_counts_its_icons() -> None:
    """Seven cards from a1 to d4 hold nine Mountains; the covered MM joins nothing, a4 touches at a corner only."""
    holds("""
          |  a     b     c     d     |
        1 |  MM    *     VMM   MW    |
        2 |  MFg   M     T     FdFg  |
        3 |  PFk   (M=   =M)   VMM   |
        4 |  MM    VFp   .     MP    |
        hidden: b1 MM
        score: mountain 9, water 2, plant 6, forest 8, moon 0, city 0, traveller 0, total 25
        """)


@pytest.mark.rule("SW-13.6", "SW-13.7", "SW-13.13")
def test_seven_kinds_of_animals() -> None:
    """Rat, deer, spirit, goat, phoenix, snake and bear; Roro needs four of them in his rows."""
    holds("""
          |  a     b     c     d     |
        1 |  (Fr)  FdFs  MFg   VFp   |
        2 |  PFk   Fb    T     *     |
        hidden: c2 WFs
        travellers: R 1|2 roro
        bonus: roro 4
        score: mountain 1, water 0, plant 3, forest 14, moon 0, city 0, traveller 9, total 27
        """)


@pytest.mark.rule("SW-13.18", "SW-9.14", "SW-13.14", "SW-13.15")
def test_burk_with_a_missing_row_and_with_a_covered_plant() -> None:
    """Row 0 never came; the Plant of row 3 is covered. Kark: MP MM MW MFg are five Mountains on four cards."""
    holds("""
          |  a     b     c     d     |
        1 |  MP    MM    T     MW    |
        2 |  *     WP    FdFg  MFg   |
        3 |  VFp   *     (M=   =W)   |
        4 |  VMM   Fb    (P)   FdFs  |
        hidden: b3 MP; a2 FdFg
        travellers: R 0|1 burk
        bonus: burk 0
        whatif: splash 0 0 0; burk 4 0 0; kark 6 0 0; floulou 8 0 0; pshit 0 0 0; boung 0 0 0; roro 0 0 4; rumph 0 0 0
        """)


@pytest.mark.rule("SW-13.17", "SW-8.10")
def test_boung_counts_live_portals_only() -> None:
    """Row 2 has a widowed Portal, rows 1, 3 and 4 a live one each: only 3|4 has two."""
    holds("""
          |  a     b     c     d     |
        1 |  (M=   =P)   MM    O     |
        2 |  (W=   @     MFg   WP    |
        3 |  VP    @     (Fr=  =M)   |
        4 |  Fb    (P=   =M)   VFp   |
        cities: 9 b2+b3
        whatif: boung 0 0 8
        """)


@pytest.mark.rule("SW-13.16", "SW-13.15", "SW-13.2")
def test_pshit_counts_used_fumaroles_and_rumph_no_covered_volcano() -> None:
    """Two free ones in rows 1 and 2; with the City there are three. Rumph sees VMM VFp (V), not the covered VFp."""
    holds("""
          |  a     b     c     d     |
        1 |  VMM   *     VFp   MM    |
        2 |  (V)   MFg   *     MP    |
        3 |  @     @     VP    Fb    |
        4 |  MW    FdFg  MM    *     |
        hidden: c2 VFp
        cities: 9 a3+b3
        whatif: pshit 0 5 5; rumph 6 0 0; kark 6 0 0
        """)


@pytest.mark.rule("SW-13.4", "SW-9.20", "SW-7.14", "SW-10.8")
def test_beside_a_water_everything_counts_but_the_tzimime() -> None:
    """b2: moon, used Fumarole and free Fumarole. c3: the free Fumarole; no Traveller, no edge, no Tzimime."""
    holds("""
          |  a     b     c     |
        1 |  .     O     .     |
        2 |  @     WFs   T     |
        3 |  @     *     MW    |
        hidden: b3 start
        cities: 9 a2+a3
        travellers: R 2|3 pshit
        moon_each: b1=4
        bonus: pshit 5
        score: mountain 1, water 4, plant 0, forest 2, moon 4, city 9, traveller 10, total 30
        """)


# --- I. The end of a game --------------------------------------------------------------------------------------------

SQUARE = tuple(Cell(x, y) for y in range(4) for x in range(4))
LAST = SQUARE[-1]


def last_lap(
    seats: int,
    holder: int,
    cities: Sequence[int],
    last: Sequence[str],
    *,
    direction: Direction = Direction.LEFT,
    shown: Mapping[Cell, str] | None = None,
    fumaroles: Sequence[Cell] = (),
) -> State:
    """Build the moment before the last lap of turn 5, every World lacking its lower right cell.

    All cards lie face down but those `shown` and the `fumaroles`, the same in every World (made-up); so a World scores
    the made-up City it is given and what is shown. `last` are the cards to be played, by seat.
    """
    pack = newest("classic")
    cards = [land for land in (*pack.deck_for(4), "sm", "sw", "sf", "sp") if land not in last]
    shown = shown or {}
    cards = [land for land in cards if land not in shown.values()]
    events: list[Event] = [
        GameBegun(seats, pack.ref, strict_volcano=False, cities=(*cities, 9, 7, 5, 4, 4), fumaroles=11),
        StartingLandsDealt(tuple(cards.pop() for _ in range(seats)), ()),
        DeckShuffled(0, ()),
        TravellersDisplayed(TRAVELLERS),
        TurnStarted(4, holder),
    ]
    for seat in range(seats):
        events += [LandPlaced(seat, shown.get(cell) or cards.pop(), cell) for cell in SQUARE[1:13]]
        events.append(DarkCityBuilt(seat, cities[seat], Cell(0, 0), Cell(1, 0), forced=True))
    events += [TurnEnded(4), TurnStarted(5, holder)]
    if seats > 2:
        events.append(DirectionChosen(holder, direction))
    late = {seat: [shown.get(cell) or cards.pop() for cell in SQUARE[13:15]] for seat in range(seats)}
    events.append(LandsDealt(tuple(Hand(seat, 3, (*late[seat], last[seat])) for seat in range(seats)), 0))
    events.append(PassesResolved(Passing.ONE, ()))
    step = -1 if direction is Direction.RIGHT else 1
    order = [(holder + step * place) % seats for place in range(seats)]
    events += [LandPlaced(seat, late[seat][lap], SQUARE[13 + lap]) for lap in (0, 1) for seat in order]
    for seat in range(seats):
        down = tuple(Flip(cell, (Cause.WATER,)) for cell in SQUARE[:15] if cell not in shown and cell not in fumaroles)
        events.append(LandsDesolated(seat, down))
        events += [FumarolePlaced(seat, Cell(0, 0), cell, "", tzimime=False, forced=True) for cell in fumaroles]
    state = fold(events)
    return msgspec.structs.replace(state, phase=PlacingLand(holder))


@pytest.mark.rule("SW-12.3", "SW-12.4", "SW-12.5", "SW-17.4", "SW-3.12")
@pytest.mark.parametrize(
    ("totals", "ranks", "winners"),
    [
        ((58, 61, 58, 40), (2, 1, 2, 4), (1,)),
        ((61, 61, 50, 50), (1, 1, 3, 3), (0, 1)),
        ((45, 45, 45, 45), (1, 1, 1, 1), (0, 1, 2, 3)),
        ((10, 20, 30, 30), (4, 3, 1, 1), (2, 3)),
        ((7, 70, 70, 70), (4, 1, 1, 1), (1, 2, 3)),
        ((0, 0, 1, 0), (2, 2, 1, 2), (2,)),
    ],
)
def test_four_seats_are_ranked(totals: tuple[int, ...], ranks: tuple[int, ...], winners: tuple[int, ...]) -> None:
    """The last four cards are moons that flip, so a World's total is its City; direction right, holder 1."""
    state = last_lap(4, 1, totals, ("mo1", "mo2", "mo3", "mo4"), direction=Direction.RIGHT)
    for seat in (1, 0, 3):
        state, events = act(state, seat, PlaceLand(f"mo{seat + 1}", LAST))
        assert [type(event) for event in events] == [LandPlaced, LandsDesolated]
        assert TITLE.result(state) is None
    state, events = act(state, 2, PlaceLand("mo3", LAST))
    scores = tuple(Score(seat, 0, 0, 0, 0, 0, total, 0, total) for seat, total in enumerate(totals))
    assert events == (
        LandPlaced(2, "mo3", LAST),
        LandsDesolated(2, (Flip(LAST, (Cause.MOON_LOW,)),)),
        TurnEnded(5),
        WorldsScored(scores),
        GameEnded(ranks, winners, None),
    )
    result = TITLE.result(state)
    assert result is not None
    assert [(standing.rank, standing.total) for standing in result.standings] == list(zip(ranks, totals, strict=True))
    assert result.outcome == ""
    assert TITLE.decision(state) is None
    assert refusal(state, 2, PlaceLand("mo3", LAST)) is Reason.GAME_OVER
    assert all(TITLE.legal_actions(state, seat) == () for seat in range(4))


@pytest.mark.rule("SW-6.14", "SW-12.1", "SW-17.4", "SW-9.10")
def test_the_last_portal_is_answered_before_the_game_ends() -> None:
    """The last card is a gate beside a gate in the bottom row: 17 answers, and only then turn, score and game end."""
    state = last_lap(2, 1, (20, 30), ("gm1", "mo1"), shown={Cell(2, 3): "gw1"})
    state, _ = act(state, 1, PlaceLand("mo1", LAST))
    state, events = act(state, 0, PlaceLand("gm1", LAST))
    assert events == (LandPlaced(0, "gm1", LAST), PortalAssembled(0, Cell(2, 3), LAST, welcomes=True))
    assert len(TITLE.legal_actions(state, 0)) == 17
    assert TITLE.result(state) is None
    _, events = act(state, 0, WelcomeTraveller("boung", Side.RIGHT, 2))
    assert events == (
        TravellerWelcomed(0, "boung", Side.RIGHT, 2, 1, Cell(2, 3), LAST),
        TurnEnded(5),
        WorldsScored((Score(0, 1, 1, 0, 0, 0, 20, 5, 27), Score(1, 0, 0, 0, 0, 0, 30, 0, 30))),
        GameEnded((2, 1), (1,), None),
    )


@pytest.mark.rule("SW-6.10", "SW-11.1", "SW-16.3", "SW-17.3", "SW-17.4")
def test_the_last_card_may_link_decline_erupt_and_build() -> None:
    """(V) beside a gate in the bottom row: Traveller declined, the Tzimime above it covered, and a City built there."""
    state = last_lap(2, 1, (0, 30), ("gv1", "mo1"), shown={Cell(2, 3): "gw1"}, fumaroles=[Cell(3, 1)])
    state, _ = act(state, 1, PlaceLand("mo1", LAST))
    covered = next(card.land for card in TITLE.view(state, 0).worlds[0].cards if card.cell == Cell(3, 2))
    state, events = act(state, 0, PlaceLand("gv1", LAST))
    assert [type(event) for event in events] == [LandPlaced, PortalAssembled]
    state, events = act(state, 0, DeclineTraveller())
    assert events == (TravellerDeclined(0, Cell(2, 3), LAST),)
    assert TITLE.legal_actions(state, 0) == (CoverCard(Cell(3, 2)), CoverCard(Cell(2, 3)))
    _, events = act(state, 0, CoverCard(Cell(3, 2)))
    assert events == (
        FumarolePlaced(0, LAST, Cell(3, 2), covered, tzimime=True, forced=False, builds=True),
        DarkCityBuilt(0, 9, Cell(3, 2), Cell(3, 1), forced=True),
        TurnEnded(5),
        WorldsScored((Score(0, 0, 1, 0, 0, 0, 9, 0, 10), Score(1, 0, 0, 0, 0, 0, 30, 0, 30))),
        GameEnded((2, 1), (1,), None),
    )


# --- J. Solo ---------------------------------------------------------------------------------------------------------


def solo(*, pack: str = "classic", deck: Sequence[str] = (), display: Sequence[str] | None = None) -> State:
    """Set up an unshuffled solo game; `deck` names the cards that come first, `display` the Travellers.

    Classic and unshuffled the stacks are mo1 mo2 mo3, mo4 gm1 gw1, gf1 gp1 mm1, mf1 mw1 mp1, wp1 pf1 wf1, fa1 fb1 vm1,
    vf1 vp1 vw1; the starting Land is the Mountain; splash, burk and kark are displayed.
    """
    order = (*deck, *(land for land in newest(pack).deck_for(1) if land not in deck))
    events: list[Event] = []
    for event in TITLE.setup(Settings(pack), 1, Script()):
        match event:
            case DeckShuffled():
                events.append(DeckShuffled(21, order))
            case StacksLaid():
                events.append(StacksLaid(order[::3]))
            case TravellersDisplayed() if display is not None:
                events.append(TravellersDisplayed(tuple(display)))
            case _:
                events.append(event)
    return fold(events)


def solo_end(total: int) -> State:
    """Build the start of a solo game's last turn: 13 cards face down and a made-up City of `total`."""
    pack = newest("classic")
    order = pack.deck_for(1)
    others = [land for land in pack.deck_for(4) if land not in order]
    events: list[Event] = [
        GameBegun(1, pack.ref, strict_volcano=False, cities=(total, 9), fumaroles=11),
        StartingLandsDealt(("sm",), ("sw", "sf", "sp")),
        DeckShuffled(21, order),
        TravellersDisplayed(TRAVELLERS[:3]),
        StacksLaid(order[::3]),
        TurnStarted(4, None),
        *(LandPlaced(0, others.pop(), cell) for cell in SQUARE[1:13]),
        LandsDesolated(0, tuple(Flip(cell, (Cause.WATER,)) for cell in SQUARE[:13])),
        DarkCityBuilt(0, total, Cell(0, 0), Cell(1, 0), forced=True),
        TurnEnded(4),
        TurnStarted(5, None),
    ]
    return fold(events)


@pytest.mark.rule("SW-14.14", "SW-12.6", "SW-17.4", "SW-17.5")
@pytest.mark.parametrize(
    ("total", "level", "code"),
    [
        (0, 1, "devoured"),
        (59, 1, "devoured"),
        (60, 2, "expelled"),
        (69, 2, "expelled"),
        (70, 3, "tolerated"),
        (74, 3, "tolerated"),
        (75, 4, "at_home"),
        (79, 4, "at_home"),
        (80, 5, "master"),
        (120, 5, "master"),
    ],
)
def test_solo_levels_include_their_bounds(total: int, level: int, code: str) -> None:
    """The last three cards are moons that flip, so the total is the City; there is a level and no winner."""
    state = solo_end(total)
    state, events = act(state, 0, PickStack(1))
    assert events == (StackPicked(1, "mo1"),)
    state, events = act(state, 0, PlaceLand("mo1", SQUARE[13]))
    assert events[1:] == (
        LandsDesolated(0, (Flip(SQUARE[13], (Cause.MOON_LOW,)),)),
        StackRevealed(1, ("mo2", "mo3")),
    )
    state, _ = act(state, 0, PlaceLand("mo3", SQUARE[14]))
    state, events = act(state, 0, PlaceLand("mo2", LAST))
    assert events[2:] == (
        TurnEnded(5),
        WorldsScored((Score(0, 0, 0, 0, 0, 0, total, 0, total),)),
        GameEnded((1,), (), level),
    )
    result = TITLE.result(state)
    assert result is not None
    assert result.outcome == code


@pytest.mark.rule("SW-14.9", "SW-14.10", "SW-10.6", "SW-7.9", "SW-11.1", "SW-17.5")
def test_a_solo_turn_that_covers_its_own_beginning() -> None:
    """vf1 must cover the starting Land; vp1 beside it flips; vw1 covers that Tzimime and builds the 9."""
    state, events = act(solo(), 0, PickStack(7))
    assert events == (StackPicked(7, "vf1"),)
    state, events = act(state, 0, PlaceLand("vf1", Cell(1, 0)))
    assert events == (
        LandPlaced(0, "vf1", Cell(1, 0), erupts=True),
        FumarolePlaced(0, Cell(1, 0), Cell(0, 0), "sm", tzimime=False, forced=True),
        StackRevealed(7, ("vp1", "vw1")),
    )
    state, events = act(state, 0, PlaceLand("vp1", Cell(-1, 0)))
    assert events == (
        LandPlaced(0, "vp1", Cell(-1, 0)),
        LandsDesolated(0, (Flip(Cell(-1, 0), (Cause.VOLCANO,)),)),
    )
    _, events = act(state, 0, PlaceLand("vw1", Cell(-2, 0)))
    assert events == (
        LandPlaced(0, "vw1", Cell(-2, 0), erupts=True),
        FumarolePlaced(0, Cell(-2, 0), Cell(-1, 0), "vp1", tzimime=True, forced=True, builds=True),
        DarkCityBuilt(0, 9, Cell(-1, 0), Cell(0, 0), forced=True),
        TurnEnded(1),
        TurnStarted(2, None),
    )


@pytest.mark.rule("SW-14.3", "SW-14.9", "SW-15.1", "SW-15.12", "SW-15.13", "SW-16.5")
def test_a_solo_stack_stays_hidden_until_its_first_card_is_settled() -> None:
    """gf1 makes a Portal: until the Traveller is settled the two cards below are a number, then they lie open.

    Turn 1: mo4 above the Mountain, gm1 at its right, gw1 below it. Turn 2: gf1 right of gm1. The player and a
    spectator see the same, and the three Travellers of the display make 13 options.
    """
    state = after(solo(), (0, PickStack(2)), (0, PlaceLand("mo4", Cell(0, -1))))
    state = after(state, (0, PlaceLand("gm1", Cell(1, 0))), (0, PlaceLand("gw1", Cell(0, 1))))
    assert TITLE.legal_actions(state, 0) == tuple(PickStack(number) for number in (1, 3, 4, 5, 6, 7))
    assert refusal(state, 0, PickStack(2)) is Reason.NOT_AN_OPTION
    assert TITLE.view(state, 0).stacks == (
        Stack(1, "mo1", 2, ()),
        Stack(3, "gf1", 2, ()),
        Stack(4, "mf1", 2, ()),
        Stack(5, "wp1", 2, ()),
        Stack(6, "fa1", 2, ()),
        Stack(7, "vf1", 2, ()),
    )
    state, _ = act(state, 0, PickStack(3))
    state, events = act(state, 0, PlaceLand("gf1", Cell(2, 0)))
    assert [type(event) for event in events] == [LandPlaced, PortalAssembled]
    assert len(TITLE.legal_actions(state, 0)) == 13
    for reader in (0, None):
        view = TITLE.view(state, reader)
        assert view.stacks[1] == Stack(3, None, 2, ())
        text = msgspec.json.encode(view).decode()
        assert not any(f'"{land}"' in text for land in ("gp1", "mm1", "mo2", "mo3", "vp1", "vw1"))
        assert msgspec.structs.replace(view, seat=0) == TITLE.view(state, 0)
    state, events = act(state, 0, DeclineTraveller())
    assert events == (TravellerDeclined(0, Cell(1, 0), Cell(2, 0)), StackRevealed(3, ("gp1", "mm1")))
    assert state.display == ("splash", "burk", "kark")
    assert TITLE.view(state, None).hand == ("gp1", "mm1")
    decision = TITLE.decision(state)
    assert decision is not None
    assert decision.open


@pytest.mark.rule("SW-9.2", "SW-6.10", "SW-14.9", "SW-8.11")
def test_solo_with_an_empty_display_goes_on_at_once() -> None:
    """kgv1 links to kgm1, nobody can come, its only target is that very partner, and then the stack is revealed."""
    deck = ("kgv1", "kmm1", "kmf1", "kgm1", "kmo1", "kmo2")
    state = after(
        solo(pack="skyward", deck=deck, display=()),
        (0, PickStack(2)),
        (0, PlaceLand("kgm1", Cell(1, 0))),
        (0, PlaceLand("kmo1", Cell(0, 1))),
        (0, PlaceLand("kmo2", Cell(1, 1))),
        (0, PickStack(1)),
    )
    state, events = act(state, 0, PlaceLand("kgv1", Cell(2, 0)))
    assert events == (
        LandPlaced(0, "kgv1", Cell(2, 0), erupts=True),
        PortalAssembled(0, Cell(1, 0), Cell(2, 0), welcomes=False),
        FumarolePlaced(0, Cell(2, 0), Cell(1, 0), "kgm1", tzimime=False, forced=True),
        StackRevealed(1, ("kmm1", "kmf1")),
    )
    assert len(state.worlds[0].portals) == 1


@pytest.mark.rule("SW-15.14", "SW-14.13")
def test_after_a_solo_game_the_unused_stacks_lie_open() -> None:
    """Six stacks are left here (made-up); each shows its two lower cards to everybody, and not before."""
    state = after(solo_end(60), (0, PickStack(1)), (0, PlaceLand("mo1", SQUARE[13])))
    state = after(state, (0, PlaceLand("mo3", SQUARE[14])))
    assert all(stack.lands == () for stack in TITLE.view(state, None).stacks)
    state = after(state, (0, PlaceLand("mo2", LAST)))
    for reader in (0, None):
        assert TITLE.view(state, reader).stacks[0] == Stack(2, "mo4", 2, ("gm1", "gw1"))
        assert TITLE.view(state, reader).stacks[-1] == Stack(7, "vf1", 2, ("vp1", "vw1"))


@pytest.mark.rule("SW-17.1", "SW-17.5", "SW-2.9", "SW-15.2")
@pytest.mark.parametrize("seats", [1, 2, 4])
def test_the_first_events_of_a_game(seats: int) -> None:
    """In the order of table E, as far as they apply; the spectator misses the deck's order and the hands only."""
    events = TITLE.setup(Settings(), seats, Script())
    kinds: dict[int, list[type]] = {
        1: [TravellersDisplayed, StacksLaid, TurnStarted],
        2: [SunAssigned, TravellersDisplayed, TurnStarted, LandsDealt],
        4: [SunAssigned, TravellersDisplayed, TurnStarted],
    }
    assert [type(event) for event in events] == [GameBegun, StartingLandsDealt, DeckShuffled, *kinds[seats]]
    hidden = (DeckShuffled, LandsDealt)
    for event in events:
        assert (TITLE.redact(event, None) == event) == (not isinstance(event, hidden))
