"""Drawing from `Draw.below` alone: samples, shuffles, and recovering the draws from what they gave."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from shared.kernel import Draw, Drawn, drawn_sample


class Given(Draw):
    """Draws with given results, and a record of what was asked."""

    def __init__(self, *results: int) -> None:
        self.results = list(results)
        self.asked: list[tuple[int, str]] = []

    def below(self, bound: int, label: str) -> int:
        """Return the next given result."""
        self.asked.append((bound, label))
        return self.results.pop(0)


def test_a_sample_swaps_forward() -> None:
    """From a b c d, draws 2 and 1 swap c to the front, then a (now third) to the second place."""
    draw = Given(2, 1)
    assert draw.sample("abcd", 2, "cards") == ("c", "a")
    assert draw.asked == [(4, "cards"), (3, "cards")]


def test_a_shuffle_draws_nothing_for_the_last_item() -> None:
    """Three items need draws below 3 and below 2; of a single item or none nothing is drawn."""
    draw = Given(1, 1)
    assert draw.shuffle("abc", "cards") == ("b", "c", "a")
    assert draw.asked == [(3, "cards"), (2, "cards")]
    assert Given().shuffle("a", "cards") == ("a",)
    assert Given().shuffle("", "cards") == ()
    assert Given().sample("abc", 0, "cards") == ()


def test_the_items_are_left_as_they_were() -> None:
    """A sample is a new tuple; the list drawn from does not change."""
    items = ["a", "b", "c"]
    assert Given(2, 1).sample(items, 2, "cards") == ("c", "a")
    assert items == ["a", "b", "c"]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4])
def test_every_sample_comes_of_exactly_one_row_of_draws(count: int) -> None:
    """All rows of results of four items give all ordered samples, each once: nothing is favoured."""
    bounds = [bound for bound in range(4, 4 - count, -1) if bound > 1]
    outcomes = [Given(*results).sample("abcd", count, "x") for results in product(*map(range, bounds))]
    assert sorted(outcomes) == sorted(permutations("abcd", count))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4])
def test_the_draws_can_be_recovered_from_the_outcome(count: int) -> None:
    """For every outcome the recovered draws have the label and the bounds asked, and give that outcome again."""
    for outcome in permutations("abcd", count):
        found = tuple(drawn_sample("abcd", outcome, "cards"))
        draw = Given(*(drawn.result for drawn in found))
        assert draw.sample("abcd", count, "cards") == outcome
        assert [(drawn.bound, drawn.label) for drawn in found] == draw.asked


def test_recovered_draws_by_hand() -> None:
    """To get c a from a b c d: c lay 2 behind the first place; then a, swapped to the third, 1 behind the second."""
    assert list(drawn_sample("abcd", "ca", "cards")) == [Drawn("cards", 4, 2), Drawn("cards", 3, 1)]


@pytest.mark.parametrize("outcome", ["e", "aa", "abcde"])
def test_an_impossible_outcome_is_refused(outcome: str) -> None:
    """An item that was not there, one twice, or more than there are."""
    with pytest.raises(ValueError, match="not in list"):
        list(drawn_sample("abcd", outcome, "cards"))
