"""INV-01 to INV-12: the shape of a World, and what lies face down in it."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from services.strange_world.rules import TITLE
from services.strange_world.rules.actions import Cell, PlaceLand, Side
from services.strange_world.rules.events import Cause, FumarolePlaced, LandPlaced, LandsDesolated, PortalAssembled
from services.strange_world.rules.phases import PlacingLand
from tests.laws.strange_world.tables import Placed, neighbours, tables, up

HANDS = {"classic": ("vp1", "mo1"), "skyward": ("kvp1", "kmo1")}
"""A Land with a Volcano and a moon."""


@pytest.mark.rule("INV-01", "INV-02", "INV-03")
def test_worlds_are_connected_and_small() -> None:
    """Occupied cells hang together, in a box of at most 4 by 4; 1 + plays of them, 16 in a square at the end."""
    for table in tables():
        for world in table.worlds:
            reached, border = {Cell(0, 0)}, [Cell(0, 0)]
            while border:
                for cell in neighbours(border.pop()):
                    if cell in world.cells and cell not in reached:
                        reached.add(cell)
                        border.append(cell)
            assert reached == set(world.cells)
            (top, bottom), (left, right) = world.rows(), world.columns()
            assert max(bottom - top, right - left) <= 3
            assert len(world.cells) == 1 + world.plays
            if TITLE.decision(table.step.after) is None:
                assert (len(world.cells), bottom - top, right - left) == (16, 3, 3)


@pytest.mark.rule("INV-04", "SW-5.12")
def test_there_is_always_a_place() -> None:
    """Every unfinished World takes a card with a Volcano and one without, with either value of strict_volcano."""
    for table in tables():
        hand = HANDS[table.pack.ref.id]
        for seat, world in enumerate(table.worlds):
            for strict in (False, True) if len(world.cells) < 16 else ():
                now = msgspec.structs.replace(
                    table.step.after,
                    phase=PlacingLand(seat),
                    strict_volcano=strict,
                    hands=(hand,) * len(table.worlds),
                )
                actions = TITLE.legal_actions(now, seat)
                assert {action.land for action in actions if isinstance(action, PlaceLand)} == set(hand)


@pytest.mark.rule("INV-05", "INV-17", "SW-9.8")
def test_a_frozen_side_stays_where_it_is() -> None:
    """From the first Traveller on the frozen edge is the box's edge, and all Travellers of a World share the side."""
    edges: dict[tuple[int, int], int] = {}
    game = 0
    for table in tables():
        game += table.step.before is None
        for seat, world in enumerate(table.worlds):
            if not world.travellers:
                continue
            side = world.travellers[0].side
            assert {traveller.side for traveller in world.travellers} == {side}
            edge = world.columns()[0 if side is Side.LEFT else 1]
            assert edges.setdefault((game, seat), edge) == edge


@pytest.mark.rule("INV-06", "INV-07")
def test_waters_and_plants_keep_apart() -> None:
    """No two neighbouring face-up Waters; no row with two face-up Plants."""
    for table in tables():
        for world in table.worlds:
            shown = up(table, world)
            for cell, land in shown.items():
                if land.waters:
                    assert not any(shown[other].waters for other in neighbours(cell) if other in shown)
            rows = Counter(cell.y for cell, land in shown.items() if land.plants)
            assert all(count == 1 for count in rows.values())


@pytest.mark.rule("INV-08", "SW-7.18")
def test_moons_lie_on_top() -> None:
    """Settled: every face-up moon is in the top row."""
    for table in tables():
        if table.settled:
            for world in table.worlds:
                assert all(cell.y == world.rows()[0] for cell, land in up(table, world).items() if land.moon)


@pytest.mark.rule("INV-09", "INV-26", "SW-7.13")
def test_cards_only_go_one_way() -> None:
    """A cell goes from face-up to Tzimime to Fumarole, never back, and a Fumarole never lies on a Fumarole."""
    order = {"up": 0, "tzimime": 1, "fumarole": 2}
    before: dict[tuple[int, Cell], Placed] = {}
    for table in tables():
        if table.step.before is None:
            before = {}
        for seat, world in enumerate(table.worlds):
            for cell, placed in world.cells.items():
                old = before.get((seat, cell))
                assert old is None or (old.land == placed.land and order[old.face] <= order[placed.face])
                before[seat, cell] = Placed(placed.land, placed.face)


@pytest.mark.rule("INV-10", "INV-11", "INV-12", "SW-7.16", "SW-6.11")
def test_flips_have_causes() -> None:
    """Each flip has a cause; all but moon_buried belong to the placed cell; a flipped card does no more."""
    for table in tables():
        events = table.step.events
        placed = [event for event in events if isinstance(event, LandPlaced)]
        flips = [event for event in events if isinstance(event, LandsDesolated)]
        assert len(flips) <= len(placed) <= 1
        for flip in (flip for event in flips for flip in event.flips):
            assert flip.causes == tuple(sorted(flip.causes, key=list(Cause).index))
            assert flip.causes
            if flip.cell == placed[0].cell:
                assert not any(isinstance(event, PortalAssembled | FumarolePlaced) for event in events)
            else:
                assert flip.causes == (Cause.MOON_BURIED,)
        for world in table.worlds:
            assert world.cells[Cell(0, 0)].face in ("up", "fumarole")
