"""Group `rules`: the pure functions of a title, without any server."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from services.cli.bench.amounts import Amounts
from services.cli.bench.measured import Figure, Measured, p99
from services.cli.bench.planning import play, seats_of
from shared.engine.title_wire import AnyTitle
from shared.rng import KeyedDraw


def measure(title: AnyTitle, amounts: Amounts) -> Measured:
    """Play random games for speed, and others looking at every position of each."""
    seats = seats_of(title)
    _speed(title, seats, range(1))
    numbers = range(amounts.simulated)
    speeds = [_speed(title, seats, numbers) for _ in range(amounts.rounds)]
    looks = [_looks(title, seats, range(max(1, amounts.simulated // 8))) for _ in range(amounts.rounds)]
    actions = sum(speed[0] for speed in speeds) / len(speeds) / len(numbers)
    return Measured(
        {
            "random_play": median(done / seconds for done, seconds in speeds),
            "legal_actions_p99": median(p99(legal) for legal, _ in looks) / 1e3,
            "view_p99": median(p99(view) for _, view in looks) / 1e3,
        },
        (
            Figure("rules alone: actions in a game of random play", actions, ""),
            Figure("rules alone: legal_actions, p50", median(median(legal) for legal, _ in looks) / 1e3, "µs"),
            Figure("rules alone: view, p50", median(median(view) for _, view in looks) / 1e3, "µs"),
        ),
    )


def _draw(number: int) -> KeyedDraw:
    return KeyedDraw(number.to_bytes(32, "big"))


def _speed(title: AnyTitle, seats: int, numbers: range) -> tuple[int, float]:
    """Return how many actions some games took, and how many CPU seconds."""
    actions = 0

    def count(_state: Any, _seat: int, _action: Any) -> None:
        nonlocal actions
        actions += 1

    started = time.process_time()
    for number in numbers:
        play(title, seats, _draw(number), number, count)
    return actions, time.process_time() - started


def _looks(title: AnyTitle, seats: int, numbers: range) -> tuple[list[int], list[int]]:
    """Return CPU nanoseconds of `legal_actions` and of `view` in every position of some games, for the seat to act."""
    legals: list[int] = []
    views: list[int] = []
    clock = time.thread_time_ns

    def look(state: Any, seat: int, _action: Any) -> None:
        started = clock()
        title.legal_actions(state, seat)
        between = clock()
        title.view(state, seat)
        views.append(clock() - between)
        legals.append(between - started)

    for number in numbers:
        play(title, seats, _draw(number), number, look)
    return legals, views
