"""How the results of `strata bench` are shown: a table of checks and the figures behind them, or a JSON object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from services.cli.bench.goals import GROUPS, Check, Goal, judge, reaches_aim
from services.cli.bench.measured import Figure

Values = Mapping[str, float]
"""Measured values by name of goal."""


class Report(msgspec.Struct):
    """What one run found: by title ("" for what belongs to none) the values of checks, and the figures."""

    machine: str
    goals: tuple[Goal, ...]
    values: dict[str, dict[str, float]] = {}
    figures: dict[str, list[Figure]] = {}

    def add(self, title: str, values: Values, figures: tuple[Figure, ...]) -> None:
        """Add what a group of checks found for a title."""
        wanted = {goal.name for goal in self.goals}
        self.values.setdefault(title, {}).update({name: value for name, value in values.items() if name in wanted})
        self.figures.setdefault(title, []).extend(figures)

    def checks(self) -> list[Check]:
        """Return every check, in the order of the goals, the titles of each side by side."""
        return [
            judge(goal, values[goal.name], title)
            for goal in self.goals
            for title, values in self.values.items()
            if goal.name in values
        ]

    def ok(self) -> bool:
        """Say whether every must is reached."""
        return all(check.ok for check in self.checks())


def as_object(report: Report) -> dict[str, Any]:
    """Return what `--json` prints."""
    return {"machine": report.machine, "checks": [msgspec.to_builtins(check) for check in report.checks()]}


def show(report: Report, console: Console) -> None:
    """Print the checks beside their targets, a column for each title, then the figures behind them."""
    console.print(report.machine, style="dim", highlight=False)
    titles = list(report.values)
    table = Table(title="checks", title_justify="left", title_style="bold")
    table.add_column("what")
    table.add_column("must", justify="right")
    table.add_column("aim", justify="right")
    for title in titles:
        table.add_column(title or "Strata", justify="right")
    for goal in report.goals:
        sign = "≥" if goal.at_least else "≤"
        cells = [_cell(goal, report.values[title].get(goal.name)) for title in titles]
        unit = "" if goal.unit == "ratio" else f" ({goal.unit})"
        aim = "" if goal.aim is None else f"{sign} {_number(goal.aim)}"
        table.add_row(f"{goal.about}{unit}", f"{sign} {_number(goal.must)}", aim, *cells)
    console.print(table)
    for title, figures in report.figures.items():
        if figures:
            console.print(_figures(title, figures))


def _cell(goal: Goal, value: float | None) -> Text:
    if value is None:
        return Text("")
    style = "green" if reaches_aim(goal, value) else "yellow" if judge(goal, value).ok else "bold red"
    return Text(_number(value), style=style)


def _figures(title: str, figures: list[Figure]) -> Table:
    table = Table(title=f"figures behind them{f', {title}' if title else ''}", title_justify="left", title_style="bold")
    table.add_column("what")
    table.add_column("median", justify="right")
    for figure in figures:
        table.add_row(figure.about, f"{_number(figure.value)} {figure.unit}".rstrip())
    return table


def _number(value: float) -> str:
    """Return three digits that matter, or all those before the point."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def goals_of(groups: Mapping[str, tuple[Goal, ...]]) -> tuple[Goal, ...]:
    """Return the goals of some groups in the order in which they are shown."""
    return tuple(goal for name in GROUPS if name in groups for goal in groups[name])
