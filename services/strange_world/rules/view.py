"""What one seat, or a spectator, may know of a game (SW-15)."""

from __future__ import annotations

from services.strange_world.content import Pack, find
from services.strange_world.rules import knowledge, solo
from services.strange_world.rules.actions import Side
from services.strange_world.rules.board import CELLS, left_and_right, places
from services.strange_world.rules.decisions import decision
from services.strange_world.rules.knowledge import Known
from services.strange_world.rules.phases import (
    ChoosingCityPartner,
    CoveringCard,
    GameOver,
    PassingLands,
    WelcomingTraveller,
)
from services.strange_world.rules.playing_order import played_by_seat
from services.strange_world.rules.scoring import score
from services.strange_world.rules.state import State, World
from services.strange_world.rules.travellers import in_display_order
from services.strange_world.rules.views import Face, Pending, PlacedLand, Stack, View, WorldView


def view(state: State, seat: int | None) -> View:
    """Return what a seat (None: a spectator) may know (SW-15.1 to SW-15.14)."""
    pack = find(state.pack)
    over = state.phase if isinstance(state.phase, GameOver) else GameOver((), (), (), None)
    reader = 0 if state.seats == 1 else seat
    chosen = state.phase.chosen if isinstance(state.phase, PassingLands) else ()
    return View(
        seat=seat,
        pack=state.pack,
        strict_volcano=state.strict_volcano,
        turn=state.turn,
        holder=state.holder,
        direction=state.direction,
        pending=_pending(state),
        worlds=tuple(_world(pack, world, owner) for owner, world in enumerate(state.worlds)),
        hands=tuple(len(hand) for hand in state.hands),
        hand=() if reader is None else pack.in_order(state.hands[reader]),
        chosen=tuple(giver for giver, lands in enumerate(chosen) if lands),
        choice=chosen[seat] if chosen and seat is not None else (),
        transfers=knowledge.seen_by(state.transfers, seat),
        known=() if seat is None else _known(state, seat),
        played=state.played,
        deck=len(state.deck),
        undealt=state.deck if over.ranks else (),
        stacks=_stacks(state, over=bool(over.ranks)),
        display=in_display_order(pack, state.display),
        unused_starting_lands=state.unused,
        unused_travellers=_unused_travellers(pack, state),
        cities=state.cities,
        fumaroles=state.fumaroles,
        ranks=over.ranks,
        winners=over.winners,
        level=over.level,
    )


def _pending(state: State) -> Pending | None:
    waiting = decision(state)
    if waiting is None:
        return None
    match state.phase:
        case WelcomingTraveller(left=left, right=right, erupting=source):
            return Pending(waiting.kind, waiting.seats, left=left, right=right, source=source)
        case CoveringCard(source=source):
            return Pending(waiting.kind, waiting.seats, source=source)
        case ChoosingCityPartner(cell=cell):
            return Pending(waiting.kind, waiting.seats, fumarole=cell)
        case _:
            return Pending(waiting.kind, waiting.seats)


def _world(pack: Pack, world: World, seat: int) -> WorldView:
    return WorldView(
        cards=tuple(
            PlacedLand(CELLS[place], world.lands[place], _face(world, place)) for place in places(world.occupied)
        ),
        portals=world.portals,
        travellers=world.travellers,
        cities=world.cities,
        side=world.side,
        edge=_edge(world),
        score=score(pack, world, seat),
    )


def _face(world: World, place: int) -> Face:
    if world.fumaroles >> place & 1:
        return Face.FUMAROLE
    return Face.TZIMIME if world.tzimimes >> place & 1 else Face.LAND


def _edge(world: World) -> int | None:
    """SW-9.7."""
    side = world.side
    return None if side is None else left_and_right(world.occupied)[0 if side is Side.LEFT else 1]


def _known(state: State, seat: int) -> tuple[Known, ...]:
    played = played_by_seat(state.played, state.holder, state.direction, state.seats)
    trail = knowledge.trail(seat, state.transfers, played)
    held = state.hands[seat]
    return tuple(card for card in knowledge.known(trail, state.played) if card.land not in held)


def _stacks(state: State, *, over: bool) -> tuple[Stack, ...]:
    """SW-14.3, SW-15.1: of a stack only the top card is open."""
    found = []
    for number, lands in enumerate(state.stacks, start=1):
        if lands:
            rest = lands[-solo.UNDER_THE_OPEN_CARD :]
            top = lands[0] if len(lands) > len(rest) else None
            found.append(Stack(number, top, len(rest), rest if over else ()))
    return tuple(found)


def _unused_travellers(pack: Pack, state: State) -> tuple[str, ...]:
    """SW-14.5."""
    placed = [guest.traveller for world in state.worlds for guest in world.travellers]
    return tuple(
        traveller.id
        for traveller in pack.travellers
        if traveller.id not in state.display and traveller.id not in placed
    )
