"""What a person's own machine may do to a server: stop it early, read its files."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.cli.stack import free_port
from shared.auth import Caller, Role, Tokens
from shared.eventlog import EmbeddedStore
from tests.e2e.processes import STRATA, clean_environ


@pytest.fixture
def usual_mask() -> Iterator[None]:
    """Files are made as for most people: others may read them."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("usual_mask")
def test_nobody_else_can_read_the_games_of_an_embedded_store(tmp_path: Path) -> None:
    """Its append-only file holds every deck and every hand; the folder or the files keep others out."""
    folder = tmp_path / "var"
    store = EmbeddedStore(folder)
    store.start()
    try:
        files = [path for path in folder.rglob("*") if path.is_file()]
        assert any(path.suffix == ".aof" for path in files)
        open_files = [path.name for path in files if path.stat().st_mode & 0o077]
        assert folder.stat().st_mode & 0o077 == 0 or not open_files, open_files
    finally:
        store.stop()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_service_that_waits_for_its_store_stops_when_told_to(how: signal.Signals) -> None:
    """Ctrl-C is not left unheard until the patience for the store is over."""
    environ = clean_environ() | {
        "STRATA_REDIS_URL": f"redis://127.0.0.1:{free_port()}",
        "STRATA_LISTEN": "127.0.0.1:0",
        "STRATA_AUTH_KEY": bytes(32).hex(),
    }
    with subprocess.Popen([*STRATA, "serve", "table"], env=environ, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            assert "store_not_there_yet" in process.stderr.readline()
            process.send_signal(how)
            process.wait(2)
        finally:
            process.kill()


def test_a_token_does_not_show_its_text() -> None:
    """What an error report or a debugger prints of a token cannot be used to call with."""
    token = Tokens(bytes(32)).issue(Caller(Role.PLAYER, "ann", "Ann"), 60)
    assert token.text not in repr(token)
