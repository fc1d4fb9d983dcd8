"""Which programs can hold a seat, by title and name.

A brain gets the view of its seat, the legal actions and a source of chance, never the state of a game. `random` plays
every title; the others are each written for one. The names are part of the wire: a table asks for a brain by name and
a game remembers it, so a name is never reused for something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from services.automata.brains import strange_world
from services.automata.brains.uniform import Uniform
from shared.kernel import Draw, Title

AnyTitle = Title[Any, Any, Any, Any, Any]


class Brain(Protocol):
    """One way of choosing an action.

    `about` is a sentence for people; `slow` says that a choice may take longer than a few milliseconds, so that it is
    made beside the event loop; `blind` that it does not depend on the view, so that nobody need make one.
    """

    @property
    def about(self) -> str:
        """One sentence for people."""

    @property
    def slow(self) -> bool:
        """Whether a choice may take longer than a few milliseconds."""

    @property
    def blind(self) -> bool:
        """Whether the view is not looked at; it may then be anything."""

    def choose(self, title: AnyTitle, view: Any, legal: tuple[Any, ...], draw: Draw) -> Any:
        """Return one of the `legal` actions (at least one) of the seat that sees `view`.

        The same arguments give the same answer; `draw` is the only source of chance.
        """


EVERY_TITLE: Mapping[str, Brain] = {"random": Uniform()}
OWN: Mapping[str, Mapping[str, Brain]] = {"strange_world": strange_world.BRAINS}


def brains_of(title: str) -> Mapping[str, Brain]:
    """Return the brains that can play a title, by name, the weakest first."""
    return {**EVERY_TITLE, **OWN.get(title, {})}
