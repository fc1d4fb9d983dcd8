"""A store that answers every question and takes nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis

from shared.eventlog import EmbeddedStore, RedisEventLog, Unavailable
from tests.contract.entries import TITLE, entry, fill, game


async def test_a_full_store_is_told_with_health(tmp_path: Path) -> None:
    """It refuses appends while PING and reads succeed; `check`, which health repeats, must say so while it lasts."""
    store = EmbeddedStore(tmp_path)
    store.start()
    try:
        log = await RedisEventLog.open(store.url, patience=0.2)
        key = game()
        written = await fill(log, key, 1)
        assert await log.check() == []
        with redis.Redis(unix_socket_path=str(store.folder / "store.sock")) as raw:
            raw.config_set("maxmemory", 1)
            with pytest.raises(Unavailable):
                await log.append(key, TITLE, entry(2))
            warnings = await log.check()
            raw.config_set("maxmemory", 0)
        await log.append(key, TITLE, entry(2))
        assert await log.read(key) == [*written, entry(2)]
        assert warnings
        await log.close()
    finally:
        store.stop()
