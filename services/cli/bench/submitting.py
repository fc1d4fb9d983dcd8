"""Group `submit`: one command in flight, beside a bare echo and a bare append of the same sizes."""

from __future__ import annotations

import itertools
from statistics import median

from services.cli.bench.amounts import Amounts
from services.cli.bench.load import Load, one_by_one
from services.cli.bench.measured import Measured, micros, ratio
from services.cli.bench.planning import steps_of


async def measure(load: Load, amounts: Amounts) -> Measured:
    """Time echo, append and command by turns."""
    _, sizes = await load.played()
    steps = steps_of(await load.games(amounts.rounds * amounts.calls))
    echoes: list[float] = []
    appends: list[float] = []
    commands: list[float] = []
    for number in range(amounts.rounds):
        some = list(itertools.islice(itertools.cycle(sizes), amounts.calls))
        echoes.append(median(await one_by_one(load.echo, some)))
        appends.append(median(await one_by_one(load.append, some)))
        turn = steps[number * amounts.calls :][: amounts.calls]
        commands.append(median(await one_by_one(load.submit, turn)))
    bare = [echo + append for echo, append in zip(echoes, appends, strict=True)]
    return Measured(
        {"submit_p50": ratio(commands, bare)},
        (
            micros("1 in flight: bare echo, p50", echoes),
            micros("1 in flight: bare append, p50", appends),
            micros("1 in flight: command, p50", commands),
        ),
    )
