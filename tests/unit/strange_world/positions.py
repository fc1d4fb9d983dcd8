"""The World of a drawing, as the events that lead to it.

What a drawing shows is placed, flipped, linked, covered and joined by made-up events, so that every position can be
had, reached or not. Seat 0 of four owns the World and is about to play. A cell whose card is not named gets the most
tempting one that is left, a Water with a Plant, then a gate, so that a rule which looks at a blank card is found out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from services.strange_world.content import Icon, Land, Pack
from services.strange_world.rules import Event
from services.strange_world.rules.actions import Cell, Direction, Side
from services.strange_world.rules.events import (
    Cause,
    DarkCityBuilt,
    DeckShuffled,
    DirectionChosen,
    Flip,
    FumarolePlaced,
    GameBegun,
    Hand,
    LandPlaced,
    LandsDealt,
    LandsDesolated,
    PassesResolved,
    Passing,
    PortalAssembled,
    StartingLandsDealt,
    SunAssigned,
    SunPassed,
    TravellersDisplayed,
    TravellerWelcomed,
    TurnEnded,
    TurnStarted,
)
from services.strange_world.rules.state import PlacedTraveller
from tests.unit.strange_world.drawing import EMPTY, Block

OWNER = 0
SIDES = {"L": Side.LEFT, "R": Side.RIGHT}
STACK = (9, 7, 5, 4, 4)
TEMPTING = ("wp", "gw", "gp", "gm", "gf", "mo", "mw", "mp", "mf", "fa", "fb", "mm", "wf", "pf", "kwp", "kgw", "kgp")

_TRAVELLER = re.compile(r"([LR]) (-?\d+)\|(-?\d+) ([a-z]+)(?: #(\d+))?")
_CELL = re.compile(r"[a-f]\d")


class Position:
    """Where a drawn World lies, which Lands it is made of, and the events that make it."""

    def __init__(self, block: Block, pack: Pack) -> None:
        """Give every occupied cell its Land: first those that are shown or named, then the blank ones."""
        self.pack = pack
        self.cards = Cards(pack)
        self._block = block
        self._hidden = dict(part.split() for part in block.parts("hidden"))
        self._pairs = [(part[:2], part[3:]) for part in block.parts("lost")] + list(_linked_pairs(block.before))
        start = self._starting_cell()
        self.frame = Frame(ord(start[0]) - ord("a"), int(start[1:]))
        self.lands = self._lands(start)

    def events(self, hand: Sequence[str], *, strict: bool) -> list[Event]:
        """Return the events up to the play of the owner, who then has these Lands in hand."""
        block = self._block
        built = [int(part.split()[0]) for part in block.parts("cities")]
        rest = [int(value) for value in block.words("stack")]
        if "stack" not in block.keys:
            rest = list(STACK)
            for value in built:
                rest.remove(value)
        start = next(land for name, land in self.lands.items() if self.frame.cell(name) == Cell(0, 0))
        others = [land.id for land in self.pack.starting_lands if land.id != start]
        shown = block.words("display") if "display" in block.keys else [guest.id for guest in self.pack.travellers]
        placed = self.frame.travellers(block.parts("travellers"))
        shown += [guest.traveller for guest in placed if guest.traveller not in shown]
        return [
            GameBegun(4, self.pack.ref, strict, (*built, *rest), self.pack.fumaroles),
            StartingLandsDealt((start, *others), ()),
            DeckShuffled(0, ()),
            SunAssigned(3),
            TravellersDisplayed(tuple(shown)),
            TurnStarted(1, 3),
            DirectionChosen(3, Direction.LEFT),
            *self._history(placed),
            TurnEnded(1),
            SunPassed(3, OWNER),
            TurnStarted(2, OWNER),
            DirectionChosen(OWNER, Direction.LEFT),
            LandsDealt((Hand(OWNER, len(hand), tuple(hand)),), 0),
            PassesResolved(Passing.ONE, ()),
        ]

    def _starting_cell(self) -> str:
        cells = self._block.before
        seen = [
            name for name, shown in cells.items() if shown.rstrip("abcdefghijklmnopqrstuvwxyz") in {"M", "W", "F", "P"}
        ]
        seen += [name for name, land in self._hidden.items() if land == "start"]
        linked = {name for pair in self._pairs for name in pair}
        seen += [name for name, shown in cells.items() if shown in {"*", "@"} and name not in linked]
        return seen[0]

    def _lands(self, start: str) -> dict[str, str]:
        shown = {name: self._hidden.get(name, what) for name, what in self._block.before.items() if what not in EMPTY}
        linked = {name for pair in self._pairs for name in pair}
        lands = {name: self.cards.take(what) for name, what in shown.items() if what not in {"T", "*", "@", "start"}}
        if start not in lands:
            lands[start] = self.cards.take_starting()
        for name in shown:
            if name not in lands:
                lands[name] = self.cards.take_blank(gate=name in linked)
        return lands

    def _history(self, placed: tuple[PlacedTraveller, ...]) -> Iterable[Event]:
        cells = self._block.before
        origin = Cell(0, 0)
        for name, land in self.lands.items():
            if self.frame.cell(name) != origin:
                yield LandPlaced(OWNER, land, self.frame.cell(name))
        for name, shown in cells.items():
            if shown == "T":
                yield LandsDesolated(OWNER, (Flip(self.frame.cell(name), (Cause.WATER,)),))
        for left, right in self._pairs:
            yield PortalAssembled(OWNER, self.frame.cell(left), self.frame.cell(right))
        for guest in placed:
            yield TravellerWelcomed(OWNER, guest.traveller, guest.side, guest.slot, guest.position, origin, origin)
        for name, shown in cells.items():
            if shown in {"*", "@"}:
                yield FumarolePlaced(OWNER, origin, self.frame.cell(name), self.lands[name], tzimime=False, forced=True)
        for part in self._block.parts("cities"):
            one, two = self.frame.cells(part)
            yield DarkCityBuilt(OWNER, int(part.split()[0]), one, two, forced=True)


def _linked_pairs(cells: dict[str, str]) -> Iterable[tuple[str, str]]:
    """Return the Portals that a drawing shows, both halves or one."""
    for name, shown in cells.items():
        left = f"{chr(ord(name[0]) - 1)}{name[1:]}"
        right = f"{chr(ord(name[0]) + 1)}{name[1:]}"
        if shown.startswith("(") and shown.endswith("="):
            yield name, right
        elif shown.startswith("=") and not cells.get(left, "").endswith("="):
            yield left, name


def token(pack: Pack, land: Land) -> str:
    """Return how a drawing shows a face-up Land that is not linked."""
    animals = iter(pack.animals[kind] for kind in land.animals)
    shown = "".join(icon.value + (next(animals) if icon is Icon.FOREST else "") for icon in land.icons)
    if land.moon:
        shown = "O" + shown
    return f"({shown})" if land.gate else shown


class Frame(Struct, frozen=True):
    """Where a drawing lies: its column and row of the starting Land, which is at (0, 0)."""

    column: int
    row: int

    def cell(self, name: str) -> Cell:
        """Return the cell that a drawing calls `b2`."""
        return Cell(ord(name[0]) - ord("a") - self.column, int(name[1:]) - self.row)

    def cells(self, text: str) -> list[Cell]:
        """Return all cells named in a text, in its order."""
        return [self.cell(name) for name in _CELL.findall(text)]

    def name(self, cell: Cell) -> str:
        """Return what a drawing calls a cell."""
        return f"{chr(ord('a') + cell.x + self.column)}{cell.y + self.row}"

    def travellers(self, parts: Sequence[str]) -> tuple[PlacedTraveller, ...]:
        """Read Travellers: side, slot, id, place in a stack."""
        found = []
        for part in parts:
            match = _TRAVELLER.fullmatch(part)
            assert match is not None, part
            found.append(PlacedTraveller(match[4], SIDES[match[1]], int(match[2]) - self.row, int(match[5] or 1)))
        return tuple(found)


class Cards:
    """The Lands of a pack that are not yet in use."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.left = list(pack.lands)

    def take(self, wanted: str) -> str:
        """Take the first Land that a token shows, linked or not."""
        plain = wanted.replace("=", "(" if wanted.startswith("=") else ")")
        return self._take(next(land for land in self.left if token(self.pack, self.pack.lands[land]) == plain))

    def take_blank(self, *, gate: bool) -> str:
        """Take a Land for a cell that shows nothing."""
        lands = [land for land in self.left if self.pack.lands[land].mark is not None]
        lands = [land for land in lands if self.pack.lands[land].gate or not gate]
        return self._take(min(lands, key=_temptation))

    def take_starting(self) -> str:
        """Take a starting Land."""
        return self._take(next(land for land in self.left if self.pack.lands[land].mark is None))

    def _take(self, land: str) -> str:
        self.left.remove(land)
        return land


def _temptation(land: str) -> int:
    design = land.rstrip("0123456789")
    return TEMPTING.index(design) if design in TEMPTING else len(TEMPTING)
