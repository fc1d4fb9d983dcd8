"""How watchers learn that a game moved, whoever moved it: one follower of the feed for each process.

A commit made in this process wakes its watchers at once; one made elsewhere is found in the feed and read from the
stream. Watchers hold no queue: each remembers the last version it was sent and takes whatever has gathered since.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator

import structlog

from shared import metrics
from shared.engine.sessions import Session, Sessions
from shared.errors import Fault, Problem
from shared.eventlog.log import EventLog, Moved, Trimmed, Unavailable

_log = structlog.get_logger("engine")
_FEED_WAIT_SECONDS = 1.0
_RETRY_SECONDS = 0.5
_PACE_SECONDS = 0.005
_SLOWEST_SECONDS = 30.0
_STREAMS_PER_CALLER = 200


class Watch:
    """One open watch stream."""

    def __init__(self, closing: asyncio.Event) -> None:
        """Belong to a hub that is closing once `closing` is set."""
        self._closing = closing
        self._paced_at = time.monotonic()

    async def wait(self, moved: asyncio.Event) -> None:
        """Wait until the game moves; raises SHUTTING_DOWN when the process stops."""
        if not self._closing.is_set():
            await moved.wait()
        if self._closing.is_set():
            raise Problem(Fault.SHUTTING_DOWN, "this server is stopping; watch again from your last version")
        self._paced_at = time.monotonic()

    def check_pace(self) -> None:
        """Raise TOO_SLOW when the last message took too long to get rid of."""
        now = time.monotonic()
        if now - self._paced_at > _SLOWEST_SECONDS:
            raise Problem(Fault.TOO_SLOW, "messages are taken too slowly; watch again from your last version")
        self._paced_at = now


class Hub:
    """Follows the feed of all shards and tells the sessions in memory that their games moved."""

    def __init__(self, sessions: Sessions, log: EventLog, limit: int) -> None:
        """Watch over the sessions of one title, for at most `limit` streams at once."""
        self._limit = limit
        self._open = 0
        self._by_caller: Counter[str] = Counter()
        self._sessions = sessions
        self._log = log
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._watchers = metrics.WATCHERS.labels(sessions.wire.title.id)

    async def start(self) -> None:
        """Begin to follow from the present end of the feed."""
        cursors = await self._log.feed_heads()
        self._task = asyncio.create_task(self._follow(cursors))

    async def stop(self) -> None:
        """Stop following; every watch ends."""
        self._closing.set()
        for session in self._sessions.all():
            session.wake()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    @contextlib.asynccontextmanager
    async def watching(self, session: Session, caller: str) -> AsyncIterator[Watch]:
        """Keep a session in memory while somebody watches it; raises TOO_MANY when no more can be served."""
        if self._by_caller[caller] >= _STREAMS_PER_CALLER:
            raise Problem(Fault.TOO_MANY, f"you have {_STREAMS_PER_CALLER} watch streams open here; close some")
        if self._open >= self._limit:
            raise Problem(
                Fault.TOO_MANY, f"this server serves {self._limit} watch streams at once; try another or later"
            )
        self._open += 1
        self._by_caller[caller] += 1
        session.watchers += 1
        self._watchers.inc()
        try:
            yield Watch(self._closing)
        finally:
            self._open -= 1
            self._by_caller[caller] -= 1
            if not self._by_caller[caller]:
                del self._by_caller[caller]
            session.watchers -= 1
            self._watchers.dec()

    async def _follow(self, cursors: dict[int, str]) -> None:
        whole, quiet_since = True, time.monotonic()
        while True:
            try:
                if not whole:
                    cursors, whole = await self._start_over(), True
                for shard, cursor, moved in await self._log.watch_feed(cursors, _FEED_WAIT_SECONDS):
                    cursors[shard] = cursor
                    self._heed(moved)
                # News in quick succession is let gather: a read for each commit would cost as much as the commit.
                if time.monotonic() - quiet_since < _PACE_SECONDS:
                    await asyncio.sleep(_PACE_SECONDS)
                quiet_since = time.monotonic()
            except Trimmed:
                whole = False
            except Unavailable:
                await asyncio.sleep(_RETRY_SECONDS)
            except Exception:  # noqa: BLE001 - watchers must not be left alone
                _log.exception("hub_stumbled")
                await asyncio.sleep(_RETRY_SECONDS)

    async def _start_over(self) -> dict[int, str]:
        """Follow from the present end of a feed that was trimmed past the cursor; any game may have moved meanwhile."""
        cursors = await self._log.feed_heads()
        for session in self._sessions.all():
            session.doubt()
        return cursors

    def _heed(self, moved: Moved) -> None:
        """Pass on that a game moved, if it is in memory here."""
        session = self._sessions.cached(moved.key.id) if moved.key.kind == "game" else None
        if session is not None:
            session.hear(moved.version)
