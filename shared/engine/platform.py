"""What the platform knows of a game beside its rules: who holds the seats, how chance was committed to, how it ended.

These facts lie beside the title's events in a commit and are folded here into a `Record`; titles never see them.
Taking an action back (`Undone`) concerns both halves and is folded in `shared.engine.game`.
"""

from __future__ import annotations

from enum import Enum

import msgspec
from msgspec import Struct

from shared.kernel import PackRef, unreachable


class Status(Enum):
    """Where a game stands; the value is what its stream entries say."""

    PLAYING = "playing"
    OVER = "over"
    ABORTED = "aborted"


class Player(Struct, frozen=True):
    """A person who holds a seat."""

    player_id: str
    display_name: str


class Automaton(Struct, frozen=True):
    """A program that holds a seat; `brain` says which one."""

    brain: str


class Seat(Struct, frozen=True):
    """A place in a game and who holds it."""

    seat: int
    holder: Player | Automaton


class GameCreated(Struct, frozen=True):
    """Written once, in the first commit: everything about a game that its rules do not know."""

    game_id: str
    title: str
    table_id: str
    rules_version: int
    pack: PackRef
    seats: tuple[Seat, ...]
    options: dict[str, str]
    key_id: str
    commitment: bytes
    entropies: tuple[bytes, ...]
    private: bool


class SeatReplaced(Struct, frozen=True):
    """Written when somebody else takes over a seat; what the seat knew now belongs to the new holder."""

    seat: Seat


class Undone(Struct, frozen=True):
    """Written when the game goes back to what it was after commit `to`; versions go on growing."""

    to: int


class SeedRevealed(Struct, frozen=True):
    """Written with the last commit of a game: everybody can check every draw from here on."""

    server_seed: bytes


class GameAborted(Struct, frozen=True):
    """Written when the platform ends a game without a result."""

    reason: str


PlatformEvent = GameCreated | SeatReplaced | Undone | SeedRevealed | GameAborted


class Record(Struct, frozen=True):
    """The platform's half of a game's state."""

    created: GameCreated
    seats: tuple[Seat, ...]
    aborted: bool = False

    def holder(self, seat: int) -> Player | Automaton | None:
        """Return who holds a seat, None if there is no such seat."""
        return self.seats[seat].holder if 0 <= seat < len(self.seats) else None


def fold(record: Record | None, event: PlatformEvent) -> Record:
    """Apply one fact; the first one is always `GameCreated`."""
    if isinstance(event, GameCreated):
        return Record(event, event.seats)
    if record is None:
        raise ValueError("a game begins with GameCreated")
    match event:
        case SeatReplaced(seat):
            seats = tuple(seat if old.seat == seat.seat else old for old in record.seats)
            return msgspec.structs.replace(record, seats=seats)
        case GameAborted():
            return msgspec.structs.replace(record, aborted=True)
        case Undone() | SeedRevealed():
            return record
        case _:
            unreachable(event)
