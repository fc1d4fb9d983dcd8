"""Group `crowd`: many commands in flight over as many games, beside as many bare echoes; rate and server CPU."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from typing import Any

from msgspec import Struct

from services.cli.bench import machine
from services.cli.bench.amounts import IN_FLIGHT, Amounts
from services.cli.bench.arena import Peer
from services.cli.bench.load import Load, together
from services.cli.bench.measured import Figure, Measured, ratio
from services.cli.bench.planning import Plan, steps_of

_MODES = ("always", "everysec")


class _Round(Struct, frozen=True):
    """One kind of load in one round: how many a second, and CPU seconds of the server for each."""

    rate: float
    cpu: float


async def measure(load: Load, amounts: Amounts) -> Measured:
    """Send echoes, commands with fsync always, and commands with fsync every second, by turns."""
    _, sizes = await load.played()
    workers = [await load.games(amounts.rounds * len(_MODES) * amounts.steps) for _ in range(IN_FLIGHT)]
    steps = [steps_of(plans) for plans in workers]
    sent = 0
    found: dict[str, list[_Round]] = {"echo": [], **{mode: [] for mode in _MODES}}
    some = list(itertools.islice(itertools.cycle(sizes), amounts.steps))
    for _ in range(amounts.rounds):
        found["echo"].append(await _round(load.echo, [some] * IN_FLIGHT, load.arena.echo))
        for mode in _MODES:
            await load.arena.fsync(mode)
            turn = [mine[sent : sent + amounts.steps] for mine in steps]
            found[mode].append(await _round(load.submit, turn, load.arena.engine))
            sent += amounts.steps
    await load.arena.fsync("always")
    await _check(load, workers, sent)
    return _measured(found)


async def _round(do: Callable[[Any], Awaitable[Any]], workers: Sequence[Sequence[Any]], peer: Peer) -> _Round:
    before = machine.cpu_seconds(peer.pid)
    rate = await together(do, workers)
    return _Round(rate, (machine.cpu_seconds(peer.pid) - before) / sum(map(len, workers)))


async def _check(load: Load, workers: Sequence[Sequence[Plan]], sent: int) -> None:
    """See that every game took exactly what was sent."""
    for plans in workers:
        rest = sent
        for plan in plans:
            await load.check(plan, min(rest, len(plan.steps)))
            rest -= min(rest, len(plan.steps))


def _measured(found: dict[str, list[_Round]]) -> Measured:
    rates = {kind: [one.rate for one in rounds] for kind, rounds in found.items()}
    cpus = {kind: [one.cpu for one in rounds] for kind, rounds in found.items()}
    names = {"echo": "echo", "always": "command, fsync always", "everysec": "command, fsync every second"}
    figures = [Figure(f"{IN_FLIGHT} in flight: {names[kind]}", median(rates[kind]), "a second") for kind in found]
    figures += [Figure(f"{IN_FLIGHT} in flight: {names[kind]}, CPU", median(cpus[kind]) * 1e6, "µs") for kind in found]
    return Measured(
        {
            "submit_rate": ratio(rates["always"], rates["echo"]),
            "submit_rate_everysec": ratio(rates["everysec"], rates["echo"]),
            "submit_cpu": ratio(cpus["always"], cpus["echo"]),
        },
        tuple(figures),
    )
