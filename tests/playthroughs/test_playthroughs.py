"""Recorded games, driven again from their own action lines, come out the same to the letter.

`make playthroughs` writes them anew; what changed is then reviewed like any other change.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shared.engine.title_wire import AnyTitle
from shared.rng import KeyedDraw
from shared.wire import snake
from tests.playthroughs.telling import actions, read_header, tell
from tests.titles import TITLES, WIRES

FOLDER = Path(__file__).parent / "games"
PLANNED: dict[str, tuple[tuple[int, dict[str, str], str], ...]] = {
    "strange_world": (
        (1, {}, "solo"),
        (1, {"pack": "skyward", "strict_volcano": "true"}, "solo-strict"),
        (2, {}, "two"),
        (3, {"pack": "skyward"}, "three-2"),
        (4, {}, "four-0"),
        (4, {"pack": "skyward", "strict_volcano": "true"}, "four-strict"),
    ),
}
GAMES = [(title, *game) for title, games in PLANNED.items() for game in games]


def drawn(seed: str) -> Any:
    """Return a way to choose, drawn from a seed of its own: first a kind of action, then one of that kind."""
    draw = KeyedDraw(f"choices {seed}".encode())

    def choose(_state: Any, _seat: int, legal: tuple[Any, ...]) -> Any:
        kinds = list(dict.fromkeys(type(action) for action in legal))
        kind = kinds[draw.below(len(kinds), "kind")]
        fitting = [action for action in legal if type(action) is kind]
        return fitting[draw.below(len(fitting), "action")]

    return choose


@pytest.mark.parametrize(("title_id", "seats", "options", "seed"), GAMES, ids=lambda value: str(value)[:20])
def test_a_recorded_game_plays_again(
    request: pytest.FixtureRequest, title_id: str, seats: int, options: dict[str, str], seed: str
) -> None:
    """The actions of the file give its events, its result and nothing else."""
    title: AnyTitle = WIRES[title_id].title
    path = FOLDER / title_id / f"{seed}.txt"
    if request.config.getoption("--rewrite-playthroughs"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(tell(title, seats, options, seed, drawn(seed)))
    text = path.read_text()
    assert read_header(text.splitlines()[0]) == (title_id, seats, options, seed)
    recorded = actions(text, title)
    assert tell(title, seats, options, seed, lambda _state, _seat, _legal: next(recorded)) == text
    assert next(recorded, None) is None


@pytest.mark.parametrize("title", TITLES, ids=lambda title: str(title.id))
def test_recorded_games_touch_every_kind(title: AnyTitle) -> None:
    """Together the files of a title show every action and every event there is, and every number of seats."""
    texts = [path.read_text() for path in (FOLDER / title.id).glob("*.txt")]
    words = {word for text in texts for line in text.splitlines() for word in line.split(" ")[:5]}
    kinds = {snake(kind.__name__) for kind in (*title.actions.__args__, *title.events.__args__)}
    assert kinds <= words
    assert {read_header(text.splitlines()[0])[1] for text in texts} == set(title.seats)
