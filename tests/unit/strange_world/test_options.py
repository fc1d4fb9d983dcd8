"""SW-18 and SW-19: supplies that run out, and the options of a table."""

from __future__ import annotations

import msgspec
import pytest

from services.strange_world.content import newest
from services.strange_world.rules import TITLE, Settings
from services.strange_world.rules.events import FumarolePlaced, GameBegun, LandsDealt, PortalAssembled
from services.strange_world.rules.phases import PlacingLand, WelcomingTraveller
from shared.kernel import Reason, Refusal
from tests.unit.strange_world.building import Scene, scene
from tests.unit.strange_world.checking import holds
from tests.unit.strange_world.games import game

STRICT = """
      |  a     b     c     d     |
    1 |  .     .     .     .     |
    2 |  .     M     *     .     |
    3 |  .     MW    .     .     |
"""


@pytest.mark.rule("SW-18.1")
@pytest.mark.parametrize("pack", ["classic", "skyward"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_deck_suffices_for_five_deals(pack: str, seats: int) -> None:
    """Fifteen cards for each seat are there; what is left is the number of the page's check sums."""
    left = {"classic": {2: 8, 3: 0, 4: 0}, "skyward": {2: 6, 3: 3, 4: 0}}
    assert len(newest(pack).deck_for(seats)) - 15 * seats == left[pack][seats]
    assert game(seats, pack=pack).of(LandsDealt)[-1].deck == left[pack][seats]


@pytest.mark.rule("SW-18.2")
@pytest.mark.parametrize("pack", ["classic", "skyward"])
def test_fumaroles_cannot_run_out(pack: str) -> None:
    """There are as many as Volcano Lands, and each of these erupts at most once."""
    found = newest(pack)
    assert sum(1 for land in found.deck if land.volcanoes) == found.fumaroles == 11
    for number in range(3):
        told = game(4, number, pack=pack)
        assert told.states[-1].fumaroles == 11 - len(told.of(FumarolePlaced)) >= 0


@pytest.mark.rule("SW-18.2")
def test_an_empty_supply_is_a_broken_invariant() -> None:
    """In a made-up state without Fumaroles an eruption is neither refused nor left out: the program stops."""
    drawn = scene("""
          |  a     b     |
        1 |  M     ?     |
        play: VP at b1
        """)
    drawn.state = msgspec.structs.replace(drawn.state, fumaroles=0)
    with pytest.raises(AssertionError, match="Fumaroles"):
        drawn.play("VP", "b1")


@pytest.mark.rule("SW-18.3")
@pytest.mark.parametrize(("pack", "most"), [("classic", 6), ("skyward", 7)])
def test_travellers_outlast_the_portals(pack: str, most: int) -> None:
    """A deck of 13 or 14 gates makes at most 6 or 7 Portals; the solo deck of 4 or 5 gates at most 2."""
    found = newest(pack)
    assert sum(1 for land in found.deck if land.gate) // 2 == most < 8
    assert sum(1 for land in found.deck if land.gate and land.mark == 1) // 2 == 2
    for number in range(3):
        told = game(4, number, pack=pack)
        assert all(event.welcomes for event in told.of(PortalAssembled))


@pytest.mark.rule("SW-18.5")
def test_four_seats_use_all_starting_lands() -> None:
    """Every seat of four has its own, and none is left."""
    assert game(4).start.unused == ()
    starts = [world.lands[place] for world in game(4).start.worlds for place in range(len(world.lands))]
    assert sorted(filter(None, starts)) == ["sf", "sm", "sp", "sw"]


@pytest.mark.rule("SW-19.1")
def test_a_table_chooses_its_pack() -> None:
    """Without an option it is classic; skyward is the other one; there is no third."""
    assert TITLE.parse({}) == Settings("classic", strict_volcano=False)
    assert TITLE.pack(TITLE.parse({})).id == "classic"
    assert TITLE.pack(TITLE.parse({"pack": "skyward"})).id == "skyward"
    with pytest.raises(Refusal) as refused:
        TITLE.parse({"pack": "other"})
    assert refused.value.reason is Reason.BAD_OPTION
    with pytest.raises(Refusal) as refused:
        TITLE.pack(Settings("other"))
    assert refused.value.reason is Reason.BAD_OPTION


@pytest.mark.rule("SW-19.1", "SW-19.2")
def test_the_first_event_records_the_options() -> None:
    """Pack and strict_volcano stand in GameBegun."""
    begun = game(2, pack="skyward", strict=True).events[0]
    assert isinstance(begun, GameBegun)
    assert (begun.pack.id, begun.strict_volcano) == ("skyward", True)
    begun = game(2).events[0]
    assert isinstance(begun, GameBegun)
    assert (begun.pack.id, begun.strict_volcano) == ("classic", False)


@pytest.mark.rule("SW-19.2")
def test_a_strict_volcano_goes_beside_a_target() -> None:
    """Cells that touch the Fumarole only, c1 and d2, are closed to it and open to others."""
    everywhere = ["b1", "c1", "a2", "d2", "a3", "c3", "b4"]
    assert scene(STRICT).legal("VP") == everywhere
    assert scene(STRICT).legal("VP", strict=True) == ["b1", "a2", "a3", "c3", "b4"]


@pytest.mark.rule("SW-19.2")
def test_without_any_target_a_strict_volcano_may_go_anywhere() -> None:
    """In a World of one Fumarole all cells stay legal, and the Land flips."""
    drawn = holds(
        """
          |  a     b     c     |  a     b     c     |
        1 |  .     .     .     |  .     .     .     |
        2 |  .     *     ?     |  .     *     T     |
        play: VP at c2
        flips: c2 {volcano}
        """,
        strict=True,
    )
    drawn.state = drawn.before
    assert drawn.legal("VP", strict=True) == ["b1", "a2", "c2", "b3"]


@pytest.mark.rule("SW-19.3")
def test_strict_volcano_looks_at_targets_only() -> None:
    """A Volcano with Water may go beside a Water, where it flips; other cards are not affected."""
    assert scene(STRICT).legal("VW", strict=True) == scene(STRICT).legal("VP", strict=True)
    for token in ("O", "(M)", "MM", "WP", "FdFg"):
        assert scene(STRICT).legal(token, strict=True) == scene(STRICT).legal(token)


@pytest.mark.rule("SW-19.3", "SW-19.2")
def test_strict_volcano_binds_a_gate_with_a_volcano_too() -> None:
    """It is a Land with a Volcano like any other."""
    assert scene(STRICT).legal("(V)", strict=True) == scene(STRICT).legal("VP", strict=True)


@pytest.mark.rule("SW-19.2", "INV-04")
def test_strict_games_go_to_their_end() -> None:
    """In random strict games every card of a hand has a cell, and no Volcano flips for want of a target it had."""
    for number in range(3):
        for state in game(3, number, strict=True).states:
            if isinstance(state.phase, PlacingLand):
                seat = state.phase.seat
                options = TITLE.legal_actions(state, seat)
                assert {getattr(option, "land", "") for option in options} == set(state.hands[seat])


@pytest.mark.rule("SW-19.4")
def test_there_are_no_other_options() -> None:
    """The title names two options, with their defaults and values, and refuses any other."""
    assert [(spec.name, spec.default, spec.values) for spec in TITLE.options] == [
        ("pack", "classic", ("classic", "skyward")),
        ("strict_volcano", "false", ("false", "true")),
    ]
    with pytest.raises(Refusal) as refused:
        TITLE.parse({"undo": "true"})
    assert refused.value.reason is Reason.BAD_OPTION


@pytest.mark.rule("SW-18.3", "SW-9.2")
def test_a_display_of_one_is_asked_about() -> None:
    """As long as one Traveller is left, the owner may take it."""
    drawn: Scene = scene("""
          |  a     b     |
        1 |  (M)   ?     |
        2 |  Fb    .     |
        display: roro
        play: (P) at b1
        """)
    drawn.play("(P)", "b1")
    assert isinstance(drawn.state.phase, WelcomingTraveller)
    assert len(drawn.options()) == 1 + 1 * 2 * 2
