"""Group `submit`: one command in flight, beside a bare echo and a bare append of the same sizes.

The three are made by turns, one of each at a time: a command does what an echo and an append do, one after the other,
and finds the processor's caches as they leave them. Each alone in a loop of its own is faster than in company; what
that comparison gives is shown among the figures.
"""

from __future__ import annotations

import itertools
from statistics import median

from services.cli.bench.amounts import Amounts
from services.cli.bench.load import Load, Sizes, by_turns, one_by_one
from services.cli.bench.measured import Figure, Measured, micros, ratio
from services.cli.bench.planning import Step, steps_of


async def measure(load: Load, amounts: Amounts) -> Measured:
    """Time echo, append and command."""
    _, sizes = await load.played()
    calls = amounts.calls
    some = list(itertools.islice(itertools.cycle(sizes), calls))
    steps = steps_of(await load.games(2 * amounts.rounds * calls))
    turns = [steps[start : start + calls] for start in range(0, len(steps), calls)]
    rounds = [await _by_turns(load, some, turns[number]) for number in range(amounts.rounds)]
    alone = [await _alone(load, some, turns[amounts.rounds + number]) for number in range(amounts.rounds)]
    echoes, appends, commands = zip(*rounds, strict=True)
    return Measured(
        {"submit_p50": _cost(rounds)},
        (
            micros("1 in flight: bare echo, p50", echoes),
            micros("1 in flight: bare append, p50", appends),
            micros("1 in flight: command, p50", commands),
            Figure("1 in flight: command / (echo + append), each in a loop of its own", _cost(alone), "ratio"),
        ),
    )


_Medians = tuple[float, float, float]
"""Median seconds of an echo, an append and a command."""


async def _by_turns(load: Load, sizes: list[Sizes], steps: list[Step]) -> _Medians:
    echoes, appends, commands = await by_turns((load.echo, sizes), (load.append, sizes), (load.submit, steps))
    return median(echoes), median(appends), median(commands)


async def _alone(load: Load, sizes: list[Sizes], steps: list[Step]) -> _Medians:
    echoes, appends = await one_by_one(load.echo, sizes), await one_by_one(load.append, sizes)
    return median(echoes), median(appends), median(await one_by_one(load.submit, steps))


def _cost(rounds: list[_Medians]) -> float:
    return ratio([command for _, _, command in rounds], [echo + append for echo, append, _ in rounds])
