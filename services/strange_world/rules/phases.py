"""What a game is doing: one struct per pending decision, and one for the moments between (SW-16.1).

The last event of a commit always leaves a phase that somebody can answer, or `GameOver`. Within a commit the phase
may be `Continuing`: the same commit says what comes next.
"""

from __future__ import annotations

from msgspec import Struct

from services.strange_world.rules.actions import Cell
from services.strange_world.rules.events import Passing, Score


class Continuing(Struct, frozen=True, tag=True):
    """Set-up, a deal, a reveal or the end of a turn: the next event of this commit moves the game on."""


class ChoosingDirection(Struct, frozen=True, tag=True):
    """The holder of the Sun chooses the direction of the turn (SW-3.4)."""

    seat: int


class PassingLands(Struct, frozen=True, tag=True):
    """Every seat chooses what to give; `chosen` are the sealed choices by seat, empty until it has chosen (SW-4.7)."""

    passing: Passing
    chosen: tuple[tuple[str, ...], ...]


class PickingStack(Struct, frozen=True, tag=True):
    """The solo seat picks one of the remaining stacks (SW-14.8)."""


class PlacingLand(Struct, frozen=True, tag=True):
    """The seat plays a card of its hand (SW-3.8)."""

    seat: int


class WelcomingTraveller(Struct, frozen=True, tag=True):
    """The seat may take a Traveller for a new Portal; `erupting` is its placed Volcano that erupts next (SW-6.10)."""

    seat: int
    left: Cell
    right: Cell
    erupting: Cell | None


class CoveringCard(Struct, frozen=True, tag=True):
    """The seat chooses which neighbour of its Volcano at `source` gets covered (SW-10.3)."""

    seat: int
    source: Cell


class ChoosingCityPartner(Struct, frozen=True, tag=True):
    """The seat chooses which free Fumarole a City joins to the new one at `cell` (SW-11.4)."""

    seat: int
    cell: Cell


class GameOver(Struct, frozen=True, tag=True):
    """The last turn is over; final scores, ranks in seat order, winners, and the level of a solo game (SW-12)."""

    scores: tuple[Score, ...]
    ranks: tuple[int, ...]
    winners: tuple[int, ...]
    level: int | None


Phase = (
    Continuing
    | ChoosingDirection
    | PassingLands
    | PickingStack
    | PlacingLand
    | WelcomingTraveller
    | CoveringCard
    | ChoosingCityPartner
    | GameOver
)
