"""The brain called `random`: it takes any legal action, each with the same chance, whatever the title."""

from __future__ import annotations

from typing import Any

from shared.kernel import Draw


class Uniform:
    """Chooses without looking."""

    about = "takes any legal action at random"
    slow = False
    blind = True

    def choose(self, title: Any, view: Any, legal: tuple[Any, ...], draw: Draw) -> Any:
        """Return any of the legal actions."""
        del title, view
        return legal[draw.below(len(legal), "choose")]
