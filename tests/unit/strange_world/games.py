"""Whole games of random legal play, kept, for rules about turns, secrets and events."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

from msgspec import Struct

from services.strange_world.rules import TITLE, Action, Event, Settings, State
from shared.kernel import Draw, Reason, Refusal
from shared.rng import KeyedDraw
from tests.unit.strange_world.building import NoChance, fold

Kind = TypeVar("Kind")


class Step(Struct, frozen=True):
    """One answer of a game, its events, and the states before and after it."""

    before: State
    seat: int
    action: Action
    events: tuple[Event, ...]
    after: State


class Game(Struct, frozen=True):
    """A whole game: its first events, its first state, its answers."""

    opening: tuple[Event, ...]
    start: State
    steps: tuple[Step, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """All events from the first to the last."""
        return self.opening + tuple(event for step in self.steps for event in step.events)

    @property
    def states(self) -> tuple[State, ...]:
        """All states in which the game waits for an answer, and the last one."""
        return (self.start, *(step.after for step in self.steps))

    def of(self, kind: type[Kind]) -> list[Kind]:
        """Return the events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]


@lru_cache(maxsize=256)
def game(seats: int, number: int = 0, *, pack: str = "classic", strict: bool = False) -> Game:
    """Play one game at random; the same arguments give the same game."""
    seed = f"{seats} {number} {pack} {strict}".encode()
    return play(seats, KeyedDraw(seed), KeyedDraw(seed + b" choices"), Settings(pack, strict_volcano=strict))


def play(seats: int, chance: Draw, choices: Draw, settings: Settings) -> Game:
    """Play one game; `choices` decides who answers first among several, and what."""
    opening = TITLE.setup(settings, seats, chance)
    start = state = fold(opening)
    steps = []
    while (decision := TITLE.decision(state)) is not None:
        seat = decision.seats[choices.below(len(decision.seats), "seat")]
        actions = TITLE.legal_actions(state, seat)
        action = actions[choices.below(len(actions), "action")]
        events = TITLE.decide(state, seat, action, NoChance())
        after = fold(events, state)
        steps.append(Step(state, seat, action, events, after))
        state = after
    return Game(opening, start, tuple(steps))


def refusal(state: State, seat: int, action: Action) -> Reason | None:
    """Return why an action is refused, None if it is accepted."""
    try:
        TITLE.decide(state, seat, action, NoChance())
    except Refusal as refused:
        return refused.reason
    return None


class Script(Draw):
    """Draws with given results, and a record of what was asked: (label, bound)."""

    def __init__(self, *results: int) -> None:
        """Give these results in turn, then always 0, which leaves everything where it lies."""
        self._results = list(results)
        self.asked: list[tuple[str, int]] = []

    def below(self, bound: int, label: str) -> int:
        """Return the next result."""
        self.asked.append((label, bound))
        result = self._results.pop(0) if self._results else 0
        assert 0 <= result < bound
        return result
