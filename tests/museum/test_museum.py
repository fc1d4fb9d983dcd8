"""Frozen streams of every release replay to what they came to, forever."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.engine.game import replay
from shared.engine.platform import Status
from tests.museum.exhibits import FOLDER, label, load
from tests.titles import WIRES

EXHIBITS = sorted(FOLDER.rglob("*.jsonl"))


@pytest.mark.parametrize("path", EXHIBITS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_frozen_stream_replays_to_what_it_came_to(path: Path) -> None:
    """Every event decodes to the same facts, the chain holds, and the totals are the same."""
    expected, entries = load(path)
    game = replay(WIRES[expected.title], entries)
    assert game.status is Status.OVER
    assert label(game, entries) == expected


def test_every_title_has_exhibits() -> None:
    """No title is without frozen streams."""
    assert {path.parent.name for path in EXHIBITS} == set(WIRES)
