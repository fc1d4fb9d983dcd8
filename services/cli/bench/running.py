"""Running the groups of checks one after the other: what each of them needs, and for which titles.

Nothing measured runs beside anything else: first the start of the backend, then each title's rules, then everything
that needs the servers of one arena.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from services.cli.bench import crowding, lasting, machine, replaying, starting, submitting, thinking, watching
from services.cli.bench.amounts import Amounts
from services.cli.bench.arena import Arena, arena
from services.cli.bench.goals import Goal
from services.cli.bench.load import Load
from services.cli.bench.measured import Measured
from services.cli.bench.report import Report
from services.cli.titles import wire

ON_SERVERS: dict[str, Callable[[Load, Amounts], Awaitable[Measured]]] = {
    "submit": submitting.measure,
    "crowd": crowding.measure,
    "watch": watching.measure,
    "replay": replaying.measure,
    "growth": lasting.measure,
}
Tell = Callable[[str], None]


async def measure_all(
    titles: Sequence[str], groups: Sequence[str], goals: tuple[Goal, ...], amounts: Amounts, tell: Tell
) -> Report:
    """Measure some groups for some titles; `tell` hears what is being measured."""
    report = Report(machine.name(), goals)
    if "start" in groups:
        tell("measuring start …")
        _add(report, "", await starting.measure(amounts))
    if "rules" in groups:
        for title in titles:
            tell(f"measuring rules of {title} …")
            _add(report, title, thinking.measure(wire(title).title, amounts))
    if any(group in ON_SERVERS for group in groups):
        async with arena(titles) as servers:
            await _on_servers(report, servers, titles, groups, amounts, tell)
    return report


async def _on_servers(
    report: Report, servers: Arena, titles: Sequence[str], groups: Sequence[str], amounts: Amounts, tell: Tell
) -> None:
    report.machine = machine.name(await servers.store())
    for title in titles:
        async with Load(servers, wire(title)) as load:
            for group, measure in ON_SERVERS.items():
                if group in groups:
                    tell(f"measuring {group} of {title} …")
                    _add(report, title, await measure(load, amounts))


def _add(report: Report, title: str, measured: Measured) -> None:
    report.add(title, measured.values, measured.figures)
