"""SW-5: the World, and where a card may go."""

from __future__ import annotations

import msgspec
import pytest

from services.strange_world.rules import TITLE
from services.strange_world.rules.actions import Cell, PlaceLand
from services.strange_world.rules.board import BOARD, around, place_of
from services.strange_world.rules.events import LandPlaced
from services.strange_world.rules.phases import PlacingLand
from services.strange_world.rules.placing import legal_cells
from shared.kernel import Reason
from tests.unit.strange_world.building import scene
from tests.unit.strange_world.checking import holds
from tests.unit.strange_world.games import game, refusal
from tests.unit.strange_world.positions import OWNER

EVERY_TOKEN = ("O (M) (W) (Fr) (P) (V) MM MFg MW MP WP PFk WFs FdFg FdFs VMM VFp VP VW").split()  # noqa: SIM905
MIXED = """
      |  a     b     c     d     e     |
    1 |  .     .     .     .     .     |
    2 |  .     M     T     *     .     |
    3 |  .     .     .     .     .     |
"""


@pytest.mark.rule("SW-5.1")
def test_cells_keep_their_coordinates() -> None:
    """The starting Land is at (0, 0); where a Land was placed it lies to the end, face up, face down or covered."""
    for seats in (1, 2, 4):
        told = game(seats)
        worlds = told.states[-1].worlds
        for seat, world in enumerate(worlds):
            assert world.lands[place_of(Cell(0, 0))] == told.start.worlds[seat].lands[place_of(Cell(0, 0))] != ""
        for event in told.of(LandPlaced):
            assert worlds[event.seat].lands[place_of(event.cell)] == event.land


@pytest.mark.rule("SW-5.2")
def test_a_cell_is_in_one_state() -> None:
    """Face-up Lands, Tzimimes and Fumaroles share no cell, and together they are the occupied cells."""
    for state in game(4).states:
        for world in state.worlds:
            assert world.face_up & world.tzimimes == world.face_up & world.fumaroles == 0
            assert world.tzimimes & world.fumaroles == 0
            assert world.face_up | world.tzimimes | world.fumaroles == world.occupied


@pytest.mark.rule("SW-5.3")
@pytest.mark.parametrize("name", ["b2", "c2", "d2"])
def test_an_occupied_cell_takes_no_land(name: str) -> None:
    """On a face-up Land, a Tzimime or a Fumarole a Land is refused."""
    drawn = scene(MIXED, hand=["MM"])
    action = PlaceLand(drawn.hand["MM"], drawn.cell(name))
    assert action not in drawn.options()
    assert refusal(drawn.state, OWNER, action) is Reason.NOT_AN_OPTION


@pytest.mark.rule("SW-5.4")
def test_every_card_supports_its_four_neighbours() -> None:
    """Beside a face-up Land, a Tzimime and a Fumarole a cell is legal; diagonally it is not."""
    holds(MIXED + "legal: b1 c1 d1 a2 e2 b3 c3 d3")


@pytest.mark.rule("SW-5.4")
@pytest.mark.parametrize("name", ["a1", "e3", "e5"])
def test_a_cell_without_neighbour_is_refused(name: str) -> None:
    """A diagonal or a distant cell has no support."""
    drawn = scene(MIXED, hand=["MM"])
    assert refusal(drawn.state, OWNER, PlaceLand(drawn.hand["MM"], drawn.cell(name))) is Reason.NOT_AN_OPTION


@pytest.mark.rule("SW-5.5")
def test_a_world_is_at_most_four_wide_and_high() -> None:
    """A row of four grows up and down only, a column of four to the sides only."""
    holds("""
          |  a     b     c     d     e     f     |
        1 |  .     .     .     .     .     .     |
        2 |  .     M     MM    FdFg  MFg   .     |
        3 |  .     .     .     .     .     .     |
        legal: b1 c1 d1 e1 b3 c3 d3 e3
        """)
    holds("""
          |  a     b     c     |
        1 |  .     .     .     |
        2 |  .     M     .     |
        3 |  .     MM    .     |
        4 |  .     FdFg  .     |
        5 |  .     MFg   .     |
        6 |  .     .     .     |
        legal: a2 c2 a3 c3 a4 c4 a5 c5
        """)


@pytest.mark.rule("SW-5.6")
def test_a_frozen_side_takes_no_land_beyond_its_edge() -> None:
    """Frozen on the left at b, or on the right at c, the World grows everywhere else."""
    holds("""
          |  a     b     c     d     |
        1 |  .     .     .     .     |
        2 |  .     (W=   =Fr)  .     |
        3 |  .     P     .     .     |
        travellers: L 2|3 kark
        legal: b1 c1 d2 c3 b4
        """)
    holds("""
          |  a     b     c     d     |
        1 |  .     .     .     .     |
        2 |  .     (W=   =Fr)  .     |
        3 |  .     .     P     .     |
        travellers: R 2|3 kark
        legal: b1 c1 a2 b3 c4
        """)


@pytest.mark.rule("SW-5.7")
def test_the_frozen_edge_holds_for_every_row() -> None:
    """The Traveller stands beside rows 1 and 2, yet a4 is illegal too."""
    holds("""
          |  a     b     c     d     |
        1 |  .     .     .     .     |
        2 |  .     (W=   =Fr)  .     |
        3 |  .     .     P     .     |
        4 |  .     MM    FdFg  .     |
        travellers: L 1|2 kark
        legal: b1 c1 d2 b3 d3 d4 b5 c5
        """)


@pytest.mark.rule("SW-5.8")
@pytest.mark.parametrize("slot", ["1|2", "2|3"])
def test_a_traveller_limits_no_growth_up_or_down(slot: str) -> None:
    """Whether it overhangs the row above or below, rows may be added on both sides."""
    holds(f"""
          |  a     b     c     |
        1 |  .     .     .     |
        2 |  (W=   =Fr)  M     |
        3 |  .     .     .     |
        travellers: L {slot} kark
        legal: a1 b1 c1 d2 a3 b3 c3
        """)


@pytest.mark.rule("SW-5.9")
def test_the_box_floats() -> None:
    """Three wide, a World may become four wide to either side; once it has, the other side is closed."""
    three = """
          |  a     b     c     d     e     |
        1 |  .     .     .     .     .     |
        2 |  .     M     MM    FdFg  .     |
        legal: b1 c1 d1 a2 e2 b3 c3 d3
        """
    holds(three)
    holds("""
          |  a     b     c     d     e     |  a     b     c     d     e     |
        2 |  ?     M     MM    FdFg  .     |  MFg   M     MM    FdFg  .     |
        play: MFg at a2
        legal: a1 b1 c1 d1 a3 b3 c3 d3
        """)


@pytest.mark.rule("SW-5.10", "SW-7.17")
def test_every_kind_of_land_has_the_same_cells() -> None:
    """A card may go where it will flip, whatever it is, and also if it would not flip elsewhere."""
    drawing = """
          |  a     b     c     d     |
        1 |  .     .     .     .     |
        2 |  .     W     MP    .     |
        3 |  .     *     .     .     |
    """
    for token in EVERY_TOKEN:
        assert scene(drawing).legal(token) == ["b1", "c1", "a2", "d2", "a3", "c3", "b4"], token


@pytest.mark.rule("SW-5.11")
def test_a_seat_plays_into_its_own_world_only() -> None:
    """The action names no World, and no other seat's World changes; another seat's play is refused."""
    for step in game(3).steps:
        if isinstance(step.action, PlaceLand):
            changed = [seat for seat in range(3) if step.before.worlds[seat] != step.after.worlds[seat]]
            assert changed == [step.seat]
            other = (step.seat + 1) % 3
            assert refusal(step.before, other, step.action) is Reason.NOT_YOUR_DECISION


@pytest.mark.rule("SW-5.12", "INV-04")
@pytest.mark.parametrize("seats", [1, 2, 4])
def test_an_unfinished_world_has_a_legal_cell(seats: int) -> None:
    """In every state of some games every World of less than 16 cards has one."""
    for number in range(3):
        for state in game(seats, number).states:
            assert all(legal_cells(world) for world in state.worlds if world.occupied.bit_count() < 16)


@pytest.mark.rule("SW-5.3", "SW-5.4", "SW-5.5", "SW-5.6")
@pytest.mark.parametrize("seats", [1, 3])
def test_the_options_of_a_play_are_all_legal_cells(seats: int) -> None:
    """In random games they are those that the procedure of SW-5, written out cell by cell, keeps."""
    for state in game(seats).states:
        if isinstance(state.phase, PlacingLand):
            seat = state.phase.seat
            view = TITLE.view(state, seat).worlds[seat]
            cards = {(card.cell.x, card.cell.y) for card in view.cards}
            side = None if view.side is None else view.side.value
            kept = {cell for cell in _around(cards) if _fits(cards, cell, side, view.edge)}
            options = [option for option in TITLE.legal_actions(state, seat) if isinstance(option, PlaceLand)]
            assert {(option.cell.x, option.cell.y) for option in options} == kept


def _around(cards: set[tuple[int, int]]) -> set[tuple[int, int]]:
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1))
    return {(x + right, y + down) for x, y in cards for right, down in steps} - cards


def _fits(cards: set[tuple[int, int]], cell: tuple[int, int], side: str | None, edge: int | None) -> bool:
    columns, rows = zip(*cards, cell, strict=True)
    if max(columns) - min(columns) > 3 or max(rows) - min(rows) > 3:
        return False
    if edge is None:
        return True
    return cell[0] >= edge if side == "left" else cell[0] <= edge


@pytest.mark.rule("SW-5.4")
def test_the_board_has_no_wrapped_neighbours() -> None:
    """The neighbours of every cell of the board are the four beside it, as far as they are on the board."""
    for x in range(-3, 4):
        for y in range(-3, 4):
            beside = [Cell(x - 1, y), Cell(x + 1, y), Cell(x, y - 1), Cell(x, y + 1)]
            expected = sum(1 << place_of(cell) for cell in beside if place_of(cell) >= 0)
            assert around(1 << place_of(Cell(x, y))) & BOARD == expected


@pytest.mark.rule("SW-3.10")
def test_a_card_of_another_hand_is_refused() -> None:
    """Only cards of the own hand can be played."""
    drawn = scene(MIXED, hand=["MM"])
    legal = drawn.options()[0]
    assert isinstance(legal, PlaceLand)
    assert refusal(drawn.state, OWNER, msgspec.structs.replace(legal, land="gv1")) is Reason.NOT_AN_OPTION
