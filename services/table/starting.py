"""How a table's game comes into being although two streams are written: a small saga that any process can finish.

The table notes `GameStarting`, asks the engine to create the game (idempotent on its id and body), and notes
`GameStarted`; a refusal is noted as `StartFailed`. If a process dies in between, the next sweep of any process goes on.
"""

from __future__ import annotations

import asyncio
import contextlib

import grpc
import structlog

from services.table import decide
from services.table.elsewhere import Elsewhere
from services.table.lobby import Lobby
from services.table.state import TableStatus
from services.table.tables import Folded, Tables
from shared.clock import Clock
from shared.engine.playing import Request, body_digest
from shared.errors import Problem
from shared.eventlog.log import Unavailable

_log = structlog.get_logger("table")
_SWEEP_SECONDS = 1.0
_STALE_MS = 2_000
_REFUSED = (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION)


class Starting:
    """Finishes starts."""

    def __init__(self, tables: Tables, lobby: Lobby, elsewhere: Elsewhere, clock: Clock) -> None:
        """Finish the starts of `tables`."""
        self._tables = tables
        self._lobby = lobby
        self._elsewhere = elsewhere
        self._clock = clock
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to look for starts that nobody finished."""
        self._task = asyncio.create_task(self._sweep())

    async def stop(self) -> None:
        """Stop looking."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def finish(self, folded: Folded) -> Folded:
        """Create the game of a starting table and note how it went; nothing changes while the engine is away."""
        table_id, version = folded.table.opened.table_id, folded.version
        try:
            await self._elsewhere.create_game(folded.table)
        except Problem as problem:
            if problem.code not in _REFUSED or await self._elsewhere.exists(folded.table):
                _log.warning("start_waits", table_id=table_id, reason=problem.reason)
                return folded
            sentence = problem.sentence
            # The sentence is no part of the body: two processes may be refused differently, and the first one counts.
            request = Request("service:table", f"start-failed-{version}", body_digest(b"start-failed"))
            return await self._tables.change(table_id, request, lambda table: decide.start_failed(table, sentence))
        request = Request("service:table", f"started-{version}", body_digest(b"started"))
        return await self._tables.change(table_id, request, decide.started)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            for folded in list(self._lobby.newest_first()):
                if folded.table.status is TableStatus.STARTING and abs(self._clock() - folded.at) > _STALE_MS:
                    await self._finish_late(folded)

    async def _finish_late(self, folded: Folded) -> None:
        """Finish a start that was left behind; whatever stands in the way, the next sweep tries again."""
        try:
            self._lobby.note(await self.finish(folded))
        except (Unavailable, Problem):
            return
        except Exception:  # noqa: BLE001 - other starts must go on
            _log.exception("start_failed_here", table_id=folded.table.opened.table_id)
