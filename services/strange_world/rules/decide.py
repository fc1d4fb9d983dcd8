"""What an action leads to, or why it is refused (SW-16.2).

With `setup` this is the only place that refuses. An answer is tested against the very functions that list the legal
ones, and accepted only as it is listed (`legal.py`). A sentence names the limit and tells a seat nothing that it may
not know (SW-15.11).
"""

from __future__ import annotations

from services.strange_world.content import find
from services.strange_world.rules import drafting, eruptions, placing, playing, solo, travellers
from services.strange_world.rules.actions import (
    Action,
    Cell,
    ChooseCityPartner,
    ChooseDirection,
    CoverCard,
    DeclineTraveller,
    PassOne,
    PassTwo,
    PickStack,
    PlaceLand,
    WelcomeTraveller,
)
from services.strange_world.rules.board import CELLS, place_of, places
from services.strange_world.rules.decisions import decision
from services.strange_world.rules.events import DirectionChosen, Event, Passing, TravellerDeclined, TravellerWelcomed
from services.strange_world.rules.phases import (
    ChoosingCityPartner,
    ChoosingDirection,
    CoveringCard,
    PassingLands,
    PickingStack,
    PlacingLand,
    WelcomingTraveller,
)
from services.strange_world.rules.state import State
from services.strange_world.rules.turns import completed
from shared.kernel import Decision, Draw, Reason, Refusal

Events = tuple[Event, ...]


def decide(state: State, seat: int, action: Action, draw: Draw) -> Events:
    """Return the events of a seat's action; refuses what `legal_actions` does not list."""
    del draw  # after set-up nothing is left to chance
    waiting = _need_decision(state, seat)
    match state.phase, action:
        case PlacingLand(), PlaceLand():
            return _place_land(state, seat, action)
        case PassingLands(passing=Passing.TWO) as phase, PassTwo():
            return _pass_two(state, phase, seat, action)
        case PassingLands(passing=Passing.ONE) as phase, PassOne():
            return _pass_one(state, phase, seat, action)
        case CoveringCard(source=source), CoverCard():
            return _cover_card(state, seat, source, action)
        case WelcomingTraveller() as phase, WelcomeTraveller():
            return _welcome_traveller(state, phase, seat, action)
        case WelcomingTraveller() as phase, DeclineTraveller():
            return _settle(state, phase, seat, TravellerDeclined(seat, phase.left, phase.right))
        case ChoosingCityPartner(cell=cell), ChooseCityPartner():
            return _choose_city_partner(state, seat, cell, action)
        case ChoosingDirection(), ChooseDirection():
            dealt = drafting.deal(find(state.pack), state.deck, state.seats, seat)
            return DirectionChosen(seat, action.direction), dealt
        case PickingStack(), PickStack():
            return _pick_stack(state, action)
        case _:
            raise Refusal(Reason.WRONG_KIND, f"the game waits for {waiting.kind}, not for {type(action).__name__}")


def _need_decision(state: State, seat: int) -> Decision:
    waiting = decision(state)
    if waiting is None:
        raise Refusal(Reason.GAME_OVER, "the game is over")
    if seat not in waiting.seats:
        seats = ", ".join(str(other) for other in waiting.seats)
        raise Refusal(Reason.NOT_YOUR_DECISION, f"the game waits for seat {seats} to answer, not for seat {seat}")
    return waiting


def _place_land(state: State, seat: int, action: PlaceLand) -> Events:
    """SW-3.10, SW-5."""
    pack = find(state.pack)
    hand = state.hands[seat]
    if action.land not in hand:
        raise _not_an_option(f"seat {seat} may place {', '.join(pack.in_order(hand))}")
    cells = placing.legal_cells_for(state.worlds[seat], pack.lands[action.land], strict_volcano=state.strict_volcano)
    if not _holds(cells, action.cell):
        raise _not_an_option(f"{action.land} may go to {_named(cells)}, not to {_name(action.cell)}")
    return completed(pack, state, playing.place_land(pack, state, seat, action.land, action.cell))


def _pass_two(state: State, phase: PassingLands, seat: int, action: PassTwo) -> Events:
    """SW-4.3; a pair is named in pack order, so that every pair has one name."""
    pairs = drafting.pairs(find(state.pack), state.hands[seat])
    if action.lands not in pairs:
        raise _not_an_option(f"seat {seat} may give {' or '.join(' and '.join(pair) for pair in pairs)}")
    return drafting.choose(state, phase, seat, action.lands)


def _pass_one(state: State, phase: PassingLands, seat: int, action: PassOne) -> Events:
    """SW-4.4, SW-4.5."""
    hand = state.hands[seat]
    if action.land not in hand:
        raise _not_an_option(f"seat {seat} may give {' or '.join(find(state.pack).in_order(hand))}")
    return drafting.choose(state, phase, seat, (action.land,))


def _welcome_traveller(state: State, phase: WelcomingTraveller, seat: int, action: WelcomeTraveller) -> Events:
    """SW-9.5 to SW-9.16."""
    world = state.worlds[seat]
    if action.traveller not in state.display:
        shown = travellers.in_display_order(find(state.pack), state.display)
        raise _not_an_option(f"the display has {', '.join(shown)}")
    if action.side not in travellers.sides(world):
        raise _not_an_option(f"the Travellers of seat {seat} stand on the {travellers.sides(world)[0].value}")
    slots = travellers.slots(world, phase.left.y)
    if action.slot not in slots:
        raise _not_an_option(f"the upper row of the slot may be {' or '.join(map(str, slots))}, not {action.slot}")
    position = travellers.travellers_in(world, action.slot) + 1
    welcomed = TravellerWelcomed(seat, action.traveller, action.side, action.slot, position, phase.left, phase.right)
    return _settle(state, phase, seat, welcomed)


def _settle(state: State, phase: WelcomingTraveller, seat: int, event: TravellerWelcomed | TravellerDeclined) -> Events:
    return completed(find(state.pack), state, playing.settle_traveller(state, seat, event, phase.erupting))


def _cover_card(state: State, seat: int, source: Cell, action: CoverCard) -> Events:
    """SW-10.3."""
    world = state.worlds[seat]
    targets = eruptions.targets(world, place_of(source))
    if not _holds(targets, action.cell):
        raise _not_an_option(f"the eruption may cover {_named(targets)}, not {_name(action.cell)}")
    events = playing.cover(state, seat, world, source, action.cell, forced=False)
    return completed(find(state.pack), state, events)


def _choose_city_partner(state: State, seat: int, cell: Cell, action: ChooseCityPartner) -> Events:
    """SW-11.4."""
    partners = eruptions.partners(state.worlds[seat], place_of(cell), state.cities)
    if not _holds(partners, action.cell):
        raise _not_an_option(f"the City may join {_named(partners)}, not {_name(action.cell)}")
    built = playing.build_city(state, seat, cell, action.cell, forced=False)
    return completed(find(state.pack), state, (built,))


def _pick_stack(state: State, action: PickStack) -> Events:
    """SW-14.8."""
    remaining = solo.remaining_stacks(state)
    if action.stack not in remaining:
        raise _not_an_option(f"the stacks {', '.join(map(str, remaining))} remain, not {action.stack}")
    return (solo.pick(state, action.stack),)


def _holds(cells: int, cell: Cell) -> bool:
    place = place_of(cell)
    return place >= 0 and cells >> place & 1 == 1


def _named(cells: int) -> str:
    return ", ".join(_name(CELLS[place]) for place in places(cells))


def _name(cell: Cell) -> str:
    return f"({cell.x}, {cell.y})"


def _not_an_option(sentence: str) -> Refusal:
    return Refusal(Reason.NOT_AN_OPTION, sentence)
