"""A feed that is taken away from those who follow it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from shared.eventlog import EmbeddedStore, RedisEventLog, Trimmed
from tests.contract.entries import TITLE, entry, fill, game

GROUP = "followers"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    embedded = EmbeddedStore(tmp_path)
    embedded.start()
    yield embedded
    embedded.stop()


@pytest.mark.parametrize("others", [0, 1], ids=["nothing else moves", "another game moves"])
async def test_a_group_whose_feed_was_deleted_is_told_that_it_missed_something(
    store: EmbeddedStore, others: int
) -> None:
    """Or else the game of an entry that was not claimed yet waits for its automaton for ever.

    That holds, too, if another game of the shard begins the feed anew before the group looks for it.
    """
    log = await RedisEventLog.open(store.url, 1)
    key = game()
    await fill(log, key, 1)
    (first,) = await log.claim(GROUP, "one", (0,), 0.05)
    await log.ack(GROUP, first)
    await log.append(key, TITLE, entry(2))
    with redis.Redis(unix_socket_path=str(store.folder / "store.sock")) as raw:
        assert raw.delete("strata:{s00}:feed") == 1
    for _ in range(others):
        await fill(log, game(), 1)
    with pytest.raises(Trimmed):
        await log.claim(GROUP, "one", (0,), 0.05)
    await log.close()
