"""Group commit: commands that are asked for at the same time travel together on one connection.

A lane sends everything submitted during one turn of the event loop as one pipeline (no transaction); while a
pipeline is in flight the next batch gathers. One fsync of the store then serves all that waited, and the client
pays for one write instead of one per command. A command alone in its turn is sent at once.

What a lane promises: every submitted command is answered exactly once, by its reply, by the error the store gave
it, or by `Unavailable` when the connection broke before its reply came (it may have been executed, or not).
A caller that is cancelled leaves the others of its batch alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import hiredis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError, ResponseError

from shared.eventlog.log import Closed, Unavailable

Command = tuple[str | bytes | int, ...]
Batch = list[tuple[bytes, asyncio.Future[Any]]]
BATCH: Final = 512
"""The most commands in one pipeline: it bounds how long the first of them waits for the reply to the last."""


class Lane:
    """One connection on which concurrent commands are pipelined."""

    def __init__(
        self, connect: Callable[[], AbstractConnection], lost_after: float, blame: Callable[[Exception], str]
    ) -> None:
        """Take connections from `connect`, give a batch `lost_after` seconds, and word failures with `blame`."""
        self._connect = connect
        self._lost_after = lost_after
        self._blame = blame
        self._connection: AbstractConnection | None = None
        self._waiting: Batch = []
        self._sender: asyncio.Task[None] | None = None
        self._closed = False

    def submit(self, command: Command) -> asyncio.Future[Any]:
        """Return the future reply to a command; it raises what the store answered, or `Unavailable`."""
        if self._closed:
            raise Closed
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((pack(command), future))
        if self._sender is None:
            self._sender = asyncio.create_task(self._send_all())
        return future

    async def close(self) -> None:
        """Stop sending; whoever still waits gets `Unavailable`."""
        self._closed = True
        if self._sender is not None:
            self._sender.cancel()
            await asyncio.wait([self._sender])
        await self._drop_connection()

    async def _send_all(self) -> None:
        """Send batches until nobody waits any more."""
        batch: Batch = []
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
                await self._send([item for item in batch if not item[1].done()])
        except BaseException:
            fail(batch + self._waiting, Closed)
            raise
        finally:
            self._sender = None

    async def _send(self, batch: Batch) -> None:
        """Send one batch and answer each of its commands."""
        try:
            async with asyncio.timeout(self._lost_after):
                await self._exchange(batch)
        except (RedisError, OSError, TimeoutError) as error:
            await self._drop_connection()
            sentence = self._blame(error)
            fail(batch, lambda: Unavailable(sentence))

    async def _exchange(self, batch: Batch) -> None:
        """Write all commands, then hand out the replies as they come."""
        if self._connection is None:
            self._connection = self._connect()
            await self._connection.connect()  # type: ignore[no-untyped-call]  # redis-py has no annotations here
        connection = self._connection
        await connection.send_packed_command(b"".join([packed for packed, _ in batch]), check_health=False)
        for _, future in batch:
            try:
                reply = await connection.read_response()
            except ResponseError as refused:
                if not future.done():
                    future.set_exception(refused)
            else:
                if not future.done():
                    future.set_result(reply)

    async def _drop_connection(self) -> None:
        """Close the connection, whatever state it is in; the next batch opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.disconnect(nowait=True)


def pack(command: Command) -> bytes:
    """Return a command in the protocol's form; a name of two words (`CONFIG GET`) is two arguments."""
    arguments: Any = (*str(command[0]).split(), *command[1:])
    packed: bytes = hiredis.pack_command(arguments)
    return packed


def fail(batch: Batch, failure: Callable[[], Unavailable]) -> None:
    """Give an error of its own to everyone of a batch who has no answer yet."""
    for _, future in batch:
        if not future.done():
            future.set_exception(failure())
