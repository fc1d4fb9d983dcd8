"""Which draws an event claims to record: the inverse of `setup`, for those who check a game afterwards (SW-2.9).

Each draw is made once, in one order, and cards come from where the draws put them; whatever says otherwise cannot have
happened honestly. That is part of the check, for whoever may draw again, or in another order, or deal from elsewhere
has chosen the outcome.
"""

from __future__ import annotations

from services.strange_world.content import Pack, find
from services.strange_world.rules import drafting, solo
from services.strange_world.rules.events import (
    DeckShuffled,
    Event,
    GameBegun,
    LandsDealt,
    StackPicked,
    StackRevealed,
    StacksLaid,
    StartingLandsDealt,
    SunAssigned,
    TravellersDisplayed,
    TurnStarted,
)
from services.strange_world.rules.setup import FIRST_HOLDER, LAND_DECK, STARTING_LANDS, TRAVELLERS
from services.strange_world.rules.state import State
from shared.kernel import Drawn, drawn_sample


def draws(before: State | None, event: Event) -> tuple[Drawn, ...]:
    """Return the draws whose outcome an event records, recovered from that outcome alone.

    Cards are drawn from a list in pack order. Raises ValueError for an outcome that no draw can give, and for an event
    that has no place here or takes cards from elsewhere.
    """
    if before is None:
        return ()
    pack = find(before.pack)
    if not (_in_its_place(before, event) and _from_where_it_lay(pack, before, event)):
        raise ValueError(f"{type(event).__name__} does not follow from what was drawn")
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


def _in_its_place(before: State, event: Event) -> bool:
    """Say whether set-up comes in the order of table E, each part once, and whole before the first turn (SW-17.5)."""
    dealt = all(world.occupied for world in before.worlds)
    match event:
        case GameBegun():
            return False
        case StartingLandsDealt():
            return before.turn == 0 and not dealt
        case DeckShuffled():
            return before.turn == 0 and dealt and not before.deck and not before.stacks
        case SunAssigned():
            return before.turn == 0 and bool(before.deck) and before.seats > 1 and before.holder is None
        case TravellersDisplayed():
            return before.turn == 0 and bool(before.deck) and not before.display and _has_its_holder(before)
        case StacksLaid():
            return before.turn == 0 and bool(before.deck) and before.seats == 1
        case TurnStarted(turn, holder) if before.turn == 0:
            ready = bool(before.stacks if before.seats == 1 else before.deck) and _has_its_holder(before)
            return turn == 1 and ready and holder == before.holder
        case _:
            return True


def _has_its_holder(before: State) -> bool:
    return before.seats == 1 or before.holder is not None


def _from_where_it_lay(pack: Pack, before: State, event: Event) -> bool:
    """Say whether cards come from the top of the deck or of their stack (SW-4.1, SW-4.2, SW-14.2, SW-14.9)."""
    match event:
        case TravellersDisplayed(shown) if before.seats > 1:
            return shown == tuple(traveller.id for traveller in pack.travellers)
        case LandsDealt():
            return event == drafting.deal(pack, before.deck, before.seats, before.holder or 0)
        case StacksLaid():
            return event == solo.lay_stacks(before.deck)
        case StackPicked(stack):
            return stack in solo.remaining_stacks(before) and event == solo.pick(before, stack)
        case StackRevealed():
            return event == solo.reveal(pack, before)
        case _:
            return True
