"""Where the store is: reads the forms of `STRATA_REDIS_URL` and keeps passwords out of every text.

`redis://`, `rediss://` (TLS) and `unix://` name one server and take redis-py's options (`?ssl_ca_certs=/path`);
`redis+cluster://host:port,host:port` (or `rediss+cluster://`) names nodes of a Redis Cluster;
`redis+sentinel://host:port,host:port/service` (or `rediss+sentinel://`) names sentinels and the service they watch.
User and password come before an `@`; the sentinels' own password, if any, is the option `sentinel_password`; options
for TLS are those of redis-py in every form.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from msgspec import Struct
from redis.asyncio.connection import parse_url

FORMS = "redis://, rediss://, unix://, redis+cluster://, rediss+cluster://, redis+sentinel://, rediss+sentinel://"
DEFAULT_PORTS = {"sentinel": 26379}


class Address(Struct, frozen=True):
    """A parsed URL: `form` is `server`, `cluster` or `sentinel`; `url` is kept for redis-py's own parser."""

    url: str
    form: str
    tls: bool
    nodes: tuple[tuple[str, int], ...]
    username: str | None
    password: str | None
    service: str
    sentinel_password: str | None
    tls_options: dict[str, Any]
    secrets: tuple[str, ...]
    shown: str

    def blame(self, error: Exception) -> str:
        """Return a sentence that says what went wrong with the store, without any password."""
        said = str(error) or type(error).__name__
        for secret in self.secrets:
            said = said.replace(secret, "***")
        return f"the store at {self.shown} cannot be reached: {said}"

    def __repr__(self) -> str:
        """Show no secrets."""
        return f"Address({self.shown})"


def parse(url: str) -> Address:
    """Read a URL; raises ValueError, in words that do not repeat it, when it is none of the known forms."""
    parts = urlsplit(url)
    scheme, _, suffix = parts.scheme.partition("+")
    if (
        scheme not in ("redis", "rediss", "unix")
        or suffix not in ("", "cluster", "sentinel")
        or (scheme == "unix" and suffix)
    ):
        raise ValueError(f"the URL of the store must begin with one of {FORMS}")
    userinfo, _, hosts = parts.netloc.rpartition("@")
    username, _, password = userinfo.partition(":")
    options = {name: values[0] for name, values in parse_qs(parts.query).items()}
    service = unquote(parts.path).strip("/") if suffix == "sentinel" else ""
    if suffix == "sentinel" and not service:
        raise ValueError("the URL of the store must name the service the sentinels watch: …/service")
    secrets = (password, unquote(password), options.get("password"), options.get("sentinel_password"))
    return Address(
        url=url,
        form=suffix or "server",
        tls=scheme == "rediss",
        nodes=() if scheme == "unix" else tuple(_node(host, suffix) for host in hosts.split(",")),
        username=unquote(username) or None,
        password=unquote(password) or options.get("password"),
        service=service,
        sentinel_password=options.get("sentinel_password"),
        tls_options=_tls_options(parts.query),
        secrets=tuple(secret for secret in secrets if secret),
        shown=f"{parts.scheme}://{hosts}{parts.path}",
    )


def _tls_options(query: str) -> dict[str, Any]:
    """Return the options for TLS among those of a URL, each as the type it has in redis-py."""
    try:
        options = parse_url(f"rediss://store?{query}")
    except ValueError:
        raise ValueError("the URL of the store has an option with an impossible value") from None
    return {name: value for name, value in options.items() if name.startswith("ssl_")}


def _node(text: str, suffix: str) -> tuple[str, int]:
    """Read `host`, `host:port` or `[address]:port`."""
    parts = urlsplit(f"//{text}")
    try:
        return parts.hostname or "localhost", parts.port or DEFAULT_PORTS.get(suffix, 6379)
    except ValueError:
        raise ValueError("the URL of the store has a port that is not a number") from None
