"""Group `start`: from the command `strata up` to its first answer, over a folder where it has run before."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
import time
from statistics import median

import grpc

from services.cli.bench.amounts import PATIENCE, Amounts
from services.cli.bench.arena import STRATA, clean_environ, end
from services.cli.bench.measured import Measured
from services.cli.failing import CommandFailed
from services.cli.stack import free_port
from strata.identity.v1 import identity_pb2, identity_pb2_grpc

_PAUSE = 0.01


async def measure(amounts: Amounts) -> Measured:
    """Start the backend again and again; the first time, which makes its secrets, does not count."""
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as folder:
        await _start(folder)
        return Measured({"first_answer": median([await _start(folder) for _ in range(amounts.starts)])})


async def _start(folder: str) -> float:
    """Start the backend, ask until it answers, stop it, and return how many seconds the answer took."""
    port = free_port()
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *(*STRATA, "up", "--port", str(port), "--var", folder),
        env=clean_environ(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            await _answer(port, process)
            return time.perf_counter() - started
    finally:
        await end(process)


async def _answer(port: int, process: asyncio.subprocess.Process) -> None:
    """Wait until somebody listens, then make one call."""
    while True:
        if process.returncode is not None:
            raise CommandFailed("`strata up` ended at once; what it said stands above")
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            break
        await asyncio.sleep(_PAUSE)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=(("grpc.enable_http_proxy", 0),)) as channel:
        stub = identity_pb2_grpc.IdentityServiceStub(channel)
        await stub.CreateGuest(identity_pb2.CreateGuestRequest(display_name="Bench"), wait_for_ready=True)
