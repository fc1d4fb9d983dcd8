"""What a person or a script asks of a running server: every command, its JSON, and how it fails."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from typer.testing import CliRunner

from services.cli.app import app
from services.cli.stack import free_port
from strata.identity.v1 import identity_pb2, identity_pb2_grpc
from strata.table.v1 import table_pb2, table_pb2_grpc
from tests.e2e import processes
from tests.e2e.processes import Process, everything


@dataclass(frozen=True)
class Done:
    """A command that was run."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments: str) -> Done:
    """Run a command in this process, which saves the second that a new process takes to begin."""
    unset = {name: None for name in os.environ if name.startswith("STRATA_")}
    result = CliRunner().invoke(app, list(arguments), env={**unset, "COLUMNS": "100"})
    return Done(result.exit_code, result.stdout, result.stderr)


def strata(*arguments: str) -> dict[str, Any]:
    """Run a command with --json, which must succeed, and return the object on its last line."""
    return lines(run(*arguments, "--json"))[-1]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """Everything in one process."""
    with everything(tmp_path_factory.mktemp("var")) as running:
        yield running


@pytest.fixture(scope="module")
def finished(server: Process) -> str:
    """The id of a game of two that is over."""
    return str(strata("demo", "--players", "2", "--brain", "random", "--target", server.target)["game_id"])


@pytest.fixture(scope="module")
def waiting(server: Process, finished: str) -> tuple[str, str]:
    """A game of one, begun after `finished`, that waits for its player: its id and the player's token."""
    del finished
    with grpc.insecure_channel(server.target) as channel:
        identity: Any = identity_pb2_grpc.IdentityServiceStub(channel)
        tables: Any = table_pb2_grpc.TableServiceStub(channel)
        token = identity.CreateGuest(identity_pb2.CreateGuestRequest(display_name="Ada"), timeout=10).access_token
        who = (("authorization", f"Bearer {token}"),)
        create = table_pb2.CreateTableRequest(request_id="create", title="strange_world", seat_count=1)
        table = tables.CreateTable(create, metadata=who, timeout=10).table
        start = table_pb2.StartGameRequest(request_id="start", table_id=table.table_id)
        game_id = str(tables.StartGame(start, metadata=who, timeout=10).table.game_id)
    return game_id, token


def asked(server: Process, *arguments: str) -> str:
    """Run a command for people, which must succeed, and return what it printed."""
    done = run(*arguments, "--target", server.target)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(server: Process, *arguments: str) -> str:
    """Run a command that must fail, and return the one sentence it says."""
    done = run(*arguments, "--target", server.target)
    assert done.returncode == 1
    assert done.stdout == ""
    [sentence] = done.stderr.splitlines()
    assert sentence.startswith("strata: ")
    return sentence.removeprefix("strata: ")


def lines(done: Done) -> list[dict[str, Any]]:
    """Return the objects a command printed, one a line."""
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_health_says_that_it_serves(server: Process) -> None:
    """Status 0 while it serves, 1 and a sentence where nobody listens."""
    assert asked(server, "health").strip() == "SERVING"
    nobody = run("health", "--target", f"127.0.0.1:{free_port()}")
    assert nobody.returncode == 1
    assert "UNAVAILABLE" in nobody.stderr


def test_games_lists_what_is_over_and_what_waits(server: Process, finished: str, waiting: tuple[str, str]) -> None:
    """Each game with its players and where it stands, newest first."""
    rows = {row["game_id"]: row for row in lines(run("games", "--json", "--target", server.target))}
    assert rows[finished]["status"] == "over"
    assert {standing["seat"] for standing in rows[finished]["result"]["standings"]} == {0, 1}
    assert (rows[waiting[0]]["status"], rows[waiting[0]]["players"]) == ("playing", ["Ada"])
    assert rows[waiting[0]]["decision"] == {"kind": "pick_stack", "seats": [0], "open": True}
    assert list(rows) == [waiting[0], finished]
    shown = asked(server, "games")
    assert finished in shown
    assert waiting[0] in shown


def test_show_goes_back_in_time(server: Process, finished: str) -> None:
    """Any version can be drawn; the last one has the score sheets."""
    assert "turn 5 of 5" in asked(server, "show", finished)
    assert "total" in asked(server, "show", finished)
    early = strata("show", finished, "--version", "1", "--target", server.target)
    assert (early["version"], early["status"], early["view"]["turn"]) == (1, "playing", 1)
    assert early["view"]["hand"] == []
    assert "turn 1 of 5" in asked(server, "show", finished, "--version", "1")


def test_a_seat_is_shown_to_its_holder_alone(server: Process, waiting: tuple[str, str]) -> None:
    """With the player's token the seat's view opens, without it the reason is named."""
    game_id, token = waiting
    seen = strata("show", game_id, "--seat", "0", "--token", token, "--target", server.target)
    assert seen["view"]["seat"] == 0
    assert refused(server, "show", game_id, "--seat", "0").startswith("NOT_YOUR_SEAT: ")


def test_legal_lists_every_option(server: Process, waiting: tuple[str, str], finished: str) -> None:
    """Seven stacks can be picked (SW-14.8); they are open, so anybody may list them. A game that is over has none."""
    game_id, _ = waiting
    found = strata("legal", game_id, "--seat", "0", "--target", server.target)
    assert found["actions"] == [{"pick_stack": {"stack": stack}} for stack in range(1, 8)]
    assert asked(server, "legal", game_id, "--seat", "0").count("pick stack") == 7
    assert "over" in asked(server, "legal", finished, "--seat", "0")


def test_watch_tells_every_commit_and_ends_with_the_game(server: Process, finished: str) -> None:
    """From the first version on, or from any other, each commit once."""
    told = lines(run("watch", finished, "--json", "--target", server.target))
    assert [commit["version"] for commit in told] == list(range(1, len(told) + 1))
    assert "game_begun" in told[0]["events"][0]
    rest = lines(run("watch", finished, "--after", "10", "--json", "--target", server.target))
    assert rest == told[10:]
    assert "places" in asked(server, "watch", finished)


def test_replay_and_verify_agree_with_the_server(server: Process, finished: str) -> None:
    """The record leads to what is shown, and its chance is honest: two starting Lands, 37 of 38 Lands, one holder."""
    replayed = strata("replay", finished, "--target", server.target)
    assert (replayed["ok"], replayed["difference"]) == (True, "")
    verdict = strata("verify", finished, "--target", server.target)
    assert (verdict["ok"], verdict["draws"], verdict["difference"]) == (True, 2 + 37 + 1, None)
    assert "lead to what the server shows" in asked(server, "replay", finished)
    assert "honest" in asked(server, "verify", finished)


def test_a_game_that_goes_on_keeps_its_secrets(server: Process, waiting: tuple[str, str]) -> None:
    """Neither replay nor verify can read a record that is still hidden; they say why."""
    for command in ("replay", "verify"):
        assert "still being played" in refused(server, command, waiting[0])


def test_failures_name_their_reason(server: Process, finished: str) -> None:
    """One sentence with the stable reason, no traceback, status 1."""
    assert refused(server, "show", "no-such-game").startswith("UNKNOWN_GAME: ")
    assert refused(server, "show", "No Such Game").startswith("BAD_ID: ")
    assert refused(server, "show", finished, "--version", "9999").startswith("BAD_VERSION: ")
    assert refused(server, "show", finished, "--token", "forged").startswith("BAD_TOKEN: ")
    assert refused(server, "show", finished, "--title", "chess").startswith("there is no title 'chess'")
    assert refused(server, "demo", "--title", "chess").startswith("there is no title 'chess'")
    assert "BAD_SEATS" in refused(server, "demo", "--players", "9")
    assert "BAD_OPTION" in refused(server, "demo", "--option", "pack=chess")
    assert "no brain 'genius'" in refused(server, "demo", "--brain", "genius")


def test_secrets_are_private_and_the_folder_has_one_owner(server: Process, tmp_path: Path) -> None:
    """The file of secrets has mode 0600; a second server on the same folder, or on the same port, is refused."""
    with everything(tmp_path) as first:
        assert stat.S_IMODE((tmp_path / "secrets.json").stat().st_mode) == 0o600
        second = processes.run("up", "--port", str(free_port()), "--var", str(tmp_path))
        assert (second.returncode, "in use" in second.stderr) == (1, True)
        assert first.stop() == 0
    port = server.target.rpartition(":")[2]
    taken = processes.run("up", "--port", port, "--var", str(tmp_path))
    assert (taken.returncode, "cannot listen" in taken.stderr) == (1, True)


def test_serve_says_what_is_missing() -> None:
    """A service without its keys, or an unknown one, does not start."""
    assert "STRATA_AUTH_KEY" in processes.run("serve", "table").stderr
    unknown = run("serve", "chess")
    assert (unknown.returncode, "there is no service 'chess'" in unknown.stderr) == (1, True)


def test_a_guest_gets_a_token_that_other_commands_take(server: Process) -> None:
    """The printed token is a player's: commands that need one accept it and refuse a changed one."""
    made = strata("guest", "--name", "Ann", "--target", server.target)
    assert made["display_name"] == "Ann"
    done = run("games", "--target", server.target, "--token", made["access_token"])
    assert done.returncode == 0, done.stderr
    forged = run("games", "--target", server.target, "--token", made["access_token"][:-4] + "AAAA")
    assert forged.returncode == 1
    assert "BAD_TOKEN" in forged.stderr
    assert made["access_token"][:-4] not in forged.stderr
