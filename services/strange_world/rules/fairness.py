"""Which draws an event claims to record: the inverse of `setup`, for those who check a game afterwards (SW-2.9)."""

from __future__ import annotations

from services.strange_world.content import find
from services.strange_world.rules.events import (
    DeckShuffled,
    Event,
    StartingLandsDealt,
    SunAssigned,
    TravellersDisplayed,
)
from services.strange_world.rules.setup import FIRST_HOLDER, LAND_DECK, STARTING_LANDS, TRAVELLERS
from services.strange_world.rules.state import State
from shared.kernel import Drawn, drawn_sample


def draws(before: State | None, event: Event) -> tuple[Drawn, ...]:
    """Return the draws whose outcome an event records, recovered from that outcome alone.

    Cards are drawn from a list in pack order. Raises ValueError for an outcome that no draw can give.
    """
    if before is None:
        return ()
    pack = find(before.pack)
    match event:
        case StartingLandsDealt(lands):
            return tuple(drawn_sample([land.id for land in pack.starting_lands], lands, STARTING_LANDS))
        case DeckShuffled(_, order):
            return tuple(drawn_sample(pack.deck_for(before.seats), order, LAND_DECK))
        case SunAssigned(seat):
            return (Drawn(FIRST_HOLDER, before.seats, seat),)
        case TravellersDisplayed(shown) if before.seats == 1:
            return tuple(drawn_sample([traveller.id for traveller in pack.travellers], shown, TRAVELLERS))
        case _:
            return ()
