"""The packs this version carries, found by name for a new game and by digest for a running one (SW-1.14).

Every file `<id>-<version>.toml` beside this module is a pack. A released file never changes, so a game that began
with it can always go on; a changed pack is a new file with the next version.
"""

from __future__ import annotations

from pathlib import Path

from services.strange_world.content.loading import PackError, load
from services.strange_world.content.pack import Icon, Land, Pack, Traveller
from shared.kernel import PackRef

__all__ = ["Icon", "Land", "Pack", "PackError", "Traveller", "admit", "find", "load", "newest", "shipped"]

_by_digest: dict[str, Pack] = {}


def find(ref: PackRef) -> Pack:
    """Return the pack a game is played with; raises `PackError` when this version does not carry it."""
    try:
        return _by_digest[ref.digest]
    except KeyError:
        raise PackError(f"pack {ref.id} version {ref.version} ({ref.digest[:12]}) is not known here") from None


def newest(pack_id: str) -> Pack:
    """Return the newest version of a pack by name; raises `PackError` when there is none."""
    versions = [pack for pack in _by_digest.values() if pack.ref.id == pack_id]
    if not versions:
        raise PackError(f"there is no pack {pack_id!r}")
    return max(versions, key=lambda pack: pack.ref.version)


def admit(pack: Pack) -> None:
    """Make a pack known to this process beside the shipped ones, for packs that are still being made."""
    _by_digest[pack.ref.digest] = pack


def shipped() -> tuple[Pack, ...]:
    """Read every pack file of this folder, in the order of their names."""
    return tuple(load(path.read_bytes()) for path in sorted(Path(__file__).parent.glob("*.toml")))


for _pack in shipped():
    admit(_pack)
