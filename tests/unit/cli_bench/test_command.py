from __future__ import annotations

import json
import os
import time

import pytest

from services.cli.bench import machine
from services.cli.bench.goals import GROUPS
from services.cli.titles import TITLES
from tests.e2e.processes import run


def test_a_quick_run_measures_everything_and_its_status_says_whether_all_is_well() -> None:
    """One object with every check of every title, and status 0 exactly when each of them is ok."""
    done = run("bench", "--quick", "--json")
    found = json.loads(done.stdout)
    own = {goal.name for goal in GROUPS["start"]}
    each = {goal.name for name, goals in GROUPS.items() if name != "start" for goal in goals}
    assert {check["name"] for check in found["checks"]} == own | {
        f"{title}.{name}" for title in TITLES for name in each
    }
    assert all(check["value"] > 0 for check in found["checks"])
    assert f"{os.cpu_count()} cores" in found["machine"]
    assert done.returncode == (0 if all(check["ok"] for check in found["checks"]) else 1), done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--title", "no_such_title"), "there is no title 'no_such_title'"),
        (("--only", "no_such_check"), "there is no check or group 'no_such_check'"),
    ],
)
def test_what_does_not_exist_cannot_be_measured(arguments: tuple[str, ...], sentence: str) -> None:
    """A wrong title or check ends the command with a sentence and status 1."""
    done = run("bench", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert sentence in done.stderr


def test_the_cpu_time_of_a_process_is_known() -> None:
    """It grows by what the process burns, be it told by the kernel's clock or by ps."""
    before, burnt = machine.cpu_seconds(os.getpid()), time.process_time()
    while time.process_time() - burnt < 0.05:
        pass
    assert 0.05 <= machine.cpu_seconds(os.getpid()) - before < 1
    assert machine._seconds("1-02:03:04") == 93_784
    assert machine._seconds(" 01:02.50\n") == 62.5
