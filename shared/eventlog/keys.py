"""The names of the keys: how a stream, a feed and the deadlines of a shard are called in the store.

All keys of a shard share the hash tag `{sNN}`, so that one script can touch all of them and a Redis Cluster can
spread the shards. NN has two decimal digits, or as many as the highest shard number needs if there are more than
100 shards. A stream lies at `strata:{sNN}:<kind>:<id>`; the kinds `feed` and `deadlines` are taken.
"""

from __future__ import annotations

from typing import Final

from shared.eventlog.log import StreamKey

META: Final = "strata:meta"
BEGINNING: Final = "0-0"
"""The feed id before the first, the head of a feed that has no entry."""


class Keys:
    """The key names of a store with a given number of shards."""

    def __init__(self, shards: int) -> None:
        """Prepare the prefixes of `shards` shards; raises ValueError when there is not at least one."""
        if shards < 1:
            raise ValueError(f"a log needs at least one shard, not {shards}")
        width = max(2, len(str(shards - 1)))
        self.shards = shards
        self._prefixes = [f"strata:{{s{shard:0{width}d}}}:" for shard in range(shards)]
        self._feeds = {self.feed(shard): shard for shard in range(shards)}

    def shard(self, key: StreamKey) -> int:
        """Return the shard of a stream."""
        return key.shard(self.shards)

    def stream(self, key: StreamKey) -> str:
        """Return the name of a stream."""
        return f"{self._prefixes[self.shard(key)]}{member(key)}"

    def feed(self, shard: int) -> str:
        """Return the name of a shard's feed."""
        return f"{self._prefixes[shard]}feed"

    def deadlines(self, shard: int) -> str:
        """Return the name of a shard's sorted set of deadlines."""
        return f"{self._prefixes[shard]}deadlines"

    def shard_of_feed(self, name: bytes) -> int:
        """Return the shard whose feed has this name."""
        return self._feeds[name.decode()]


def member(key: StreamKey) -> str:
    """Return how a stream is called within its shard, `<kind>:<id>`."""
    return f"{key.kind}:{key.id}"


def key_of(name: bytes) -> StreamKey:
    """Return the stream called `<kind>:<id>` within its shard; an id may itself contain colons."""
    kind, _, identity = name.decode().partition(":")
    return StreamKey(kind, identity)


def pattern(kind: str) -> str:
    """Return the SCAN pattern that matches the streams of one kind in every shard."""
    return f"strata:{{s*}}:{kind}:*"


def key_in(name: bytes) -> StreamKey:
    """Return the stream that lies at a full key name."""
    return key_of(name.split(b":", 2)[2])
