"""What is accepted as an id or a name from outside."""

from __future__ import annotations

import pytest

from shared.errors import Problem
from shared.ids import check_id, check_name, check_request_id, new_id


@pytest.mark.parametrize("value", ["a", "0-_z", "x" * 64])
def test_ids_that_are_accepted(value: str) -> None:
    """Ids are 1 to 64 characters out of a-z, 0-9, - and _."""
    assert check_id(value, "game_id") == value


@pytest.mark.parametrize("value", ["", "A", "-a", "a b", "a\n", "ä", "x" * 65, "a}b", "../a", "a\x00"])
def test_ids_that_are_refused(value: str) -> None:
    """Anything that could mean something in a key, a path or a log is BAD_ID, and is not repeated in the sentence."""
    with pytest.raises(Problem) as caught:
        check_id(value, "game_id")
    assert caught.value.reason == "BAD_ID"
    assert len(caught.value.sentence) < 100


@pytest.mark.parametrize("value", ["", " ", "a b", "x" * 65, "é", "a\t"])
def test_request_ids_that_are_refused(value: str) -> None:
    """Request ids are 1 to 64 visible ASCII characters."""
    with pytest.raises(Problem, match="request_id"):
        check_request_id(value)


def test_a_name_is_trimmed_and_composed() -> None:
    """Outer blanks go, and a letter with a separate accent becomes one character."""
    assert check_name("  Zoe\u0308 ") == "Zo\u00eb"


@pytest.mark.parametrize(
    "value", ["", "   ", "a\x07b", "a\nb", "x" * 41, "x" * 10_000, "\u202eevil", "\u200b", "\ud800"]
)
def test_names_nobody_could_read_are_refused(value: str) -> None:
    """Empty, over-long, control, invisible and direction-turning characters are BAD_NAME."""
    with pytest.raises(Problem) as caught:
        check_name(value)
    assert caught.value.reason == "BAD_NAME"


def test_new_ids_are_accepted_and_differ() -> None:
    """A thousand fresh ids are all different and all legal."""
    ids = {check_id(new_id(), "id") for _ in range(1000)}
    assert len(ids) == 1000
