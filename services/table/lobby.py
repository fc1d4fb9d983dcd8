"""Every table as it is now, kept from the log: scanned once, then followed; for lists and for whoever watches one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

import structlog

from services.table.tables import KIND, Folded, Tables
from shared.errors import Problem
from shared.eventlog.log import EventLog, Trimmed, Unavailable

_log = structlog.get_logger("table")
_FEED_WAIT_SECONDS = 1.0
_RETRY_SECONDS = 0.5


class Lobby:
    """The tables of all processes, at most a moment old."""

    def __init__(self, tables: Tables, log: EventLog) -> None:
        """Start empty; `start` fills it."""
        self._tables = tables
        self._log = log
        self._known: dict[str, Folded] = {}
        self._moved: dict[str, asyncio.Event] = {}
        self._task: asyncio.Task[None] | None = None
        self.closing = False

    async def start(self) -> None:
        """Read every table, then follow the feed."""
        cursors = await self._scan()
        self._task = asyncio.create_task(self._follow(cursors))

    async def stop(self) -> None:
        """Stop following and wake whoever watches."""
        self.closing = True
        for event in self._moved.values():
            event.set()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def newest_first(self) -> Iterator[Folded]:
        """Return all tables, the one opened last first."""

        def age(folded: Folded) -> tuple[int, str]:
            return folded.table.opened.created_at, folded.table.opened.table_id

        return iter(sorted(self._known.values(), key=age, reverse=True))

    def note(self, folded: Folded) -> None:
        """Take in a table that was just read or changed, and wake whoever watches it."""
        table_id = folded.table.opened.table_id
        known = self._known.get(table_id)
        if known is None or known.version < folded.version:
            self._known[table_id] = folded
            if event := self._moved.pop(table_id, None):
                event.set()

    async def changed(self, table_id: str, version: int) -> None:
        """Wait until a table is beyond `version`, or the process stops."""
        while not self.closing and (known := self._known.get(table_id)) is not None and known.version <= version:
            await self._moved.setdefault(table_id, asyncio.Event()).wait()

    async def _scan(self) -> dict[int, str]:
        cursors = await self._log.feed_heads()
        async for key in self._log.streams(KIND):
            await self._read(key.id)
        return cursors

    async def _read(self, table_id: str) -> None:
        try:
            self.note(await self._tables.load(table_id))
        except Problem as problem:
            _log.warning("table_left_out", table_id=table_id, reason=problem.reason)

    async def _follow(self, cursors: dict[int, str]) -> None:
        whole = True
        while True:
            try:
                if not whole:
                    cursors, whole = await self._scan(), True
                for shard, cursor, moved in await self._log.watch_feed(cursors, _FEED_WAIT_SECONDS):
                    if moved.key.kind == KIND:
                        await self._read(moved.key.id)
                    cursors[shard] = cursor
            except Trimmed:
                whole = False
            except Unavailable:
                await asyncio.sleep(_RETRY_SECONDS)
            except Exception:  # noqa: BLE001 - the lobby must go on
                _log.exception("lobby_stumbled")
                whole = False
                await asyncio.sleep(_RETRY_SECONDS)
