"""The command `strata bench`: its options, and what its exit status says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console

from services.cli.bench.amounts import FULL, QUICK, Amounts
from services.cli.bench.goals import GROUPS, asked_for
from services.cli.bench.report import as_object, goals_of, show
from services.cli.failing import CommandFailed, fail, run
from services.cli.plain import emit
from services.cli.titles import TITLES


def command(
    title: Annotated[list[str] | None, typer.Option(help="Which title; may be given again. Without it, all.")] = None,
    only: Annotated[str, typer.Option(metavar="NAME", help=f"One check, or a group: {', '.join(GROUPS)}.")] = "",
    quick: Annotated[bool, typer.Option("--quick", help="A few calls of each: whether it runs, not how fast.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a script.")] = False,
) -> None:
    """Measure this machine and compare with the targets; status 0 when every must is reached."""
    titles = tuple(dict.fromkeys(title or TITLES))
    for name in titles:
        if name not in TITLES:
            fail(CommandFailed(f"there is no title {name!r}; there are {', '.join(TITLES)}"))
    if not asked_for(only):
        fail(CommandFailed(f"there is no check or group {only!r}; the groups are {', '.join(GROUPS)}"))
    run(_bench(titles, only, QUICK if quick else FULL, as_json=as_json), fast=True)


async def _bench(titles: Sequence[str], only: str, amounts: Amounts, *, as_json: bool) -> bool:
    from services.cli.bench.running import measure_all

    goals = asked_for(only)
    console = Console(stderr=as_json)
    with console.status("measuring …") as status:
        report = await measure_all(titles, tuple(goals), goals_of(goals), amounts, status.update)
    if as_json:
        emit(as_object(report))
    else:
        show(report, console)
    return report.ok()
