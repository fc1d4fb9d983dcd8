"""Group `watch`: from sending a command to the moment a spectator has been told, beside a bare echo."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from statistics import median

from services.cli.bench.amounts import PATIENCE, Amounts
from services.cli.bench.load import Load, one_by_one
from services.cli.bench.measured import Measured, micros, ratio


async def measure(load: Load, amounts: Amounts) -> Measured:
    """Time an echo and a watched command by turns, in one game a round."""
    _, sizes = await load.played()
    echoes: list[float] = []
    told: list[float] = []
    for _ in range(amounts.rounds):
        some = itertools.islice(itertools.cycle(sizes), amounts.calls)
        echoes.append(median(await one_by_one(load.echo, some)))
        told.append(median(await _watched(load, amounts.calls)))
    return Measured({"watch_p50": ratio(told, echoes)}, (micros("command sent → watcher told, p50", told),))


async def _watched(load: Load, limit: int) -> list[float]:
    """Play a new game, at most `limit` steps; return how many seconds after sending each the watcher knew."""
    plan = await load.game()
    times: list[float] = []
    async with asyncio.timeout(PATIENCE), contextlib.aclosing(load.watch(plan)) as watch:
        for step in plan.steps[:limit]:
            started = time.perf_counter()
            answer = asyncio.ensure_future(load.submit(step))
            await anext(watch)
            times.append(time.perf_counter() - started)
            await answer
    return times
