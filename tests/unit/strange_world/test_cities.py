"""SW-11: Dark Cities."""

from __future__ import annotations

import pytest

from services.strange_world.rules.actions import ChooseCityPartner
from services.strange_world.rules.board import CELLS, NEIGHBOURS, places
from services.strange_world.rules.events import DarkCityBuilt
from services.strange_world.rules.phases import ChoosingCityPartner
from shared.kernel import Reason
from tests.unit.strange_world.building import scene
from tests.unit.strange_world.checking import holds
from tests.unit.strange_world.games import game, refusal
from tests.unit.strange_world.positions import OWNER


@pytest.mark.rule("SW-11.1", "SW-11.3")
@pytest.mark.parametrize("name", ["b1", "a2", "b3"])
def test_a_new_fumarole_joins_a_free_neighbour(name: str) -> None:
    """Above, beside or below, one City is built at once, and both Fumaroles are used."""
    cells = {"b1": "MM", "a2": "MFg", "b3": "FdFg"} | {name: "*"}
    drawn = scene(f"""
          |  a     b     c     d     |
        1 |  W     {cells["b1"]}     .     .     |
        2 |  {cells["a2"]}     MP     ?    .     |
        3 |  MW     {cells["b3"]}     .     .     |
        play: VFp at c2
        """)
    drawn.play("VFp", "c2")
    built = drawn.of(DarkCityBuilt)
    assert built == [DarkCityBuilt(0, 9, drawn.cell("b2"), drawn.cell(name), forced=True)]
    assert (drawn.drawing()["b2"], drawn.drawing()[name]) == ("@", "@")


@pytest.mark.rule("SW-11.1")
def test_a_diagonal_fumarole_is_no_neighbour() -> None:
    """Touching at a corner only, two Fumaroles stay free."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  *     M     .     |  *     M     .     |
        2 |  .     MM    ?     |  .     *     VP    |
        play: VP at c2
        erupt: forced b2
        """)


@pytest.mark.rule("SW-11.2", "INV-24")
def test_the_highest_city_left_is_built() -> None:
    """With 9 and 7 gone it is the 5."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  *     M     ?     |  @     @     VP    |
        stack: 5 4 4
        play: VP at c1
        erupt: forced b1
        city: forced a1; value 5
        after_stack: 4 4
        """)


@pytest.mark.rule("SW-11.2", "SW-11.6")
def test_the_fifth_city_is_the_last() -> None:
    """The second 4 is built, and the stack is empty."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  *     M     ?     |  @     @     VP    |
        stack: 4
        play: VP at c1
        erupt: forced b1
        city: forced a1; value 4
        after_stack: empty
        """)


@pytest.mark.rule("SW-11.2")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_table_shares_one_stack(seats: int) -> None:
    """In random games the Cities are built in the order 9, 7, 5, 4, 4, by whomever."""
    for number in range(4):
        told = game(seats, number)
        values = [event.value for event in told.of(DarkCityBuilt)]
        assert values == [9, 7, 5, 4, 4][: len(values)]
        assert told.states[-1].cities == (9, 7, 5, 4, 4)[len(values) :]


@pytest.mark.rule("SW-11.4", "SW-16.3")
def test_the_owner_picks_among_several_partners() -> None:
    """Three free neighbours are offered; the two not chosen stay free."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  .     *     .     |  .     *     .     |
        2 |  *     M     *     |  *     @     @     |
        3 |  MM    ?     MFg   |  MM    VP    MFg   |
        play: VP at b3
        erupt: options b2 a3 c3; chosen b2
        city: options b1 a2 c2; chosen c2; value 9
        after_stack: 7 5 4 4
        """)


@pytest.mark.rule("SW-11.4", "SW-16.2")
@pytest.mark.parametrize("name", ["b2", "a1", "b3", "d1"])
def test_only_a_free_neighbour_can_be_joined(name: str) -> None:
    """The new Fumarole itself, a corner, the Volcano and a distant cell are refused."""
    drawn = scene("""
          |  a     b     c     |
        1 |  .     *     .     |
        2 |  *     M     *     |
        3 |  MM    ?     MFg   |
        play: VP at b3
        """)
    drawn.play("VP", "b3")
    drawn.cover("b2")
    assert refusal(drawn.state, OWNER, ChooseCityPartner(drawn.cell(name))) is Reason.NOT_AN_OPTION
    assert refusal(drawn.state, OWNER, ChooseCityPartner(drawn.cell("b1"))) is None


@pytest.mark.rule("SW-11.4", "SW-11.5", "SW-16.3")
def test_a_single_free_partner_is_taken_without_asking() -> None:
    """A used Fumarole beside the new one is no partner: the free one is, and the event says forced."""
    holds("""
          |  a     b     c     d     |  a     b     c     d     |
        1 |  @     @     M     *     |  @     @     @     @     |
        2 |  .     .     ?     .     |  .     .     VP    .     |
        cities: 9 a1+b1
        play: VP at c2
        erupt: forced c1
        city: forced d1; value 7
        after_stack: 5 4 4
        """)


@pytest.mark.rule("SW-11.5")
def test_beside_used_fumaroles_no_city_is_built() -> None:
    """The new Fumarole stays free."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  @     M     ?     |  @     *     VP    |
        2 |  @     MM    .     |  @     MM    .     |
        cities: 9 a1+a2
        play: VP at c1
        erupt: forced b1
        """)


@pytest.mark.rule("SW-11.6", "SW-18.4")
def test_without_a_city_the_fumaroles_stay_free() -> None:
    """With several partners too, nothing is asked and nothing is built (made-up position)."""
    holds("""
          |  a     b     c     |  a     b     c     |
        1 |  *     M     *     |  *     *     *     |
        2 |  .     ?     .     |  .     VP    .     |
        stack: empty
        play: VP at b2
        erupt: forced b1
        """)


@pytest.mark.rule("SW-11.7")
def test_two_free_fumaroles_never_join_later() -> None:
    """Side by side and free (made-up), they stay so when another Land or another Volcano is played elsewhere."""
    holds("""
          |  a     b     c     d     |  a     b     c     d     |
        1 |  *     *     M     ?     |  *     *     M     MM    |
        play: MM at d1
        """)
    holds("""
          |  a     b     c     d     |  a     b     c     d     |
        1 |  *     *     MM    M     |  *     *     MM    *     |
        2 |  .     .     .     ?     |  .     .     .     VP    |
        play: VP at d2
        erupt: forced d1
        """)


@pytest.mark.rule("SW-11.8", "SW-13.12")
@pytest.mark.parametrize("seats", [1, 4])
def test_a_city_counts_for_its_world(seats: int) -> None:
    """In random games each seat scores the Cities of its own World."""
    cities = 0
    for number in range(4):
        told = game(seats, number)
        scores = told.states[-1].phase.scores  # type: ignore[union-attr]
        for seat in range(seats):
            values = [event.value for event in told.of(DarkCityBuilt) if event.seat == seat]
            assert scores[seat].city == sum(values)
            cities += len(values)
    assert cities


@pytest.mark.rule("SW-11.3", "INV-23", "INV-25")
@pytest.mark.parametrize("seats", [1, 2, 4])
def test_no_fumarole_is_in_two_cities(seats: int) -> None:
    """In random games Cities join neighbours, no cell is in two, and settled no two free Fumaroles are neighbours."""
    for number in range(4):
        for state in game(seats, number).states:
            for world in state.worlds:
                halves = [cell for city in world.cities for cell in (city.cell, city.partner)]
                assert len(halves) == len(set(halves))
                assert {CELLS.index(cell) for cell in halves} == set(places(world.used))
                for city in world.cities:
                    assert abs(city.cell.x - city.partner.x) + abs(city.cell.y - city.partner.y) == 1
                free = world.fumaroles & ~world.used
                if not isinstance(state.phase, ChoosingCityPartner):
                    assert not any(NEIGHBOURS[place] & free for place in places(free))
