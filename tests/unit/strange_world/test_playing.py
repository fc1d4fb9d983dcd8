"""SW-6: the steps of one play."""

from __future__ import annotations

import msgspec
import pytest

from services.strange_world.rules import TITLE
from services.strange_world.rules.actions import CoverCard, DeclineTraveller
from services.strange_world.rules.events import (
    DarkCityBuilt,
    FumarolePlaced,
    LandPlaced,
    LandsDesolated,
    PortalAssembled,
    TravellerWelcomed,
)
from services.strange_world.rules.phases import ChoosingCityPartner, CoveringCard, WelcomingTraveller
from shared.kernel import Reason
from tests.unit.strange_world.building import scene
from tests.unit.strange_world.checking import holds
from tests.unit.strange_world.games import game, refusal
from tests.unit.strange_world.positions import OWNER

EVERYTHING = """
      |  a     b     c     |  a     b     c     |
    1 |  (M)   ?     .     |  (M=   =V)   .     |
    2 |  *     Fb    VFp   |  @     @     VFp   |
    play: (V) at b1
    portal: a1+b1
    welcome: 33 options; slots L 0|1, L 1|2, R 0|1, R 1|2; chosen kark R 1|2
    erupt: options a1 b2; chosen b2
    city: forced a2; value 9
    after_travellers: R 1|2 kark
    after_stack: 7 5 4 4
"""


@pytest.mark.rule("SW-6.1", "SW-6.6", "SW-6.8", "SW-6.10", "SW-17.3")
def test_a_play_runs_through_its_steps_in_order() -> None:
    """A gate with a Volcano: placed, linked, Traveller settled, erupted, City built."""
    kinds = [type(event) for event in holds(EVERYTHING).events]
    assert kinds == [LandPlaced, PortalAssembled, TravellerWelcomed, FumarolePlaced, DarkCityBuilt]


@pytest.mark.rule("SW-6.1", "SW-6.14")
def test_no_step_begins_before_the_decision_of_the_one_before() -> None:
    """The Traveller is asked before anything is covered, the cover before a City, and all before the next play."""
    drawn = scene(EVERYTHING)
    drawn.play("(V)", "b1")
    assert [type(event) for event in drawn.events] == [LandPlaced, PortalAssembled]
    assert isinstance(drawn.state.phase, WelcomingTraveller)
    drawn.welcome("kark R 1|2")
    assert [type(event) for event in drawn.events[2:]] == [TravellerWelcomed]
    assert isinstance(drawn.state.phase, CoveringCard)
    assert refusal(drawn.state, 1, CoverCard(drawn.cell("b2"))) is Reason.NOT_YOUR_DECISION
    drawn.cover("b2")
    assert drawn.decision is not None
    assert (drawn.decision.kind, drawn.decision.seats) == ("place_land", (1,))


@pytest.mark.rule("SW-6.1", "SW-6.14")
def test_the_next_play_waits_for_the_city_partner() -> None:
    """While the owner has a City partner to choose, nobody else has an option."""
    drawn = scene("""
          |  a     b     c     |
        1 |  VFp   ?     VP    |
        2 |  *     M     *     |
        play: VMM at b1
        """)
    drawn.play("VMM", "b1")
    drawn.cover("b2")
    assert isinstance(drawn.state.phase, ChoosingCityPartner)
    assert [len(TITLE.legal_actions(drawn.state, seat)) for seat in range(4)] == [2, 0, 0, 0]
    assert not drawn.of(DarkCityBuilt)


@pytest.mark.rule("SW-6.1", "SW-6.4", "SW-17.3")
def test_flips_come_before_an_eruption_and_its_city() -> None:
    """A Volcano buries a moon, covers it and builds a City: placed, flipped, covered, built."""
    drawn = holds("""
          |  a     b     c     |  a     b     c     |
        1 |  .     ?     .     |  .     VP    .     |
        2 |  *     O     M     |  @     @     M     |
        play: VP at b1
        flips: b2 {moon_buried}
        erupt: forced b2
        city: forced a2; value 9
        after_stack: 7 5 4 4
        """)
    assert [type(event) for event in drawn.events] == [LandPlaced, LandsDesolated, FumarolePlaced, DarkCityBuilt]


@pytest.mark.rule("SW-6.2")
def test_a_placed_land_leaves_the_hand_and_counts_for_the_box() -> None:
    """The card is no more in hand, and a moon that opens a new row lies in the top row of the box it made."""
    drawn = holds("""
          |  a     b     c     d     |  a     b     c     d     |
        1 |  .     ?     .     .     |  .     O     .     .     |
        2 |  .     M     MFg   .     |  .     M     MFg   .     |
        play: O at b1
        legal: b0 a1 c1 a2 d2 b3 c3
        """)
    assert drawn.before.hands[OWNER] == (drawn.hand["O"],)
    assert drawn.events[0] == LandPlaced(OWNER, drawn.hand["O"], drawn.cell("b1"))


@pytest.mark.rule("SW-6.3")
def test_all_tests_look_at_the_position_right_after_placing() -> None:
    """The only card beside a Volcano is a moon that this play flips: it still is a target, and the Volcano stays."""
    holds("""
          |  a     b     |  a     b     |
        1 |  .     ?     |  .     VFp   |
        2 |  W     O     |  W     *     |
        play: VFp at b1
        flips: b2 {moon_buried}
        erupt: forced b2
        """)


@pytest.mark.rule("SW-6.4")
def test_all_flips_are_one_event() -> None:
    """The placed card and three moons turn at once."""
    drawn = holds("""
          |  a     b     c     d     |  a     b     c     d     |
        1 |  .     ?     .     .     |  .     T     .     .     |
        2 |  O     W     O     O     |  T     W     T     T     |
        play: MW at b1
        flips: b1 {water}; a2 {moon_buried}; c2 {moon_buried}; d2 {moon_buried}
        """)
    assert len(drawn.of(LandsDesolated)) == 1


@pytest.mark.rule("SW-6.5")
def test_a_gate_that_stays_and_has_one_free_partner_makes_a_portal() -> None:
    """The Portal is there before the Traveller is asked."""
    drawn = scene("""
          |  a     b     |
        1 |  (M)   ?     |
        2 |  Fb    .     |
        play: (P) at b1
        """)
    drawn.play("(P)", "b1")
    assert drawn.of(PortalAssembled) == [PortalAssembled(OWNER, drawn.cell("a1"), drawn.cell("b1"), welcomes=True)]
    assert DeclineTraveller() in drawn.options()


@pytest.mark.rule("SW-6.7")
def test_a_volcano_that_stays_erupts() -> None:
    """A Fumarole covers a neighbour."""
    holds("""
          |  a     b     |  a     b     |
        1 |  M     ?     |  *     VW    |
        play: VW at b1
        erupt: forced a1
        """)


@pytest.mark.rule("SW-6.9", "SW-6.11")
def test_a_gate_that_flips_makes_no_portal() -> None:
    """Beside a free gate, but flipped by its Plant."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  MP    (M)   ?     |  MP    (M)   T     |
        2 |  Fb    .     .     |  Fb    .     .     |
        play: (P) at c1
        flips: c1 {plant}
        """)


@pytest.mark.rule("SW-6.9", "SW-6.11")
def test_a_volcano_that_flips_does_not_erupt() -> None:
    """Beside targets, but flipped by its Plant."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  MP    MM    ?     |  MP    MM    T     |
        2 |  Fb    .     .     |  Fb    .     .     |
        play: VP at c1
        flips: c1 {plant}
        """)


@pytest.mark.rule("SW-6.10")
def test_a_declined_traveller_is_settled_too() -> None:
    """After declining, the gate with a Volcano erupts."""
    holds("""
          |  a     b     |  a     b     |
        1 |  (M)   ?     |  *     =V)   |
        2 |  Fb    .     |  Fb    .     |
        play: (V) at b1
        portal: a1+b1
        welcome: 33 options; slots L 0|1, L 1|2, R 0|1, R 1|2; chosen decline
        erupt: forced a1
        """)


@pytest.mark.rule("SW-6.12")
def test_covering_flips_nothing_and_turns_nothing_up() -> None:
    """Under a Fumarole go a Tzimime, and a Water whose neighbour Tzimime stays face down."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  O     T     ?     |  O     *     VMM   |
        2 |  M     .     .     |  M     .     .     |
        play: VMM at c1
        erupt: forced b1
        """)
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  T     MW    ?     |  T     *     VMM   |
        2 |  M     .     .     |  M     .     .     |
        hidden: a1 WP
        play: VMM at c1
        erupt: forced b1
        """)


@pytest.mark.rule("SW-6.13")
@pytest.mark.parametrize("seats", [1, 2, 4])
def test_a_play_changes_one_world_one_hand_and_the_supplies(seats: int) -> None:
    """Within a turn every answer leaves other Worlds and hands, holder, direction, deck and options as they are."""
    kept = ("pack", "seats", "strict_volcano", "turn", "holder", "direction", "deck", "transfers", "unused")
    for step in game(seats).steps:
        if step.before.turn == step.after.turn and len(step.before.played) and len(step.after.played):
            for seat in set(range(seats)) - {step.seat}:
                assert step.before.worlds[seat] == step.after.worlds[seat]
                assert step.before.hands[seat] == step.after.hands[seat]
            assert all(getattr(step.before, name) == getattr(step.after, name) for name in kept)


@pytest.mark.rule("SW-6.13")
def test_other_worlds_have_no_effect_on_a_play() -> None:
    """With the other seats' Worlds exchanged a play has the same events."""
    drawn = scene(EVERYTHING)
    changed = msgspec.structs.replace(drawn.state, worlds=(drawn.world, *[drawn.world] * 3))
    drawn.play("(V)", "b1")
    before, drawn.state = drawn.events, changed
    assert drawn.play("(V)", "b1") == before
