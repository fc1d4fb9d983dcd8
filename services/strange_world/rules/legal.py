"""Every legal action of a seat, in the order of SW-16.5 (SW-16, table D)."""

from __future__ import annotations

from functools import lru_cache

from services.strange_world.content import find
from services.strange_world.rules import drafting, eruptions, placing, solo, travellers
from services.strange_world.rules.actions import (
    Action,
    Cell,
    ChooseCityPartner,
    ChooseDirection,
    CoverCard,
    DeclineTraveller,
    Direction,
    PassOne,
    PassTwo,
    PickStack,
    PlaceLand,
    WelcomeTraveller,
)
from services.strange_world.rules.board import CELLS, place_of, places
from services.strange_world.rules.events import Passing
from services.strange_world.rules.phases import (
    ChoosingCityPartner,
    ChoosingDirection,
    Continuing,
    CoveringCard,
    GameOver,
    PassingLands,
    PickingStack,
    PlacingLand,
    WelcomingTraveller,
)
from services.strange_world.rules.state import State
from shared.kernel import unreachable

DIRECTIONS = (ChooseDirection(Direction.LEFT), ChooseDirection(Direction.RIGHT))
COVERS = tuple(CoverCard(cell) for cell in CELLS)
PARTNERS = tuple(ChooseCityPartner(cell) for cell in CELLS)


def legal_actions(state: State, seat: int) -> tuple[Action, ...]:
    """Return what the seat may do now; nothing when the game does not wait for it (SW-16.2)."""
    phase = state.phase
    match phase:
        case PlacingLand(player):
            return _placings(state, seat) if seat == player else ()
        case PassingLands():
            return _passes(state, phase, seat) if 0 <= seat < state.seats and not phase.chosen[seat] else ()
        case WelcomingTraveller(owner):
            return _welcomes(state, seat, phase.left.y) if seat == owner else ()
        case CoveringCard(owner):
            return _covers(state, seat, phase.source) if seat == owner else ()
        case ChoosingCityPartner(owner):
            return _partners(state, seat, phase.cell) if seat == owner else ()
        case ChoosingDirection(holder):
            return DIRECTIONS if seat == holder else ()
        case PickingStack():
            return tuple(PickStack(number) for number in solo.remaining_stacks(state)) if seat == 0 else ()
        case Continuing() | GameOver():
            return ()
        case _:
            unreachable(phase)


def _placings(state: State, seat: int) -> tuple[Action, ...]:
    pack = find(state.pack)
    world = state.worlds[seat]
    found: list[Action] = []
    for land in pack.in_order(state.hands[seat]):
        cells = placing.legal_cells_for(world, pack.lands[land], strict_volcano=state.strict_volcano)
        found += _placings_of(land, cells)
    return tuple(found)


@lru_cache(maxsize=1 << 12)
def _placings_of(land: str, cells: int) -> tuple[PlaceLand, ...]:
    """Return the actions for one card; kept, for a World offers the same cells to every card of a hand."""
    return tuple(PlaceLand(land, CELLS[place]) for place in places(cells))


def _passes(state: State, phase: PassingLands, seat: int) -> tuple[Action, ...]:
    pack = find(state.pack)
    hand = state.hands[seat]
    if phase.passing is Passing.TWO:
        return tuple(PassTwo(pair) for pair in drafting.pairs(pack, hand))
    return tuple(PassOne(land) for land in pack.in_order(hand))


def _welcomes(state: State, seat: int, row: int) -> tuple[Action, ...]:
    """SW-9.1, SW-9.5."""
    world = state.worlds[seat]
    slots = travellers.slots(world, row)
    return DeclineTraveller(), *(
        WelcomeTraveller(traveller, side, slot)
        for traveller in travellers.in_display_order(find(state.pack), state.display)
        for side in travellers.sides(world)
        for slot in slots
    )


def _covers(state: State, seat: int, source: Cell) -> tuple[Action, ...]:
    return tuple(COVERS[place] for place in places(eruptions.targets(state.worlds[seat], place_of(source))))


def _partners(state: State, seat: int, cell: Cell) -> tuple[Action, ...]:
    found = eruptions.partners(state.worlds[seat], place_of(cell), state.cities)
    return tuple(PARTNERS[place] for place in places(found))
