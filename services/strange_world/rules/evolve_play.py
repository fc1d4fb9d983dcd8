"""What each event of a play changes (SW-6, SW-17.2).

The events say what follows within the play; what is counted here is only whose play comes next (SW-3.8).
"""

from __future__ import annotations

from msgspec.structs import replace

from services.strange_world.rules import worlds
from services.strange_world.rules.actions import Cell
from services.strange_world.rules.events import (
    DarkCityBuilt,
    FumarolePlaced,
    LandPlaced,
    LandsDesolated,
    PlayEvent,
    PortalAssembled,
    TravellerDeclined,
    TravellerWelcomed,
)
from services.strange_world.rules.phases import (
    ChoosingCityPartner,
    CoveringCard,
    Phase,
    WelcomingTraveller,
)
from services.strange_world.rules.playing_order import next_play
from services.strange_world.rules.state import City, PlacedTraveller, State, World, replaced
from shared.kernel import unreachable


def evolve_play(state: State, event: PlayEvent) -> State:
    """Return the state after an event of a play."""
    match event:
        case LandPlaced():
            return _land_placed(state, event)
        case LandsDesolated():
            return _in_world(state, event.seat, worlds.with_flips(state.worlds[event.seat], event.flips))
        case FumarolePlaced():
            return _fumarole_placed(state, event)
        case DarkCityBuilt():
            return _city_built(state, event)
        case PortalAssembled():
            return _portal_assembled(state, event)
        case TravellerWelcomed():
            return _traveller_welcomed(state, event)
        case TravellerDeclined():
            return replace(state, phase=_after_traveller(state))
        case _:
            unreachable(event)


def _land_placed(state: State, event: LandPlaced) -> State:
    seat = event.seat
    hand = tuple(land for land in state.hands[seat] if land != event.land)
    world = worlds.with_land(state.worlds[seat], event.land, event.cell)
    played = (*state.played, event.land)
    return replace(
        state,
        hands=replaced(state.hands, seat, hand),
        worlds=replaced(state.worlds, seat, world),
        played=played,
        phase=CoveringCard(seat, event.cell) if event.erupts else _next(state, len(played)),
    )


def _portal_assembled(state: State, event: PortalAssembled) -> State:
    world = worlds.with_portal(state.worlds[event.seat], event.left, event.right)
    if not event.welcomes:
        return _in_world(state, event.seat, world)
    erupting = state.phase.source if isinstance(state.phase, CoveringCard) else None
    return replace(
        state,
        worlds=replaced(state.worlds, event.seat, world),
        phase=WelcomingTraveller(event.seat, event.left, event.right, erupting),
    )


def _traveller_welcomed(state: State, event: TravellerWelcomed) -> State:
    placed = PlacedTraveller(event.traveller, event.side, event.slot, event.position)
    return replace(
        state,
        worlds=replaced(state.worlds, event.seat, worlds.with_traveller(state.worlds[event.seat], placed)),
        display=tuple(traveller for traveller in state.display if traveller != event.traveller),
        phase=_after_traveller(state),
    )


def _after_traveller(state: State) -> Phase:
    """SW-6.10: a Volcano that made a Portal erupts when its Traveller is settled."""
    match state.phase:
        case WelcomingTraveller(seat=seat, erupting=Cell() as source):
            return CoveringCard(seat, source)
        case _:
            return _next(state, len(state.played))


def _fumarole_placed(state: State, event: FumarolePlaced) -> State:
    seat = event.seat
    return replace(
        state,
        worlds=replaced(state.worlds, seat, worlds.with_fumarole(state.worlds[seat], event.cell)),
        fumaroles=state.fumaroles - 1,
        phase=ChoosingCityPartner(seat, event.cell) if event.builds else _next(state, len(state.played)),
    )


def _city_built(state: State, event: DarkCityBuilt) -> State:
    city = City(event.value, event.cell, event.partner)
    return replace(
        state,
        worlds=replaced(state.worlds, event.seat, worlds.with_city(state.worlds[event.seat], city)),
        cities=state.cities[1:],
        phase=_next(state, len(state.played)),
    )


def _next(state: State, plays: int) -> Phase:
    return next_play(plays, state.holder, state.direction, state.seats)


def _in_world(state: State, seat: int, world: World) -> State:
    return replace(state, worlds=replaced(state.worlds, seat, world))
