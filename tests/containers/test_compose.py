from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest
from testcontainers.compose import DockerCompose

from strata.automata.v1 import automata_pb2, automata_pb2_grpc
from strata.engine.v1 import engine_pb2, engine_pb2_grpc
from strata.identity.v1 import identity_pb2, identity_pb2_grpc
from tests.conftest import ROOT
from tests.containers.conftest import front_of

STRATA = Path(sys.executable).with_name("strata")

pytestmark = [pytest.mark.container, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def played(composition: DockerCompose) -> dict[str, Any]:
    """A whole game of four, played through the front proxy."""
    return strata("demo", "--title", "strange_world", "--players", "4", "--target", front_of(composition))


def test_a_whole_game_is_played_through_the_front_proxy(played: dict[str, Any]) -> None:
    """Four seats play to a result, which replaying the stream and checking the shuffles confirm."""
    assert (played["title"], played["players"]) == ("strange_world", 4)
    assert played["replay"]["ok"]
    assert played["verify"]["ok"]
    assert played["commits"] > played["players"]


def test_the_result_ranks_each_seat_by_its_lines(played: dict[str, Any]) -> None:
    """Every seat has a rank and a total that is the sum of its lines; nobody ranks before a higher total."""
    result = played["result"]
    assert sorted(line["seat"] for line in result) == [0, 1, 2, 3]
    assert all(sum(line["lines"].values()) == line["total"] for line in result)
    by_rank = sorted(result, key=lambda line: line["rank"])
    assert by_rank[0]["rank"] == 1
    totals = [line["total"] for line in by_rank]
    assert totals == sorted(totals, reverse=True)


def test_brains_can_be_listed_from_outside(composition: DockerCompose) -> None:
    """A guest made through the front proxy learns from the automata which brains there are."""
    with grpc.insecure_channel(front_of(composition)) as channel:
        identity: Any = identity_pb2_grpc.IdentityServiceStub(channel)
        guest = identity.CreateGuest(identity_pb2.CreateGuestRequest(display_name="Ann"), timeout=10)
        automata: Any = automata_pb2_grpc.AutomataServiceStub(channel)
        metadata = (("authorization", f"Bearer {guest.access_token}"),)
        answer = automata.ListBrains(automata_pb2.ListBrainsRequest(), metadata=metadata, timeout=10)
    assert {brain.brain for brain in answer.brains} == {"greedy", "random"}


def test_the_engines_internal_half_is_not_reachable_from_outside(composition: DockerCompose) -> None:
    """The front proxy has no route to the EngineService."""
    with grpc.insecure_channel(front_of(composition)) as channel, pytest.raises(grpc.RpcError) as refused:
        engine_pb2_grpc.EngineServiceStub(channel).GetGameSummary(engine_pb2.GetGameSummaryRequest(), timeout=10)
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_games_outlive_the_containers(composition: DockerCompose, played: dict[str, Any]) -> None:
    """After all containers were removed and made anew the game is still there, whole."""
    subprocess.run([*composition.docker_compose_command(), "down"], cwd=ROOT, check=True, capture_output=True)
    composition.start()
    replayed = strata("replay", played["game_id"], "--target", front_of(composition))
    assert replayed["digest"] == played["replay"]["digest"]


def strata(*arguments: str) -> dict[str, Any]:
    """Run the command line with --json; return the object on the last line of its output."""
    done = subprocess.run([STRATA, *arguments, "--json"], check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
