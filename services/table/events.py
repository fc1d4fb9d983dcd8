"""Every fact of a table, as its stream holds them; each says when it is written in events.proto."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from shared.engine.platform import Seat


class Access(Enum):
    """Who may join, and who may look at the game."""

    PUBLIC = "public"
    PRIVATE = "private"


class TableOpened(Struct, frozen=True):
    """A table was opened; `created_at` is in milliseconds since the epoch."""

    table_id: str
    title: str
    seat_count: int
    options: dict[str, str]
    access: Access
    host_id: str
    game_id: str
    key_id: str
    commitment: bytes
    created_at: int


class SeatTaken(Struct, frozen=True):
    """A player or an automaton took a seat."""

    seat: Seat


class EntropyGiven(Struct, frozen=True):
    """The player on a seat gave a share of the game's chance."""

    seat: int
    entropy: bytes


class SeatLeft(Struct, frozen=True):
    """A seat became free."""

    seat: int


class HostPassed(Struct, frozen=True):
    """Another player is host now."""

    host_id: str


class TableClosed(Struct, frozen=True):
    """Everybody left."""


class GameStarting(Struct, frozen=True):
    """The game is about to be created."""


class GameStarted(Struct, frozen=True):
    """The game exists."""


class StartFailed(Struct, frozen=True):
    """The engine refused the game."""

    sentence: str


TableEvent = (
    TableOpened
    | SeatTaken
    | SeatLeft
    | HostPassed
    | TableClosed
    | GameStarting
    | GameStarted
    | StartFailed
    | EntropyGiven
)


class TableCommit(Struct, frozen=True):
    """All facts of one accepted command."""

    events: tuple[TableEvent, ...]
