from __future__ import annotations

import asyncio
import contextlib
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from shared.eventlog import RedisEventLog, StreamKey, Unavailable
from shared.eventlog.embedded import find_binary
from tests.contract.cluster import Cluster, free_port
from tests.contract.entries import TITLE, entry, fill, game, game_in

SHARDS = 2


class Watched:
    """A primary, its replica, and a Sentinel that watches them under the name `main`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.primary, self.replica, self.sentinel = free_port(), free_port(), free_port()
        self.processes: dict[int, subprocess.Popen[bytes]] = {}

    @property
    def url(self) -> str:
        """The URL by which the Sentinel is asked."""
        return f"redis+sentinel://127.0.0.1:{self.sentinel}/main"

    def start(self) -> None:
        """Start all three and wait until the Sentinel knows both servers."""
        self._start(self.primary, "repl-diskless-sync-delay 0")
        self._start(self.replica, f"replicaof 127.0.0.1 {self.primary}")
        _wait_for(lambda: _info(self.replica, "replication")["master_link_status"] == "up")
        self._start(
            self.sentinel,
            f"sentinel monitor main 127.0.0.1 {self.primary} 1\n"
            "sentinel down-after-milliseconds main 500\n"
            "sentinel failover-timeout main 3000",
            "--sentinel",
        )
        _wait_for(lambda: _info(self.sentinel, "sentinel")["master0"]["slaves"] == 1)

    def stop(self) -> None:
        """End whatever runs."""
        for process in self.processes.values():
            process.kill()
            process.wait(10)

    def _start(self, port: int, settings: str, *options: str) -> None:
        home = self.folder / str(port)
        home.mkdir()
        plain = f'port {port}\nbind 127.0.0.1\ndir "{home}"\nlogfile "{home}/log"\n'
        durable = "" if options else 'save ""\nappendonly yes\nappendfsync always\n'
        (home / "conf").write_text(plain + durable + settings + "\n")
        self.processes[port] = subprocess.Popen([find_binary(), str(home / "conf"), *options])
        _wait_for(lambda: bool(_info(port, "server")))


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    servers = Watched(tmp_path)
    try:
        servers.start()
        yield servers
    finally:
        servers.stop()


@pytest.fixture
async def log(watched: Watched) -> AsyncIterator[RedisEventLog]:
    log = await RedisEventLog.open(watched.url, SHARDS, patience=20)
    yield log
    await log.close()


async def test_an_append_goes_on_at_the_new_primary(watched: Watched, log: RedisEventLog) -> None:
    """When the primary dies, the append under way waits for the Sentinel's choice and continues the stream there."""
    key = game()
    written = await fill(log, key, 3)
    with redis.Redis(port=watched.primary) as primary:
        _wait_for(lambda: bool(primary.wait(1, 100)))
        _wait_for(lambda: _info(watched.primary, "replication")["slave0"]["lag"] <= 1)
    watched.processes[watched.primary].kill()
    await log.append(key, TITLE, entry(4))
    assert await log.read(key) == [*written, entry(4)]
    heads = await log.feed_heads()
    reader = asyncio.create_task(log.watch_feed(heads, 5))
    await asyncio.sleep(0.05)
    await log.append(key, TITLE, entry(5))
    assert [moved.version for _, _, moved in await reader] == [5]
    assert _info(watched.replica, "replication")["role"] == "master"


async def test_a_cluster_goes_on_when_a_replica_takes_over() -> None:
    """When one node of a cluster dies its shards wait for the replica, those of other nodes do not; readers follow."""
    cluster = Cluster()
    try:
        cluster.start()
        cluster.add_replica()
        log = await RedisEventLog.open(cluster.url, 16, patience=20)
        keys = [game_in(shard, 16) for shard in range(16)]
        for key in keys:
            await fill(log, key, 2)
        cursors = await log.feed_heads()
        assert await log.watch_feed(cursors, 0.1) == []
        cluster.kill_first()
        await asyncio.gather(*(log.append(key, TITLE, entry(3)) for key in keys))
        seen: list[tuple[StreamKey, int]] = []
        async with asyncio.timeout(10):
            while len(seen) < 16:
                with contextlib.suppress(Unavailable):
                    for shard, identity, moved in await log.watch_feed(cursors, 5):
                        cursors[shard] = identity
                        seen.append((moved.key, moved.version))
        assert sorted(seen, key=str) == sorted(((key, 3) for key in keys), key=str)
        assert [len(await log.read(key)) for key in keys] == [3] * 16
        await log.close()
    finally:
        cluster.stop()


def _info(port: int, section: str) -> Any:
    """Return a section of a server's INFO."""
    with redis.Redis(port=port) as server:
        return server.info(section)


def _wait_for(condition: Callable[[], bool], patience: float = 20.0) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        with contextlib.suppress(redis.RedisError):
            if condition():
                return
        time.sleep(0.05)
    raise TimeoutError("the servers did not come up")
