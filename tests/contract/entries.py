"""Commits and streams to write in tests of the log."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec

from shared.eventlog import Entry, EventLog, StreamKey

TITLE = "strange_world"
_numbers = itertools.count(1)


def entry(version: int, **changes: Any) -> Entry:
    """Return a whole commit; `changes` replace its fields."""
    plain = Entry(
        version=version,
        at=1_700_000_000_000 + version,
        action="place_land",
        seat=1,
        caller="player-7",
        request=f"request-{version}",
        body=bytes(range(16)),
        schema="strange_world.1",
        status="running",
        waiting=(0, 2),
        deadline=None,
        before=b"" if version == 1 else b"b" * 16,
        data=b"\x00commit\xff",
    )
    return msgspec.structs.replace(plain, **changes)


def game(identity: str | None = None) -> StreamKey:
    """Return the key of a game, a new one unless named."""
    return StreamKey("game", identity or f"game-{next(_numbers)}")


def game_in(shard: int, shards: int) -> StreamKey:
    """Return the key of a new game that lies in a given shard."""
    while (key := game()).shard(shards) != shard:
        pass
    return key


async def fill(log: EventLog, key: StreamKey, versions: int) -> list[Entry]:
    """Append that many commits to a new stream and return them."""
    entries = [entry(version) for version in range(1, versions + 1)]
    for each in entries:
        await log.append(key, TITLE, each)
    return entries
