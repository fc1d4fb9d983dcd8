"""Recorded games as text that people can read and a test can drive again.

A file begins with what was set up; each `>` line is an action (seat, kind, fields as JSON), the lines below it are the
events that came of it. Driving the actions again must give the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from shared.engine.title_wire import AnyTitle
from shared.rng import KeyedDraw
from shared.wire import snake

Choose = Callable[[Any, int, tuple[Any, ...]], Any]


def header(title: AnyTitle, seats: int, options: dict[str, str], seed: str) -> str:
    """Return the first line of a file."""
    return " · ".join([title.id, f"{seats} seats", f"seed {seed}", *(f"{k}={v}" for k, v in sorted(options.items()))])


def read_header(line: str) -> tuple[str, int, dict[str, str], str]:
    """Return title, seats, options and seed of a file."""
    title, seats, seed, *options = line.split(" · ")
    return title, int(seats.split()[0]), dict(option.split("=", 1) for option in options), seed.removeprefix("seed ")


def tell(title: AnyTitle, seats: int, options: dict[str, str], seed: str, choose: Choose) -> str:
    """Play a game whose actions `choose` picks (state, seat, legal actions) and return its text."""
    return "\n".join(_lines(title, seats, options, seed, choose)) + "\n"


def _lines(title: AnyTitle, seats: int, options: dict[str, str], seed: str, choose: Choose) -> Iterator[str]:
    draw = KeyedDraw(seed.encode())
    yield header(title, seats, options, seed)
    state = None
    for event in title.setup(title.parse(options), seats, draw):
        state = title.evolve(state, event)
        yield f"    {named(event)}"
    while (decision := title.decision(state)) is not None:
        seat = decision.seats[0]
        action = choose(state, seat, title.legal_actions(state, seat))
        yield f"> {seat} {named(action)}"
        for event in title.decide(state, seat, action, draw):
            state = title.evolve(state, event)
            yield f"    {named(event)}"
    result = title.result(state)
    assert result is not None
    for standing in result.standings:
        lines = ", ".join(f"{line.category} {line.points}" for line in standing.lines)
        yield f"= seat {standing.seat}: rank {standing.rank}, total {standing.total} ({lines})"
    yield f"= outcome {result.outcome or 'none'}"


def named(value: Any) -> str:
    """Return a struct as its kind and its fields."""
    return f"{snake(type(value).__name__)} {msgspec.json.encode(value).decode()}"


def actions(text: str, title: AnyTitle) -> Iterator[Any]:
    """Return the actions a file records, in order."""
    kinds = {snake(kind.__name__): kind for kind in title.actions.__args__}
    for line in text.splitlines():
        if line.startswith("> "):
            _, _, kind, fields = line.split(" ", 3)
            yield msgspec.json.decode(fields, type=kinds[kind])
