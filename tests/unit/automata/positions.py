"""Positions of Strange World reached by random play, for tests of brains."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from services.automata.brains import EVERY_TITLE
from services.strange_world.rules import TITLE, State
from shared.rng import KeyedDraw


def chance(seed: str) -> KeyedDraw:
    """Return a source of chance that follows from `seed`."""
    return KeyedDraw(hashlib.sha256(seed.encode()).digest())


def begun(seats: int, seed: str, options: dict[str, str] | None = None) -> State:
    """Return a game that has just begun."""
    return evolved(None, TITLE.setup(TITLE.parse(options or {}), seats, chance(seed)))


def evolved(state: State | None, events: tuple[Any, ...]) -> State:
    """Fold events."""
    for event in events:
        state = TITLE.evolve(state, event)
    assert state is not None
    return state


def positions(seats: int, seed: str, options: dict[str, str] | None = None) -> Iterator[tuple[State, int]]:
    """Yield every state of a random game in which a seat must act, and that seat."""
    state, draw = begun(seats, seed, options), chance(f"{seed} play")
    while (decision := TITLE.decision(state)) is not None:
        seat = decision.seats[0]
        yield state, seat
        legal = TITLE.legal_actions(state, seat)
        action = EVERY_TITLE["random"].choose(TITLE, None, legal, draw)
        state = evolved(state, TITLE.decide(state, seat, action, draw))
