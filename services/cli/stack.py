"""Putting services into one process: which there are, how each is made, and over which store they run.

The same parts make `strata up` (everything, over a store of its own), `strata serve` (what it is told, over a Redis)
and the temporary server of `strata demo`. Services that share a process still talk through its port, as they would
from elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import socket
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import structlog

from services.cli import secrets_file
from services.cli.failing import CommandFailed
from services.cli.titles import TITLES, wire
from shared.config import Settings
from shared.eventlog import EmbeddedStore, EventLog, RedisEventLog, Unavailable
from shared.server import Server, Service, settle

SERVICES = ("table", "automata", *TITLES)
STORE_PATIENCE = 30.0
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]", "": "127.0.0.1"}  # noqa: S104 - what to call when all are listened on

_log = structlog.get_logger("stack")


def assemble(names: Iterable[str], settings: Settings, log: EventLog) -> list[Service]:
    """Return the services of these names, each out of `SERVICES`; all titles among them share one engine."""
    chosen = tuple(dict.fromkeys(names))
    services: list[Any] = []
    if titles := [name for name in chosen if name in TITLES]:
        from shared.engine.app import EngineApp

        services.append(EngineApp([wire(title) for title in titles], settings, log))
    if "table" in chosen:
        from services.table.app import TableApp

        services.append(TableApp(settings, log))
    if "automata" in chosen:
        from services.automata.app import AutomataApp

        # One process may play for some titles only; with no target at all the service says what is missing.
        played = [title for title in TITLES if title in settings.engine_targets] or TITLES
        services.append(AutomataApp(settings, log, [wire(title) for title in played]))
    return services


def own_address(listen: str) -> str:
    """Return where a process that listens at `listen` reaches itself."""
    host, _, port = listen.rpartition(":")
    return f"{_LOOPBACK.get(host, host)}:{port}"


def alone(settings: Settings) -> Settings:
    """Return settings for a process that hosts everything: every service is found at its own address."""
    here = own_address(settings.listen)
    return msgspec.structs.replace(settings, engine_targets=dict.fromkeys(TITLES, here), automata_target=here)


async def open_log(settings: Settings) -> RedisEventLog:
    """Connect to the store; one that is not up yet is waited for."""
    loop = asyncio.get_running_loop()
    end, told = loop.time() + STORE_PATIENCE, False
    while True:
        try:
            return await RedisEventLog.open(settings.redis_url, settings.shards)
        except ValueError as error:
            raise CommandFailed(f"STRATA_REDIS_URL: {error}") from error
        except Unavailable as error:
            if loop.time() > end:
                raise
            if not told:
                _log.warning("store_not_there_yet", detail=str(error), patience=STORE_PATIENCE)
                told = True
            await asyncio.sleep(1.0)


@contextlib.asynccontextmanager
async def running(
    names: Iterable[str], settings: Settings, store: EmbeddedStore | None = None
) -> AsyncIterator[Server]:
    """Run services in this process; an embedded store of theirs is started again when it ends by itself."""
    log = await open_log(settings)
    watcher = asyncio.create_task(store.supervise()) if store else None
    try:
        async with Server(settings, log, assemble(names, settings, log)) as server:
            settle()
            yield server
    finally:
        if watcher:
            watcher.cancel()
        await log.close()


@contextlib.contextmanager
def embedded(folder: Path) -> Iterator[EmbeddedStore]:
    """Run an embedded store in a folder. In the main thread: the store ends with the thread that started it."""
    store = EmbeddedStore(folder)
    store.start()
    try:
        yield store
    finally:
        store.stop()


@contextlib.asynccontextmanager
async def temporary(seed: bytes | None, brain_delay_ms: int = 0) -> AsyncIterator[Settings]:
    """Run everything on a free port over a store that is gone afterwards; with a seed its secrets follow from it."""
    secrets = _derived(seed) if seed is not None else secrets_file.made_up()
    with tempfile.TemporaryDirectory(prefix="strata-") as folder, embedded(Path(folder)) as store:
        settings = alone(
            Settings(
                listen=f"127.0.0.1:{free_port()}",
                redis_url=store.url,
                auth_key=secrets.auth(),
                seed_keys=secrets.seeds(),
                brain_delay_ms=brain_delay_ms,
            )
        )
        async with running(SERVICES, settings, store):
            yield settings


def _derived(seed: bytes) -> secrets_file.Secrets:
    def part(what: str) -> str:
        return hmac.digest(seed, f"strata/demo/{what}".encode(), hashlib.sha256).hex()

    return secrets_file.Secrets(part("auth"), {"demo": part("chance")})


def free_port() -> int:
    """Return a port of the loopback that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
