from __future__ import annotations

import pytest

from services.cli.bench.goals import GROUPS, Check, Goal, asked_for, judge, reaches_aim
from services.cli.bench.measured import Figure, p99, ratio
from services.cli.bench.report import Report, as_object

COST = Goal("cost", "a cost", "ratio", 2.0, 1.5)
SPEED = Goal("speed", "a speed", "a second", 1000, 2000, at_least=True)
SIZE = Goal("size", "a size", "bytes", 10)


@pytest.mark.parametrize(
    ("goal", "value", "ok", "aim"),
    [
        (COST, 1.5, True, True),
        (COST, 1.6, True, False),
        (COST, 2.19, True, False),
        (COST, 2.21, False, False),
        (SPEED, 2000, True, True),
        (SPEED, 1999, True, False),
        (SPEED, 901, True, False),
        (SPEED, 899, False, False),
        (SIZE, 10, True, True),
        (SIZE, 10.5, True, False),
    ],
)
def test_a_must_has_a_tenth_of_slack_and_an_aim_has_none(goal: Goal, value: float, ok: bool, aim: bool) -> None:
    """A value may be worse than its must by a tenth, in whichever direction worse is; an aim is meant as it stands."""
    assert (judge(goal, value).ok, reaches_aim(goal, value)) == (ok, aim)


def test_a_check_of_a_title_bears_its_name() -> None:
    """The checks of several titles stand in one list without being mistaken for each other."""
    assert judge(COST, 1.23456, "some_title") == Check("some_title.cost", 1.2346, "ratio", 2.0, ok=True)
    assert judge(COST, 1.0).name == "cost"


def test_the_object_has_the_promised_shape_and_one_missed_must_fails_the_run() -> None:
    """A script reads {machine, checks: [{name, value, unit, target, ok}]}, each goal's titles side by side."""
    report = Report("a machine", (COST, SPEED))
    report.add("one", {"cost": 1.0, "speed": 1500, "of another group": 1}, (Figure("behind it", 1, "µs"),))
    report.add("two", {"cost": 1.1, "speed": 1500}, ())
    assert report.ok()
    report.add("two", {"speed": 10}, ())
    assert not report.ok()
    assert as_object(report) == {
        "machine": "a machine",
        "checks": [
            {"name": "one.cost", "value": 1.0, "unit": "ratio", "target": 2.0, "ok": True},
            {"name": "two.cost", "value": 1.1, "unit": "ratio", "target": 2.0, "ok": True},
            {"name": "one.speed", "value": 1500, "unit": "a second", "target": 1000, "ok": True},
            {"name": "two.speed", "value": 10, "unit": "a second", "target": 1000, "ok": False},
        ],
    }


def test_checks_can_be_asked_for_by_group_or_by_name() -> None:
    """Without a name everything is measured; a name is that of a group or of one goal."""
    assert asked_for("") == GROUPS
    assert asked_for("rules") == {"rules": GROUPS["rules"]}
    assert [goal.name for goals in asked_for("view_p99").values() for goal in goals] == ["view_p99"]
    assert asked_for("nothing of ours") == {}


def test_every_goal_has_a_name_of_its_own() -> None:
    """A name means one goal, and no goal is called like a group."""
    names = [goal.name for goals in GROUPS.values() for goal in goals]
    assert len({*names, *GROUPS}) == len(names) + len(GROUPS)


def test_series_are_compared_round_by_round() -> None:
    """The ratio of two series is the median of the ratios, so that a slow minute hits both sides of it."""
    assert ratio([2, 30, 9], [1, 10, 9]) == 2
    assert p99(range(1, 201)) == 199
