"""What each event changes (SW-17.2).

Nothing is refused, drawn, tested or looked up here: every outcome is in the event. What happens within a play is in
`evolve_play.py`.
"""

from __future__ import annotations

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
    SetUpEvent,
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
    TurnEvent,
    TurnStarted,
    WorldsScored,
)
from services.strange_world.rules.evolve_play import evolve_play
from services.strange_world.rules.phases import (
    ChoosingDirection,
    Continuing,
    GameOver,
    PassingLands,
    Phase,
    PickingStack,
    PlacingLand,
)
from services.strange_world.rules.playing_order import next_play
from services.strange_world.rules.state import State, World, replaced
from shared.kernel import unreachable


def evolve(state: State | None, event: Event) -> State:
    """Return the state after an event; `state` is None before the first one, `GameBegun`."""
    if state is None:
        return _begun(event)
    match event:
        case LandPlaced() | LandsDesolated() | PortalAssembled() | TravellerWelcomed() | TravellerDeclined():
            return evolve_play(state, event)
        case FumarolePlaced() | DarkCityBuilt():
            return evolve_play(state, event)
        case GameBegun() | StartingLandsDealt() | DeckShuffled() | SunAssigned() | TravellersDisplayed() | StacksLaid():
            return _evolve_setup(state, event)
        case _:
            return _evolve_turn(state, event)


def _begun(event: Event) -> State:
    if not isinstance(event, GameBegun):
        raise _misplaced(event)
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


def _evolve_setup(state: State, event: SetUpEvent) -> State:
    match event:
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
        case GameBegun():
            raise _misplaced(event)
        case _:
            unreachable(event)


def _evolve_turn(state: State, event: TurnEvent) -> State:
    match event:
        case PassChosen():
            return _pass_chosen(state, event)
        case PassesResolved():
            return _passes_resolved(state, event)
        case TurnStarted():
            return _turn_started(state, event)
        case DirectionChosen():
            return replace(state, direction=event.direction, phase=Continuing())
        case LandsDealt():
            return _lands_dealt(state, event)
        case StackPicked():
            return _cards_opened(state, event.stack, (event.land,))
        case StackRevealed():
            return _cards_opened(state, event.stack, event.lands)
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
    hands = state.hands
    for hand in event.hands:
        hands = replaced(hands, hand.seat, tuple(sorted(hand.lands)))
    deck = state.deck[len(state.deck) - event.deck :]
    return replace(state, hands=hands, deck=deck, phase=PassingLands(Passing.TWO, ((),) * state.seats))


def _pass_chosen(state: State, event: PassChosen) -> State:
    if not isinstance(state.phase, PassingLands):
        raise _misplaced(event)
    chosen = replaced(state.phase.chosen, event.seat, event.lands)
    return replace(state, phase=PassingLands(event.passing, chosen))


def _passes_resolved(state: State, event: PassesResolved) -> State:
    hands = list(state.hands)
    for given in event.transfers:
        hands[given.giver] = tuple(land for land in hands[given.giver] if land not in given.lands)
    for given in event.transfers:
        hands[given.receiver] += given.lands
    phase: Phase = PassingLands(Passing.ONE, ((),) * state.seats)
    if event.passing is Passing.ONE:
        phase = next_play(0, state.holder, state.direction, state.seats)
    return replace(
        state,
        hands=tuple(tuple(sorted(hand)) for hand in hands),
        transfers=state.transfers + event.transfers,
        phase=phase,
    )


def _cards_opened(state: State, stack: int, lands: tuple[str, ...]) -> State:
    """SW-14.9, SW-14.10: cards leave a stack and are to be played."""
    rest = state.stacks[stack - 1][len(lands) :]
    return replace(
        state,
        stacks=replaced(state.stacks, stack - 1, rest),
        hands=(tuple(sorted(lands)),),
        phase=PlacingLand(0),
    )


def _game_ended(state: State, event: GameEnded) -> State:
    if not isinstance(state.phase, GameOver):
        raise _misplaced(event)
    return replace(state, phase=GameOver(state.phase.scores, event.ranks, event.winners, event.level))


def _misplaced(event: Event) -> AssertionError:
    return AssertionError(f"no game comes to {type(event).__name__} here")
