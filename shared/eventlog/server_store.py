"""One server, or the master that Sentinels name.

Everything that does not block goes through two lanes (group_commit.py), one for appends and one for questions, so
that a long answer never stands before an append. Each blocking read has a connection to itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from shared.eventlog.address import Address
from shared.eventlog.group_commit import Command, Lane
from shared.eventlog.log import Closed, Unavailable
from shared.eventlog.store import LOST_AFTER, Refused, ask_twice, take_raw, verdict


class ServerStore:
    """One server: lanes for what does not block, a pool for what does."""

    spans_shards = True

    def __init__(self, address: Address, lost_after: float = LOST_AFTER) -> None:
        """Prepare the connections; none is opened yet."""
        self.address = address
        self._lost_after = lost_after
        self._pool = _pool(address, lost_after)
        self._client: Redis = Redis(connection_pool=self._pool)
        take_raw(self._client)
        self._writes = Lane(self._pool.make_connection, lost_after, address.blame)
        self._questions = Lane(self._pool.make_connection, lost_after, address.blame)
        self._closed = False

    async def write(self, command: Command) -> Any:
        """Run an append in the next batch."""
        return await self._run(self._writes, command)

    async def ask(self, command: Command) -> Any:
        """Run any other command in the next batch of questions."""
        return await ask_twice(lambda: self._run(self._questions, command), self._lost_after)

    async def block(self, command: Command, wait: float) -> Any:
        """Run a blocking read on a connection of its own."""
        if self._closed:
            raise Closed
        try:
            async with asyncio.timeout(wait + self._lost_after):
                return await self._client.execute_command(*command)  # type: ignore[no-untyped-call]  # redis-py has no annotations here
        except ResponseError as refused:
            raise verdict(refused, self.address) from None
        except (RedisError, OSError, TimeoutError) as error:
            raise self._loss(error) from None

    async def ask_nodes(self, command: Command) -> list[Any]:
        """Run a command on the one server."""
        try:
            return [await self.ask(command)]
        except Refused as refused:
            return [refused]

    async def scan(self, pattern: str) -> AsyncIterator[bytes]:
        """Walk over the server's streams."""
        cursor = b"0"
        while True:
            cursor, names = await self.ask(("SCAN", cursor, "MATCH", pattern, "COUNT", 1000, "TYPE", "stream"))
            for name in names:
                yield name
            if cursor == b"0":
                return

    async def close(self) -> None:
        """Close the lanes and the pool."""
        self._closed = True
        await self._writes.close()
        await self._questions.close()
        await self._client.aclose()
        await self._pool.disconnect()

    async def _run(self, lane: Lane, command: Command) -> Any:
        """Run a command on a lane."""
        try:
            return await lane.submit(command)
        except ResponseError as refused:
            raise verdict(refused, self.address) from None

    def _loss(self, error: Exception) -> Unavailable:
        """Return what a reply that did not come means."""
        return Closed() if self._closed else Unavailable(self.address.blame(error))


def _pool(address: Address, lost_after: float) -> ConnectionPool:
    """Return a pool of connections that never repeat a command and do not time out by themselves."""
    options: dict[str, Any] = {
        "protocol": 2,
        "decode_responses": False,
        "socket_timeout": None,
        "socket_connect_timeout": lost_after,
        "retry": Retry(NoBackoff(), 0),
    }
    if address.form == "server":
        return ConnectionPool(**{**parse_url(address.url), **options})
    tls = {"ssl": address.tls, **address.tls_options}
    sentinel = Sentinel(  # type: ignore[no-untyped-call]  # redis-py has no annotations here
        list(address.nodes),
        sentinel_kwargs={**options, "socket_timeout": lost_after, "password": address.sentinel_password, **tls},
        **options,
        username=address.username,
        password=address.password,
        **tls,
    )
    pool: ConnectionPool = sentinel.master_for(address.service).connection_pool
    return pool
