"""What a table allows: each function turns one command into events, or raises `Problem`.

An empty answer means that what was asked for is so already.
"""

from __future__ import annotations

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
)
from services.table.state import Table, TableStatus
from shared.engine.platform import Automaton, Player, Seat
from shared.errors import Fault, Problem

Events = tuple[TableEvent, ...]


def join(table: Table, player: Player) -> Events:
    """Seat a player on the lowest free seat; who sits already keeps the seat."""
    if table.seat_of(player.player_id) is not None:
        return ()
    _require_gathering(table)
    return (SeatTaken(Seat(_free_seat(table), player)),)


def give_entropy(table: Table, player_id: str, entropy: bytes) -> Events:
    """Take a seated player's share of the game's chance, in the place of an earlier one."""
    seat = table.seat_of(player_id)
    if seat is None:
        raise Problem(Fault.NOT_ALLOWED, "only who sits at the table may add to its chance")
    _require_gathering(table)
    return (EntropyGiven(seat, entropy),)


def leave(table: Table, player_id: str) -> Events:
    """Free a player's seat; the host's place goes to the next player, and without any player the table closes."""
    seat = table.seat_of(player_id)
    if seat is None:
        return ()
    _require_gathering(table)
    others = [s.holder.player_id for s in table.seats if isinstance(s.holder, Player) and s.seat != seat]
    if not others:
        return (SeatLeft(seat), TableClosed())
    return (SeatLeft(seat), HostPassed(others[0])) if player_id == table.host_id else (SeatLeft(seat),)


def add_automaton(table: Table, host_id: str, brain: str) -> Events:
    """Put a program on the lowest free seat."""
    _require_host(table, host_id)
    _require_gathering(table)
    return (SeatTaken(Seat(_free_seat(table), Automaton(brain))),)


def remove_automaton(table: Table, host_id: str, seat: int) -> Events:
    """Take a program off its seat."""
    _require_host(table, host_id)
    _require_gathering(table)
    holder = next((s.holder for s in table.seats if s.seat == seat), None)
    if not isinstance(holder, Automaton):
        raise Problem(Fault.UNKNOWN_SEAT, f"no automaton sits on seat {seat}")
    return (SeatLeft(seat),)


def start(table: Table, host_id: str) -> Events:
    """Begin to start the game; all seats must be taken."""
    _require_host(table, host_id)
    if table.status in (TableStatus.STARTING, TableStatus.STARTED):
        return ()
    _require_gathering(table)
    free = table.opened.seat_count - len(table.seats)
    if free:
        raise Problem(Fault.TABLE_NOT_FULL, f"{free} of {table.opened.seat_count} seats are still free")
    return (GameStarting(),)


def started(table: Table) -> Events:
    """Note that the game exists."""
    return (GameStarted(),) if table.status is TableStatus.STARTING else ()


def start_failed(table: Table, sentence: str) -> Events:
    """Note that the engine refused the game."""
    return (StartFailed(sentence),) if table.status is TableStatus.STARTING else ()


def _free_seat(table: Table) -> int:
    seat = table.free_seat()
    if seat is None:
        raise Problem(Fault.TABLE_FULL, f"all {table.opened.seat_count} seats are taken")
    return seat


def _require_host(table: Table, player_id: str) -> None:
    if player_id != table.host_id:
        raise Problem(Fault.NOT_ALLOWED, "only the host of the table may do this")


def _require_gathering(table: Table) -> None:
    if table.status is not TableStatus.GATHERING:
        raise Problem(Fault.WRONG_STATUS, f"the table is {table.status.value} and can no longer be changed")
