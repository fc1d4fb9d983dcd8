"""Every fact of a game and what each carries (SW-17, table E).

Counts stand beside hidden ids, so that an event loses nothing but the ids when it is redacted (SW-15.10). An event
that a question may follow says whether one does, so that the state is rebuilt without any rule (SW-17.2).
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from services.strange_world.rules.actions import Cell, Direction, Side
from shared.kernel import PackRef


class Cause(Enum):
    """Why a Land flips, in the order in which causes are listed (SW-7.11)."""

    GATE = "gate"
    MOON_BURIED = "moon_buried"
    MOON_LOW = "moon_low"
    PLANT = "plant"
    VOLCANO = "volcano"
    WATER = "water"


class Passing(Enum):
    """Which of a turn's two passes (SW-3.2)."""

    TWO = "two"
    ONE = "one"


class Hand(Struct, frozen=True):
    """Cards given to one seat; `lands` is empty for those who may not see them, `count` never lies."""

    seat: int
    count: int
    lands: tuple[str, ...]


class Transfer(Struct, frozen=True):
    """Cards that went from one hand to another; `lands` is empty for third parties (SW-15.6)."""

    giver: int
    receiver: int
    count: int
    lands: tuple[str, ...]


class Flip(Struct, frozen=True):
    """One cell that becomes a Tzimime, with every cause that holds."""

    cell: Cell
    causes: tuple[Cause, ...]


class Score(Struct, frozen=True):
    """The seven categories of one World and their sum (SW-13.1)."""

    seat: int
    mountain: int
    water: int
    plant: int
    forest: int
    moon: int
    city: int
    traveller: int
    total: int


class GameBegun(Struct, frozen=True):
    """Written first: how many seats play, with which pack and options (table E, `GameCreated`).

    `cities` is the City stack from the top, `fumaroles` the supply (SW-2.5, SW-2.6).
    """

    seats: int
    pack: PackRef
    strict_volcano: bool
    cities: tuple[int, ...]
    fumaroles: int


class StartingLandsDealt(Struct, frozen=True):
    """Written at set-up: each seat's first card, in seat order, and the cards that leave the game (SW-2.2)."""

    lands: tuple[str, ...]
    unused: tuple[str, ...]


class DeckShuffled(Struct, frozen=True):
    """Written at set-up: the deck from the top; nobody sees `order` before the end (SW-2.4)."""

    count: int
    order: tuple[str, ...]


class SunAssigned(Struct, frozen=True):
    """Written at set-up with two or more seats: the first holder (SW-2.8)."""

    seat: int


class TravellersDisplayed(Struct, frozen=True):
    """Written at set-up: the Travellers of the display, in solo in the order they were drawn (SW-2.7, SW-14.5)."""

    travellers: tuple[str, ...]


class StacksLaid(Struct, frozen=True):
    """Written at solo set-up: the seven open cards, stack 1 first (SW-14.3)."""

    lands: tuple[str, ...]


class TurnStarted(Struct, frozen=True):
    """Written when a turn begins; solo has no holder (SW-3.3)."""

    turn: int
    holder: int | None


class DirectionChosen(Struct, frozen=True):
    """Written when the holder has chosen, three or four seats only (SW-3.4)."""

    seat: int
    direction: Direction


class LandsDealt(Struct, frozen=True):
    """Written at the deal: three cards to every seat, `deck` cards left; each seat sees its own (SW-4.1)."""

    hands: tuple[Hand, ...]
    deck: int


class PassChosen(Struct, frozen=True):
    """Written when a seat has chosen what to give; only that seat sees `lands` (SW-15.5)."""

    seat: int
    passing: Passing
    count: int
    lands: tuple[str, ...]


class PassesResolved(Struct, frozen=True):
    """Written when every seat has chosen: all cards of the pass move at once (SW-4.7)."""

    passing: Passing
    transfers: tuple[Transfer, ...]


class StackPicked(Struct, frozen=True):
    """Written when the solo seat picks a stack; `land` is its open card (SW-14.8)."""

    stack: int
    land: str


class StackRevealed(Struct, frozen=True):
    """Written after the first play of a solo turn: the two other cards of the stack, in pack order (SW-14.10)."""

    stack: int
    lands: tuple[str, ...]


class LandPlaced(Struct, frozen=True):
    """Written when a card is placed (S1); `erupts` says that it will stay face up and has a Volcano (S6)."""

    seat: int
    land: str
    cell: Cell
    erupts: bool = False


class LandsDesolated(Struct, frozen=True):
    """Written when cards flip (S3): the placed cell first, then by row and column."""

    seat: int
    flips: tuple[Flip, ...]


class PortalAssembled(Struct, frozen=True):
    """Written when two gates become a Portal (S4); `welcomes` says that there is a Traveller to take (S5)."""

    seat: int
    left: Cell
    right: Cell
    welcomes: bool = False


class TravellerWelcomed(Struct, frozen=True):
    """Written when a Traveller is taken (S5); `slot` is its upper row, `position` counts a stack from 1."""

    seat: int
    traveller: str
    side: Side
    slot: int
    position: int
    left: Cell
    right: Cell


class TravellerDeclined(Struct, frozen=True):
    """Written when no Traveller is taken for a Portal (S5)."""

    seat: int
    left: Cell
    right: Cell


class FumarolePlaced(Struct, frozen=True):
    """Written when a Volcano at `source` covers `cell` (S6).

    `land` is the covered card, `tzimime` whether it lay face down; `builds` says that a City will join `cell` (S7).
    """

    seat: int
    source: Cell
    cell: Cell
    land: str
    tzimime: bool
    forced: bool
    builds: bool = False


class DarkCityBuilt(Struct, frozen=True):
    """Written when a City joins the new Fumarole `cell` and `partner` (S7)."""

    seat: int
    value: int
    cell: Cell
    partner: Cell
    forced: bool


class TurnEnded(Struct, frozen=True):
    """Written when every seat has played its three cards."""

    turn: int


class SunPassed(Struct, frozen=True):
    """Written after turns 1 to 4 with two or more seats (SW-3.3)."""

    giver: int
    receiver: int


class WorldsScored(Struct, frozen=True):
    """Written after turn 5: the score of every seat, in seat order."""

    scores: tuple[Score, ...]


class GameEnded(Struct, frozen=True):
    """Written last: ranks in seat order, the winners; solo: the level 1 to 5 and no winner (SW-12)."""

    ranks: tuple[int, ...]
    winners: tuple[int, ...]
    level: int | None


SetUpEvent = GameBegun | StartingLandsDealt | DeckShuffled | SunAssigned | TravellersDisplayed | StacksLaid
TurnEvent = (
    TurnStarted
    | DirectionChosen
    | LandsDealt
    | PassChosen
    | PassesResolved
    | StackPicked
    | StackRevealed
    | TurnEnded
    | SunPassed
    | WorldsScored
    | GameEnded
)
PlayEvent = (
    LandPlaced
    | LandsDesolated
    | PortalAssembled
    | TravellerWelcomed
    | TravellerDeclined
    | FumarolePlaced
    | DarkCityBuilt
)
Event = SetUpEvent | TurnEvent | PlayEvent
