"""Every worked example of docs/rules/strange-world.md that has a World, played as it is drawn."""

from __future__ import annotations

import pytest

from tests.unit.strange_world.checking import check
from tests.unit.strange_world.drawing import Block, blocks, sections

PLAYED = [
    pytest.param(block, marks=pytest.mark.rule(example), id=f"{example}-{number}")
    for example, text in sections().items()
    for number, block in enumerate(blocks(text), start=1)
]
WHOLE_FLOWS = {"EX-SW-39", "EX-SW-40"}
KNOWN_KEYS = """
    travellers cities lost stack display hidden option play flips portal welcome erupt city after_travellers after_stack
    legal legal_strict moon_each bonus whatif score
"""


def test_every_example_with_a_world_is_played() -> None:
    """The parser finds examples 1 to 40, a block in each but the two whole flows, and no key that it does not know."""
    found = sections()
    assert list(found) == [f"EX-SW-{number:02}" for number in range(1, 41)]
    assert {example for example, text in found.items() if not blocks(text)} <= WHOLE_FLOWS
    assert {key for text in found.values() for block in blocks(text) for key in block.keys} <= set(KNOWN_KEYS.split())


@pytest.mark.parametrize("block", PLAYED)
def test_an_example_goes_as_it_is_drawn(block: Block) -> None:
    """The play has exactly the drawn outcome, every key comes true, and nothing else happens."""
    check(block)
