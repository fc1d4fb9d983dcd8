"""What each check must reach and what it aims at, and whether a measured value does (docs/performance.md).

Most goals are ratios to a bare probe of the same run, because absolute times drift from machine to machine and from
minute to minute while ratios hold. A must is missed when a value is worse by more than `SLACK`.
"""

from __future__ import annotations

from msgspec import Struct

SLACK = 0.10


class Goal(Struct, frozen=True):
    """What one check is about: its name, what is divided by what, the unit, what it must reach and what it aims at.

    Without `at_least` a value must not exceed the targets, with it it must not fall below them. An aim of None says
    that the must is all that is asked for.
    """

    name: str
    about: str
    unit: str
    must: float
    aim: float | None = None
    at_least: bool = False


class Check(Struct, frozen=True):
    """One measured value beside its target, as `--json` prints it; `ok` allows for the slack."""

    name: str
    value: float
    unit: str
    target: float
    ok: bool


GROUPS: dict[str, tuple[Goal, ...]] = {
    "start": (Goal("first_answer", "`strata up`: first answer after", "s", 3.0),),
    "rules": (
        Goal("random_play", "rules alone: random actions", "actions/CPU s", 25_000, 46_000, at_least=True),
        Goal("legal_actions_p99", "rules alone: legal_actions, p99", "µs", 300),
        Goal("view_p99", "rules alone: view, p99", "µs", 300),
    ),
    "submit": (Goal("submit_p50", "1 in flight: command / (echo + append), p50", "ratio", 1.30, 1.15),),
    "crowd": (
        Goal("submit_rate", "64 in flight: command rate / echo rate, fsync always", "ratio", 0.35, 0.45, at_least=True),
        Goal(
            "submit_rate_everysec",
            "64 in flight: command rate / echo rate, fsync every second",
            "ratio",
            0.50,
            0.62,
            at_least=True,
        ),
        Goal("submit_cpu", "64 in flight: CPU per command / CPU per echo", "ratio", 1.90, 1.60),
    ),
    "watch": (Goal("watch_p50", "command sent → watcher told / echo, p50", "ratio", 3.0, 2.4),),
    "replay": (
        Goal("replay_per_event", "replay from Redis: each event beyond the read", "µs", 15),
        Goal("replay_game", "replay from Redis: a whole game", "ms", 10),
        Goal("replay_ratio", "replay / (read + decode)", "ratio", 2.0, 1.6),
        Goal("entry_bytes", "bytes in Redis / payload", "ratio", 1.25, 1.12),
    ),
    "growth": (
        Goal("growth_history", "p50 of a command after a long history / after none", "ratio", 1.3),
        Goal("growth_late", "engine time, last quarter / first quarter of a game", "ratio", 1.3),
    ),
}
"""The goals by the group that measures them together; a group or a single goal can be asked for by name."""


def asked_for(only: str) -> dict[str, tuple[Goal, ...]]:
    """Return the goals of a group or the one goal called `only` (all for ""), by group; empty if there is none."""
    if not only:
        return GROUPS
    if only in GROUPS:
        return {only: GROUPS[only]}
    return {group: (goal,) for group, goals in GROUPS.items() for goal in goals if goal.name == only}


def judge(goal: Goal, value: float, title: str = "") -> Check:
    """Compare a value with its must, give or take the slack; a title's checks bear its name."""
    name = f"{title}.{goal.name}" if title else goal.name
    ok = value >= goal.must * (1 - SLACK) if goal.at_least else value <= goal.must * (1 + SLACK)
    return Check(name, round(value, 4), goal.unit, goal.must, ok)


def reaches_aim(goal: Goal, value: float) -> bool:
    """Say whether a value is as good as what is aimed at, or as the must where there is no aim; without slack."""
    best = goal.must if goal.aim is None else goal.aim
    return value >= best if goal.at_least else value <= best
