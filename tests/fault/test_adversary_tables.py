"""The table service among hostile stores and surroundings."""

from __future__ import annotations

import asyncio
import contextlib
import re

import grpc
import msgspec
import pytest

from services.cli import looking
from services.cli.stack import alone, assemble, free_port
from services.table.app import TableApp
from services.table.elsewhere import Elsewhere as Calls
from shared.clock import now
from shared.config import SeedKey, Settings
from shared.engine.app import EngineApp
from shared.eventlog.log import StreamKey
from shared.eventlog.memory import MemoryEventLog
from shared.server import Server
from strata.table.v1 import table_pb2
from tests.conftest import ROOT
from tests.service.calling import SETTINGS, metadata
from tests.service.table.conftest import TITLE, Elsewhere, Front, elsewhere, front, log, tables
from tests.titles import WIRES

__all__ = ["elsewhere", "log", "tables"]


async def test_a_watcher_of_a_table_that_went_back_is_not_flooded(log: MemoryEventLog, tables: Front) -> None:
    """A store that lost a table's last changes does not have the server send the same table without a pause."""
    table_id = await tables.open()
    await tables.call("JoinTable", "bob", table_id=table_id)
    key = StreamKey("table", table_id)
    log._streams[key] = (await log.read(key))[:1]
    watch = tables.tables.WatchTable(table_pb2.WatchTableRequest(table_id=table_id), metadata=metadata("ann"))
    received = 0
    with contextlib.suppress(TimeoutError, grpc.aio.AioRpcError):
        async with asyncio.timeout(0.5):
            async for _ in watch:
                received += 1
    watch.cancel()
    assert received <= 3


async def test_a_game_never_begins_under_another_commitment_than_its_table_showed(
    log: MemoryEventLog, elsewhere: Elsewhere
) -> None:
    """A key that was replaced behind its id breaks the promise of every open table; such a start must fail."""
    async with front(log, elsewhere) as tables:
        table_id = await tables.open(seats=1)
    other = msgspec.structs.replace(SETTINGS, seed_keys=(SeedKey("k1", bytes(range(32))),))
    async with Server(other, log, (EngineApp(tuple(WIRES.values()), other, log),)) as engine:
        replaced = Elsewhere.__new__(Elsewhere)
        replaced.settings = msgspec.structs.replace(
            elsewhere.settings, engine_targets={TITLE: f"127.0.0.1:{engine.port}"}
        )
        async with front(log, replaced) as tables:
            with contextlib.suppress(grpc.aio.AioRpcError):
                await tables.call("StartGame", "ann", table_id=table_id)
            table = await tables.table(table_id)
    assert table.status != table_pb2.TABLE_STATUS_STARTED
    assert not await log.read(StreamKey("game", table.game_id))


async def test_the_services_reach_each_other_past_a_web_proxy(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`make up` works on a machine whose environment names a proxy for the web."""
    for name in ("no_proxy", "NO_PROXY", "no_grpc_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "grpc_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    calls = Calls(elsewhere.settings)
    try:
        assert (await calls.describe(TITLE)).title == TITLE
    finally:
        await calls.close()


@pytest.mark.parametrize("name", ["[/red]", "[bold]Bob"])
async def test_a_name_in_square_brackets_is_shown_as_it_is(
    log: MemoryEventLog, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """`strata games` is not brought down, nor told colours, by whatever a guest calls itself."""
    settings = alone(msgspec.structs.replace(SETTINGS, listen=f"127.0.0.1:{free_port()}"))
    async with Server(settings, log, assemble(("table", TITLE), settings, log)) as server:
        target = f"127.0.0.1:{server.port}"
        async with grpc.aio.insecure_channel(target) as channel:
            tables = Front(channel)
            table_id = await tables.open(name, seats=1)
            await tables.call("StartGame", name, table_id=table_id)
        await looking.games(looking.Place(target), 20, as_json=False)
    assert name in capsys.readouterr().out


def test_the_front_proxy_lets_through_as_many_streams_as_an_engine_serves() -> None:
    """Envoy's own limit of 1,024 calls for each cluster would let one guest who watches shut out every player."""
    config = (ROOT / "deploy" / "envoy" / "envoy.yaml").read_text()
    clusters = len(re.findall(r"^      type: STRICT_DNS$", config, re.MULTILINE))
    limits = [int(number) for number in re.findall(r"max_requests: ([0-9]+)", config)]
    assert config.count("circuit_breakers:") == clusters
    assert limits
    assert min(limits) > Settings().watch_limit


async def test_a_start_that_waits_for_its_engine_goes_on_when_the_engine_is_back(
    log: MemoryEventLog, elsewhere: Elsewhere
) -> None:
    """A start is kept while the engine is away and finished by the sweep of whichever process finds the engine."""
    nowhere = msgspec.structs.replace(elsewhere.settings, engine_targets={TITLE: "127.0.0.1:1"})
    async with front(log, elsewhere) as tables:
        table_id = await tables.open(seats=1)
    away = Elsewhere.__new__(Elsewhere)
    away.settings = nowhere
    async with front(log, away) as tables:
        answer = await tables.call("StartGame", "ann", table_id=table_id, request_id="start")
        assert answer.table.status == table_pb2.TABLE_STATUS_STARTING
    async with front(log, elsewhere) as tables:
        answer = await tables.call("StartGame", "ann", table_id=table_id, request_id="start")
        assert answer.table.status == table_pb2.TABLE_STATUS_STARTED


async def test_a_start_is_finished_although_the_clock_went_back(
    log: MemoryEventLog, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start left behind by a process whose clock was an hour ahead does not wait for an hour."""
    monkeypatch.setattr("services.table.starting._SWEEP_SECONDS", 0.02, raising=False)
    monkeypatch.setattr("services.table.starting._STALE_MS", 50, raising=False)
    away = Elsewhere.__new__(Elsewhere)
    away.settings = msgspec.structs.replace(elsewhere.settings, engine_targets={TITLE: "127.0.0.1:1"})
    async with front(log, elsewhere) as tables:
        table_id = await tables.open(seats=1)
    async with front(log, away) as tables:
        await tables.call("StartGame", "ann", table_id=table_id)
    late = TableApp(elsewhere.settings, log, lambda: now() - 3_600_000)
    async with Server(elsewhere.settings, log, (late,)):
        await asyncio.sleep(0.7)
    async with front(log, away) as tables:
        assert (await tables.table(table_id)).status == table_pb2.TABLE_STATUS_STARTED
