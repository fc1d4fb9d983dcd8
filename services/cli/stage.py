"""Showing a game in a terminal as it happens: one line for each commit, the board, how far it is, whom it waits for.

On a terminal the board stands at the bottom and is redrawn while the lines scroll by above it; elsewhere it is printed
whenever the title says that a chapter ends. What a board or a line looks like is the title's own
(`services/cli/drawing`, `services/cli/telling`).
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from services.cli.telling import platform
from services.cli.title_client import News, Seen
from services.cli.titles import Drawing, Telling, drawing, telling
from shared.engine.platform import GameAborted, PlatformEvent, SeedRevealed
from shared.engine.title_wire import AnyCommit
from shared.kernel import Decision, Result

SEAT_STYLES = ("bold cyan", "bold magenta", "bold yellow", "bold green", "bold blue", "bold red")
_BAR_WIDTH = 30


class Stage:
    """Shows one game on a console; `with` it, so that the terminal is left as it was."""

    def __init__(self, console: Console, title: str, names: Sequence[str]) -> None:
        """Show a game of `title` whose seats are called `names`."""
        self.console = console
        self.names = tuple(names)
        self._drawing: Drawing = drawing(title)
        self._telling: Telling = telling(title)
        self._live = Live(console=console, auto_refresh=False) if console.is_terminal else None

    def __enter__(self) -> Self:
        """Take the bottom of the terminal."""
        if self._live:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Leave the last board where it is."""
        if self._live:
            self._live.stop()

    def say(self, sentence: str) -> None:
        """Print a remark of the command itself."""
        self.console.print(Text(sentence, style="dim italic"))

    def hear(self, news: News) -> None:
        """Show what happened: a line for each commit, then the board."""
        for commit in news.commits:
            self.tell(commit)
        if self._live:
            self._live.update(self.scene(news.view, news.decision), refresh=True)
        elif any(self._telling.is_chapter(event) for commit in news.commits for event in commit.events):
            self.console.print(self.scene(news.view, news.decision))

    def tell(self, commit: AnyCommit) -> None:
        """Print one commit; outside a terminal it stays one line, however long."""
        self.console.print(self.line(commit), soft_wrap=not self.console.is_terminal)

    def line(self, commit: AnyCommit) -> Text:
        """Return one commit in plain words."""
        first, last = _around(commit.platform_events)
        clauses = [platform.tell(fact, self.names) for fact in first]
        clauses += [self._telling.tell(event, self.names) for event in commit.events]
        clauses += [platform.tell(fact, self.names) for fact in last]
        line = Text("; ".join(filter(None, clauses)) or "…")
        for seat, name in enumerate(self.names):
            line.highlight_words([name], seat_style(seat))
        return Text.assemble((f"{commit.version:>4}  ", "dim"), line)

    def scene(self, view: Any, decision: Decision | None) -> RenderableType:
        """Return the board with how far the game is and whom it waits for."""
        done, goal = self._drawing.progress(view)
        bar = Table.grid(padding=(0, 2))
        bar.add_row(ProgressBar(goal, done, width=_BAR_WIDTH), f"{done}/{goal}", self._waiting(decision))
        return Group(self._drawing.board(view, self.names), bar)

    def picture(self, seen: Seen) -> RenderableType:
        """Return everything one look at a game shows."""
        return Group(
            self.scene(seen.view, seen.decision), *([score_table(seen.result, self.names)] if seen.result else [])
        )

    def _waiting(self, decision: Decision | None) -> Text:
        if decision is None:
            return Text("the game is over", style="bold")
        told = Text("waiting for ", style="dim")
        for number, seat in enumerate(decision.seats):
            told.append(", " if number else "", style="dim")
            told.append(self.names[seat], style=seat_style(seat))
        return told.append(f" ({decision.kind.replace('_', ' ')})", style="dim")


def _around(facts: Sequence[PlatformEvent]) -> tuple[list[PlatformEvent], list[PlatformEvent]]:
    """Split a commit's facts of the platform into those told before and those told after the title's events."""
    last: list[PlatformEvent] = [fact for fact in facts if isinstance(fact, SeedRevealed | GameAborted)]
    return [fact for fact in facts if fact not in last], last


def seat_style(seat: int) -> str:
    """Return the colour of a seat."""
    return SEAT_STYLES[seat % len(SEAT_STYLES)]


def score_table(result: Result, names: Sequence[str]) -> Table:
    """Return the score sheets of all seats side by side, best first."""
    table = Table(title=result.outcome.replace("_", " ") or None, title_style="bold")
    best_first = sorted(result.standings, key=lambda one: (one.rank, one.seat))
    table.add_column()
    for standing in best_first:
        table.add_column(Text(names[standing.seat], style=seat_style(standing.seat)), justify="right")
    for lines in zip(*(standing.lines for standing in best_first), strict=True):
        table.add_row(lines[0].category.replace("_", " "), *(str(line.points) for line in lines))
    table.add_section()
    table.add_row("total", *(str(standing.total) for standing in best_first), style="bold")
    table.add_row("rank", *(str(standing.rank) for standing in best_first))
    return table
