"""INV-20 to INV-26: Fumaroles and Dark Cities."""

from __future__ import annotations

import pytest

from services.strange_world.rules import TITLE
from services.strange_world.rules.actions import Cell
from services.strange_world.rules.events import DarkCityBuilt, FumarolePlaced
from tests.laws.strange_world.tables import card, faces, neighbours, tables, up

FUMAROLES = 11
CITIES = (9, 7, 5, 4, 4)


@pytest.mark.rule("INV-20", "INV-21", "INV-22")
def test_fumaroles_are_eruptions() -> None:
    """Fumaroles of a World are its eruptions; face-up Volcanoes match neighbouring Fumaroles one to one; 11 in all."""
    for table in tables():
        lying = sum(len(faces(world, "fumarole")) for world in table.worlds)
        assert lying + TITLE.view(table.step.after, None).fumaroles == FUMAROLES
        if not table.settled:
            continue
        for world in table.worlds:
            assert len(faces(world, "fumarole")) == world.eruptions
            volcanoes = [cell for cell, land in up(table, world).items() if land.volcanoes]
            assert can_match(volcanoes, set(faces(world, "fumarole")))


def can_match(volcanoes: list[Cell], fumaroles: set[Cell]) -> bool:
    """Say whether each Volcano can have a neighbouring Fumarole of its own (augmenting paths)."""
    owner: dict[Cell, Cell] = {}

    def find(volcano: Cell, tried: set[Cell]) -> bool:
        for cell in neighbours(volcano):
            if cell in fumaroles and cell not in tried:
                tried.add(cell)
                if cell not in owner or find(owner[cell], tried):
                    owner[cell] = volcano
                    return True
        return False

    return all(find(volcano, set()) for volcano in volcanoes)


@pytest.mark.rule("INV-20")
def test_fumaroles_are_volcanoes_that_were_face_up() -> None:
    """Settled: eruptions = Volcano Lands that lie face up + those that were covered while face up."""
    covered: dict[int, int] = {}
    for table in tables():
        if table.step.before is None:
            covered = {}
        for event in table.step.events:
            if isinstance(event, FumarolePlaced) and not event.tzimime and card(table, event.land).volcanoes:
                covered[event.seat] = covered.get(event.seat, 0) + 1
        if table.settled:
            for seat, world in enumerate(table.worlds):
                shown = sum(1 for land in up(table, world).values() if land.volcanoes)
                assert world.eruptions == shown + covered.get(seat, 0)


@pytest.mark.rule("INV-23", "INV-24", "INV-25", "SW-11.2", "SW-11.5")
def test_cities_join_free_fumaroles() -> None:
    """Neighbouring Fumaroles, each in one City; values in the order 9, 7, 5, 4, 4; no two free neighbours are left."""
    built: list[int] = []
    for table in tables():
        if table.step.before is None:
            built = []
        built += [event.value for event in table.step.events if isinstance(event, DarkCityBuilt)]
        left = TITLE.view(table.step.after, None).cities
        assert (*built, *left) == CITIES
        for world in table.worlds:
            used = [cell for city in world.cities for cell in (city.cell, city.partner)]
            assert len(used) == len(set(used))
            for city in world.cities:
                assert city.partner in neighbours(city.cell)
            assert all(world.cells[cell].face == "fumarole" for cell in used)
            free = [cell for cell in faces(world, "fumarole") if cell not in used]
            if table.settled and left:
                assert not any(other in free for cell in free for other in neighbours(cell))
