"""Reading a table's options, which are text, into a title's settings."""

from __future__ import annotations

import pytest

from services.strange_world.rules import TITLE, Settings
from shared.kernel import Reason, Refusal


def test_missing_options_have_their_defaults() -> None:
    """No option at all, and one of two."""
    assert TITLE.parse({}) == Settings("classic", strict_volcano=False)
    assert TITLE.parse({"pack": "skyward"}) == Settings("skyward", strict_volcano=False)


@pytest.mark.parametrize(("text", "value"), [("true", True), ("false", False)])
def test_text_becomes_a_typed_setting(text: str, value: bool) -> None:
    """`true` and `false` are truth values in the settings."""
    assert TITLE.parse({"strict_volcano": text}).strict_volcano is value


@pytest.mark.parametrize("value", ["", "True", "1", "yes", " true"])
def test_an_impossible_value_is_refused_with_the_possible_ones(value: str) -> None:
    """Only the words of the option's list are taken, letter by letter."""
    with pytest.raises(Refusal) as refused:
        TITLE.parse({"strict_volcano": value})
    assert refused.value.reason is Reason.BAD_OPTION
    assert "strict_volcano" in refused.value.sentence
    assert "false, true" in refused.value.sentence


def test_an_unknown_option_is_refused_with_the_known_ones() -> None:
    """The sentence names what the title has."""
    with pytest.raises(Refusal) as refused:
        TITLE.parse({"pack": "classic", "speed": "fast"})
    assert refused.value.reason is Reason.BAD_OPTION
    assert "'speed'" in refused.value.sentence
    assert "pack, strict_volcano" in refused.value.sentence


def test_every_listed_value_is_accepted() -> None:
    """Whatever a title lists for an option can be set, and its default is in the list."""
    for spec in TITLE.options:
        assert spec.default in spec.values
        for value in spec.values:
            TITLE.parse({spec.name: value})
