"""A Redis Cluster of three primaries on this machine, put together without any tool but the server program."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import redis

from shared.eventlog.embedded import find_binary

NODES = 3
SLOTS = 16_384


class Cluster:
    """Three server processes that share the slots among them."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="strata-cluster-")
        self.ports = [free_port() for _ in range(NODES)]
        self.buses = [free_port() for _ in range(NODES)]
        self.processes: list[subprocess.Popen[bytes]] = []

    @property
    def url(self) -> str:
        """The URL that names all nodes."""
        return "redis+cluster://" + ",".join(f"127.0.0.1:{port}" for port in self.ports)

    def start(self) -> None:
        """Start the nodes, share out the slots and wait until each calls the cluster whole."""
        for port, bus in zip(self.ports, self.buses, strict=True):
            self._start_node(port, bus)
        nodes: list[Any] = [redis.Redis(port=port) for port in self.ports]
        for number, node in enumerate(nodes):
            _wait_for(node.ping)
            first, last = number * SLOTS // NODES, (number + 1) * SLOTS // NODES - 1
            node.execute_command("CLUSTER ADDSLOTSRANGE", first, last)
            node.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
        for other, bus in zip(self.ports[1:], self.buses[1:], strict=True):
            nodes[0].execute_command("CLUSTER MEET", "127.0.0.1", other, bus)
        for node in nodes:
            _wait_for(partial(_is_whole, node))
            node.close()

    def add_replica(self) -> None:
        """Give the first node a replica and wait until it has everything."""
        port, bus = free_port(), free_port()
        self._start_node(port, bus)
        replica: Any = redis.Redis(port=port)
        _wait_for(replica.ping)
        replica.execute_command("CLUSTER MEET", "127.0.0.1", self.ports[0], self.buses[0])
        with redis.Redis(port=self.ports[0]) as first:
            identity = first.cluster("MYID").decode()
        _wait_for(lambda: replica.execute_command("CLUSTER REPLICATE", identity))
        _wait_for(lambda: replica.info("replication")["master_link_status"] == "up")
        _wait_for(lambda: all(_knows_replica(node) for node in self.ports))
        replica.close()

    def kill_first(self) -> None:
        """Kill the first node, once its replica has heard of everything."""
        with redis.Redis(port=self.ports[0]) as first:
            _wait_for(lambda: first.wait(1, 100))
        self.processes[0].kill()

    def stop(self) -> None:
        """End the nodes."""
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(10)
        self.folder.cleanup()

    def flush(self) -> None:
        """Delete everything."""
        for port in self.ports:
            with redis.Redis(port=port) as node:
                node.flushall()

    def _start_node(self, port: int, bus: int) -> None:
        home = Path(self.folder.name) / str(port)
        home.mkdir()
        options = {
            "port": port,
            "bind": "127.0.0.1",
            "dir": home,
            "cluster-enabled": "yes",
            "cluster-port": bus,
            "cluster-node-timeout": 2000,
            "save": "",
            "appendonly": "yes",
            "appendfsync": "always",
            "logfile": home / "log",
        }
        arguments = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
        self.processes.append(subprocess.Popen([find_binary(), *arguments]))


def _is_whole(node: Any) -> bool:
    """Say whether a node sees every slot served."""
    return bool(node.execute_command("CLUSTER INFO")["cluster_state"] == "ok")


def _knows_replica(port: int) -> bool:
    """Say whether a node has heard that there is a replica, which it must have to vote for it."""
    with redis.Redis(port=port) as node:
        described: Any = node.cluster("NODES")
    return any("slave" in each["flags"] for each in described.values())


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(condition: Callable[[], object], patience: float = 20.0) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        with contextlib.suppress(redis.RedisError):
            if condition():
                return
        time.sleep(0.02)
    raise TimeoutError("the cluster did not come up")
