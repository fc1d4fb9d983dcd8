"""What plays for the automata: follow the feeds, and whenever a game waits for an automaton, think and submit.

Work is claimed through a consumer group, so any number of processes share it. A feed entry is only a hint that a game
moved: what is answered is whatever the game waits for at its head, and answering twice is harmless, because a decision
always gets the same request. One task works on a game at a time, many games side by side; one that cannot be read or
answered is reported and left, and does not hold up the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping

import structlog
from prometheus_client import Counter

from services.automata.answering import Answering, Hosted, UnknownTitle
from services.automata.claims import Claims
from services.automata.games import Games
from services.automata.submitting import Lost
from services.automata.thinking import Thinker, UnknownBrain
from shared.engine.game import Unreadable
from shared.engine.platform import Status
from shared.eventlog.log import Delivery, EventLog, Moved, StreamKey, Torn, Trimmed, Unavailable
from shared.ids import new_id

ATTEMPTS = 8
IDLE_SECONDS = 5.0
GAMES_KEPT = 256
MOST_GAMES = 2_000
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 2.0
STORE_PAUSE = 0.5

ABANDONED = Counter("strata_automata_abandoned_total", "Games left waiting after too many attempts", ("title",))

_log = structlog.get_logger("automata")


class Work:
    """One game that may wait for automata: the entries that said so, and the task that deals with them."""

    def __init__(self, key: StreamKey, title: str) -> None:
        """Begin without entries, as a scan finds a game."""
        self.key = key
        self.title = title
        self.deliveries: list[Delivery] = []
        self.task: asyncio.Task[None] | None = None


class Driver:
    """Plays for the automata of some titles; `start` and `stop` once each."""

    def __init__(
        self,
        log: EventLog,
        hosted: Mapping[str, Hosted],
        thinker: Thinker,
        delay: float = 0.0,
        idle: float = IDLE_SECONDS,
    ) -> None:
        """Play for `hosted` titles; answers are held back for `delay` seconds, so that people can follow."""
        self._log = log
        self._claims = Claims(log, new_id(), idle)
        self._answering = Answering(Games(log, GAMES_KEPT), hosted, thinker, delay)
        self._works: dict[StreamKey, Work] = {}
        self._room = asyncio.Event()
        self._scan_wanted = asyncio.Event()
        self._loops: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to follow the feeds, and look through all games once for any that wait."""
        self._room.set()
        self._scan_wanted.set()
        idle = self._claims.idle
        steps = ((self._claim, 0.0), (self._reclaim, idle / 2), (self._claims.keep_fresh, idle / 4), (self._scan, 0.0))
        self._loops = [asyncio.create_task(self._repeat(step, pause)) for step, pause in steps]

    async def stop(self) -> None:
        """Stop at once; what was not answered is left to others, or to the next start."""
        tasks = [*self._loops, *(work.task for work in self._works.values() if work.task)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _repeat(self, step: Callable[[], Awaitable[None]], pause: float) -> None:
        """Take a step again and again, whatever becomes of one."""
        while True:
            rest = pause
            try:
                await step()
            except Trimmed as trimmed:
                _log.warning("feed_trimmed", shards=trimmed.shards)
                self._scan_wanted.set()
            except Unavailable:
                rest = STORE_PAUSE
            except Exception:  # noqa: BLE001 - a driver that stops would stop every game
                _log.exception("step_failed", step=step.__name__)
                rest = STORE_PAUSE
            await asyncio.sleep(rest)

    async def _claim(self) -> None:
        await self._room.wait()
        await self._take(await self._claims.take_new())

    async def _reclaim(self) -> None:
        await self._take(await self._claims.take_over())

    async def _scan(self) -> None:
        """Look at the head of every game, when that is wanted: the feed may have lost what it once said."""
        await self._scan_wanted.wait()
        self._scan_wanted.clear()
        try:
            async for key in self._log.streams("game"):
                await self._room.wait()
                await self._look_at(key)
        except Unavailable:
            self._scan_wanted.set()
            raise

    async def _look_at(self, key: StreamKey) -> None:
        """Begin work on a game if it waits for somebody."""
        try:
            head = await self._log.head(key)
        except Torn as error:
            _log.error("game_torn", game_id=key.id, detail=str(error))
            return
        if head and head.status == Status.PLAYING.value and head.waiting:
            self._begin(key, head.schema.rpartition(".")[0])

    async def _take(self, deliveries: list[Delivery]) -> None:
        """Begin work on the games that wait for somebody; nothing else needs any."""
        for delivery in deliveries:
            if _waits(delivery.moved):
                self._begin(delivery.moved.key, delivery.moved.title, delivery)
        await self._claims.done(delivery for delivery in deliveries if not _waits(delivery.moved))

    def _begin(self, key: StreamKey, title: str, *deliveries: Delivery) -> None:
        """Work on a game, or let whoever works on it know that there is more."""
        work = self._works.get(key)
        if work is None:
            work = self._works[key] = Work(key, title)
            work.task = asyncio.create_task(self._work(work))
            if len(self._works) >= MOST_GAMES:
                self._room.clear()
        work.deliveries.extend(deliveries)

    async def _work(self, work: Work) -> None:
        """Answer for a game until everything that was said of it has been dealt with."""
        try:
            while True:
                taken = tuple(work.deliveries)
                done = await self._persist(work, taken)
                work.deliveries = [delivery for delivery in work.deliveries if delivery not in taken]
                if done:
                    await self._claims.done(taken)
                else:
                    self._claims.let_go(taken)
                if not work.deliveries:
                    return
        except Unavailable as error:
            _log.info("waiting_for", game_id=work.key.id, what="Unavailable", detail=str(error))
        finally:
            self._claims.let_go(work.deliveries)
            del self._works[work.key]
            if len(self._works) < MOST_GAMES:
                self._room.set()

    async def _persist(self, work: Work, taken: Iterable[Delivery]) -> bool:
        """Answer what a game waits for, in several attempts if need be; False if somebody else may know better.

        A store or an engine that is away is waited for; anything else is tried so many times, and then given up.
        """
        attempt = max((delivery.attempts for delivery in taken), default=1)
        pause = FIRST_PAUSE
        while True:
            try:
                await self._answering.answer_all(work.key, work.title)
                return True
            except (Lost, Unavailable) as error:
                _log.info("waiting_for", game_id=work.key.id, what=type(error).__name__, detail=str(error))
            except (Unreadable, UnknownBrain, UnknownTitle) as error:
                return self._give_up(work, error) if attempt >= ATTEMPTS else self._leave_to_others(work, error)
            except Exception as error:  # noqa: BLE001 - one game must not stop the others, whatever is wrong with it
                attempt += 1
                if attempt > ATTEMPTS:
                    return self._give_up(work, error)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _leave_to_others(self, work: Work, error: Exception) -> bool:
        _log.warning("game_left_to_others", game_id=work.key.id, title=work.title, detail=str(error))
        return False

    def _give_up(self, work: Work, error: Exception) -> bool:
        _log.error("game_given_up", game_id=work.key.id, title=work.title, exc_info=error)
        ABANDONED.labels(work.title).inc()
        return True


def _waits(moved: Moved) -> bool:
    """Say whether a feed entry tells of a game that waits for somebody."""
    return moved.key.kind == "game" and moved.status == Status.PLAYING.value and bool(moved.waiting)
