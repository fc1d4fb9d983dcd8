"""One play from the placing of a Land to its last effect (SW-6).

Each step either asks its owner, and the events end there until the answer comes, or goes on to the next step. What
follows a complete play is decided in `turns.py`.
"""

from __future__ import annotations

from services.strange_world.content import Pack
from services.strange_world.rules import worlds
from services.strange_world.rules.actions import Cell
from services.strange_world.rules.board import CELLS, place_of, places
from services.strange_world.rules.desolation import flips
from services.strange_world.rules.eruptions import partners, targets
from services.strange_world.rules.events import (
    DarkCityBuilt,
    Event,
    FumarolePlaced,
    LandPlaced,
    LandsDesolated,
    PortalAssembled,
    TravellerDeclined,
    TravellerWelcomed,
)
from services.strange_world.rules.portals import portal_at
from services.strange_world.rules.state import State, World

Events = tuple[Event, ...]


def place_land(pack: Pack, state: State, seat: int, land_id: str, cell: Cell) -> Events:
    """Play a Land on a legal cell: S1 to S4, and further while nothing is to be asked (SW-6.1)."""
    world = state.worlds[seat]
    land = pack.lands[land_id]
    place = place_of(cell)
    fallen = flips(pack, world, land, place)
    stays = not fallen or fallen[0].cell != cell
    erupts = stays and land.volcanoes > 0
    events: Events = (LandPlaced(seat, land_id, CELLS[place], erupts),)
    if fallen:
        events += (LandsDesolated(seat, fallen),)
    portal = portal_at(pack, world, place) if stays and land.gate else None
    if portal is not None:
        events += (PortalAssembled(seat, portal.left, portal.right, bool(state.display)),)
        if state.display:
            return events
    if erupts:
        world = worlds.with_flips(worlds.with_land(world, land_id, cell), fallen)
        events += erupt(state, seat, world, cell)
    return events


def settle_traveller(
    state: State, seat: int, event: TravellerWelcomed | TravellerDeclined, erupting: Cell | None
) -> Events:
    """Go on after the answer of S5: a Volcano that made the Portal erupts now (SW-6.10)."""
    return (event,) if erupting is None else (event, *erupt(state, seat, state.worlds[seat], erupting))


def erupt(state: State, seat: int, world: World, source: Cell) -> Events:
    """Begin S6: a single target is covered without asking (SW-10.1, SW-10.6)."""
    found = places(targets(world, place_of(source)))
    return cover(state, seat, world, source, CELLS[found[0]], forced=True) if len(found) == 1 else ()


def cover(state: State, seat: int, world: World, source: Cell, cell: Cell, *, forced: bool) -> Events:
    """Cover a target (S6); a single free Fumarole beside it becomes a City's other half without asking (SW-11.4)."""
    if not state.fumaroles:
        raise AssertionError("the supply of Fumaroles cannot run out (SW-18.2)")
    place = place_of(cell)
    lay_face_down = world.tzimimes >> place & 1 == 1
    found = places(partners(world, place, state.cities))
    covered = FumarolePlaced(
        seat, source, cell, world.lands[place], tzimime=lay_face_down, forced=forced, builds=bool(found)
    )
    return (covered, build_city(state, seat, cell, CELLS[found[0]], forced=True)) if len(found) == 1 else (covered,)


def build_city(state: State, seat: int, cell: Cell, partner: Cell, *, forced: bool) -> DarkCityBuilt:
    """Build the top City of the stack on two Fumaroles (S7; SW-11.2, SW-11.3)."""
    return DarkCityBuilt(seat, state.cities[0], cell, partner, forced)
