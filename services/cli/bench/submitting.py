"""Group `submit`: one command in flight, beside a bare echo and a bare append of the same sizes."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from statistics import median

from services.cli.bench.amounts import Amounts
from services.cli.bench.load import Load, one_by_one
from services.cli.bench.measured import Measured, micros, ratio
from services.cli.bench.planning import Step


async def measure(load: Load, amounts: Amounts) -> Measured:
    """Time echo, append and command by turns."""
    _, sizes = await load.played()
    steps = _steps(load)
    echoes: list[float] = []
    appends: list[float] = []
    commands: list[float] = []
    for _ in range(amounts.rounds):
        some = list(itertools.islice(itertools.cycle(sizes), amounts.calls))
        echoes.append(median(await one_by_one(load.echo, some)))
        appends.append(median(await one_by_one(load.append, some)))
        commands.append(median(await one_by_one(load.submit, [await anext(steps) for _ in some])))
    bare = [echo + append for echo, append in zip(echoes, appends, strict=True)]
    return Measured(
        {"submit_p50": ratio(commands, bare)},
        (
            micros("1 in flight: bare echo, p50", echoes),
            micros("1 in flight: bare append, p50", appends),
            micros("1 in flight: command, p50", commands),
        ),
    )


async def _steps(load: Load) -> AsyncIterator[Step]:
    """Yield the steps of one game after the other."""
    while True:
        plan = await load.game()
        for step in plan.steps:
            yield step
        await load.check(plan, len(plan.steps))
