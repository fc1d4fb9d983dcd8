"""What a seat knows of cards that others hold (SW-15.6 to SW-15.9).

Between the passes of a turn and its last play a seat remembers what it gave. It follows with certainty where a card
is, or that it is in one of two hands: the receiver of the first pass may have passed on one card. What others have
played since narrows this down; this module draws exactly the conclusions that an attentive player can draw.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from services.strange_world.rules.events import Transfer


class Known(Struct, frozen=True):
    """A card in another hand and the seats one of which holds it, ascending; one seat is certainty."""

    land: str
    seats: tuple[int, ...]


class Trail(Struct, frozen=True):
    """What one seat gave away this turn, and how it may have gone on.

    `two` went to `receiver` in the first pass and `one` in the second, both empty before. The receiver passed one card
    on to `next_receiver`: one of `suspects`, None among them standing for a card that this seat never had.
    """

    receiver: int
    next_receiver: int
    two: tuple[str, ...]
    one: tuple[str, ...]
    suspects: tuple[str | None, ...]


def seen_by(transfers: tuple[Transfer, ...], seat: int | None) -> tuple[Transfer, ...]:
    """Return transfers as a seat or a spectator knows them: only giver and receiver know the cards (SW-15.6)."""
    return tuple(
        transfer if seat is not None and seat in (transfer.giver, transfer.receiver) else replace(transfer, lands=())
        for transfer in transfers
    )


def trail(seat: int, transfers: tuple[Transfer, ...], played: tuple[tuple[str, ...], ...]) -> Trail | None:
    """Follow what a seat gave away this turn; None before the first pass is resolved.

    `transfers` are this turn's, as the seat knows them or more; `played` are the cards each seat has played this turn.
    """
    seats = len(played)
    if not transfers:
        return None
    first = transfers[seat]
    receiver, next_receiver = first.receiver, transfers[first.receiver].receiver
    if len(transfers) == seats:
        return Trail(receiver, next_receiver, first.lands, (), (None,))
    second, passed_on = transfers[seats + seat], transfers[seats + receiver]
    if next_receiver == seat:
        returned = next((land for land in first.lands if land in passed_on.lands), None)
        return Trail(receiver, next_receiver, first.lands, second.lands, (returned,))
    suspects = _suspects(first.lands, second.lands, played[receiver], played[next_receiver])
    return Trail(receiver, next_receiver, first.lands, second.lands, suspects)


def known(trail: Trail | None, played: tuple[str, ...]) -> tuple[Known, ...]:
    """Return where the given cards may be that nobody has played yet (SW-15.8, SW-15.9)."""
    if trail is None:
        return ()
    found = []
    for land in trail.two + trail.one:
        stayed = land in trail.one or any(suspect != land for suspect in trail.suspects)
        seats = [trail.receiver] if stayed else []
        if land in trail.suspects:
            seats.append(trail.next_receiver)
        if land not in played:
            found.append(Known(land, tuple(sorted(seats))))
    return tuple(found)


def _suspects(
    two: tuple[str, ...], one: tuple[str, ...], by_receiver: tuple[str, ...], by_next: tuple[str, ...]
) -> tuple[str | None, ...]:
    """Return the cards that the receiver may have passed on, given what it and the next seat have played.

    After the first pass it held `two` and one card kept; after the second it holds these less the one passed on, and
    `one`. A given card it has played did not go on, one that the next seat has played did. If it has played its kept
    card, that did not go on either; and a next seat with an empty hand has played the card it got.
    """
    for land in two:
        if land in by_next:
            return (land,)
    suspects: list[str | None] = []
    if all(land in two or land in one for land in by_receiver):
        suspects.append(None)
    if len(by_next) < len(two) + len(one):
        suspects += [land for land in two if land not in by_receiver]
    return tuple(suspects)
