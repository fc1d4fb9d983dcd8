"""A Redis Cluster: redis-py routes each command by its keys and follows redirections.

Concurrent commands are spread over pooled connections of the nodes. That costs more of this process than the lanes
of a single server do; in exchange a node that is down holds up only its own shards.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final

from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisClusterException, RedisError, ResponseError

from shared.eventlog.address import Address
from shared.eventlog.group_commit import Command
from shared.eventlog.log import Closed, Unavailable
from shared.eventlog.store import LOST_AFTER, Refused, ask_twice, take_raw, verdict

LOSSES: Final = (RedisError, RedisClusterException, OSError, TimeoutError)
"""What comes instead of a reply; redis-py derives the second from nothing else."""

AT_ONCE: Final = 64
"""How many commands run at the same time."""


class ClusterStore:
    """A Redis Cluster: redis-py routes every command by its keys."""

    spans_shards = False

    def __init__(self, address: Address, lost_after: float = LOST_AFTER) -> None:
        """Prepare two clients, as blocking reads need another timeout; none connects yet."""
        self.address = address
        self._lost_after = lost_after
        self._client = _cluster(address, lost_after)
        self._blocking = _cluster(address, None)
        self._free = asyncio.Semaphore(AT_ONCE)
        self._lost: set[RedisCluster] = set()
        self._closed = False

    async def write(self, command: Command) -> Any:
        """Run an append on the node that holds its shard."""
        async with self._free:
            return await self._run(self._client, command, self._lost_after)

    async def ask(self, command: Command, **options: Any) -> Any:
        """Run a command on the node that holds its keys."""
        async with self._free:
            return await ask_twice(
                lambda: self._run(self._client, command, self._lost_after, **options), self._lost_after
            )

    async def block(self, command: Command, wait: float) -> Any:
        """Run a blocking read on the node that holds its shard."""
        return await self._run(self._blocking, command, wait + self._lost_after)

    async def ask_nodes(self, command: Command) -> list[Any]:
        """Run a command on every primary."""
        await self.ask(("PING",))
        replies: list[Any] = []
        for node in self._client.get_primaries():
            try:
                replies.append(await self.ask(command, target_nodes=node))
            except Refused as refused:
                replies.append(refused)
        return replies

    async def scan(self, pattern: str) -> AsyncIterator[bytes]:
        """Walk over the streams of every primary."""
        try:
            async for name in self._client.scan_iter(match=pattern, count=1000, _type="STREAM"):
                yield name
        except LOSSES as error:
            raise Unavailable(self.address.blame(error)) from None

    async def close(self) -> None:
        """Close every node's connections."""
        self._closed = True
        await self._client.aclose()
        await self._blocking.aclose()

    async def _run(self, client: RedisCluster, command: Command, within: float, **options: Any) -> Any:
        """Run one command within so many seconds, redirections included."""
        if self._closed:
            raise Closed
        try:
            async with asyncio.timeout(within):
                await self._find_nodes(client)
                if "STREAMS" in command:
                    options["target_nodes"] = _node_of_stream(client, command)
                return await client.execute_command(*command, **options)
        except ResponseError as refused:
            raise verdict(refused, self.address) from None
        except LOSSES as error:
            self._lost.add(client)
            raise self._loss(error) from None

    async def _find_nodes(self, client: RedisCluster) -> None:
        """Learn who serves what before the first command, which would be sent anywhere, and after each loss."""
        await client.initialize()
        if client in self._lost:
            self._lost.discard(client)
            await client.nodes_manager.initialize()

    def _loss(self, error: Exception) -> Unavailable:
        """Return what a reply that did not come means."""
        return Closed() if self._closed else Unavailable(self.address.blame(error))


def _node_of_stream(client: RedisCluster, command: Command) -> Any:
    """Return the node for a read whose keys stand in no fixed place.

    Left alone redis-py asks a node of its own choice where they are, and after a failover it goes on asking the dead.
    """
    return client.get_node_from_key(str(command[command.index("STREAMS") + 1]))


def _cluster(address: Address, lost_after: float | None) -> RedisCluster:
    """Return a cluster client that never repeats a command, except to follow a redirection."""
    # Finding the nodes anew after some redirections would cut off whatever else is under way; following them is enough.
    client = RedisCluster(
        startup_nodes=[ClusterNode(host, port) for host, port in address.nodes],
        username=address.username,
        password=address.password,
        ssl=address.tls,
        **address.tls_options,
        protocol=2,
        socket_timeout=lost_after,
        socket_connect_timeout=LOST_AFTER,
        max_connections=10_000,
        reinitialize_steps=0,
        retry=Retry(NoBackoff(), 0),
    )
    take_raw(client)
    return client
