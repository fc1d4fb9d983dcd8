"""`strata simulate`: how good a brain is, and whether a title's rules hold, over many games on the rules alone.

What is played and what counts as going wrong is decided in `simulation.py`; here it is asked for and shown. Progress
goes to stderr, so that stdout holds nothing but the report.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from functools import partial
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from services.cli.failing import CommandFailed, fail
from services.cli.simulation import Plan, Report, simulate

__all__ = ["Plan", "Report", "command", "simulate"]


def command(
    title: Annotated[str, typer.Option(help="Which title.")] = "strange_world",
    players: Annotated[int, typer.Option(min=1, help="How many seats.")] = 4,
    brain: Annotated[
        str, typer.Option(help="Which brain plays, or several, like greedy,random: one a seat, changing seats.")
    ] = "greedy",
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 100,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="How many processes; without it, one for each processor.")
    ] = None,
    seed: Annotated[str, typer.Option(help="The same seed gives the same games; without it, a new one.")] = "",
    first: Annotated[int, typer.Option(min=0, help="The number of the first game.")] = 0,
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the table.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Play many games on the rules alone and describe the scores."""
    names = tuple(name.strip() for name in brain.split(","))
    try:
        plan = Plan(title, players, names, seed or secrets.token_hex(8), _options(option or ()))
        with _bar() as bar:
            task = bar.add_task(f"{title}, {players} × {brain}", total=games)
            report = simulate(plan, games, jobs or os.cpu_count() or 1, first, partial(bar.advance, task))
    except CommandFailed as error:
        fail(error)
    if as_json:
        print(msgspec.json.encode(report).decode())
    else:
        Console().print(_table(report))


def _options(given: Iterable[str]) -> dict[str, str]:
    options = {}
    for text in given:
        name, mark, value = text.partition("=")
        if not mark:
            raise CommandFailed(f"an option reads NAME=VALUE, not {text!r}")
        options[name] = value
    return options


def _bar() -> Progress:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _table(report: Report) -> Table:
    heading = f"{report.games} games of {report.title}, {report.players} seats, seed {report.seed}"
    table = Table("", "", title=heading, show_header=False, title_justify="left")
    rate = report.actions / report.seconds if report.seconds else 0
    table.add_row("time", f"{report.seconds:.1f} s, {report.actions} actions, {rate:.0f} a second")
    score = report.score
    table.add_row("score", f"mean {score.mean}, sd {score.sd}, from {score.min} to {score.max}")
    table.add_row("percentiles", f"10 %: {score.p10}, 50 %: {score.p50}, 90 %: {score.p90}")
    for brain, wins in report.wins.items():
        table.add_row(brain, f"won {wins} games, mean {report.means[brain]}")
    return table
