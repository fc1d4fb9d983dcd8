"""What each event changes (SW-17.2).

Nothing is refused, drawn, tested or looked up here: every outcome is in the event. What is counted is only the order
of play, which the turn's holder, direction and plays give (SW-3.7, SW-3.8).
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from services.strange_world.rules import worlds
from services.strange_world.rules.actions import Cell, Direction
from services.strange_world.rules.events import (
    DarkCityBuilt,
    DeckShuffled,
    DirectionChosen,
    Event,
    FumarolePlaced,
    GameBegun,
    GameEnded,
    LandPlaced,
    LandsDealt,
    LandsDesolated,
    PassChosen,
    PassesResolved,
    Passing,
    PortalAssembled,
    StackPicked,
    StackRevealed,
    StacksLaid,
    StartingLandsDealt,
    SunAssigned,
    SunPassed,
    TravellerDeclined,
    TravellersDisplayed,
    TravellerWelcomed,
    TurnEnded,
    TurnStarted,
    WorldsScored,
)
from services.strange_world.rules.phases import (
    ChoosingCityPartner,
    ChoosingDirection,
    Continuing,
    CoveringCard,
    GameOver,
    PassingLands,
    Phase,
    PickingStack,
    PlacingLand,
    WelcomingTraveller,
)
from services.strange_world.rules.playing_order import PLAYS_PER_TURN, neighbour
from services.strange_world.rules.state import City, PlacedTraveller, State, World
from shared.kernel import unreachable

Item = TypeVar("Item")


def evolve(state: State | None, event: Event) -> State:
    """Return the state after an event; `state` is None before the first one, `GameBegun`."""
    if state is None:
        assert isinstance(event, GameBegun), "a game begins with GameBegun"
        return _begun(event)
    match event:
        case LandPlaced():
            return _land_placed(state, event)
        case PassChosen():
            return _pass_chosen(state, event)
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
        case PassesResolved():
            return _passes_resolved(state, event)
        case _:
            return _between_plays(state, event)


def _between_plays(
    state: State,
    event: GameBegun
    | StartingLandsDealt
    | DeckShuffled
    | SunAssigned
    | TravellersDisplayed
    | StacksLaid
    | TurnStarted
    | DirectionChosen
    | LandsDealt
    | StackPicked
    | StackRevealed
    | TurnEnded
    | SunPassed
    | WorldsScored
    | GameEnded,
) -> State:
    match event:
        case GameBegun():
            raise AssertionError("a game begins once")
        case StartingLandsDealt():
            first = tuple(worlds.with_land(World(), land, Cell(0, 0)) for land in event.lands)
            return replace(state, worlds=first, unused=event.unused)
        case DeckShuffled():
            return replace(state, deck=event.order)
        case SunAssigned():
            return replace(state, holder=event.seat)
        case TravellersDisplayed():
            return replace(state, display=event.travellers)
        case StacksLaid():
            stacks = tuple(state.deck[top : top + 3] for top in range(0, len(state.deck), 3))
            return replace(state, stacks=stacks, deck=())
        case TurnStarted():
            return _turn_started(state, event)
        case DirectionChosen():
            return replace(state, direction=event.direction, phase=Continuing())
        case LandsDealt():
            return _lands_dealt(state, event)
        case StackPicked():
            stacks = _without_top(state.stacks, event.stack, 1)
            return replace(state, stacks=stacks, hands=((event.land,),), phase=PlacingLand(0))
        case StackRevealed():
            stacks = _without_top(state.stacks, event.stack, 2)
            return replace(state, stacks=stacks, hands=(tuple(sorted(event.lands)),), phase=PlacingLand(0))
        case TurnEnded():
            return replace(state, played=(), transfers=(), phase=Continuing())
        case SunPassed():
            return replace(state, holder=event.receiver)
        case WorldsScored():
            return replace(state, phase=GameOver(event.scores, (), (), None))
        case GameEnded():
            return _game_ended(state, event)
        case _:
            unreachable(event)


def _begun(event: GameBegun) -> State:
    return State(
        pack=event.pack,
        seats=event.seats,
        strict_volcano=event.strict_volcano,
        phase=Continuing(),
        cities=event.cities,
        fumaroles=event.fumaroles,
        worlds=(World(),) * event.seats,
        hands=((),) * event.seats,
    )


def _turn_started(state: State, event: TurnStarted) -> State:
    """SW-3.4, SW-3.6, SW-14.7: three or four seats choose a direction, two have left, one has none."""
    phase: Phase = Continuing()
    if event.holder is None:
        phase = PickingStack()
    elif state.seats > 2:
        phase = ChoosingDirection(event.holder)
    direction = Direction.LEFT if state.seats == 2 else None
    return replace(state, turn=event.turn, holder=event.holder, direction=direction, phase=phase)


def _lands_dealt(state: State, event: LandsDealt) -> State:
    hands = list(state.hands)
    for hand in event.hands:
        hands[hand.seat] = tuple(sorted(hand.lands))
    deck = state.deck[len(state.deck) - event.deck :]
    return replace(state, hands=tuple(hands), deck=deck, phase=PassingLands(Passing.TWO, ((),) * state.seats))


def _pass_chosen(state: State, event: PassChosen) -> State:
    assert isinstance(state.phase, PassingLands)
    chosen = _replaced(state.phase.chosen, event.seat, event.lands)
    return replace(state, phase=PassingLands(event.passing, chosen))


def _passes_resolved(state: State, event: PassesResolved) -> State:
    hands = list(state.hands)
    for given in event.transfers:
        hands[given.giver] = tuple(land for land in hands[given.giver] if land not in given.lands)
    for given in event.transfers:
        hands[given.receiver] += given.lands
    phase: Phase = PassingLands(Passing.ONE, ((),) * state.seats)
    if event.passing is Passing.ONE:
        phase = _next_play(state, 0)
    return replace(
        state,
        hands=tuple(tuple(sorted(hand)) for hand in hands),
        transfers=state.transfers + event.transfers,
        phase=phase,
    )


def _land_placed(state: State, event: LandPlaced) -> State:
    seat = event.seat
    hand = tuple(land for land in state.hands[seat] if land != event.land)
    played = (*state.played, event.land)
    phase = CoveringCard(seat, event.cell) if event.erupts else _next_play(state, len(played))
    return replace(
        state,
        hands=_replaced(state.hands, seat, hand),
        worlds=_replaced(state.worlds, seat, worlds.with_land(state.worlds[seat], event.land, event.cell)),
        played=played,
        phase=phase,
    )


def _portal_assembled(state: State, event: PortalAssembled) -> State:
    world = worlds.with_portal(state.worlds[event.seat], event.left, event.right)
    if not event.welcomes:
        return _in_world(state, event.seat, world)
    erupting = state.phase.source if isinstance(state.phase, CoveringCard) else None
    phase = WelcomingTraveller(event.seat, event.left, event.right, erupting)
    return replace(state, worlds=_replaced(state.worlds, event.seat, world), phase=phase)


def _traveller_welcomed(state: State, event: TravellerWelcomed) -> State:
    placed = PlacedTraveller(event.traveller, event.side, event.slot, event.position)
    world = worlds.with_traveller(state.worlds[event.seat], placed)
    return replace(
        state,
        worlds=_replaced(state.worlds, event.seat, world),
        display=tuple(traveller for traveller in state.display if traveller != event.traveller),
        phase=_after_traveller(state),
    )


def _after_traveller(state: State) -> Phase:
    """SW-6.10: a Volcano that made a Portal erupts when its Traveller is settled."""
    match state.phase:
        case WelcomingTraveller(seat=seat, erupting=Cell() as source):
            return CoveringCard(seat, source)
        case _:
            return _next_play(state, len(state.played))


def _fumarole_placed(state: State, event: FumarolePlaced) -> State:
    seat = event.seat
    phase = ChoosingCityPartner(seat, event.cell) if event.builds else _next_play(state, len(state.played))
    world = worlds.with_fumarole(state.worlds[seat], event.cell)
    return replace(state, worlds=_replaced(state.worlds, seat, world), fumaroles=state.fumaroles - 1, phase=phase)


def _city_built(state: State, event: DarkCityBuilt) -> State:
    seat = event.seat
    world = worlds.with_city(state.worlds[seat], City(event.value, event.cell, event.partner))
    return replace(
        state,
        worlds=_replaced(state.worlds, seat, world),
        cities=state.cities[1:],
        phase=_next_play(state, len(state.played)),
    )


def _game_ended(state: State, event: GameEnded) -> State:
    scores = state.phase.scores if isinstance(state.phase, GameOver) else ()
    return replace(state, phase=GameOver(scores, event.ranks, event.winners, event.level))


def _next_play(state: State, plays: int) -> Phase:
    """Return who plays after so many plays of this turn: three laps, the holder first (SW-3.8, SW-14.9 to SW-14.11)."""
    if plays == PLAYS_PER_TURN * state.seats:
        return Continuing()
    if state.holder is None:
        return Continuing() if plays == 1 else PlacingLand(0)
    return PlacingLand(neighbour(state.holder, plays, state.direction, state.seats))


def _in_world(state: State, seat: int, world: World) -> State:
    return replace(state, worlds=_replaced(state.worlds, seat, world))


def _without_top(stacks: tuple[tuple[str, ...], ...], number: int, count: int) -> tuple[tuple[str, ...], ...]:
    return _replaced(stacks, number - 1, stacks[number - 1][count:])


def _replaced(items: tuple[Item, ...], index: int, item: Item) -> tuple[Item, ...]:
    return (*items[:index], item, *items[index + 1 :])
