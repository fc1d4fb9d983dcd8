"""What the log asks of the connections to a store, and what a store's refusals mean.

There are two kinds: one server, be it named itself or by a Sentinel (server_store.py), and a cluster
(cluster_store.py). Both run commands and give raw replies, so that the rest of the log does not know which it has.
Neither repeats an append: whether that is safe is for the caller to know. A question is asked once more, because the
connection may only have been left over from before a restart of the store. Every failure to get a reply is
`Unavailable`, in words that hold no password.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, Protocol

from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster
from redis.exceptions import ResponseError

from shared.eventlog.address import Address
from shared.eventlog.group_commit import Command
from shared.eventlog.log import Closed, LogError, Unavailable

LOST_AFTER: Final = 5.0
"""Seconds after which a command that should not block counts as lost."""

RAW: Final = ("XRANGE", "XREVRANGE", "XREAD", "XREADGROUP", "XPENDING", "XAUTOCLAIM", "XINFO GROUPS", "CONFIG GET")
"""Commands whose replies redis-py would reshape."""

PASSING: Final = {
    "LOADING",
    "MISCONF",
    "NOREPLICAS",
    "BUSY",
    "READONLY",
    "CLUSTERDOWN",
    "MASTERDOWN",
    "TRYAGAIN",
    "OOM",
}
"""Codes of refusals that say: not now."""

PASSING_TYPES: Final = ("ReadOnlyError", "ClusterDownError", "MasterDownError", "TryAgainError", "OutOfMemoryError")
"""The same, where redis-py has an exception type and takes the code out of the text."""


class Refused(LogError):
    """The store answered a command with an error; `cause` is redis-py's exception."""

    def __init__(self, cause: ResponseError) -> None:
        """Remember the answer."""
        super().__init__(f"the store refused a command: {cause}")
        self.cause = cause


class Store(Protocol):
    """Runs commands against the store."""

    address: Address
    spans_shards: bool
    """Whether one blocking read may name the feeds of several shards."""

    async def write(self, command: Command) -> Any:
        """Run an append; raises `Unavailable` when it may or may not have been executed, `Refused` if it was not."""

    async def ask(self, command: Command) -> Any:
        """Run any other command that does not block, a second time if the connection broke."""

    async def block(self, command: Command, wait: float) -> Any:
        """Run a read that blocks for up to `wait` seconds."""

    async def ask_nodes(self, command: Command) -> list[Any]:
        """Run a command on every node that holds data; a refusal is returned in its place."""

    def scan(self, pattern: str) -> AsyncIterator[bytes]:
        """Walk over the names of all streams that match; a name may come twice."""

    async def close(self) -> None:
        """Close every connection."""


def verdict(refused: ResponseError, address: Address) -> LogError:
    """Return `Unavailable` for a refusal that will pass (loading, failing over, full), else `Refused`."""
    if type(refused).__name__ in PASSING_TYPES or str(refused).partition(" ")[0] in PASSING:
        return Unavailable(address.blame(refused))
    return Refused(refused)


def take_raw(client: Redis | RedisCluster) -> None:
    """Have the replies of our commands as the store sent them."""
    for command in RAW:
        client.set_response_callback(command, _as_it_is)


def _as_it_is(response: Any, **_options: Any) -> Any:
    """Return a reply unchanged."""
    return response


async def ask_twice(ask: Callable[[], Awaitable[Any]], within: float) -> Any:
    """Ask, and once more if that failed before `within` seconds had passed."""
    clock = asyncio.get_running_loop().time
    end = clock() + within
    try:
        return await ask()
    except Closed:
        raise
    except Unavailable:
        if clock() >= end:
            raise
        return await ask()
