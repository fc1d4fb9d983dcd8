"""Servers and commands as people start them: real processes on free ports, ended by their process ids."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.cli.stack import free_port
from tests.conftest import ROOT

STRATA = (sys.executable, "-c", "from services.cli.app import main; main()")
START_SECONDS = 30.0
COMMAND_SECONDS = 90.0
_QUIET = {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "shared" / "gen"))), "COLUMNS": "100"}


class Process:
    """A server of ours in a process of its own."""

    def __init__(self, arguments: Sequence[str], port: int, environ: Mapping[str, str]) -> None:
        """Remember how to start it; it will listen on `port` of the loopback."""
        self.target = f"127.0.0.1:{port}"
        self._arguments = tuple(arguments)
        self._environ = {**clean_environ(), **environ}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it serves."""
        self._process = subprocess.Popen([*STRATA, *self._arguments], env=self._environ, stdout=subprocess.DEVNULL)
        end = time.monotonic() + START_SECONDS
        while not serves(self.target):
            assert self._process.poll() is None, f"{self._arguments} ended with {self._process.returncode}"
            assert time.monotonic() < end, f"{self._arguments} does not serve"
            time.sleep(0.05)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """Ask it to end and return its status."""
        return self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        process.send_signal(how)
        try:
            return process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


@contextlib.contextmanager
def everything(folder: Path, **environ: str) -> Iterator[Process]:
    """Run `strata up` over a folder."""
    port = free_port()
    server = Process(("up", "--port", str(port), "--var", str(folder)), port, environ)
    with stopping(server):
        server.start()
        yield server


@contextlib.contextmanager
def stopping(*servers: Process) -> Iterator[None]:
    """Leave no process behind."""
    try:
        yield
    finally:
        for server in servers:
            server.stop()


def serves(target: str) -> bool:
    """Ask once whether a server serves."""
    with grpc.insecure_channel(target) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        try:
            status = stub.Check(health_pb2.HealthCheckRequest(), timeout=2).status
        except grpc.RpcError:
            return False
    return bool(status == health_pb2.HealthCheckResponse.SERVING)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one command to its end."""
    return subprocess.run(
        [*STRATA, *arguments], env=clean_environ(), capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False
    )


def strata(*arguments: str) -> dict[str, Any]:
    """Run one command with --json, which must succeed, and return the object on its last line."""
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def begin(*arguments: str) -> subprocess.Popen[str]:
    """Start a command without waiting for it."""
    return subprocess.Popen(
        [*STRATA, *arguments], env=clean_environ(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(command: subprocess.Popen[str]) -> dict[str, Any]:
    """Wait for a command that was begun with --json; it must succeed."""
    try:
        out, err = command.communicate(timeout=COMMAND_SECONDS)
    except subprocess.TimeoutExpired:
        command.kill()
        raise
    assert command.returncode == 0, err[-2000:]
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def clean_environ() -> dict[str, str]:
    """Return our environment without what would change a command's mind."""
    return {name: value for name, value in os.environ.items() if not name.startswith("STRATA_")} | _QUIET
