from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from shared.eventlog import EmbeddedStore, EventLog, MemoryEventLog, RedisEventLog
from tests.contract.cluster import Cluster

SHARDS = 4

Opener = Callable[..., Awaitable[EventLog]]


@pytest.fixture(scope="session")
def embedded_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    store = EmbeddedStore(tmp_path_factory.mktemp("embedded"))
    yield store.start()
    store.stop()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    nodes = Cluster()
    try:
        nodes.start()
        yield nodes
    finally:
        nodes.stop()


@pytest.fixture(params=["embedded", pytest.param("container", marks=pytest.mark.container)])
def server_url(request: pytest.FixtureRequest) -> str:
    """Name a server of each make, emptied."""
    url: str = request.getfixturevalue("embedded_url" if request.param == "embedded" else "redis_container_url")
    with redis.Redis.from_url(url) as client:
        client.flushall()
    return url


@pytest.fixture(params=["memory", "embedded", "cluster", pytest.param("container", marks=pytest.mark.container)])
async def opener(request: pytest.FixtureRequest) -> AsyncIterator[Opener]:
    """Open an empty log of each make; `feed_length` and the like are passed on."""
    logs: list[EventLog] = []
    url = _emptied(request)

    async def open_log(**options: Any) -> EventLog:
        log: EventLog
        if url is None:
            log = MemoryEventLog(SHARDS, **options)
        else:
            log = await RedisEventLog.open(url, SHARDS, **options)
        logs.append(log)
        return log

    yield open_log
    for log in logs:
        await log.close()


@pytest.fixture
async def log(opener: Opener) -> EventLog:
    return await opener()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


def _emptied(request: pytest.FixtureRequest) -> str | None:
    """Return the URL of the store asked for, with nothing in it."""
    match request.param:
        case "memory":
            return None
        case "cluster":
            nodes: Cluster = request.getfixturevalue("cluster")
            nodes.flush()
            return nodes.url
        case make:
            url: str = request.getfixturevalue("embedded_url" if make == "embedded" else "redis_container_url")
            with redis.Redis.from_url(url) as client:
                client.flushall()
            return url
