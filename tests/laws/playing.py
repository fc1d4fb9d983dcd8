"""Random legal play of any title, step by step, for laws that must hold in every state it reaches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from shared.engine.title_wire import AnyTitle
from shared.kernel import Decision, Draw, Refusal
from shared.rng import DrawRecord, KeyedDraw
from tests.titles import VARIANTS, Variant

GAMES = int(os.environ.get("STRATA_LAWS_GAMES", "2"))
"""Random games for each variant of a title; a longer run says so in the environment."""


class Step(Struct, frozen=True):
    """One commit of a random game: what was before, what was done, what came of it.

    The first step sets the game up: `before`, `decision` and `action` are None and `seat` is -1.
    """

    title: Any
    variant: Variant
    before: Any
    decision: Decision | None
    seat: int
    action: Any
    events: tuple[Any, ...]
    draws: tuple[DrawRecord, ...]
    after: Any


def seed_of(title: AnyTitle, variant: Variant, game: int) -> bytes:
    """Return the seed of the n-th random game of a variant."""
    return f"laws {title.id} {variant.seats} {sorted(variant.options.items())} {game}".encode()


def fold(title: AnyTitle, state: Any, events: tuple[Any, ...]) -> Any:
    """Apply events one by one."""
    for event in events:
        state = title.evolve(state, event)
    return state


def play(title: AnyTitle, variant: Variant, game: int) -> Iterator[Step]:
    """Play one random game; who answers first among several, and what, is drawn from its own seed."""
    seed = seed_of(title, variant, game)
    chance, choice = KeyedDraw(seed), KeyedDraw(seed + b" choices")
    settings = title.parse(variant.options)
    events = title.setup(settings, variant.seats, chance)
    state = fold(title, None, events)
    yield Step(title, variant, None, None, -1, None, events, tuple(chance.records), state)
    while (decision := title.decision(state)) is not None:
        seat = decision.seats[choice.below(len(decision.seats), "seat")]
        actions = title.legal_actions(state, seat)
        action = actions[choice.below(len(actions), "action")]
        done = len(chance.records)
        events = title.decide(state, seat, action, chance)
        after = fold(title, state, events)
        yield Step(title, variant, state, decision, seat, action, events, tuple(chance.records[done:]), after)
        state = after


def variants(title: AnyTitle, times: int = 1) -> list[tuple[Variant, int]]:
    """Return every variant of a title with the numbers of the games to play of it, `times` as many for rare things."""
    return [(variant, game) for variant in VARIANTS[title.id] for game in range(GAMES * times)]


def refusal(title: AnyTitle, state: Any, seat: int, action: Any) -> str | None:
    """Return the reason and sentence with which an action is refused, None if it is accepted."""
    try:
        title.decide(state, seat, action, Fresh())
    except Refusal as refused:
        return f"{refused.reason.name}: {refused.sentence}"
    return None


class Fresh(Draw):
    """Draws that need no seed: always the last one of the bound."""

    def below(self, bound: int, label: str) -> int:
        """Return the largest possible result."""
        del label
        return bound - 1


def steps(title: AnyTitle, every: int = 1) -> Iterator[tuple[int, Step]]:
    """Return the steps of all random games, or every so manieth, counted over all games."""
    count = 0
    for variant, game in variants(title):
        for step in play(title, variant, game):
            count += 1
            if count % every == 0:
                yield count, step


def viewers(step: Step) -> tuple[int | None, ...]:
    """Return everybody who may look: all seats and a spectator."""
    return (*range(step.variant.seats), None)


def pool(title: AnyTitle) -> list[Any]:
    """Return actions of every kind from one game of each variant, to be tried where they may not fit."""
    found: dict[bytes, Any] = {}
    for variant in VARIANTS[title.id]:
        for step in play(title, variant, 1):
            if step.action is not None:
                found[type(step.action).__name__.encode() + msgspec.json.encode(step.action)] = step.action
    return [action for _, action in sorted(found.items())][:: max(1, len(found) // 150)]
