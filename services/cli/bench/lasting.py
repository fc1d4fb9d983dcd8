"""Group `growth`: an action late in a game, or after a long history, must cost what an early one costs.

A long history of one game is written into its stream: the game is played, taken back, played and taken back, thousands
of commits long, and stands at last where it began. The very same commands are then sent again: same positions, same
draws, another history. Late and early in an ordinary game are compared by kind of action, in the engine alone, where
neither gRPC nor the store hides a difference.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any

import msgspec

from services.cli.bench.amounts import PATIENCE, Amounts
from services.cli.bench.load import Load, one_by_one
from services.cli.bench.measured import Figure, Measured, micros, ratio
from services.cli.bench.planning import Plan, Step
from shared.config import SeedKey
from shared.engine.platform import GameCreated, Player, Seat, Undone
from shared.engine.playing import Attempt, Playing, Request
from shared.engine.sessions import Session, Sessions
from shared.engine.title_wire import AnyCommit, Commit
from shared.eventlog.log import Entry, StreamKey
from shared.eventlog.memory import MemoryEventLog

_BATCH = 200
_SETTLING = 0.5
_ENOUGH = 20

Times = dict[str, list[float]]
"""Seconds by kind of action."""


async def measure(load: Load, amounts: Amounts) -> Measured:
    """Compare in one game a round, long history and short by turns."""
    short: list[float] = []
    long: list[float] = []
    early: Times = defaultdict(list)
    late: Times = defaultdict(list)
    for _ in range(amounts.rounds):
        plan = await load.game()
        steps = plan.steps[:-1]
        short.append(median(await one_by_one(load.submit, steps)))
        await _lengthen(load, plan, amounts.history)
        long.append(median(await one_by_one(load.submit, [_again(load, step) for step in steps])))
    for _ in range(amounts.rounds * amounts.games):
        await _engine_alone(load, early, late)
    return Measured(
        {"growth_history": ratio(long, short), "growth_late": _worst(early, late)},
        (
            micros("1 in flight: command at the beginning of a history, p50", short),
            micros(f"1 in flight: command after {amounts.history} commits, p50", long),
            *(Figure(f"engine alone: {kind}, late / early", times, "ratio") for kind, times in _ratios(early, late)),
        ),
    )


def _again(load: Load, step: Step) -> Step:
    """Return a step under another request id."""
    request: Any = load.wire.message("SubmitActionRequest").FromString(step.request)
    request.request_id += "-again"
    return msgspec.structs.replace(step, request=request.SerializeToString())


async def _lengthen(load: Load, plan: Plan, history: int) -> None:
    """Repeat a game's commits in its stream until it has a long history, then take them all back once more."""
    key = StreamKey("game", plan.game_id)
    entries = await load.arena.log.read(key)
    commit: AnyCommit = Commit(
        version=0, at=0, seat=None, events=(), platform_events=(Undone(1),), action=None, draws=()
    )
    undone = msgspec.structs.replace(entries[1], action="undo", seat=None, data=load.wire.stored(commit))
    chain = entries[-1:]
    while len(chain) < history:
        for entry in (undone, *entries[1:]):
            chain.append(_after(chain[-1], entry))
    chain.append(_after(chain[-1], undone))
    async with asyncio.timeout(PATIENCE):
        for start in range(1, len(chain), _BATCH):
            batch = chain[start : start + _BATCH]
            await asyncio.gather(*(load.arena.log.append(key, load.title.id, entry) for entry in batch))
    await load.check(plan, len(chain) - 1 + len(entries) - 1)
    # The engine also hears of every commit through the feed; it shall have done so before it is measured.
    await asyncio.sleep(_SETTLING)


def _after(head: Entry, entry: Entry) -> Entry:
    version = head.version + 1
    return msgspec.structs.replace(entry, version=version, before=head.digest(), request=f"again-{version}")


async def _engine_alone(load: Load, early: Times, late: Times) -> None:
    """Play a game through the engine over a log in memory; note the times of its first and its last quarter."""
    plan = load.plan()
    log = MemoryEventLog(feed_length=_BATCH)
    playing = Playing(Sessions(load.wire, log, 1), log, (SeedKey("k1", load.arena.seed_key),))
    session = playing.sessions.session(plan.game_id)
    await playing.create(session, Request("bench", "create", b""), _created(load, plan, playing))
    quarter = len(plan.steps) // 4
    for number, step in enumerate(plan.steps):
        seconds = await _act(playing, session, number, step)
        if number < quarter:
            early[step.kind].append(seconds)
        elif number >= len(plan.steps) - quarter:
            late[step.kind].append(seconds)


async def _act(playing: Playing, session: Session, number: int, step: Step) -> float:
    """Play one step and return the CPU seconds it took, up to the commit as its seat may see it."""
    started = time.thread_time()
    accepted = await playing.act(
        session, Request("bench", str(number), b""), Attempt(step.seat, step.action, None, lambda _: None)
    )
    session.seen(accepted.commit, step.seat)
    return time.thread_time() - started


def _created(load: Load, plan: Plan, playing: Playing) -> GameCreated:
    title = load.title
    return GameCreated(
        game_id=plan.game_id,
        title=title.id,
        table_id=plan.game_id,
        rules_version=title.rules_version,
        pack=title.pack(title.parse({})),
        seats=tuple(Seat(seat, Player(f"p{seat}", f"p{seat}")) for seat in range(plan.seats)),
        options={},
        key_id="k1",
        commitment=playing.commitment("k1", plan.game_id),
        entropies=plan.entropies,
        private=False,
    )


def _ratios(early: Times, late: Times) -> list[tuple[str, float]]:
    """Return late over early for every kind of action that was taken often enough in both."""
    kinds = [kind for kind in early if min(len(early[kind]), len(late[kind])) >= _ENOUGH]
    return [(kind, median(late[kind]) / median(early[kind])) for kind in sorted(kinds)]


def _worst(early: Times, late: Times) -> float:
    """Return the ratio of the kind of action that grows most."""
    found: Sequence[float] = [ratio for _, ratio in _ratios(early, late)]
    return max(found, default=1.0)
