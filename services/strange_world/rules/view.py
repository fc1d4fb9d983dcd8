"""What one seat, or a spectator, may know of a game (SW-15).

Hidden cards appear as numbers (SW-15.10). Lists that have no order in the game are in pack order, so that two states
which differ only in what the reader may not know give equal views (SW-15.11).
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from services.strange_world.content import Pack, find
from services.strange_world.rules import knowledge, solo
from services.strange_world.rules.actions import Cell, Direction, Side
from services.strange_world.rules.board import CELLS, left_and_right, places
from services.strange_world.rules.decisions import decision
from services.strange_world.rules.events import Score, Transfer
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
from services.strange_world.rules.state import City, PlacedTraveller, Portal, State, World
from services.strange_world.rules.travellers import in_display_order
from shared.kernel import PackRef


class Face(Enum):
    """What a card of a World shows (SW-5.2)."""

    LAND = "land"
    TZIMIME = "tzimime"
    FUMAROLE = "fumarole"


class PlacedLand(Struct, frozen=True):
    """One card of a World; its identity stays public when it lies face down or covered (SW-15.2)."""

    cell: Cell
    land: str
    face: Face


class WorldView(Struct, frozen=True):
    """One World; cards by row, then by column, the rest in order of arrival.

    `side` is the frozen side and `edge` the x of its last column, None before the first Traveller (SW-9.7).
    """

    cards: tuple[PlacedLand, ...]
    portals: tuple[Portal, ...]
    travellers: tuple[PlacedTraveller, ...]
    cities: tuple[City, ...]
    side: Side | None
    edge: int | None
    score: Score


class Stack(Struct, frozen=True):
    """A solo stack that still has cards: its open one, None while the stack is being played, and how many are hidden.

    `lands` are the hidden ones from the top, shown once the game is over (SW-15.14).
    """

    number: int
    open: str | None
    hidden: int
    lands: tuple[str, ...]


class Pending(Struct, frozen=True):
    """What the game waits for and for whom; the cells belong to the play in progress.

    `left` and `right` are the Portal that a Traveller may come through, `source` is the placed Volcano that erupts now
    or next, `fumarole` the new one that a City will join.
    """

    kind: str
    seats: tuple[int, ...]
    left: Cell | None = None
    right: Cell | None = None
    source: Cell | None = None
    fumarole: Cell | None = None


class View(Struct, frozen=True):
    """A game as its reader may see it; `seat` is None for a spectator.

    `worlds` and `hands` (numbers of cards) go by seat; `hand` is the reader's own, in solo everybody's. `chosen` are
    the seats whose choice in the pending pass is sealed, `choice` is the reader's. `transfers` are this turn's passes,
    the cards left out where the reader was not part of it; `known` says where cards that the reader gave away may be;
    `played` are the Lands placed this turn, in order. `deck` counts the deck; `undealt` lists it once the game is over,
    when `ranks` (by seat), `winners` and in solo `level` are set.
    """

    seat: int | None
    pack: PackRef
    strict_volcano: bool
    turn: int
    holder: int | None
    direction: Direction | None
    pending: Pending | None
    worlds: tuple[WorldView, ...]
    hands: tuple[int, ...]
    hand: tuple[str, ...]
    chosen: tuple[int, ...]
    choice: tuple[str, ...]
    transfers: tuple[Transfer, ...]
    known: tuple[Known, ...]
    played: tuple[str, ...]
    deck: int
    undealt: tuple[str, ...]
    stacks: tuple[Stack, ...]
    display: tuple[str, ...]
    unused_starting_lands: tuple[str, ...]
    unused_travellers: tuple[str, ...]
    cities: tuple[int, ...]
    fumaroles: int
    ranks: tuple[int, ...]
    winners: tuple[int, ...]
    level: int | None


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
        stacks=_stacks(state, bool(over.ranks)),
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
    trail = knowledge.trail(
        seat, state.transfers, played_by_seat(state.played, state.holder, state.direction, state.seats)
    )
    held = state.hands[seat]
    return tuple(card for card in knowledge.known(trail, state.played) if card.land not in held)


def _stacks(state: State, over: bool) -> tuple[Stack, ...]:
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
