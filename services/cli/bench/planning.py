"""Games planned in advance on the rules alone, so that a load has nothing to decide while it is measured.

The bench knows the seed key of the server it measures, so it can draw what the server will draw: a plan holds every
request of a whole game, ready to be sent, and where the game must end.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from shared.engine.title_wire import AnyTitle, TitleWire
from shared.kernel import Draw
from shared.rng import KeyedDraw, game_seed, server_seed

LONGEST = 20_000
"""More actions than any game of random play takes; a title that goes on has no end."""


class Step(Struct, frozen=True):
    """One action of a planned game: the seat that takes it, its kind, itself, and its serialised request."""

    seat: int
    kind: str
    action: Any
    request: bytes


class Plan(Struct, frozen=True):
    """A whole game: its id, its seats, each seat's entropy and every step; it ends in `state`."""

    game_id: str
    seats: int
    entropies: tuple[bytes, ...]
    steps: tuple[Step, ...]
    state: Any


def make_plan(wire: TitleWire, game_id: str, seats: int, key: bytes, number: int) -> Plan:
    """Plan one game of random play; `number` decides which of the legal actions are taken."""
    entropies = tuple(b"%d" % seat for seat in range(seats))
    draw = KeyedDraw(game_seed(server_seed(key, game_id), entropies))
    request = wire.message("SubmitActionRequest")
    steps: list[Step] = []

    def note(_state: Any, seat: int, action: Any) -> None:
        fields: Any = {"game_id": game_id, "seat": seat, "action": wire.actions.to_message(action)}
        message = request(**fields, request_id=f"{game_id}-{len(steps)}")
        steps.append(Step(seat, type(action).__name__, action, message.SerializeToString()))

    state = play(wire.title, seats, draw, number, note)
    return Plan(game_id, seats, entropies, tuple(steps), state)


def play(title: AnyTitle, seats: int, draw: Draw, number: int, note: Callable[[Any, int, Any], None]) -> Any:
    """Play one game by taking any legal action each time, and return its last state.

    `note` is told each action before it is applied: the state, the seat, the action.
    """
    chance = random.Random(number)  # noqa: S311 - repeatable, not secret
    state: Any = None
    for event in title.setup(title.parse({}), seats, draw):
        state = title.evolve(state, event)
    for _ in range(LONGEST):
        decision = title.decision(state)
        if decision is None:
            return state
        seat = decision.seats[0]
        action = chance.choice(title.legal_actions(state, seat))
        note(state, seat, action)
        for event in title.decide(state, seat, action, draw):
            state = title.evolve(state, event)
    raise AssertionError(f"{title.id} does not end within {LONGEST} actions")


def seats_of(title: AnyTitle) -> int:
    """Return with how many seats a title is measured: four, or as many as it allows below that."""
    return max((count for count in title.seats if count <= 4), default=min(title.seats))


def steps_of(plans: Sequence[Plan]) -> list[Step]:
    """Return all steps of some games, one game after the other."""
    return [step for plan in plans for step in plan.steps]
