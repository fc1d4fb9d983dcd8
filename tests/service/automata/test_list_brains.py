"""AutomataService: which brains there are."""

from __future__ import annotations

import grpc

from services.automata.app import AutomataApp
from shared.eventlog.memory import MemoryEventLog
from shared.server import Server as Process
from strata.automata.v1 import automata_pb2, automata_pb2_grpc
from tests.service.automata.conftest import create, finished, settings_for
from tests.service.calling import metadata, refused
from tests.service.engine.conftest import TITLE, WIRE
from tests.service.engine.conftest import Engine as Server

Code = grpc.StatusCode


async def test_brains_are_listed(log: MemoryEventLog, server: Server, target: str) -> None:
    """Every brain of a title is named with a sentence; an unknown title and a call without token are refused."""
    settings = settings_for(target)
    async with Process(settings, log, (AutomataApp(settings, log, (WIRE,)),)) as process:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{process.port}") as channel:
            call = automata_pb2_grpc.AutomataServiceStub(channel).ListBrains
            who = metadata("somebody")
            for title in ("", TITLE):
                answer = await call(automata_pb2.ListBrainsRequest(title=title), metadata=who)
                assert [(brain.title, brain.brain) for brain in answer.brains] == [(TITLE, "random"), (TITLE, "greedy")]
                assert all(brain.about for brain in answer.brains)
            with refused(Code.NOT_FOUND, "UNKNOWN_TITLE"):
                await call(automata_pb2.ListBrainsRequest(title="chess"), metadata=who)
            with refused(Code.UNAUTHENTICATED, "NO_TOKEN"):
                await call(automata_pb2.ListBrainsRequest())
        key = await create(server, "greedy", game_id="g1")
        await finished(log, key)
