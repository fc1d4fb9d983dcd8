"""Views and history: any version, only what one may know, everything once the game is over."""

from __future__ import annotations

from typing import Any

import grpc

from strata.strange_world.v1 import service_pb2
from tests.service.calling import metadata, refused
from tests.service.engine.conftest import Engine


async def history(engine: Engine, game: str, who: str, seat: int | None = None, size: int = 0) -> list[Any]:
    """Read a game's whole history page by page."""
    commits: list[Any] = []
    while True:
        request = service_pb2.GetHistoryRequest(
            game_id=game, seat=seat, after_version=commits[-1].version if commits else 0, page_size=size
        )
        page = await engine.titles.GetHistory(request, metadata=metadata(who))
        commits += page.commits
        if not page.commits or commits[-1].version == page.head_version:
            return commits


async def test_any_past_version_can_be_looked_at(engine: Engine) -> None:
    """The view of version v, asked for at the end, is the view that was shown at version v."""
    game = await engine.create(3)
    shown = {1: await engine.view(game, 1)}
    for _ in range(40):
        await engine.step(game)
        view = await engine.view(game, 1)
        shown[view.version] = view
    for version, view in shown.items():
        assert await engine.view(game, 1, version=version) == view


async def test_history_comes_in_pages(engine: Engine) -> None:
    """Pages of 7 and of 100 tell the same story, from version 1 to the head."""
    game = await engine.create(2)
    played = await engine.play(game, 95)
    whole = await history(engine, game, "x")
    assert [commit.version for commit in whole] == list(range(1, played + 2))
    assert await history(engine, game, "x", size=7) == whole


async def test_history_hides_what_one_may_not_know(engine: Engine) -> None:
    """In a running game nobody sees deck order, actions or draws; a seat sees its own hand, a spectator none."""
    game = await engine.create(2)
    own, public = await history(engine, game, "p0", 0), await history(engine, game, "x")
    for commit in (*own, *public):
        assert not commit.draws
        assert not commit.HasField("action")
        for event in commit.events:
            assert not event.deck_shuffled.order

    def dealt(commits: list[Any]) -> list[list[str]]:
        return [list(hand.lands) for c in commits for e in c.events for hand in e.lands_dealt.hands]

    hands = {hand.seat: hand for c in own for e in c.events for hand in e.lands_dealt.hands}
    assert len(hands[0].lands) == 3
    assert (len(hands[1].lands), hands[1].count) == (0, 3)
    assert dealt(public) == [[], []]


async def test_the_full_record_opens_at_the_end(engine: Engine) -> None:
    """Once the game is over everybody sees deck order, actions and draws, and the revealed seed."""
    game = await engine.create(2)
    await engine.play(game)
    commits = await history(engine, game, "x")
    shuffled = [e.deck_shuffled for c in commits for e in c.events if e.HasField("deck_shuffled")]
    assert len(shuffled[0].order) == 38
    assert all(commit.HasField("action") for commit in commits[1:])
    assert commits[0].draws
    assert len(commits[-1].platform_events[0].seed_revealed.server_seed) == 32
    assert (await engine.view(game)).result.standings


async def test_who_may_list_options(engine: Engine) -> None:
    """The options of a sealed pass are for the seat alone; solo options are open to everybody (SW-15.13)."""
    game = await engine.create(2)
    request = service_pb2.ListLegalActionsRequest(game_id=game, seat=0)
    with refused(grpc.StatusCode.PERMISSION_DENIED, "NOT_YOUR_SEAT"):
        await engine.titles.ListLegalActions(request, metadata=metadata("x"))
    solo = await engine.create(1)
    request = service_pb2.ListLegalActionsRequest(game_id=solo, seat=0)
    answer = await engine.titles.ListLegalActions(request, metadata=metadata("x"))
    assert len(answer.actions) == 7
    assert answer.decision.kind == "pick_stack"
