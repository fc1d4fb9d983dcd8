from __future__ import annotations

import pytest

from shared.eventlog.address import parse


@pytest.mark.parametrize(
    ("url", "form", "nodes", "shown"),
    [
        ("redis://h", "server", (("h", 6379),), "redis://h"),
        ("redis://u:s3cret@h:7000/2", "server", (("h", 7000),), "redis://h:7000/2"),
        ("rediss://:s3cret@h", "server", (("h", 6379),), "rediss://h"),
        ("unix:///var/run/store.sock", "server", (), "unix:///var/run/store.sock"),
        ("redis+cluster://s3cret:s3cret@a:1,b:2", "cluster", (("a", 1), ("b", 2)), "redis+cluster://a:1,b:2"),
        ("rediss+cluster://[::1]:1", "cluster", (("::1", 1),), "rediss+cluster://[::1]:1"),
        ("redis+sentinel://a,b:9/main", "sentinel", (("a", 26379), ("b", 9)), "redis+sentinel://a,b:9/main"),
        ("redis://h?password=s3cret", "server", (("h", 6379),), "redis://h"),
    ],
)
def test_the_forms_of_the_url(url: str, form: str, nodes: tuple[tuple[str, int], ...], shown: str) -> None:
    """Each form names its nodes, and what is shown of it holds neither user nor password nor options."""
    address = parse(url)
    assert (address.form, address.nodes, address.shown) == (form, nodes, shown)
    assert "s3cret" not in repr(address)


def test_a_percent_encoded_password_is_decoded_and_hidden_in_both_forms() -> None:
    """The store gets the password as it is; no text shows it, encoded or not."""
    address = parse("redis+cluster://me:p%40ss@h")
    assert (address.username, address.password) == ("me", "p@ss")
    assert address.blame(ValueError("p@ss or p%40ss")).endswith("cannot be reached: *** or ***")


def test_options_for_tls_are_read_in_every_form() -> None:
    """They have the types redis-py wants; what cannot be read is refused without being repeated."""
    address = parse("rediss+cluster://h?ssl_ca_certs=/ca.pem&ssl_check_hostname=no&password=s3cret")
    assert address.tls_options == {"ssl_ca_certs": "/ca.pem", "ssl_check_hostname": False}
    with pytest.raises(ValueError, match="impossible value") as refused:
        parse("redis://h?db=s3cret")
    assert "s3cret" not in str(refused.value)


def test_sentinels_may_have_a_password_of_their_own() -> None:
    """The option `sentinel_password` is for the sentinels, the one before the @ for the store."""
    address = parse("redis+sentinel://:data@h/main?sentinel_password=watch")
    assert (address.service, address.password, address.sentinel_password) == ("main", "data", "watch")
    assert address.blame(ValueError("data watch")).endswith("*** ***")


@pytest.mark.parametrize(
    "url",
    ["", "s3cret", "http://u:s3cret@h", "unix+cluster://s3cret@h", "redis+sentinel://:s3cret@h", "redis://h:s3cret"],
)
def test_a_malformed_url_is_refused_without_repeating_it(url: str) -> None:
    """The sentence says what is wrong and not what was given, as it may hold a password."""
    with pytest.raises(ValueError, match="URL of the store") as refused:
        parse(url)
    assert "s3cret" not in str(refused.value)
