"""`strata up` and `strata serve`: running services until they are told to stop."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from services.cli import secrets_file
from services.cli.failing import CommandFailed
from services.cli.stack import SERVICES, alone, embedded, free_port, own_address, running
from shared import logs, metrics
from shared.auth import KEY_BYTES
from shared.config import Settings, from_environment
from shared.server import Server, stop_signals


async def up(host: str, port: int, folder: Path) -> bool:
    """Run everything in this process until Ctrl-C or SIGTERM."""
    settings = _at_home(host, port, folder)
    logs.configure(settings.log_level, json=settings.log_json)
    with ExitStack() as stack:
        store = None
        if not os.environ.get("STRATA_REDIS_URL"):
            store = stack.enter_context(embedded(folder))
            settings = msgspec.structs.replace(settings, redis_url=store.url)
        metrics.serve(settings.metrics_listen)
        async with running(SERVICES, settings, store) as server, stop_signals() as stopped:
            _welcome(settings, server, folder if store else None)
            await stopped.wait()
            print("stopping …", flush=True)
    return True


async def serve(names: Sequence[str]) -> bool:
    """Run some services in this process, as the environment says, until Ctrl-C or SIGTERM."""
    if unknown := [name for name in names if name not in SERVICES]:
        raise CommandFailed(f"there is no service {unknown[0]!r}; there are {', '.join(SERVICES)}")
    settings = from_environment(os.environ)
    logs.configure(settings.log_level, json=settings.log_json)
    if len(settings.auth_key) < KEY_BYTES:
        raise CommandFailed(
            f"STRATA_AUTH_KEY must be set to at least {KEY_BYTES} bytes in hexadecimal, the same for every service"
        )
    metrics.serve(settings.metrics_listen)
    async with running(names, settings) as server, stop_signals() as stopped:
        print(f"listening on {_with_port(settings, server)}: {', '.join(names)}", flush=True)
        await stopped.wait()
    return True


def _at_home(host: str, port: int, folder: Path) -> Settings:
    """Return the settings of `up`: the environment's, with the secrets of the folder where it names none."""
    environ = {"STRATA_LOG_LEVEL": "warning", "STRATA_LOG_JSON": "false", **os.environ}
    # Services that call each other through this port must know it before it is listened on.
    listen = f"{host}:{port or free_port()}"
    settings = msgspec.structs.replace(from_environment(environ), listen=listen)
    if not settings.auth_key or not settings.seed_keys:
        kept = secrets_file.keep(folder)
        settings = msgspec.structs.replace(
            settings,
            auth_key=settings.auth_key or kept.auth(),
            seed_keys=settings.seed_keys or kept.seeds(),
        )
    return alone(settings)


def _with_port(settings: Settings, server: Server) -> str:
    return f"{settings.listen.rpartition(':')[0]}:{server.port}"


def _welcome(settings: Settings, server: Server, folder: Path | None) -> None:
    """Say where the server listens and how to try it."""
    target, strata = own_address(settings.listen), _own_command()
    text = Text.assemble(
        ("listening on ", "dim"), (_with_port(settings, server), "bold green"), "\n",
        ("games lie in ", "dim"), str(folder) if folder else "the store of STRATA_REDIS_URL", "\n\n",
        ("watch a game  ", "dim"), f"{strata} demo --players 4 --target {target}", "\n",
        ("list games    ", "dim"), f"{strata} games --target {target}", "\n",
        ("stop          ", "dim"), "Ctrl-C",
    )  # fmt: skip
    console = Console()
    console.print(Panel(text, title="Strata", title_align="left", border_style="cyan", expand=False), soft_wrap=False)
    sys.stdout.flush()


def _own_command() -> str:
    """Return how a person who stands here calls this program."""
    if shutil.which("strata"):
        return "strata"
    program = Path(sys.argv[0]).absolute()
    return str(program.relative_to(Path.cwd())) if program.is_relative_to(Path.cwd()) else str(program)
