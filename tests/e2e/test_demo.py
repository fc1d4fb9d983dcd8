"""A whole game as a person plays it: with everything in one process, with a process for each service, through kills."""

from __future__ import annotations

import asyncio
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from services.cli.stack import free_port
from shared.eventlog import EmbeddedStore
from tests.e2e.front import front
from tests.e2e.processes import Process, begin, everything, finish, run, stopping, strata

FIELDS = {"game_id", "title", "players", "commits", "actions", "seconds", "result", "replay", "verify"}
CATEGORIES = {"mountain", "water", "plant", "forest", "moon", "city", "traveller"}
LEAST_ANSWERS = {1: 20, 2: 50, 3: 80, 4: 105}


def assert_whole(played: dict[str, Any], players: int) -> None:
    """Check the one object that a script reads."""
    assert played.keys() == FIELDS
    assert (played["title"], played["players"]) == ("strange_world", players)
    # SW-16.7: so many answers at least; one commit more creates the game.
    assert played["actions"] >= LEAST_ANSWERS[players]
    assert played["commits"] == played["actions"] + 1
    assert [line["seat"] for line in played["result"]] == list(range(players))
    for line in played["result"]:
        assert line.keys() == {"seat", "rank", "total", "lines"}
        assert line["lines"].keys() == CATEGORIES
        assert sum(line["lines"].values()) == line["total"]
        assert line["rank"] == 1 + sum(other["total"] > line["total"] for other in played["result"])
    assert played["replay"]["ok"] is True
    assert len(bytes.fromhex(played["replay"]["digest"])) == 32
    assert played["verify"] == {"ok": True}


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_game_is_played_on_a_server_of_its_own(players: int) -> None:
    """Without a target the command brings its server, plays to the end, replays and verifies."""
    assert_whole(strata("demo", "--title", "strange_world", "--players", str(players), "--brain", "random"), players)


def test_a_seed_gives_the_same_game_again() -> None:
    """Id, result and final state come out the same; another seed gives another game."""
    first, again, other = (
        strata("demo", "--players", "3", "--brain", "random", "--seed", seed) for seed in ("0a0b", "0a0b", "0c")
    )
    assert {name: first[name] for name in FIELDS - {"seconds"}} == {name: again[name] for name in FIELDS - {"seconds"}}
    assert first["replay"]["digest"] != other["replay"]["digest"]


def test_people_see_the_board_the_commits_and_the_scores() -> None:
    """Without --json the game is told line by line, drawn turn by turn, and ends with the score sheets."""
    done = run("demo", "--players", "2", "--brain", "greedy", "--option", "pack=skyward")
    assert done.returncode == 0, done.stderr
    for expected in ("from the pack skyward", "turn 5 of 5", "places", "total", "rank", "every shuffle was honest"):
        assert expected in done.stdout


def test_the_server_is_killed_in_the_middle_and_the_game_goes_on(tmp_path: Path) -> None:
    """SIGKILL loses nothing that was answered: the same command plays on as soon as the server is there again."""
    with everything(tmp_path) as server:
        demo = begin(
            "demo", "--players", "4", "--brain", "random", "--target", server.target, "--delay", "0.02", "--json"
        )
        read_commits(demo, 30)
        server.kill()
        time.sleep(0.5)
        server.start()
        played = finish(demo)
        assert_whole(played, 4)
        server.stop()
        server.start()
        replayed = strata("replay", played["game_id"], "--target", server.target)
        assert replayed["digest"] == played["replay"]["digest"]
        assert strata("verify", played["game_id"], "--target", server.target)["ok"]


def test_a_demo_waits_for_a_server_that_is_not_there_yet(tmp_path: Path) -> None:
    """While the guest, the table and its seats are made, a missing server is waited for as well."""
    port = free_port()
    demo = begin("demo", "--players", "2", "--brain", "random", "--target", f"127.0.0.1:{port}", "--json")
    time.sleep(1.0)
    server = Process(("up", "--port", str(port), "--var", str(tmp_path)), port, {})
    with stopping(server):
        server.start()
        assert_whole(finish(demo), 2)


async def test_a_game_is_played_with_each_service_in_its_own_process(tmp_path: Path) -> None:
    """Table, engine and automata meet nowhere but in the log and over gRPC."""
    store = EmbeddedStore(tmp_path)
    ports = {name: free_port() for name in ("table", "strange_world", "automata")}
    target = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
    try:
        environ = {
            "STRATA_REDIS_URL": store.start(),
            "STRATA_AUTH_KEY": "ab" * 32,
            "STRATA_SEED_KEYS": "k1:" + "cd" * 16,
            "STRATA_ENGINE_TARGETS": f"strange_world={target['strange_world']}",
            "STRATA_AUTOMATA_TARGET": target["automata"],
            "STRATA_LOG_LEVEL": "warning",
        }
        servers = [Process(("serve", name), ports[name], environ | {"STRATA_LISTEN": target[name]}) for name in ports]
        with stopping(*servers):
            for server in servers:
                server.start()
            packages = {
                "strata.table.v1": target["table"],
                "strata.identity.v1": target["table"],
                "strata.strange_world.v1": target["strange_world"],
                "strata.automata.v1": target["automata"],
            }
            async with front(packages) as address:
                demo = begin("demo", "--players", "4", "--brain", "random", "--target", address, "--json")
                assert_whole(await asyncio.to_thread(finish, demo), 4)
    finally:
        store.stop()


def read_commits(demo: subprocess.Popen[str], count: int) -> None:
    """Read the lines of a demo until so many commits have been told."""
    assert demo.stderr is not None
    for line in demo.stderr:
        count -= line[:4].strip().isdecimal()
        if count == 0:
            return
    pytest.fail("the demo ended early")
