"""The log on Redis or Valkey: opening it, checking how it is configured, closing it.

What it does with streams is in streams.py, with feeds in feeds.py; how it talks to a server, to what a Sentinel names
or to a cluster, in store.py. It needs Redis 7.0 commands and nothing newer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from shared.eventlog.address import parse
from shared.eventlog.cluster_store import ClusterStore
from shared.eventlog.feeds import RedisFeeds
from shared.eventlog.keys import META, Keys, key_in, pattern
from shared.eventlog.log import WrongShards
from shared.eventlog.server_store import ServerStore
from shared.eventlog.store import LOST_AFTER, Refused, Store
from shared.eventlog.streams import RedisStreams

FEED_LENGTH: Final = 10_000
"""How many entries a feed keeps, about: a follower that is further behind rereads the heads."""

DURABLE: Final = {
    "maxmemory-policy": ("noeviction", "the store may evict keys, and with them whole games (maxmemory-policy is {})"),
    "appendonly": ("yes", "the store keeps no append-only file and forgets everything at a restart (appendonly is {})"),
    "appendfsync": ("always", "the store may lose the last moments before a power cut (appendfsync is {})"),
}
"""The settings that durability rests on, the value each should have, and what it means when it has another."""


class RedisEventLog(RedisStreams, RedisFeeds):
    """The log as it lies in a Redis or Valkey; made by `open`."""

    def __init__(self, store: Store, shards: int, feed_length: int, patience: float) -> None:
        """Use `store`, laid out for `shards` shards."""
        keys = Keys(shards)
        RedisStreams.__init__(self, store, keys, feed_length, patience)
        RedisFeeds.__init__(self, store, keys)
        self.shards = shards

    @classmethod
    async def open(
        cls,
        url: str,
        shards: int = 16,
        *,
        feed_length: int = FEED_LENGTH,
        patience: float = LOST_AFTER,
        lost_after: float = LOST_AFTER,
    ) -> RedisEventLog:
        """Connect to the store at `url` (see address.py), which is laid out for `shards` shards if it is new.

        `patience` is for how many seconds an append with a lost reply is fought for, `lost_after` the seconds
        after which a command counts as lost. Raises ValueError for a malformed URL, `Unavailable` when the store cannot
        be reached, and `WrongShards` when it was laid out for another number of shards.
        """
        address = parse(url)
        store = ClusterStore(address, lost_after) if address.form == "cluster" else ServerStore(address, lost_after)
        log = cls(store, shards, feed_length, patience)
        try:
            await log._agree_on_shards()
        except BaseException:
            await log.close()
            raise
        return log

    async def check(self) -> list[str]:
        """Ping the store; return one sentence for each way in which it is configured to lose data."""
        await self._store.ask(("PING",))
        warnings: list[str] = []
        for reply in await self._store.ask_nodes(("CONFIG GET", *DURABLE)):
            warnings += [warning for warning in _dangers(reply) if warning not in warnings]
        if any(map(_is_full, await self._store.ask_nodes(("INFO", "memory")))):
            warnings.append("the store is full: it answers, but takes no more commits until it gets more memory")
        return warnings

    async def close(self) -> None:
        """Let go of every connection; whoever still waits gets `Unavailable`."""
        await self._store.close()
        await self._standing.close()

    async def _agree_on_shards(self) -> None:
        """Write the shard count into a new store, or compare it; entry 1-0 can be written only once."""
        if not await self._store.ask(("EXISTS", META)):
            await self._refuse_strange_streams()
        try:
            await self._store.ask(("XADD", META, "1-0", "shards", self.shards))
        except Refused as refused:
            if "equal or smaller" not in str(refused):
                raise
        [[_, fields]] = await self._store.ask(("XRANGE", META, "1-0", "1-0"))
        found = int(fields[1])
        if found != self.shards:
            raise WrongShards(
                f"the store at {self._store.address.shown} was laid out for {found} shards and this process is "
                f"configured for {self.shards}; set STRATA_SHARDS={found}, or use another store"
            )

    async def _refuse_strange_streams(self) -> None:
        """Refuse a store that lost its shard count and holds streams that do not lie where ours would."""
        for kind in ("game", "table"):
            async for name in self._store.scan(pattern(kind)):
                if self._keys.stream(key_in(name)).encode() != name:
                    raise WrongShards(
                        f"the store at {self._store.address.shown} no longer says for how many shards it was laid out, "
                        f"and what it holds was not laid out for {self.shards}; set STRATA_SHARDS to what it was"
                    )


def _is_full(reply: Any) -> bool:
    """Say whether a node has used up the memory it may use."""
    if isinstance(reply, Refused):
        return False
    told = dict(line.split(":", 1) for line in reply.decode().splitlines() if ":" in line)
    limit = int(told.get("maxmemory", 0))
    return 0 < limit <= int(told.get("used_memory", 0))


def _dangers(reply: Any) -> Sequence[str]:
    """Return the warnings that one node's settings call for."""
    if isinstance(reply, Refused):
        return ["the store does not let its configuration be read, so it could not be checked that it keeps all data"]
    settings = {name.decode(): value.decode() for name, value in zip(reply[::2], reply[1::2], strict=True)}
    return [
        meaning.format(settings[name])
        for name, (wanted, meaning) in DURABLE.items()
        if settings.get(name, wanted) != wanted and not (name == "appendfsync" and settings["appendonly"] == "no")
    ]
