"""Who may see what of each event, and who learns something hidden by it (table E)."""

from __future__ import annotations

from msgspec.structs import replace

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
from services.strange_world.rules.knowledge import seen_by
from services.strange_world.rules.state import State
from shared.kernel import unreachable


def redact(event: Event, seat: int | None) -> Event | None:
    """Return an event as a seat (None: a spectator) may see it: ids it may not know are left out, counts stay."""
    match event:
        case DeckShuffled():
            return replace(event, order=())
        case LandsDealt():
            hands = tuple(hand if hand.seat == seat else replace(hand, lands=()) for hand in event.hands)
            return replace(event, hands=hands)
        case PassChosen():
            return event if event.seat == seat else replace(event, lands=())
        case PassesResolved():
            return replace(event, transfers=seen_by(event.transfers, seat))
        case _:
            return event


def disclosed(before: State | None, event: Event) -> tuple[int, ...]:
    """Return the seats that learn something hidden by an event; what chance has shown is learned by all.

    A sealed choice tells nobody anything, yet it is final (SW-4.8): its own seat is named, so that it is never undone.
    """
    seats = 0 if before is None else before.seats
    match event:
        case StartingLandsDealt() | SunAssigned() | StacksLaid() | LandsDealt() | PassesResolved() | StackRevealed():
            return tuple(range(seats))
        case TravellersDisplayed():
            return tuple(range(seats)) if seats == 1 else ()
        case GameEnded():
            return tuple(range(seats))
        case PassChosen():
            return (event.seat,)
        case LandPlaced():
            return tuple(seat for seat in range(seats) if seat != event.seat)
        case (
            GameBegun()
            | DeckShuffled()
            | TurnStarted()
            | DirectionChosen()
            | StackPicked()
            | LandsDesolated()
            | PortalAssembled()
            | TravellerWelcomed()
            | TravellerDeclined()
            | FumarolePlaced()
            | DarkCityBuilt()
            | TurnEnded()
            | SunPassed()
            | WorldsScored()
        ):
            return ()
        case _:
            unreachable(event)
