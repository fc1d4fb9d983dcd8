"""What one play can make of a World, with every choice its owner has on the way (SW-6).

These follow the rules' own functions; only Travellers are thinned out, to the most promising one for each slot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from services.strange_world.content import Pack
from services.strange_world.rules import eruptions, travellers, worlds
from services.strange_world.rules.actions import Side
from services.strange_world.rules.board import CELLS, places
from services.strange_world.rules.desolation import flips
from services.strange_world.rules.placing import legal_cells_for
from services.strange_world.rules.portals import portal_at
from services.strange_world.rules.state import City, PlacedTraveller, World


class Scene(Struct, frozen=True):
    """A World and the supplies it shares with the others: the City stack and the Travellers on display."""

    world: World
    cities: tuple[int, ...]
    display: tuple[str, ...]

    @property
    def next_city(self) -> int:
        """The value of the next City, 0 if there is none left."""
        return self.cities[0] if self.cities else 0


Promise = Callable[[Scene, str, int], float]
"""The bonus to expect from a Traveller (id) at a slot of a World."""


def placings(pack: Pack, scene: Scene, land_id: str, promise: Promise, *, strict_volcano: bool) -> Iterator[Scene]:
    """Yield every outcome of every place for a Land."""
    for place in places(legal_cells_for(scene.world, pack.lands[land_id], strict_volcano=strict_volcano)):
        yield from placed(pack, scene, land_id, place, promise)


def placed(pack: Pack, scene: Scene, land_id: str, place: int, promise: Promise) -> list[Scene]:
    """Return the outcomes of a Land on a place (SW-6.2 to SW-6.8)."""
    land, cell, before = pack.lands[land_id], CELLS[place], scene.world
    world = worlds.with_land(before, land_id, cell)
    fallen = flips(pack, before, land, place)
    if fallen:
        world = worlds.with_flips(world, fallen)
    if world.tzimimes >> place & 1:
        return [_with(scene, world)]
    found = [_with(scene, world)]
    if land.gate and (portal := portal_at(pack, before, place)) is not None:
        found = welcomed(_with(scene, worlds.with_portal(world, portal.left, portal.right)), cell.y, promise)
    if land.volcanoes:
        found = [outcome for one in found for outcome in erupted(one, place)]
    return found


def welcomed(scene: Scene, row: int, promise: Promise) -> list[Scene]:
    """Return the outcomes of a Portal in a row: nobody comes, or for each slot the Traveller that promises most."""
    found = [scene]
    if not scene.display:
        return found
    for slot in travellers.slots(scene.world, row):
        best = max(scene.display, key=lambda traveller: promise(scene, traveller, slot))
        found += [welcome(scene, best, side, slot) for side in travellers.sides(scene.world)]
    return found


def welcome(scene: Scene, traveller: str, side: Side, slot: int) -> Scene:
    """Return the scene after a Traveller has come (SW-9.7, SW-9.16)."""
    placed_one = PlacedTraveller(traveller, side, slot, travellers.travellers_in(scene.world, slot) + 1)
    display = tuple(other for other in scene.display if other != traveller)
    return Scene(worlds.with_traveller(scene.world, placed_one), scene.cities, display)


def erupted(scene: Scene, source: int) -> list[Scene]:
    """Return the outcomes of the eruption of a Volcano (SW-10)."""
    targets = places(eruptions.targets(scene.world, source))
    return [outcome for target in targets for outcome in covered(scene, target)]


def covered(scene: Scene, target: int) -> list[Scene]:
    """Return the outcomes of covering a card: a City wherever one may be built (SW-11)."""
    world = worlds.with_fumarole(scene.world, CELLS[target])
    partners = places(eruptions.partners(scene.world, target, scene.cities))
    return [joined(_with(scene, world), target, partner) for partner in partners] or [_with(scene, world)]


def joined(scene: Scene, fumarole: int, partner: int) -> Scene:
    """Return the scene after the next City joined two Fumaroles."""
    city = City(scene.cities[0], CELLS[fumarole], CELLS[partner])
    return Scene(worlds.with_city(scene.world, city), scene.cities[1:], scene.display)


def _with(scene: Scene, world: World) -> Scene:
    return Scene(world, scene.cities, scene.display)
