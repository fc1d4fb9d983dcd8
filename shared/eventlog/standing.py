"""Blocking reads over many shards.

One server answers a single command that names all feeds. On a cluster each shard needs a command of its own; whoever
reads waits for the first answer, and the commands of the other shards stay standing for the next call, because one
that is cut off could take entries that nobody gets to see (they would wait to be reclaimed).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from shared.eventlog.group_commit import Command
from shared.eventlog.store import Store


class StandingReads:
    """The blocking reads of one log."""

    def __init__(self, store: Store) -> None:
        """Use `store`; nothing stands yet."""
        self._store = store
        self._standing: dict[Command, asyncio.Task[Any]] = {}

    async def read(self, commands: Sequence[Command], wait: float) -> list[Any]:
        """Return the replies that there are as soon as there is one, or after `wait` seconds."""
        if wait <= 0:
            return list(await asyncio.gather(*(self._store.ask(command) for command in commands)))
        if len(commands) == 1:
            return [await self._store.block(commands[0], wait)]
        return await self._first(commands, wait)

    async def close(self) -> None:
        """Stop what stands."""
        tasks = list(self._standing.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _first(self, commands: Sequence[Command], wait: float) -> list[Any]:
        """Start the reads that do not stand yet and collect those that are answered, in the order of `commands`."""
        self._forget(commands)
        for command in commands:
            if command not in self._standing:
                self._standing[command] = asyncio.create_task(self._store.block(command, wait))
        tasks = [self._standing[command] for command in commands]
        while not any(task.done() and (task.exception() or task.result()) for task in tasks):
            pending = [task for task in tasks if not task.done()]
            if not pending:
                break
            await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        done = [command for command in commands if self._standing[command].done()]
        return [task.result() for task in [self._standing.pop(command) for command in done]]

    def _forget(self, commands: Sequence[Command]) -> None:
        """Drop answered reads that nobody asks for any more (another cursor, other shards)."""
        wanted = set(commands)
        for command in [old for old, task in self._standing.items() if task.done() and old not in wanted]:
            self._standing.pop(command)
