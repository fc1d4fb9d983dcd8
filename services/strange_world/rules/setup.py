"""How a game begins (SW-2)."""

from __future__ import annotations

from msgspec import Struct

from services.strange_world.content import Pack, PackError, newest
from services.strange_world.rules import solo
from services.strange_world.rules.events import (
    DeckShuffled,
    Event,
    GameBegun,
    StartingLandsDealt,
    SunAssigned,
    TravellersDisplayed,
)
from services.strange_world.rules.turns import begin_turn
from shared.kernel import Draw, OptionSpec, PackRef, Reason, Refusal

SEATS = (1, 2, 3, 4)
STARTING_LANDS = "starting_lands"
LAND_DECK = "land_deck"
FIRST_HOLDER = "first_holder"
TRAVELLERS = "travellers"


class Settings(Struct, frozen=True):
    """The options of a table (SW-19)."""

    pack: str = "classic"
    strict_volcano: bool = False


OPTIONS = (
    OptionSpec("pack", "which set of Lands is played with", "classic", ("classic", "skyward")),
    OptionSpec("strict_volcano", "a Volcano must go beside a card it can cover, if it can", "false", ("false", "true")),
)


def pack_for(settings: Settings) -> Pack:
    """Return the pack a new game gets; refuses an unknown one (SW-19.1)."""
    try:
        return newest(settings.pack)
    except PackError as error:
        raise Refusal(Reason.BAD_OPTION, str(error)) from error


def pack_ref(settings: Settings) -> PackRef:
    """Name the pack a new game gets; refuses an unknown one."""
    return pack_for(settings).ref


def setup(settings: Settings, seats: int, draw: Draw) -> tuple[Event, ...]:
    """Return the first events of a game, drawn in the order of SW-2.9; refuses a wrong number of seats (SW-2.1)."""
    if seats not in SEATS:
        raise Refusal(Reason.BAD_SEATS, f"Strange World Above the Clouds is played by 1 to 4 seats, not by {seats}")
    pack = pack_for(settings)
    begun = GameBegun(seats, pack.ref, settings.strict_volcano, pack.cities, pack.fumaroles)
    starting = _deal_starting_lands(pack, seats, draw)
    deck = draw.shuffle(pack.deck_for(seats), LAND_DECK)
    shuffled = DeckShuffled(len(deck), deck)
    travellers = tuple(traveller.id for traveller in pack.travellers)
    if seats == 1:
        shown = TravellersDisplayed(draw.sample(travellers, min(solo.DISPLAY, len(travellers)), TRAVELLERS))
        rest = begin_turn(pack, (), seats, 1, None)
        return (begun, starting, shuffled, shown, solo.lay_stacks(deck), *rest)
    holder = draw.below(seats, FIRST_HOLDER)
    rest = begin_turn(pack, deck, seats, 1, holder)
    return (begun, starting, shuffled, SunAssigned(holder), TravellersDisplayed(travellers), *rest)


def _deal_starting_lands(pack: Pack, seats: int, draw: Draw) -> StartingLandsDealt:
    """SW-2.2, SW-2.3, SW-14.4."""
    cards = tuple(land.id for land in pack.starting_lands)
    dealt = draw.sample(cards, seats, STARTING_LANDS)
    return StartingLandsDealt(dealt, tuple(card for card in cards if card not in dealt))
