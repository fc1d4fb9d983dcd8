"""What a process is told by its environment (variables STRATA_…), read once and checked.

docs/operations.md lists the variables for operators. A wrong value stops the process with a sentence that names
the variable and never its content.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

LOOPBACK_URL = "redis://127.0.0.1:6379/0"


class ConfigError(Exception):
    """The environment does not make sense; the text says which variable and why."""


class SeedKey(Struct, frozen=True):
    """A secret from which server seeds are derived, and the id under which games remember it."""

    id: str
    secret: bytes = field(name="secret")

    def __repr__(self) -> str:
        """Show the id only."""
        return f"SeedKey({self.id!r})"


class Settings(Struct, frozen=True, kw_only=True):
    """One process's settings.

    `listen` and `metrics_listen` are host:port (metrics off when empty); `engine_targets` maps a title to its
    engine's host:port; `seed_keys` holds the key for new games first; `cache_games` bounds how many games an engine
    keeps folded and `watch_limit` how many watch streams it serves at once; `message_limit` is in bytes;
    `token_seconds` is how long a guest token lives.
    """

    listen: str = "127.0.0.1:50051"
    metrics_listen: str = ""
    redis_url: str = LOOPBACK_URL
    shards: int = 16
    auth_key: bytes = b""
    seed_keys: tuple[SeedKey, ...] = ()
    engine_targets: dict[str, str] = field(default_factory=dict)
    automata_target: str = ""
    reflection: bool = True
    log_level: str = "info"
    log_json: bool = True
    cache_games: int = 2_000
    watch_limit: int = 10_000
    message_limit: int = 65_536
    token_seconds: int = 30 * 24 * 3600
    brain_delay_ms: int = 0

    def __repr__(self) -> str:
        """Show nothing that could be a secret."""
        return f"Settings(listen={self.listen!r}, shards={self.shards})"


def from_environment(environ: Mapping[str, str]) -> Settings:
    """Read settings from STRATA_… variables; raises `ConfigError` with a sentence for a value that cannot be."""
    read = _Reader(environ)
    return Settings(
        listen=read.text("LISTEN", "127.0.0.1:50051"),
        metrics_listen=read.text("METRICS_LISTEN", ""),
        redis_url=read.text("REDIS_URL", LOOPBACK_URL),
        shards=read.number("SHARDS", 16, 1, 1000),
        auth_key=read.hexadecimal("AUTH_KEY"),
        seed_keys=read.seed_keys("SEED_KEYS"),
        engine_targets=read.pairs("ENGINE_TARGETS", "="),
        automata_target=read.text("AUTOMATA_TARGET", ""),
        reflection=read.flag("REFLECTION", default=True),
        log_level=read.choice("LOG_LEVEL", "info", ("debug", "info", "warning", "error")),
        log_json=read.flag("LOG_JSON", default=True),
        cache_games=read.number("CACHE_GAMES", 2_000, 1, 1_000_000),
        watch_limit=read.number("WATCH_LIMIT", 10_000, 1, 1_000_000),
        message_limit=read.number("MESSAGE_LIMIT", 65_536, 1_024, 4_194_304),
        token_seconds=read.number("TOKEN_SECONDS", 30 * 24 * 3600, 1, 366 * 24 * 3600),
        brain_delay_ms=read.number("BRAIN_DELAY_MS", 0, 0, 60_000),
    )


class _Reader:
    """Reads one variable at a time."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def text(self, name: str, default: str) -> str:
        return self._environ.get(f"STRATA_{name}", default).strip()

    def number(self, name: str, default: int, low: int, high: int) -> int:
        text = self.text(name, str(default))
        if not text.isdecimal() or not low <= int(text) <= high:
            raise ConfigError(f"STRATA_{name} must be a whole number from {low} to {high}")
        return int(text)

    def flag(self, name: str, *, default: bool) -> bool:
        return self.choice(name, "true" if default else "false", ("true", "false")) == "true"

    def choice(self, name: str, default: str, values: tuple[str, ...]) -> str:
        text = self.text(name, default).lower()
        if text not in values:
            raise ConfigError(f"STRATA_{name} must be one of {', '.join(values)}")
        return text

    def hexadecimal(self, name: str) -> bytes:
        try:
            return bytes.fromhex(self.text(name, ""))
        except ValueError as error:
            raise ConfigError(f"STRATA_{name} must be written in hexadecimal") from error

    def pairs(self, name: str, separator: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for part in filter(None, (p.strip() for p in self.text(name, "").split(","))):
            key, mark, value = part.partition(separator)
            if not mark or not key or not value or key in found:
                raise ConfigError(f"STRATA_{name} must be a list like a{separator}b,c{separator}d without repeats")
            found[key] = value
        return found

    def seed_keys(self, name: str) -> tuple[SeedKey, ...]:
        keys = []
        for key_id, text in self.pairs(name, ":").items():
            try:
                secret = bytes.fromhex(text)
            except ValueError as error:
                raise ConfigError(f"STRATA_{name}: key {key_id} must be written in hexadecimal") from error
            if len(secret) < 16:
                raise ConfigError(f"STRATA_{name}: key {key_id} must have at least 16 bytes")
            keys.append(SeedKey(key_id, secret))
        return tuple(keys)
