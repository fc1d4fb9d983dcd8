"""Playing in the World of a drawing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from services.strange_world.content import newest
from services.strange_world.rules import TITLE, Action, Event, State
from services.strange_world.rules.actions import (
    Cell,
    ChooseCityPartner,
    CoverCard,
    DeclineTraveller,
    PlaceLand,
    WelcomeTraveller,
)
from services.strange_world.rules.board import place_of
from services.strange_world.rules.events import LandsDesolated
from services.strange_world.rules.phases import PlacingLand, WelcomingTraveller
from services.strange_world.rules.state import World, replaced
from shared.kernel import Decision, Draw
from tests.unit.strange_world.drawing import Block, parse
from tests.unit.strange_world.positions import OWNER, SIDES, Position, token

FIRST_PORTAL = """
      |  a     b     c     |
    1 |  .     .     .     |
    2 |  .     (M)   ?     |
    3 |  .     Fb    .     |
    play: (P) at c2
"""
"""A block whose play makes the first Portal of a World that may grow to all sides."""


class NoChance(Draw):
    """A draw that nothing may ask: after set-up a game has no chance left."""

    def below(self, bound: int, label: str) -> int:
        """Fail."""
        raise AssertionError(f"drew below {bound} for {label}")


def fold(events: Iterable[Event], state: State | None = None) -> State:
    """Apply events one by one."""
    for event in events:
        state = TITLE.evolve(state, event)
    assert state is not None
    return state


class Scene:
    """A drawn World, owned by seat 0 who is to play, and what happens in it."""

    def __init__(self, block: Block, *, pack: str = "classic", hand: Sequence[str] = (), strict: bool = False) -> None:
        """Build the World of a block's first drawing; `hand` are tokens, in addition to the card of `play`."""
        self.pack = newest(pack)
        position = Position(block, self.pack)
        self.frame = position.frame
        self.names = list(block.before)
        self._cards = position.cards
        played = [block.keys["play"].split(" at ")[0]] if "play" in block.keys else []
        self.hand = {wanted: self._cards.take(wanted) for wanted in (*played, *hand)}
        self.events: tuple[Event, ...] = ()
        strict = strict or block.keys.get("option") == "strict_volcano"
        self.before = self.state = fold(position.events(tuple(self.hand.values()), strict=strict))

    @property
    def world(self) -> World:
        """The World as it now is."""
        return self.state.worlds[OWNER]

    @property
    def decision(self) -> Decision | None:
        """What the game waits for."""
        return TITLE.decision(self.state)

    def cell(self, name: str) -> Cell:
        """Return a cell by its name in the drawing."""
        return self.frame.cell(name)

    def act(self, action: Action) -> tuple[Event, ...]:
        """Let the owner act; all events since the beginning are in `events`."""
        events = TITLE.decide(self.state, OWNER, action, NoChance())
        self.events += events
        self.state = fold(events, self.state)
        return events

    def play(self, wanted: str, name: str) -> tuple[Event, ...]:
        """Play the card of the hand that a token shows."""
        return self.act(PlaceLand(self.hand[wanted], self.cell(name)))

    def welcome(self, text: str) -> tuple[Event, ...]:
        """Take a Traveller as in `rumph L 1|2`, or `decline`."""
        if text == "decline":
            return self.act(DeclineTraveller())
        traveller, side, slot = text.split()
        return self.act(WelcomeTraveller(traveller, SIDES[side], int(slot.split("|")[0]) - self.frame.row))

    def cover(self, name: str) -> tuple[Event, ...]:
        """Choose the card that the eruption covers."""
        return self.act(CoverCard(self.cell(name)))

    def join(self, name: str) -> tuple[Event, ...]:
        """Choose the other half of a City."""
        return self.act(ChooseCityPartner(self.cell(name)))

    def options(self) -> tuple[Action, ...]:
        """Return what the owner may do."""
        return TITLE.legal_actions(self.state, OWNER)

    def option_cells(self) -> list[str]:
        """Return the names of the cells among which the owner is to choose."""
        return [
            self.frame.name(option.cell)
            for option in self.options()
            if isinstance(option, (CoverCard, ChooseCityPartner))
        ]

    def legal(self, wanted: str = "O", *, strict: bool = False) -> list[str]:
        """Return the names of the cells where seat 0 could place a card now, by row, then by column."""
        land = self.hand.get(wanted) or self._cards.take(wanted)
        self.hand[wanted] = land
        hands = replaced(self.state.hands, OWNER, (land,))
        state = msgspec.structs.replace(self.state, phase=PlacingLand(OWNER), hands=hands, strict_volcano=strict)
        actions = TITLE.legal_actions(state, OWNER)
        return [self.frame.name(action.cell) for action in actions if isinstance(action, PlaceLand)]

    def drawing(self) -> dict[str, str]:
        """Draw the World as it now is, over the cells of the given drawing."""
        return {name: self._token(name) for name in self.names}

    def of(self, kind: type[Struct]) -> list[Struct]:
        """Return the events of one kind that happened so far."""
        return [event for event in self.events if isinstance(event, kind)]

    def flips(self) -> dict[str, list[str]]:
        """Return what flipped so far, with causes."""
        return {
            self.frame.name(flip.cell): [cause.value for cause in flip.causes]
            for event in self.events
            if isinstance(event, LandsDesolated)
            for flip in event.flips
        }

    def _token(self, name: str) -> str:
        place = place_of(self.cell(name))
        world = self.world
        if place < 0 or not world.occupied >> place & 1:
            return "."
        if world.fumaroles >> place & 1:
            return "@" if world.used >> place & 1 else "*"
        if world.tzimimes >> place & 1:
            return "T"
        shown = token(self.pack, self.pack.lands[world.lands[place]])
        if any(portal.left == self.cell(name) for portal in world.portals):
            return shown.replace(")", "=")
        return shown.replace("(", "=") if any(portal.right == self.cell(name) for portal in world.portals) else shown


def scene(text: str, *, pack: str = "classic", hand: Sequence[str] = (), strict: bool = False) -> Scene:
    """Build a scene from the text of a block."""
    return Scene(parse(text), pack=pack, hand=hand, strict=strict)


def welcoming(text: str) -> Scene:
    """Play the card of a block that makes a Portal, up to the question for a Traveller."""
    drawn = scene(text)
    wanted, name = text.split("play: ")[1].split("\n", maxsplit=1)[0].split(" at ")
    drawn.play(wanted, name)
    assert isinstance(drawn.state.phase, WelcomingTraveller)
    return drawn
