"""Simulation: what is counted, and that whatever goes wrong ends it and can be found again."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import msgspec
import pytest

from services.cli import simulation
from services.cli.failing import CommandFailed
from services.cli.simulation import Plan, play, simulate, spread
from services.strange_world import rules
from shared.kernel import Reason, Refusal

SOLO = Plan("strange_world", 1, ("random",), "test")


def test_how_totals_are_spread() -> None:
    """Of 1 … 10: mean 5.5, standard deviation √8.25, and percentiles that are totals themselves."""
    assert msgspec.to_builtins(spread([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])) == {
        "mean": 5.5,
        "sd": 2.87,
        "min": 1,
        "p10": 1,
        "p50": 5,
        "p90": 9,
        "max": 10,
    }


def test_brains_change_seats() -> None:
    """Two brains at three seats sit alternately and move on by one seat with each game."""
    plan = Plan("strange_world", 3, ("greedy", "random"), "test")
    assert [plan.seats(number) for number in range(3)] == [
        ("greedy", "random", "greedy"),
        ("random", "greedy", "random"),
        ("greedy", "random", "greedy"),
    ]


def test_a_run_can_be_repeated() -> None:
    """The same seed gives the same games, in one process or in two, as a whole or in part; another seed others."""
    whole = simulate(SOLO, 6)
    parallel = simulate(SOLO, 6, jobs=2)
    assert (parallel.score, parallel.actions) == (whole.score, whole.actions)
    single = [play(SOLO, number) for number in range(6)]
    assert sum(outcome.actions for outcome in single) == whole.actions
    assert simulate(SOLO, 1, first=5).score.mean == single[5].totals[0]
    assert [play(msgspec.structs.replace(SOLO, seed="other"), number).totals for number in range(6)] != [
        outcome.totals for outcome in single
    ]


def test_wins_are_counted_by_brain() -> None:
    """Where several brains play, each one's wins and mean are told; where one plays, they are left out."""
    report = simulate(Plan("strange_world", 2, ("greedy", "random"), "test"), 4)
    assert set(report.wins) == set(report.means) == {"greedy", "random"}
    assert sum(report.wins.values()) >= 4
    assert "wins" not in msgspec.to_builtins(simulate(SOLO, 1))


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        (Plan("chess", 2, ("random",), "test"), "no title 'chess'"),
        (Plan("strange_world", 5, ("random",), "test"), "BAD_SEATS"),
        (Plan("strange_world", 2, ("deep_thought",), "test"), "no brain 'deep_thought'"),
        (Plan("strange_world", 1, ("random", "greedy"), "test"), "2 brains need as many seats"),
        (Plan("strange_world", 2, ("random",), "test", {"pack": "x"}), "BAD_OPTION"),
        (Plan("strange_world", 2, ("random",), "test", {"colour": "red"}), "BAD_OPTION"),
    ],
)
def test_what_cannot_be_played_is_refused(plan: Plan, sentence: str) -> None:
    """A plan that no game can follow is refused with a sentence before any game begins."""
    with pytest.raises(CommandFailed, match=sentence):
        simulate(plan, 1)


def _refuses(state: Any, seat: int, action: Any, draw: Any) -> Any:
    del state, seat, action, draw
    raise Refusal(Reason.NOT_AN_OPTION, "there is no such cell")


@pytest.mark.parametrize(
    ("broken", "what"),
    [
        ({"legal_actions": lambda *_: ()}, "has no legal action"),
        ({"decide": _refuses}, "there is no such cell"),
        ({"result": lambda _: None}, "no result"),
    ],
)
def test_what_goes_wrong_names_its_game(monkeypatch: pytest.MonkeyPatch, broken: dict[str, Any], what: str) -> None:
    """A dead end, a refused legal action and a missing result end the run and name seed and number of the game."""
    title = msgspec.structs.replace(rules.TITLE, **broken)
    monkeypatch.setattr(simulation, "_title", lambda _: title)
    with pytest.raises(CommandFailed, match=rf"game 3 of seed test .*--seed test --first 3 --games 1.*{what}"):
        simulate(SOLO, 2, first=3)


def test_the_command_prints_one_object() -> None:
    """`strata simulate --json` prints one JSON object with every promised field and nothing else on stdout."""
    strata = [sys.executable, "-c", "from services.cli.app import main; main()"]
    command = [*strata, "simulate", "--players", "1", "--brain", "random", "--games", "3", "--jobs", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    report = json.loads(done.stdout)
    assert {"games", "seconds", "actions", "score"} <= set(report)
    assert set(report["score"]) == {"mean", "sd", "min", "p10", "p50", "p90", "max"}
    assert report["games"] == 3
    wrong = subprocess.run([*command, "--title", "chess"], capture_output=True, text=True, timeout=60, check=False)
    assert wrong.returncode == 1
    assert "no title 'chess'" in wrong.stderr
