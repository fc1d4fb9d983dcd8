"""The command `strata`: what it can be asked, and what each option means.

Nothing but the names of commands is imported before one of them runs, so that a server answers soon after it is asked
for and a question about options is answered at once.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from services.cli.failing import CommandFailed, fail, run

DEFAULT_TARGET = "127.0.0.1:50051"
_PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}

app = typer.Typer(
    help="Strata: a backend for tabletop games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Target = Annotated[str, typer.Option(envvar="STRATA_TARGET", help="The server, as HOST:PORT.")]
Token = Annotated[str, typer.Option(envvar="STRATA_TOKEN", help="Whose token to use; without one, a new guest's.")]
TitleOf = Annotated[str, typer.Option("--title", help="The game's title; found out when it is not named.")]
Game = Annotated[str, typer.Argument(metavar="GAME", help="The id of a game.")]
Seat = Annotated[int | None, typer.Option(help="As which seat to look; without one, as a spectator.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a script.")]


@app.command()
def up(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes any free one.")] = 50051,
    var: Annotated[Path, typer.Option(help="The folder where games and secrets are kept.")] = Path("./var"),
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
) -> None:
    """Run the whole backend in this process, over a store of its own (or STRATA_REDIS_URL)."""
    from services.cli import serving

    run(serving.up(host, port, var), fast=True)


@app.command()
def serve(
    services: Annotated[list[str], typer.Argument(metavar="SERVICE...", help="table, automata, or a title.")],
) -> None:
    """Run one service (or some) in this process, as the STRATA_… variables say."""
    from services.cli import serving

    run(serving.serve(services), fast=True)


@app.command()
def health(target: Target = DEFAULT_TARGET) -> None:
    """Ask whether a server serves; status 0 if it does."""
    from services.cli.health import health as ask

    run(ask(target))


@app.command()
def demo(
    title: Annotated[str, typer.Option(help="Which title.")] = "strange_world",
    players: Annotated[int, typer.Option(min=1, help="How many seats.")] = 4,
    brain: Annotated[str, typer.Option(help="Which brain plays.")] = "greedy",
    target: Annotated[
        str, typer.Option(help="A server, as HOST:PORT; without one, a temporary server runs here.")
    ] = "",
    seed: Annotated[
        str, typer.Option(help="Hexadecimal; the same seed gives the same game on a temporary server.")
    ] = "",
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the table.")] = None,
    delay: Annotated[
        float | None,
        typer.Option(min=0.0, help="Seconds each commit stays; on a terminal 0.1, else 0.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Play one complete game through gRPC and show it; then replay it from zero and check its chance."""
    from services.cli import demo as playing

    async def command() -> bool:
        wish = playing.Wish(
            title=title,
            players=players,
            brain=brain,
            options=playing.read_options(option or []),
            target=target,
            seed=playing.read_seed(seed),
            delay=delay,
        )
        return await playing.demo(wish, as_json=as_json)

    run(command())


@app.command()
def guest(
    target: Target = DEFAULT_TARGET,
    name: Annotated[str, typer.Option(help="What to be called.")] = "Guest",
    as_json: Json = False,
) -> None:
    """Become a new guest and print the token: whoever has it can play as that guest."""
    from services.cli import looking

    run(looking.guest(target, name, as_json=as_json))


@app.command()
def games(
    target: Target = DEFAULT_TARGET,
    token: Token = "",
    title: TitleOf = "",
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many at most.")] = 20,
    as_json: Json = False,
) -> None:
    """List games, newest first."""
    from services.cli import looking

    run(looking.games(looking.Place(target, token, title), limit, as_json=as_json))


@app.command()
def show(
    game: Game,
    version: Annotated[int | None, typer.Option(help="As it was at this version; without one, now.")] = None,
    seat: Seat = None,
    target: Target = DEFAULT_TARGET,
    token: Token = "",
    title: TitleOf = "",
    as_json: Json = False,
) -> None:
    """Draw a game as a spectator or a seat sees it."""
    from services.cli import looking

    run(looking.show(looking.Place(target, token, title), game, version, seat, as_json=as_json))


@app.command()
def watch(
    game: Game,
    seat: Seat = None,
    after: Annotated[int, typer.Option(min=0, help="Begin after this version.")] = 0,
    target: Target = DEFAULT_TARGET,
    token: Token = "",
    title: TitleOf = "",
    as_json: Json = False,
) -> None:
    """Show what happens in a game until it ends; with --json one commit a line."""
    from services.cli import looking

    run(looking.watch(looking.Place(target, token, title), game, seat, after, as_json=as_json))


@app.command()
def legal(
    game: Game,
    seat: Annotated[int, typer.Option(help="Whose actions.")],
    target: Target = DEFAULT_TARGET,
    token: Token = "",
    title: TitleOf = "",
    as_json: Json = False,
) -> None:
    """List every legal action of a seat."""
    from services.cli import looking

    run(looking.legal(looking.Place(target, token, title), game, seat, as_json=as_json))


@app.command()
def replay(
    game: Game, target: Target = DEFAULT_TARGET, token: Token = "", title: TitleOf = "", as_json: Json = False
) -> None:
    """Fold a finished game from its first commit and compare with what the server shows."""
    from services.cli import looking

    run(looking.replay(looking.Place(target, token, title), game, as_json=as_json))


@app.command()
def verify(
    game: Game, target: Target = DEFAULT_TARGET, token: Token = "", title: TitleOf = "", as_json: Json = False
) -> None:
    """Check every shuffle and draw of a finished game against its revealed seed."""
    from services.cli import looking

    run(looking.verify(looking.Place(target, token, title), game, as_json=as_json))


@app.command(context_settings=_PASS_ON, add_help_option=False)
def simulate(context: typer.Context) -> None:
    """Play many games on the rules alone and describe the scores."""
    _hand_over("services.cli.simulate", context)


@app.command(context_settings=_PASS_ON, add_help_option=False)
def bench(context: typer.Context) -> None:
    """Measure this machine and compare with the targets."""
    _hand_over("services.cli.bench", context)


def _hand_over(module: str, context: typer.Context) -> NoReturn:
    """Let a command that lives in a module of its own, as `command`, read its own options."""
    if importlib.util.find_spec(module) is None:
        fail(CommandFailed(f"`strata {context.info_name}` is not part of this installation"))
    own = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    own.command()(importlib.import_module(module).command)
    own(args=context.args, prog_name=f"strata {context.info_name}")
    sys.exit(0)


def main() -> NoReturn:
    """Run `strata` with the arguments of this process."""
    # gRPC's own remarks about lost connections are no news to the person at the terminal.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # Its older way of listening wakes fewer threads for a call: a sixth less CPU (docs/performance.md).
    os.environ.setdefault("GRPC_EXPERIMENTS", "-event_engine_listener")
    app(prog_name="strata")
    sys.exit(0)
