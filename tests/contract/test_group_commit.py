from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shared.eventlog import EmbeddedStore, RedisEventLog
from tests.contract.entries import TITLE, entry, fill, game
from tests.fault.proxy import Fault, Proxy


@pytest.fixture
async def proxy(tmp_path: Path) -> AsyncIterator[Proxy]:
    store = EmbeddedStore(tmp_path)
    store.start()
    async with Proxy(store.url).running() as between:
        yield between
    store.stop()


async def test_appends_of_one_turn_travel_together(proxy: Proxy) -> None:
    """Fifty appends asked for at the same time reach the store in one piece, and one alone is not held back."""
    log = await RedisEventLog.open(proxy.url, 4)
    await fill(log, game(), 1)
    pieces: list[int] = []

    def count(piece: bytes) -> Fault | None:
        pieces.append(piece.count(b"EVALSHA"))
        return None

    proxy.plan = count
    await asyncio.gather(*(log.append(game(), TITLE, entry(1)) for _ in range(50)))
    await log.append(game(), TITLE, entry(1))
    assert pieces == [50, 1]
    await log.close()
