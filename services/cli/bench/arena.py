"""What is measured, each in a process of its own on the loopback: an embedded store, engines, and a bare echo.

The engine process is `strata serve` of the titles alone, with the store as `strata up` runs it. Everything lies in a
temporary folder and ends with the bench.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from redis.asyncio import Redis

from services.cli.bench.amounts import PATIENCE
from services.cli.failing import CommandFailed
from services.cli.stack import embedded
from shared.auth import KEY_BYTES
from shared.eventlog import RedisEventLog

STRATA = ("-c", "from services.cli.app import main; main()")
_ECHO = ("-m", "services.cli.bench.echo")
_LISTENING = "listening on "


class Peer(Struct, frozen=True):
    """A server process: where it listens, and its process id."""

    target: str
    pid: int


class Arena(Struct, frozen=True):
    """Everything that runs; `auth_key` and `seed_key` are the engine's, `log` and `redis` lead to its store."""

    engine: Peer
    echo: Peer
    auth_key: bytes
    seed_key: bytes
    log: RedisEventLog
    redis: Redis

    async def fsync(self, how: str) -> None:
        """Have the store sync its file `always` or every second (`everysec`)."""
        await self.redis.config_set("appendfsync", how)

    async def store(self) -> str:
        """Return the name and version of the store."""
        about = await self.redis.info("server")
        return f"{about.get('server_name', 'redis')} {about.get('valkey_version', about['redis_version'])}"


@contextlib.asynccontextmanager
async def arena(titles: Sequence[str]) -> AsyncIterator[Arena]:
    """Start everything for some titles, and end it."""
    auth_key, seed_key = secrets.token_bytes(KEY_BYTES), secrets.token_bytes(KEY_BYTES)
    async with contextlib.AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="strata-bench-"))
        store = stack.enter_context(embedded(Path(folder)))
        log = await RedisEventLog.open(store.url)
        stack.push_async_callback(log.close)
        redis = Redis.from_url(store.url)
        stack.push_async_callback(redis.aclose)
        environ = {
            "STRATA_LISTEN": "127.0.0.1:0",
            "STRATA_REDIS_URL": store.url,
            "STRATA_AUTH_KEY": auth_key.hex(),
            "STRATA_SEED_KEYS": f"k1:{seed_key.hex()}",
            "STRATA_LOG_LEVEL": "error",
        }
        engine = await stack.enter_async_context(_process((*STRATA, "serve", *titles), environ))
        echo = await stack.enter_async_context(_process(_ECHO, {}))
        yield Arena(engine, echo, auth_key, seed_key, log, redis)


@contextlib.asynccontextmanager
async def _process(arguments: Sequence[str], environ: Mapping[str, str]) -> AsyncIterator[Peer]:
    """Run one server of ours, once it has said where it listens."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        env={**clean_environ(), **environ},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            peer = Peer(await _where(process.stdout), process.pid)
        yield peer
    finally:
        await end(process)


async def _where(output: asyncio.StreamReader | None) -> str:
    """Return the address that a server prints."""
    while output is not None and (line := (await output.readline()).decode()):
        if line.startswith(_LISTENING):
            return line.removeprefix(_LISTENING).split()[0].rstrip(":")
    raise CommandFailed("a server to be measured ended at once; what it said stands above")


async def end(process: asyncio.subprocess.Process) -> None:
    """Ask a process of ours to end, and see that it does."""
    if process.returncode is None:
        process.terminate()
    try:
        async with asyncio.timeout(PATIENCE):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


def clean_environ() -> dict[str, str]:
    """Return our environment without what would configure a server that is measured, or gRPC in the bare probe."""
    configured = ("STRATA_", "GRPC_EXPERIMENTS")
    return {name: value for name, value in os.environ.items() if not name.startswith(configured)}
