"""Group `replay`: from a game's stream in the store to its state, and what its entries weigh there."""

from __future__ import annotations

import time
from statistics import median

from msgspec import Struct

from services.cli.bench.amounts import Amounts
from services.cli.bench.load import Load
from services.cli.bench.measured import Figure, Measured, micros, ratio
from services.cli.bench.planning import Plan
from services.cli.failing import CommandFailed
from shared.engine.game import replay
from shared.eventlog.log import StreamKey


class _Times(Struct, frozen=True):
    """Seconds to read a game's entries, to read and decode them, and to read and fold them."""

    read: float
    decoded: float
    folded: float


async def measure(load: Load, amounts: Amounts) -> Measured:
    """Read, read and decode, and replay some finished games by turns."""
    plans = [(await load.played())[0] for _ in range(amounts.games)]
    keys = [StreamKey("game", plan.game_id) for plan in plans]
    for plan, key in zip(plans, keys, strict=True):
        await _check(load, plan, key)
    events = sum([await _events(load, key) for key in keys])
    rounds = [await _round(load, keys) for _ in range(amounts.rounds)]
    weights = [await _weight(load, key) for key in keys]
    return Measured(
        {
            "replay_per_event": median((one.folded - one.read) / events for one in rounds) * 1e6,
            "replay_game": median(one.folded for one in rounds) / len(keys) * 1e3,
            "replay_ratio": ratio([one.folded for one in rounds], [one.decoded for one in rounds]),
            "entry_bytes": median(weights),
        },
        (
            Figure("replay: events in a game", events / len(keys), ""),
            micros("replay: reading a game's entries", [one.read / len(keys) for one in rounds]),
            micros("replay: reading and decoding them", [one.decoded / len(keys) for one in rounds]),
        ),
    )


async def _round(load: Load, keys: list[StreamKey]) -> _Times:
    read = decoded = folded = 0.0
    decode = load.wire.commits.decode
    for key in keys:
        started = time.perf_counter()
        await load.arena.log.read(key)
        read += time.perf_counter() - started
        started = time.perf_counter()
        for entry in await load.arena.log.read(key):
            decode(entry.data)
        decoded += time.perf_counter() - started
        started = time.perf_counter()
        replay(load.wire, await load.arena.log.read(key))
        folded += time.perf_counter() - started
    return _Times(read, decoded, folded)


async def _check(load: Load, plan: Plan, key: StreamKey) -> None:
    """See that a replay gives the state that was planned."""
    if replay(load.wire, await load.arena.log.read(key)).state != plan.state:
        raise CommandFailed(f"game {plan.game_id} does not replay to the state it was played to")


async def _events(load: Load, key: StreamKey) -> int:
    commits = [load.wire.commits.decode(entry.data) for entry in await load.arena.log.read(key)]
    return sum(len(commit.events) + len(commit.platform_events) for commit in commits)


async def _weight(load: Load, key: StreamKey) -> float:
    """Return the memory of a stream over the bytes of its entries' values."""
    [name] = [name async for name in load.arena.redis.scan_iter(f"*:game:{key.id}")]
    memory = await load.arena.redis.memory_usage(name, samples=0) or 0
    payload = sum(len(value) for entry in await load.arena.log.read(key) for value in entry.values())
    return memory / payload
