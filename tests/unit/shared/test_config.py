"""What a process makes of its environment."""

from __future__ import annotations

import pytest

from shared.config import ConfigError, SeedKey, from_environment


def test_an_empty_environment_gives_the_defaults() -> None:
    """Sixteen shards, loopback, no keys."""
    settings = from_environment({})
    assert (settings.listen, settings.shards, settings.seed_keys) == ("127.0.0.1:50051", 16, ())


def test_values_are_read() -> None:
    """Numbers, hexadecimal keys and lists of pairs arrive as what they are."""
    settings = from_environment(
        {
            "STRATA_SHARDS": "4",
            "STRATA_AUTH_KEY": "ff" * 32,
            "STRATA_SEED_KEYS": f"new:{'01' * 16},old:{'02' * 16}",
            "STRATA_ENGINE_TARGETS": "strange_world=engine:50051",
            "STRATA_REFLECTION": "false",
        }
    )
    assert settings.shards == 4
    assert settings.auth_key == b"\xff" * 32
    assert settings.seed_keys == (SeedKey("new", b"\x01" * 16), SeedKey("old", b"\x02" * 16))
    assert settings.engine_targets == {"strange_world": "engine:50051"}
    assert settings.reflection is False


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("STRATA_SHARDS", "0"),
        ("STRATA_SHARDS", "many"),
        ("STRATA_AUTH_KEY", "secret!"),
        ("STRATA_SEED_KEYS", "k1"),
        ("STRATA_SEED_KEYS", "k1:zz"),
        ("STRATA_SEED_KEYS", "k1:0011"),
        ("STRATA_ENGINE_TARGETS", "a=b,a=c"),
        ("STRATA_REFLECTION", "perhaps"),
        ("STRATA_LOG_LEVEL", "loud"),
    ],
)
def test_a_wrong_value_is_named_but_never_shown(name: str, value: str) -> None:
    """The sentence names the variable; a secret that was mistyped does not appear in it."""
    with pytest.raises(ConfigError) as caught:
        from_environment({name: value})
    assert name in str(caught.value)
    assert "secret!" not in str(caught.value)


def test_settings_show_no_secret() -> None:
    """Neither the auth key, nor a seed key, nor a password in the store's URL appears in repr."""
    settings = from_environment(
        {"STRATA_AUTH_KEY": "ab" * 32, "STRATA_SEED_KEYS": f"k:{'cd' * 16}", "STRATA_REDIS_URL": "redis://:hush@h/0"}
    )
    shown = repr(settings) + repr(settings.seed_keys)
    assert "hush" not in shown
    assert "\\xcd" not in shown
    assert "\\xab" not in shown
