"""Whole games as their events tell them, cell by cell, for laws that compare the engine with the page.

Nothing is taken from the engine's own picture of a World; laws compare that picture with this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from services.strange_world.content import newest
from services.strange_world.rules import TITLE
from services.strange_world.rules.actions import Cell
from services.strange_world.rules.events import (
    DarkCityBuilt,
    DeckShuffled,
    FumarolePlaced,
    LandPlaced,
    LandsDealt,
    LandsDesolated,
    PassesResolved,
    PortalAssembled,
    StackPicked,
    StackRevealed,
    StartingLandsDealt,
    SunAssigned,
    TravellerWelcomed,
    TurnStarted,
)
from tests.laws.playing import play, variants

Card = Any


class Placed(msgspec.Struct):
    """One cell of a World: the Land on it, and whether it lies face up, face down, or is covered."""

    land: str
    face: str = "up"


class World(msgspec.Struct):
    """A World as the events tell it."""

    cells: dict[Cell, Placed] = {}
    portals: list[tuple[Cell, Cell]] = []
    travellers: list[TravellerWelcomed] = []
    cities: list[DarkCityBuilt] = []
    plays: int = 0
    eruptions: int = 0

    def rows(self) -> tuple[int, int]:
        """Return the top and bottom row of the box."""
        ys = [cell.y for cell in self.cells]
        return min(ys), max(ys)

    def columns(self) -> tuple[int, int]:
        """Return the left and right column of the box."""
        xs = [cell.x for cell in self.cells]
        return min(xs), max(xs)


class Table(msgspec.Struct):
    """A whole game as the events tell it, up to and with `step`; `settled` when no play is in progress."""

    pack: Any
    worlds: list[World]
    hands: list[list[str]]
    deck: list[str] = []
    stacks: list[list[str]] = []
    out: list[str] = []
    step: Any = None
    holder: int | None = None
    turn: int = 0
    first: int = 0

    @property
    def settled(self) -> bool:
        """Say whether no play is in progress."""
        decision = TITLE.decision(self.step.after)
        return decision is None or decision.kind not in ("welcome_traveller", "cover_card", "choose_city_partner")


def neighbours(cell: Cell) -> list[Cell]:
    """Return the four neighbours of a cell."""
    x, y = cell.x, cell.y
    return [Cell(x - 1, y), Cell(x + 1, y), Cell(x, y - 1), Cell(x, y + 1)]


def follow(table: Table, event: Any) -> None:
    """Do to the table what an event says."""
    match event:
        case StartingLandsDealt(lands, unused):
            table.worlds = [World(cells={Cell(0, 0): Placed(land)}) for land in lands]
            table.hands = [[] for _ in lands]
            table.out = list(unused)
        case DeckShuffled(_, order):
            table.deck = list(order)
            if len(table.worlds) == 1:
                table.stacks = [table.deck[i : i + 3] for i in range(0, 21, 3)]
                table.deck = []
        case SunAssigned(seat):
            table.first = seat
        case TurnStarted(turn, holder):
            table.turn, table.holder = turn, holder
        case _:
            follow_cards(table, event)


def follow_cards(table: Table, event: Any) -> None:
    """Do to hands and deck what an event of a deal, a pass or a solo stack says."""
    match event:
        case LandsDealt(hands, _):
            seats = len(table.hands)
            for hand in sorted(hands, key=lambda hand: (hand.seat - (table.holder or 0)) % seats):
                assert sorted(table.deck[:3]) == sorted(hand.lands)
                table.hands[hand.seat] = list(hand.lands)
                del table.deck[:3]
        case PassesResolved(_, transfers):
            for transfer in transfers:
                for land in transfer.lands:
                    table.hands[transfer.giver].remove(land)
            for transfer in transfers:
                table.hands[transfer.receiver] += transfer.lands
        case StackPicked(stack, land):
            table.hands[0].append(land)
            table.stacks[stack - 1].remove(land)
        case StackRevealed(stack, lands):
            table.hands[0] += lands
            assert sorted(table.stacks[stack - 1]) == sorted(lands)
            table.stacks[stack - 1] = []
        case _:
            follow_play(table, event)


def follow_play(table: Table, event: Any) -> None:
    """Do to a World what an event of a play says."""
    match event:
        case LandPlaced(seat, land, cell):
            table.hands[seat].remove(land)
            assert cell not in table.worlds[seat].cells
            table.worlds[seat].cells[cell] = Placed(land)
            table.worlds[seat].plays += 1
        case LandsDesolated(seat, flips):
            for flip in flips:
                table.worlds[seat].cells[flip.cell].face = "tzimime"
        case PortalAssembled(seat, left, right):
            table.worlds[seat].portals.append((left, right))
        case TravellerWelcomed():
            table.worlds[event.seat].travellers.append(event)
        case FumarolePlaced(seat, _, cell, land, tzimime):
            placed = table.worlds[seat].cells[cell]
            assert (placed.land, placed.face) == (land, "tzimime" if tzimime else "up")
            placed.face = "fumarole"
            table.worlds[seat].eruptions += 1
        case DarkCityBuilt():
            table.worlds[event.seat].cities.append(event)
        case _:
            pass


def tables() -> Iterator[Table]:
    """Return every position of every random game, with the game as its events tell it so far."""
    for variant, game in variants(TITLE):
        table = Table(newest(variant.options["pack"]), [], [])
        for step in play(TITLE, variant, game):
            table.step = step
            for event in step.events:
                follow(table, event)
            yield table


def card(table: Table, land: str) -> Card:
    """Return what a Land shows."""
    return table.pack.lands[land]


def up(table: Table, world: World) -> dict[Cell, Card]:
    """Return the face-up Lands of a World."""
    return {cell: card(table, placed.land) for cell, placed in world.cells.items() if placed.face == "up"}


def faces(world: World, face: str) -> list[Cell]:
    """Return the cells that lie like this."""
    return [cell for cell, placed in world.cells.items() if placed.face == face]


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return the same event with other cards in it."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, tuple):
        return tuple(renamed(item, names) for item in value)
    if isinstance(value, msgspec.Struct):
        return type(value)(*(renamed(getattr(value, field), names) for field in value.__struct_fields__))
    return value
