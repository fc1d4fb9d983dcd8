"""Automata in trouble: processes that die, deliveries that repeat, games and engines that cannot be used."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import msgspec
import pytest

from services.automata.brains import brains_of
from services.automata.brains.uniform import Uniform
from services.automata.games import Ask
from services.automata.submitting import Badge, Engine, Lost, Refused
from shared.channel import connect
from shared.clock import now
from shared.eventlog.log import Delivery, Entry, EventLog, StreamKey
from shared.eventlog.memory import MemoryEventLog
from shared.rng import KeyedDraw
from tests.service.automata.conftest import create, driving, finished, folded, played, until
from tests.service.calling import AUTH_KEY, SETTINGS
from tests.service.engine.conftest import TITLE, WIRE, running
from tests.service.engine.conftest import Engine as Server


class NeverHears(MemoryEventLog):
    """A log to which no acknowledgement ever gets through, so that every entry is delivered again and again."""

    deliveries = 0

    async def ack(self, group: str, delivery: Delivery) -> None:
        """Lose it."""

    async def renew(self, group: str, consumer: str, delivery: Delivery) -> bool:
        """Say that all is well."""
        del group, consumer, delivery
        return True

    async def reclaim(
        self, group: str, consumer: str, shards: Sequence[int], idle: float, limit: int = 16
    ) -> list[Delivery]:
        """Deliver again."""
        again = await super().reclaim(group, consumer, shards, idle, limit)
        self.deliveries += len(again)
        return again


async def test_redelivery_repeats_nothing() -> None:
    """With every entry delivered many times, each decision is answered once and the game is the same as ever."""
    quiet, log = MemoryEventLog(), NeverHears()
    async with running(quiet) as server, driving(quiet, f"127.0.0.1:{server.server.port}"):
        key = await create(server, "random", "random", game_id="g1")
        expected = played(await finished(quiet, key))
    async with running(log) as server:
        target = f"127.0.0.1:{server.server.port}"
        async with driving(log, target, idle=0.02), driving(log, target, idle=0.02):
            await create(server, "random", "random", game_id="g1")
            entries = await finished(log, key)
            assert log.deliveries > 0
    assert played(entries) == expected
    assert len({entry.request for entry in entries}) == len(entries)


class Stuck(Uniform):
    """A random brain that does not come to an end until it is told to."""

    slow = True

    def __init__(self) -> None:
        """Think until `release`."""
        self.thinking = threading.Event()
        self.release = threading.Event()

    def choose(self, title: Any, view: Any, legal: tuple[Any, ...], draw: Any) -> Any:
        """Think for long."""
        self.thinking.set()
        self.release.wait(20)
        return super().choose(title, view, legal, draw)


class Heir:
    """The log as a process sees it that gets what others left behind, and new entries only after that."""

    def __init__(self, log: MemoryEventLog) -> None:
        """See the same streams and feeds."""
        self._log = log
        self.inherited: list[Delivery] = []

    def __getattr__(self, name: str) -> Any:
        """Do everything else as the log does."""
        return getattr(self._log, name)

    async def streams(self, kind: str) -> AsyncIterator[StreamKey]:
        """Find no game by itself."""
        del kind
        nothing: tuple[StreamKey, ...] = ()
        for key in nothing:
            yield key

    async def claim(self, group: str, consumer: str, shards: Sequence[int], wait: float) -> list[Delivery]:
        """Get nothing new while there is nothing inherited."""
        if self.inherited:
            return await self._log.claim(group, consumer, shards, wait)
        await asyncio.sleep(0.02)
        return []

    async def reclaim(self, group: str, consumer: str, shards: Sequence[int], idle: float) -> list[Delivery]:
        """Inherit."""
        found = await self._log.reclaim(group, consumer, shards, idle)
        self.inherited += found
        return found


async def test_a_dead_process_is_replaced(log: MemoryEventLog, server: Server, target: str) -> None:
    """What a process was thinking about when it died is taken over by another one once it is stale."""
    stuck, heir = Stuck(), Heir(log)
    async with driving(cast("EventLog", heir), target, idle=0.2):
        async with driving(log, target, {"random": stuck}, idle=0.2):
            key = await create(server, "random", game_id="g1")
            await asyncio.to_thread(stuck.thinking.wait, 10)
            await asyncio.sleep(0.5)
            assert not heir.inherited, "a living process keeps its claims fresh"
        stuck.release.set()
        await finished(log, key)
    assert heir.inherited


async def test_a_game_lost_from_the_feed_is_found() -> None:
    """A game whose feed entry was trimmed before anybody read it is found when a process starts."""
    log = MemoryEventLog(shards=1, feed_length=1)
    async with running(log) as server:
        lost = await create(server, "random", game_id="g1")
        await create(server, "", game_id="g2")
        async with driving(log, f"127.0.0.1:{server.server.port}"):
            await finished(log, lost)


async def test_a_trimmed_feed_while_running() -> None:
    """With a feed that holds next to nothing, many games are all played to their end."""
    log = MemoryEventLog(shards=1, feed_length=2)
    async with running(log) as server, driving(log, f"127.0.0.1:{server.server.port}", idle=0.1):
        keys = [await create(server, "random", "random", game_id=f"g{number}") for number in range(8)]
        await asyncio.gather(*(finished(log, key) for key in keys))


def _poison(key: StreamKey, **changes: Any) -> Entry:
    entry = Entry(
        version=1,
        at=1,
        action="create_game",
        seat=None,
        caller="service:table",
        request=key.id,
        body=bytes(16),
        schema=WIRE.schema,
        status="playing",
        waiting=(0,),
        deadline=None,
        before=b"",
        data=b"\xff no commit",
    )
    return msgspec.structs.replace(entry, **changes)


async def test_a_poisoned_game_does_not_stop_the_others(log: MemoryEventLog, server: Server, target: str) -> None:
    """Games that are damaged, of an unknown kind, title or brain are left; those beside them are played."""
    kinds: tuple[dict[str, Any], ...] = ({}, {"before": b"x"}, {"schema": "chess.1"}, {"data": b""})
    for number, changes in enumerate(kinds):
        bad = StreamKey("game", f"bad{number}")
        await log.append(bad, changes.get("schema", "strange_world.1").partition(".")[0], _poison(bad, **changes))
    await create(server, "deep_thought", game_id="g0")
    async with driving(log, target):
        key = await create(server, "random", game_id="g1")
        await finished(log, key)


async def test_work_is_given_up_in_the_end(
    log: MemoryEventLog, server: Server, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged game, and one whose brain nobody has, are acknowledged after eight attempts and bother nobody more."""
    monkeypatch.setattr("services.automata.driver.LONGEST_PAUSE", 0.01)
    bad = StreamKey("game", "bad")
    await log.append(bad, TITLE, _poison(bad))
    await create(server, "deep_thought", game_id="g0")
    async with driving(log, target, idle=0.05):

        async def nothing_pending() -> bool:
            return not any(group.pending for feed in log._feeds for group in feed.groups.values())

        await until(nothing_pending)


async def test_an_engine_that_is_away_is_waited_for(log: MemoryEventLog) -> None:
    """A game goes on when its engine comes back, without anybody telling the automata."""
    async with running(log) as server:
        port = server.server.port
        key = await create(server, "random", game_id="g1")
    async with driving(log, f"127.0.0.1:{port}"):
        await asyncio.sleep(0.3)
        assert len(await log.read(key)) == 1
        async with running(log, msgspec.structs.replace(SETTINGS, listen=f"127.0.0.1:{port}")):
            await finished(log, key)


class Fails:
    """A brain that breaks."""

    about, slow, blind = "breaks", False, False

    def choose(self, title: Any, view: Any, legal: tuple[Any, ...], draw: Any) -> Any:
        """Raise."""
        del title, view, legal, draw
        raise ZeroDivisionError


class Cheats(Fails):
    """A brain that does what is not allowed."""

    def choose(self, title: Any, view: Any, legal: tuple[Any, ...], draw: Any) -> Any:
        """Return something else."""
        del title, view, legal, draw
        return "a rabbit"


async def test_a_broken_brain_does_not_hold_up_its_game(log: MemoryEventLog, server: Server, target: str) -> None:
    """Where a brain fails or breaks the rules, a random legal action takes its place."""
    async with driving(log, target, {"fails": Fails(), "cheats": Cheats()}):
        keys = [await create(server, brain, game_id=brain) for brain in ("fails", "cheats")]

        async def both_go_on() -> bool:
            return all([len(await log.read(key)) > 3 for key in keys])

        await until(both_go_on)


async def test_answers_that_come_too_late(log: MemoryEventLog, server: Server, target: str) -> None:
    """The engine refuses an answer to a decision that is over, and takes a repeat of the answer that it was given."""
    async with connect(target) as channel:
        engine = Engine(WIRE, channel, Badge(AUTH_KEY, now))
        key = await create(server, "random", game_id="g1")
        asked = (await folded(log, key)).state
        legal = WIRE.title.legal_actions(asked, 0)
        await engine.submit("g1", Ask(0, "random", 1), legal[0])
        await engine.submit("g1", Ask(0, "random", 1), legal[0])
        assert len(await log.read(key)) == 2
        with pytest.raises(Refused, match="REQUEST_REUSED"):
            await engine.submit("g1", Ask(0, "random", 1), legal[1])
        await create(server, "", game_id="g2")
        with pytest.raises(Refused, match="NOT_YOUR_SEAT"):
            await engine.submit("g2", Ask(0, "random", 1), legal[0])


async def test_no_answer_is_a_loss() -> None:
    """An engine that is not there gives `Lost`, which says that the same request may be made again."""
    async with connect("127.0.0.1:1") as channel:
        with pytest.raises(Lost):
            await Engine(WIRE, channel, Badge(AUTH_KEY, now)).submit(
                "g1", Ask(0, "random", 1), WIRE.title.legal_actions(_state(), 0)[0]
            )


def _state() -> Any:
    state = None
    for event in WIRE.title.setup(WIRE.title.parse({}), 1, KeyedDraw(bytes(32))):
        state = WIRE.title.evolve(state, event)
    return state


def test_every_brain_name_is_known() -> None:
    """The names that games remember: they are never given up."""
    assert list(brains_of(TITLE)) == ["random", "greedy"]
