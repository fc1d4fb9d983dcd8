"""The titles this distribution carries, and where the command line finds what it needs of each, by name.

A title is added here once; its rules joined to its messages come from `services/<title>/app.py`, how it is drawn from
`services/cli/drawing/<title>.py`, how it is told from `services/cli/telling/<title>.py`. Each is imported when it is
first needed.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from rich.console import RenderableType

    from shared.engine.title_wire import TitleWire

TITLES: tuple[str, ...] = ("strange_world",)


class Drawing(Protocol):
    """How a title looks in a terminal."""

    def board(self, view: Any, names: Sequence[str]) -> RenderableType:
        """Return the drawing of a view; `names` go by seat. It fits into 80 columns."""

    def progress(self, view: Any) -> tuple[int, int]:
        """Return how far the game is and how far it goes, in whatever the title counts."""


class Telling(Protocol):
    """How what happens in a title is told."""

    def tell(self, event: Any, names: Sequence[str]) -> str:
        """Return a clause in plain words for a seat's or a spectator's event, "" where there is nothing to say."""

    def offer(self, action: Any) -> str:
        """Say in plain words what an action would do, as one of a seat's options."""

    def is_chapter(self, event: Any) -> bool:
        """Say whether after this event is a good moment to show the board."""


def wire(title: str) -> TitleWire:
    """Return a title joined to its messages; raises `ValueError` for a title that is not carried."""
    return cast("TitleWire", _of("services.{}.app", title).wire())


def drawing(title: str) -> Drawing:
    """Return how a title looks."""
    return cast("Drawing", _of("services.cli.drawing.{}", title))


def telling(title: str) -> Telling:
    """Return how a title is told."""
    return cast("Telling", _of("services.cli.telling.{}", title))


def _of(place: str, title: str) -> Any:
    if title not in TITLES:
        raise ValueError(f"there is no title {title!r}; there are {', '.join(TITLES)}")
    return importlib.import_module(place.format(title))
