"""The event stream: what a reader gets on every way in; one subscription serves them all."""

import asyncio
import random
import socket
import time
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest

from contracts.errors import Code, Fault
from tests.helpers import assert_eventually
from tests.integration.gateway.contract import assert_problem
from tests.integration.gateway.fakes import Conversation, FakeServices
from tests.integration.gateway.listener import Listener, listening
from tests.integration.gateway.running import RunningGateway, serving


@pytest.fixture
def conversation(services: FakeServices) -> Conversation:
    return services.add_session()


def told(first: int, last: int, epoch: str = "e1") -> list[str]:
    return [f"{epoch}-{seq}" for seq in range(first, last + 1)]


async def say(conversation: Conversation, count: int) -> None:
    await conversation.emit(*(("text_delta", {"message_id": "m1", "delta": f"{n} "}) for n in range(count)))


async def test_a_fresh_reader_gets_the_state_then_what_happens(
    client: httpx.AsyncClient, conversation: Conversation
) -> None:
    await say(conversation, 3)
    asked = await conversation.ask(options=[{"id": "a", "label": "A"}])
    async with listening(client) as listener:
        await listener.until(lambda it: it.names == ["snapshot", "ui_request", "replay_complete"])
        assert listener.events[0].json()["cursor"] == "e1-4"
        assert listener.events[1].json() == {**asked, "again": True}
        assert listener.events[0].retry == 1000
        await conversation.say("hello")
        await listener.until(lambda it: it.names[3:] == ["text_delta"])
        assert listener.ids == ["e1-5"]


async def test_a07_nothing_on_the_way_may_keep_the_stream_back(
    client: httpx.AsyncClient, conversation: Conversation
) -> None:
    """A-07: what proxies heed, and the first bytes come at once."""
    started = time.monotonic()
    async with listening(client) as listener:
        await listener.until(lambda it: it.events)
        assert time.monotonic() - started < 5
        headers = listener.response.headers
        assert headers["content-type"].startswith("text/event-stream")
        assert headers["cache-control"] == "no-store, no-transform"
        assert headers["x-accel-buffering"] == "no"
        assert "content-length" not in headers


async def test_a01_a_reader_that_comes_back_gets_exactly_what_it_missed(
    client: httpx.AsyncClient, conversation: Conversation
) -> None:
    """A-01: 11 to 20 in order, then replay_complete without an id, then live."""
    await say(conversation, 10)
    async with listening(client) as listener:
        await listener.until(lambda it: "replay_complete" in it.names)
    await say(conversation, 10)
    async with listening(client, last_event_id="e1-10") as listener:
        await listener.until(lambda it: it.names[-1:] == ["replay_complete"])
        assert listener.ids == told(11, 20)
        assert "snapshot" not in listener.names
        await say(conversation, 1)
        await listener.until(lambda it: it.ids == told(11, 21))


@pytest.mark.parametrize(
    ("cursor", "reason"), [("e1-5", "evicted"), ("e0-90", "epoch"), ("nonsense", "epoch")]
)
async def test_a02_a_cursor_that_cannot_be_continued_gets_a_snapshot(
    client: httpx.AsyncClient, services: FakeServices, cursor: str, reason: str
) -> None:
    """A-02: the gap is said before anything else, and the stream goes on."""
    conversation = services.add_session(ring=50)
    await say(conversation, 100)
    async with listening(client, last_event_id=cursor) as listener:
        await listener.until(lambda it: it.names == ["snapshot", "replay_complete"])
        snapshot = listener.events[0].json()
        assert (snapshot["gap"], snapshot["reason"], snapshot["cursor"]) == (True, reason, "e1-100")
        await say(conversation, 2)
        await listener.until(lambda it: it.ids == told(101, 102))


async def test_a04_a_reader_that_missed_nothing_gets_nothing_twice(
    client: httpx.AsyncClient, conversation: Conversation
) -> None:
    """A-04: back exactly at the boundary, while another reader holds the shared subscription."""
    await say(conversation, 5)
    async with listening(client) as other:
        await other.until(lambda it: "replay_complete" in it.names)
        async with listening(client, last_event_id="e1-5") as listener:
            await listener.until(lambda it: it.names == ["replay_complete"])
            await say(conversation, 3)
            await listener.until(lambda it: it.ids == told(6, 8))
            await other.until(lambda it: it.ids == told(6, 8))


async def test_a05_the_cursor_of_the_session_continues_into_its_stream(
    client: httpx.AsyncClient, conversation: Conversation
) -> None:
    """A-05: by header or, for an EventSource that cannot set one, by query."""
    await say(conversation, 4)
    cursor = (await client.get("/sessions/s1")).json()["live"]["cursor"]
    await say(conversation, 4)
    async with listening(client, last_event_id=cursor) as listener:
        await listener.until(lambda it: it.ids == told(5, 8))
    async with client.stream("GET", "/sessions/s1/events", params={"last_event_id": cursor}) as response:
        listener = Listener(response)
        task = asyncio.create_task(listener.listen())
        await listener.until(lambda it: it.ids == told(5, 8))
        task.cancel()


async def test_a14_a_reload_shows_the_pending_question_once_and_never_after_its_answer(
    client: httpx.AsyncClient, conversation: Conversation
) -> None:
    """A-14: the same id each time, marked as repeated."""
    asked = await conversation.ask(options=[{"id": "a", "label": "A"}])
    for _ in range(3):
        async with listening(client) as listener:
            await listener.until(lambda it: "replay_complete" in it.names)
            assert listener.named("ui_request") == [{**asked, "again": True}]
    await client.post("/sessions/s1/response", json={"id": asked["id"], "value": "a"})
    async with listening(client) as listener:
        await listener.until(lambda it: "replay_complete" in it.names)
        assert listener.named("ui_request") == []
        assert listener.named("snapshot")[0]["pending"] == []


async def test_many_readers_share_one_subscription(
    gateway: RunningGateway, conversation: Conversation
) -> None:
    limits = httpx.Limits(max_connections=100)
    async with httpx.AsyncClient(base_url=gateway.url, limits=limits) as client, AsyncExitStack() as stack:
        listeners = [await stack.enter_async_context(listening(client)) for _ in range(20)]
        for listener in listeners:
            await listener.until(lambda it: "replay_complete" in it.names)
        await assert_eventually(lambda: conversation.subscriptions == 1)
        assert gateway.gateway.feeds.feed_count == 1
        await say(conversation, 100)
        for listener in listeners:
            await listener.until(lambda it: it.ids == told(1, 100))
    await assert_eventually(lambda: conversation.subscriptions == 0)
    assert gateway.gateway.feeds.feed_count == 0
    assert gateway.gateway.feeds.reader_count == 0


async def test_the_reader_that_opened_the_shared_subscription_may_go_first(
    client: httpx.AsyncClient, conversation: Conversation
) -> None:
    async with AsyncExitStack() as stack:
        async with listening(client) as first:
            await first.until(lambda it: "replay_complete" in it.names)
            second = await stack.enter_async_context(listening(client))
            await second.until(lambda it: "replay_complete" in it.names)
            await assert_eventually(lambda: conversation.subscriptions == 1)
        await say(conversation, 3)
        await second.until(lambda it: it.ids == told(1, 3))


async def test_a01_readers_that_come_and_go_while_events_flow_miss_nothing(
    gateway: RunningGateway, conversation: Conversation
) -> None:
    """A-01, A-04, A-05 on real sockets: 8 readers that reconnect at random, 2,000 events in bursts."""
    chance = random.Random(20261130)
    total = 2000
    conversation.ring = total
    limits = httpx.Limits(max_connections=100)

    async def feed() -> None:
        while len(conversation.log) < total:
            await say(conversation, min(chance.randint(1, 40), total - len(conversation.log)))
            await asyncio.sleep(chance.random() * 0.004)

    async def follow(client: httpx.AsyncClient) -> list[str]:
        seen: list[str] = []
        cursor = "e1-0"
        while len(seen) < total:
            patience = len(seen) + chance.randint(1, 400)
            async with listening(client, last_event_id=cursor) as listener:
                base = len(seen)

                def enough(it: Listener, base: int = base, patience: int = patience) -> bool:
                    return base + len(it.ids) >= min(patience, total)

                await listener.until(enough, 30)
                assert "snapshot" not in listener.names
                seen += listener.ids
                cursor = seen[-1]
        return seen

    async with httpx.AsyncClient(base_url=gateway.url, limits=limits) as client:
        results = await asyncio.gather(feed(), *(follow(client) for _ in range(8)))
    for seen in results[1:]:
        assert seen == told(1, total)


async def test_a06_a_silent_stream_is_kept_open_by_comments(
    services: FakeServices, conversation: Conversation
) -> None:
    """A-06: comments, which no client takes for an event."""
    async with serving(services, gateway_heartbeat_s=0.02) as running:
        async with running.client.stream("GET", "/sessions/s1/events") as response:
            raw = b""
            async for chunk in response.aiter_raw():
                raw += chunk
                if raw.count(b"\n:\n") + raw.count(b":\n:\n") >= 3:
                    break
        assert raw.startswith(b"retry: 1000\n")


async def what_is_left(connection: socket.socket) -> bytes:
    """Everything that `connection` still gives."""

    def drain() -> bytes:
        with connection.makefile("rb") as file:
            return file.read()

    return await asyncio.to_thread(drain)


async def test_a09_a_reader_that_never_reads_is_cut_off_and_hurts_nobody(
    services: FakeServices, conversation: Conversation
) -> None:
    """A-09: 50 MB go past it; the other reader gets every event and what waits stays bounded."""
    async with serving(services, gateway_reader_bytes=1024 * 1024) as running:
        feeds = running.gateway.feeds
        port = int(running.url.rpartition(":")[2])
        with socket.socket() as stuck:
            stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stuck.connect(("127.0.0.1", port))
            stuck.sendall(b"GET /sessions/s1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            async with listening(running.client) as listener:
                await listener.until(lambda it: "replay_complete" in it.names)
                await assert_eventually(lambda: feeds.reader_count == 2)
                delta = "x" * 50_000
                for number in range(1, 1001):
                    await conversation.say(delta)
                    if number % 10 == 0:
                        await listener.until(lambda it, number=number: it.ids[-1:] == [f"e1-{number}"])
                assert listener.ids == told(1, 1000)
                await assert_eventually(lambda: feeds.evictions == 1)
                assert feeds.reader_count == 1
                assert not listener.ended
                left = await what_is_left(stuck)
                assert len(left) < 20_000_000
                assert not left.endswith(b"0\r\n\r\n")


async def test_an_unknown_session_is_a_problem_not_a_stream(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    assert_problem(await client.get("/sessions/nobody/events"), Code.NOT_FOUND)
    services.orchestrator.fail["Subscribe"] = Fault(Code.INTERNAL, "something went wrong")
    services.add_session()
    assert_problem(await client.get("/sessions/s1/events"), Code.INTERNAL)


async def test_without_an_orchestrator_there_is_no_stream(
    client: httpx.AsyncClient, services: FakeServices, conversation: Conversation
) -> None:
    await services.stop_orchestrator()
    assert_problem(await client.get("/sessions/s1/events"), Code.UNAVAILABLE)


async def test_a_cursor_that_cannot_be_one_is_refused(
    client: httpx.AsyncClient, conversation: Conversation
) -> None:
    long = await client.get("/sessions/s1/events", headers={"last-event-id": "x" * 201})
    assert_problem(long, Code.INVALID_ARGUMENT)
    assert_problem(
        await client.get("/sessions/s1/events", params={"last_event_id": "x" * 201}),
        Code.INVALID_ARGUMENT,
        parameter="last_event_id",
    )


async def test_a15_readers_say_goodbye_with_the_orchestrator_and_come_back(
    client: httpx.AsyncClient, services: FakeServices, conversation: Conversation
) -> None:
    """A-15: a source that dies ends the streams with `bye`; the next subscription tells what was missed."""
    await say(conversation, 2)
    async with listening(client, last_event_id="e1-0") as listener:
        await listener.until(lambda it: "replay_complete" in it.names)
        await services.stop_orchestrator()
        await listener.until(lambda it: it.ended)
        assert listener.names[-1] == "bye"
    await services.start_orchestrator()
    await say(conversation, 2)
    async with listening(client, last_event_id="e1-2") as listener:
        await listener.until(lambda it: it.ids == told(3, 4))


async def test_a_bye_of_the_orchestrator_reaches_every_reader(
    client: httpx.AsyncClient, conversation: Conversation
) -> None:
    async with listening(client) as first, listening(client) as second:
        for listener in (first, second):
            await listener.until(lambda it: "replay_complete" in it.names)
        await assert_eventually(lambda: conversation.subscriptions == 1)
        await conversation.say_bye("the orchestrator is going down")
        for listener in (first, second):
            await listener.until(lambda it: it.ended)
            assert listener.named("bye") == [{"reason": "the orchestrator is going down"}]


async def test_a11_a_gateway_that_goes_down_says_bye_and_takes_no_readers(
    gateway: RunningGateway, client: httpx.AsyncClient, conversation: Conversation
) -> None:
    """A-11: the streams end by themselves."""
    async with listening(client) as listener:
        await listener.until(lambda it: "replay_complete" in it.names)
        gateway.gateway.feeds.close("going down")
        await listener.until(lambda it: it.ended)
        assert listener.names[-1] == "bye"
    assert_problem(await client.get("/sessions/s1/events"), Code.UNAVAILABLE)


async def test_a_stream_ends_in_its_body_not_by_a_broken_connection(
    gateway: RunningGateway, conversation: Conversation
) -> None:
    async with httpx.AsyncClient(base_url=gateway.url) as client:
        async with client.stream("GET", "/sessions/s1/events") as response:
            received: list[Any] = []
            async for chunk in response.aiter_raw():
                received.append(chunk)
                gateway.gateway.feeds.close("going down")
        assert b"event: bye" in b"".join(received)
