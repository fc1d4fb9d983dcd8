"""INV-13 to INV-19: Portals and Travellers."""

from __future__ import annotations

from collections import Counter

import pytest

from services.strange_world.rules import TITLE
from services.strange_world.rules.actions import Cell
from services.strange_world.rules.events import TravellerWelcomed
from tests.laws.strange_world.tables import card, tables, up


@pytest.mark.rule("INV-13", "INV-14", "INV-15", "SW-8.8")
def test_portals_join_neighbouring_gates() -> None:
    """Halves are left-right neighbours and gates, each of one Portal; settled neighbouring gates are a Portal."""
    for table in tables():
        for world in table.worlds:
            halves = [half for portal in world.portals for half in portal]
            assert len(halves) == len(set(halves))
            for left, right in world.portals:
                assert (right.x - left.x, right.y - left.y) == (1, 0)
                assert all(card(table, world.cells[half].land).gate for half in (left, right))
                assert all(world.cells[half].face in ("up", "fumarole") for half in (left, right))
            shown = up(table, world)
            for cell, land in shown.items():
                beside = Cell(cell.x + 1, cell.y)
                if table.settled and land.gate and beside in shown and shown[beside].gate:
                    assert (cell, beside) in world.portals


@pytest.mark.rule("INV-16", "INV-19", "SW-9.4")
def test_travellers_come_through_portals() -> None:
    """At most one for each Portal, in a slot that holds its row; each is in one place."""
    for table in tables():
        homes = [traveller.traveller for world in table.worlds for traveller in world.travellers]
        assert len(homes) == len(set(homes))
        view = TITLE.view(table.step.after, None)
        assert Counter([*homes, *view.display, *view.unused_travellers]) == Counter(
            traveller.id for traveller in table.pack.travellers
        )
        for world in table.worlds:
            assert len(world.travellers) <= len(world.portals)
            for number, traveller in enumerate(world.travellers):
                assert (traveller.left, traveller.right) in world.portals
                assert traveller.left.y in (traveller.slot, traveller.slot + 1)
                earlier = [other.slot for other in world.travellers[:number]]
                assert traveller.position == 1 + earlier.count(traveller.slot)


@pytest.mark.rule("INV-18")
def test_a_slot_is_shared_only_when_it_must_be() -> None:
    """When a Traveller is stacked, every legal slot beside its Portal held a Traveller before."""
    for table in tables():
        for event in table.step.events:
            if isinstance(event, TravellerWelcomed) and event.position > 1:
                world = table.worlds[event.seat]
                top, bottom = world.rows()
                row = event.left.y
                legal = [u for u in (row - 1, row) if max(bottom, u + 1) - min(top, u) <= 3]
                taken = {traveller.slot for traveller in world.travellers if traveller is not event}
                assert set(legal) <= taken
