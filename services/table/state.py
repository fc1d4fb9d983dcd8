"""A table as its events tell it."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from services.table.events import (
    EntropyGiven,
    GameStarted,
    GameStarting,
    HostPassed,
    SeatLeft,
    SeatTaken,
    StartFailed,
    TableClosed,
    TableEvent,
    TableOpened,
)
from shared.engine.platform import Player, Seat
from shared.kernel import unreachable


class TableStatus(Enum):
    """What a table is doing; the value is what its stream entries say."""

    GATHERING = "gathering"
    STARTING = "starting"
    STARTED = "started"
    CLOSED = "closed"


class Table(Struct, frozen=True):
    """One table. `seats` are those that are taken, in order; `entropies` what seats gave to the game's chance."""

    opened: TableOpened
    status: TableStatus
    host_id: str
    seats: tuple[Seat, ...] = ()
    entropies: tuple[EntropyGiven, ...] = ()
    failure: str = ""

    def entropy_of(self, seat: int) -> bytes:
        """Return what a seat gave to the game's chance, nothing if it gave none."""
        return next((given.entropy for given in self.entropies if given.seat == seat), b"")

    def seat_of(self, player_id: str) -> int | None:
        """Return where a player sits, None if nowhere."""
        players = [(seat.holder, seat.seat) for seat in self.seats if isinstance(seat.holder, Player)]
        return next((seat for holder, seat in players if holder.player_id == player_id), None)

    def free_seat(self) -> int | None:
        """Return the lowest free seat, None if all are taken."""
        held = [seat.seat for seat in self.seats]
        return next((seat for seat in range(self.opened.seat_count) if seat not in held), None)


def evolve(table: Table | None, event: TableEvent) -> Table:
    """Apply one fact; the first is always `TableOpened`."""
    if isinstance(event, TableOpened):
        return Table(event, TableStatus.GATHERING, event.host_id)
    if table is None:
        raise ValueError("a table begins with TableOpened")
    match event:
        case SeatTaken(taken):
            return replace(table, seats=tuple(sorted((*table.seats, taken), key=lambda seat: seat.seat)))
        case SeatLeft(left):
            seats = tuple(seat for seat in table.seats if seat.seat != left)
            return replace(table, seats=seats, entropies=_without(table, left))
        case EntropyGiven(seat):
            return replace(table, entropies=(*_without(table, seat), event))
        case HostPassed(host_id):
            return replace(table, host_id=host_id)
        case TableClosed():
            return replace(table, status=TableStatus.CLOSED)
        case GameStarting():
            return replace(table, status=TableStatus.STARTING, failure="")
        case GameStarted():
            return replace(table, status=TableStatus.STARTED)
        case StartFailed(sentence):
            return replace(table, status=TableStatus.GATHERING, failure=sentence)
        case _:
            unreachable(event)


def _without(table: Table, seat: int) -> tuple[EntropyGiven, ...]:
    return tuple(given for given in table.entropies if given.seat != seat)
