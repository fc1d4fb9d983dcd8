"""How much `strata bench` measures: every loop is bounded by these numbers and every wait by `PATIENCE`."""

from __future__ import annotations

from msgspec import Struct

PATIENCE = 60.0
"""Seconds after which anything the bench waits for counts as failed."""

IN_FLIGHT = 64


class Amounts(Struct, frozen=True, kw_only=True):
    """Amounts of one run.

    Everything is measured in `rounds`, of which the median counts. In a round: `calls` one in flight, `steps` by each
    of the workers in flight together, `games` replayed, `simulated` games on the rules alone; `history` is how many
    commits make a long history, `starts` how often the whole backend is started.
    """

    rounds: int
    calls: int
    steps: int
    games: int
    simulated: int
    history: int
    starts: int


FULL = Amounts(rounds=7, calls=300, steps=40, games=10, simulated=40, history=5_000, starts=5)
QUICK = Amounts(rounds=5, calls=40, steps=6, games=2, simulated=5, history=500, starts=1)
