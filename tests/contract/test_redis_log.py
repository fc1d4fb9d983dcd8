from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Iterator

import pytest
import redis

from shared.eventlog import LogError, RedisEventLog, StreamKey, Torn, Trimmed, Unavailable, WrongShards
from shared.eventlog.keys import Keys
from tests.contract.cluster import free_port
from tests.contract.conftest import SHARDS
from tests.contract.entries import TITLE, entry, fill, game, game_in

SECRET = "hush-7f3a"


@pytest.fixture
def raw(server_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(server_url, protocol=2) as client:
        yield client


@pytest.fixture
async def server_log(server_url: str) -> AsyncIterator[RedisEventLog]:
    log = await RedisEventLog.open(server_url, SHARDS)
    yield log
    await log.close()


async def test_the_keys_of_a_shard_share_a_hash_tag(server_url: str, raw: redis.Redis) -> None:
    """Stream, feed and deadlines lie under the tag of the shard: CRC-32 of "123456789" ends in 6, so s06 of 16."""
    log = await RedisEventLog.open(server_url, 16)
    await log.append(StreamKey("game", "123456789"), "empyreal", entry(1, deadline=1234))
    await log.close()
    assert sorted(raw.keys()) == [
        b"strata:meta",
        b"strata:{s06}:deadlines",
        b"strata:{s06}:feed",
        b"strata:{s06}:game:123456789",
    ]
    assert raw.xrange("strata:meta") == [(b"1-0", {b"shards": b"16"})]
    assert raw.zrange("strata:{s06}:deadlines", 0, -1, withscores=True) == [(b"game:123456789", 1234.0)]
    assert raw.xrange("strata:{s06}:game:123456789") == [(b"1-0", entry(1, deadline=1234).fields())]
    [(_, told)] = raw.xrange("strata:{s06}:feed") or [("", {})]
    assert told == {
        b"k": b"game:123456789",
        b"t": b"empyreal",
        b"v": b"1",
        b"s": b"running",
        b"w": b"0,2",
        b"p": b"0-0",
    }


@pytest.mark.parametrize(("shards", "feed"), [(1, "{s07}"), (100, "{s07}"), (101, "{s007}"), (1001, "{s0007}")])
def test_shard_numbers_have_as_many_digits_as_the_highest_needs(shards: int, feed: str) -> None:
    """Two digits up to a hundred shards, more beyond."""
    number = 0 if shards == 1 else 7
    assert Keys(shards).feed(number) == f"strata:{feed}:feed".replace("7", str(number))


async def test_a_store_laid_out_for_another_number_of_shards_is_refused(server_url: str) -> None:
    """The shard count is written once; whoever is configured otherwise is told both numbers and does not start."""
    await (await RedisEventLog.open(server_url, 8)).close()
    await (await RedisEventLog.open(server_url, 8)).close()
    with pytest.raises(WrongShards, match=r"laid out for 8 shards .* configured for 16; set STRATA_SHARDS=8"):
        await RedisEventLog.open(server_url, 16)


async def test_processes_that_start_together_agree_on_the_shard_count(server_url: str) -> None:
    """Of several that open a new store at once with different counts only those with one count succeed."""
    counts = [4, 8, 4, 8, 4, 8]
    outcomes = await asyncio.gather(
        *(RedisEventLog.open(server_url, count) for count in counts), return_exceptions=True
    )
    opened = [outcome for outcome in outcomes if isinstance(outcome, RedisEventLog)]
    assert len(opened) == 3
    assert len({log.shards for log in opened}) == 1
    for log in opened:
        await log.close()


async def test_a_store_that_forgot_the_script_learns_it_again(server_log: RedisEventLog, raw: redis.Redis) -> None:
    """Appending and renewing go on after SCRIPT FLUSH (or a restart, which forgets scripts too)."""
    key = game_in(0, SHARDS)
    await fill(server_log, key, 1)
    raw.script_flush()
    rest = [game() for _ in range(100)]
    await asyncio.gather(*(server_log.append(each, TITLE, entry(1)) for each in rest))
    [delivery, *_] = await server_log.claim("group", "one", [0], 0)
    raw.script_flush()
    assert await server_log.renew("group", "one", delivery)


async def test_more_appends_than_one_batch_holds_all_arrive(server_log: RedisEventLog) -> None:
    """Two thousand appends asked for in one turn of the loop are all written, each stream in order."""
    keys = [game() for _ in range(4)]
    appends = [server_log.append(key, TITLE, entry(version)) for version in range(1, 501) for key in keys]
    await asyncio.gather(*appends)
    for key in keys:
        assert [each.version for each in await server_log.read(key)] == list(range(1, 501))


async def test_an_entry_that_cannot_be_encoded_harms_nobody_else(server_log: RedisEventLog) -> None:
    """An append that fails before it is sent leaves those of the same turn alone."""
    keys = [game() for _ in range(3)]
    entries = [entry(1), entry(1, caller="\ud800"), entry(1)]
    outcomes = await asyncio.gather(
        *(server_log.append(key, TITLE, each) for key, each in zip(keys, entries, strict=True)),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [type(None), UnicodeEncodeError, type(None)]
    assert await server_log.read(keys[1]) == []


@pytest.mark.parametrize(
    ("identity", "change", "sentence"),
    [
        ("3-0", {b"data": None}, "no field b'data'"),
        ("3-0", {b"at": b"soon"}, "invalid literal"),
        ("3-0", {b"waiting": b"1,,2"}, "invalid literal"),
        ("3-0", {b"caller": b"\xff"}, "can't decode"),
        ("4-0", {}, "where version 3 should follow, the stream has 4-0"),
        ("3-1", {}, "where version 3 should follow, the stream has 3-1"),
    ],
)
async def test_an_entry_that_is_not_whole_is_torn(
    server_log: RedisEventLog, raw: redis.Redis, identity: str, change: dict[bytes, bytes | None], sentence: str
) -> None:
    """A missing or malformed field, a skipped version and a foreign id stop that stream, and that stream alone."""
    key, other = game(), game()
    await fill(server_log, key, 2)
    await fill(server_log, other, 1)
    fields = {name: value for name, value in (entry(3).fields() | change).items() if value is not None}
    raw.xadd(Keys(SHARDS).stream(key), fields, id=identity)  # type: ignore[arg-type]
    with pytest.raises(Torn, match=sentence):
        await server_log.read(key)
    assert len(await server_log.read(key, limit=2)) == 2
    assert len(await server_log.read(other)) == 1


async def test_a_head_that_is_not_whole_is_torn(server_log: RedisEventLog, raw: redis.Redis) -> None:
    """Asking for the head finds a torn last entry as reading does."""
    foreign, torn = game(), game()
    raw.xadd(Keys(SHARDS).stream(foreign), {"a": "b"}, id="1-5")
    raw.xadd(Keys(SHARDS).stream(torn), {"a": "b"}, id="1-0")
    for key in (foreign, torn):
        with pytest.raises(Torn):
            await server_log.head(key)


async def test_a_removed_entry_is_a_gap(server_log: RedisEventLog, raw: redis.Redis) -> None:
    """Deleting an entry in the middle is found by reading; after deleting the last one nothing can be appended."""
    key = game()
    await fill(server_log, key, 3)
    raw.xdel(Keys(SHARDS).stream(key), "2-0")
    with pytest.raises(Torn, match="where version 2 should follow, the stream has 3-0"):
        await server_log.read(key)
    raw.xdel(Keys(SHARDS).stream(key), "3-0")
    with pytest.raises(Torn, match="removed from the end"):
        await server_log.append(key, TITLE, entry(2))


@pytest.mark.parametrize("spoilt", ["feed", "deadlines"])
async def test_an_append_that_cannot_be_told_is_not_written(
    server_log: RedisEventLog, raw: redis.Redis, spoilt: str
) -> None:
    """Where the feed or the deadlines are something else than they should be, nothing is written at all."""
    key = game()
    name = getattr(Keys(SHARDS), spoilt)(key.shard(SHARDS))
    raw.set(name, "spoilt")
    with pytest.raises(LogError, match="WRONGTYPE"):
        await server_log.append(key, TITLE, entry(1, deadline=5))
    assert await server_log.read(key) == []
    assert raw.keys("*game*") == []


async def test_a_reader_is_told_when_the_feed_itself_is_gone(server_log: RedisEventLog, raw: redis.Redis) -> None:
    """After somebody deleted the feed a reader with a cursor in it gets `Trimmed`."""
    key = game_in(1, SHARDS)
    await fill(server_log, key, 2)
    cursors = await server_log.feed_heads()
    raw.delete(Keys(SHARDS).feed(1))
    await server_log.append(key, TITLE, entry(3))
    with pytest.raises(Trimmed):
        await server_log.watch_feed(cursors, 5)


@pytest.mark.parametrize("foreign", [{"hello": "world"}, {"k": "a", "t": "", "v": "x", "s": "", "w": "", "p": "?"}])
async def test_a_foreign_feed_entry_stops_nobody(
    server_log: RedisEventLog, raw: redis.Redis, foreign: dict[str, str]
) -> None:
    """Something else in a feed sends plain readers to the heads once, and groups never see it."""
    key = game_in(1, SHARDS)
    cursors = await server_log.feed_heads()
    await fill(server_log, key, 1)
    raw.xadd(Keys(SHARDS).feed(1), foreign)  # type: ignore[arg-type]  # its stub wants wider keys
    await server_log.append(key, TITLE, entry(2))
    with pytest.raises(Trimmed):
        await server_log.watch_feed(cursors, 0)
    cursors = await server_log.feed_heads()
    await server_log.append(key, TITLE, entry(3))
    assert [moved.version for _, _, moved in await server_log.watch_feed(cursors, 0)] == [3]
    assert [each.moved.version for each in await server_log.claim("group", "one", [1], 0)] == [1, 2, 3]
    assert [each.moved.version for each in await server_log.reclaim("group", "two", [1], 0)] == [1, 2, 3]


async def test_a_deleted_group_is_made_again(server_log: RedisEventLog, raw: redis.Redis) -> None:
    """A group that somebody deleted is told once that it may have missed something, and begins at the beginning."""
    key = game_in(1, SHARDS)
    await fill(server_log, key, 2)
    assert len(await server_log.claim("group", "one", [0, 1], 0)) == 2
    raw.xgroup_destroy(Keys(SHARDS).feed(1), "group")
    with pytest.raises(Trimmed):
        await server_log.claim("group", "one", [0, 1], 0)
    assert len(await server_log.claim("group", "one", [0, 1], 0)) == 2
    waiting = asyncio.create_task(server_log.claim("group", "one", [0, 1], 20))
    await asyncio.sleep(0.1)
    raw.xgroup_destroy(Keys(SHARDS).feed(1), "group")
    with pytest.raises(Trimmed):
        await waiting


async def test_a_store_that_keeps_everything_gives_no_warning(server_log: RedisEventLog) -> None:
    """Append-only file, fsync always and no eviction: nothing to say."""
    assert await server_log.check() == []


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("maxmemory-policy", "allkeys-lru", "may evict keys"),
        ("appendonly", "no", "keeps no append-only file"),
        ("appendfsync", "everysec", "may lose the last moments"),
    ],
)
async def test_a_store_that_may_lose_data_is_warned_of(
    server_log: RedisEventLog, raw: redis.Redis, setting: str, value: str, sentence: str
) -> None:
    """Each setting that durability rests on is named when it is another, with its value."""
    [before] = raw.config_get(setting).values()
    raw.config_set(setting, value)
    try:
        [warning] = await server_log.check()
    finally:
        raw.config_set(setting, str(before))
    assert sentence in warning
    assert f"({setting} is {value})" in warning


async def test_a_store_that_hides_its_configuration_is_tolerated(server_url: str, raw: redis.Redis) -> None:
    """A managed service may refuse CONFIG: the log works, and says that it could not check."""
    if server_url.startswith("unix"):
        url = server_url.replace("unix://", f"unix://tenant:{SECRET}@")
    else:
        url = server_url.replace("redis://", f"redis://tenant:{SECRET}@")
    raw.acl_setuser("tenant", enabled=True, reset=True, passwords=[f"+{SECRET}"], keys=["*"], categories=["+@all"])
    raw.execute_command("ACL SETUSER", "tenant", "-config")  # type: ignore[no-untyped-call]
    log = await RedisEventLog.open(url, SHARDS)
    await fill(log, game(), 1)
    [warning] = await log.check()
    await log.close()
    raw.acl_deluser("tenant")
    assert "could not be checked" in warning


async def test_options_of_the_url_do_not_change_what_is_read(server_url: str) -> None:
    """Another protocol version, decoding or a short timeout in the URL is overruled where the log rests on it."""
    log = await RedisEventLog.open(f"{server_url}?protocol=3&decode_responses=true&socket_timeout=0.1", SHARDS)
    key = game()
    written = await fill(log, key, 2)
    assert await log.read(key) == written
    assert [moved.version for _, _, moved in await log.watch_feed({key.shard(SHARDS): "0-0"}, 1)] == [1, 2]
    assert await log.watch_feed(await log.feed_heads(), 0.3) == []
    await log.close()


async def test_a_refused_password_is_not_shown(server_url: str) -> None:
    """Neither the text of the error nor what led to it contains the password."""
    scheme, _, rest = server_url.partition("://")
    with pytest.raises(Unavailable, match="invalid username-password") as refused:
        await RedisEventLog.open(f"{scheme}://nobody:{SECRET}@{rest}", SHARDS)
    assert SECRET not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize("form", ["redis://{}", "redis+cluster://{}", "redis+sentinel://{}/main"])
async def test_a_store_that_is_not_there_is_unavailable(form: str) -> None:
    """Opening says where nothing answers, and no password."""
    where = f"127.0.0.1:{free_port()}"
    url = form.format(f"someone:{SECRET}@{where}")
    with pytest.raises(Unavailable, match=f"the store at .*{where}.* cannot be reached") as refused:
        await RedisEventLog.open(url, SHARDS)
    assert SECRET not in "".join(traceback.format_exception(refused.value))


async def test_a_store_that_lost_its_shard_count_is_not_laid_out_anew(server_url: str, raw: redis.Redis) -> None:
    """Games are not hidden by another count: only the one under which they lie where they are is written again."""
    log = await RedisEventLog.open(server_url, 16)
    for number in range(8):
        await fill(log, StreamKey("game", f"g{number}"), 1)
    await log.close()
    raw.delete("strata:meta")
    with pytest.raises(WrongShards, match="set STRATA_SHARDS to what it was"):
        await RedisEventLog.open(server_url, 4)
    await (await RedisEventLog.open(server_url, 16)).close()
    with pytest.raises(WrongShards, match="laid out for 16 shards"):
        await RedisEventLog.open(server_url, 4)
