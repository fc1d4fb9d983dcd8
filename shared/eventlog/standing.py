"""Blocking reads over many shards.

One server answers a single command that names all feeds. On a cluster each shard needs a command of its own; whoever
reads waits for the first answer, and the commands of the other shards stay standing for the next call, because one
that is cut off could take entries that nobody gets to see (they would wait to be reclaimed). For the same reason an
answer is never dropped because another shard had an error.
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
        """Return the replies that there are as soon as one says something, or after `wait` seconds.

        An error is raised only when no reply says anything.
        """
        if wait <= 0:
            return chosen(await asyncio.gather(*map(self._store.ask, commands), return_exceptions=True))
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
        """Start the reads that do not stand yet and take those that are answered, until one says something."""
        clock = asyncio.get_running_loop().time
        end = clock() + wait
        self._forget(commands)
        while True:
            for command in commands:
                if command not in self._standing:
                    self._standing[command] = asyncio.create_task(self._store.block(command, wait))
            await asyncio.wait([self._standing[command] for command in commands], return_when=asyncio.FIRST_COMPLETED)
            replies = chosen(self._take(commands))
            if any(replies) or clock() >= end:
                return replies

    def _take(self, commands: Sequence[Command]) -> list[Any]:
        """Take what was answered; of several readers that wait for the same command one gets the answer."""
        standing = [command for command in commands if command in self._standing]
        tasks = [self._standing.pop(command) for command in standing if self._standing[command].done()]
        return [task.exception() or task.result() for task in tasks if not task.cancelled()]

    def _forget(self, commands: Sequence[Command]) -> None:
        """Drop answered reads that nobody asks for any more (another cursor, other shards)."""
        wanted = set(commands)
        for command in [old for old, task in self._standing.items() if task.done() and old not in wanted]:
            self._standing.pop(command)


def chosen(outcomes: Sequence[Any]) -> list[Any]:
    """Return the replies among `outcomes`; raises the first error among them when no reply says anything."""
    replies = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
    errors = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    if errors and not any(replies):
        raise errors[0]
    return replies
