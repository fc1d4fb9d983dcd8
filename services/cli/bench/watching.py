"""Group `watch`: from sending a command to the moment a spectator has been told, beside a bare echo."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Iterator
from statistics import median

from services.cli.bench.amounts import Amounts
from services.cli.bench.load import Load, Sizes, by_turns
from services.cli.bench.measured import Measured, micros, ratio
from services.cli.bench.planning import Step


async def measure(load: Load, amounts: Amounts) -> Measured:
    """Time echoes and watched commands by turns, in one game a round."""
    _, sizes = await load.played()
    rounds = [await _round(load, itertools.cycle(sizes), amounts.calls) for _ in range(amounts.rounds)]
    echoes, told = zip(*rounds, strict=True)
    return Measured({"watch_p50": ratio(told, echoes)}, (micros("command sent → watcher told, p50", told),))


async def _round(load: Load, sizes: Iterator[Sizes], limit: int) -> tuple[float, float]:
    """Watch a new game being played, at most `limit` steps; return the median times of an echo and of being told."""
    plan = await load.game()
    async with contextlib.aclosing(load.watch(plan)) as watch:

        async def watched(step: Step) -> None:
            answer = asyncio.ensure_future(load.submit(step))
            await anext(watch)
            answers.append(answer)

        answers: list[asyncio.Future[bytes]] = []
        steps = plan.steps[:limit]
        echoes, told = await by_turns((load.echo, [next(sizes) for _ in steps]), (watched, steps))
        await asyncio.gather(*answers)
    return median(echoes), median(told)
