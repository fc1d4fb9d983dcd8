"""A table as its events tell it."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from services.table.events import (
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
    """One table. `taken` holds who sits where, by seat, with what each gave to the game's chance."""

    opened: TableOpened
    status: TableStatus
    host_id: str
    taken: tuple[SeatTaken, ...] = ()
    failure: str = ""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats that are taken, in order."""
        return tuple(taken.seat for taken in self.taken)

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
        case SeatTaken():
            return replace(table, taken=tuple(sorted((*table.taken, event), key=lambda taken: taken.seat.seat)))
        case SeatLeft(seat):
            return replace(table, taken=tuple(taken for taken in table.taken if taken.seat.seat != seat))
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
