"""The event stream of a session."""

from starlette.responses import Response

from contracts.errors import Code, Fault
from services.gateway.bodies import EventsQuery
from services.gateway.endpoints import Call, Endpoint
from services.gateway.streaming import EVENT_STREAM, EventStream

CURSOR_LENGTH = 200


async def stream_events(call: Call) -> Response:
    """Subscribe; the answer begins once the orchestrator has acknowledged it."""
    query: EventsQuery = call.query
    cursor = call.request.headers.get("last-event-id", query.last_event_id)
    if len(cursor) > CURSOR_LENGTH or not cursor.isprintable():
        raise Fault(Code.INVALID_ARGUMENT, "Last-Event-ID is not the id of an event")
    gateway = call.gateway
    reader = await gateway.feeds.join(call.session_id, cursor)
    return EventStream(reader, gateway.feeds.leave)


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/sessions/{id}/events",
        name="streamEvents",
        summary="What happens in a session, as Server-Sent Events",
        handle=stream_events,
        query=EventsQuery,
        headers={"Last-Event-ID": "Continue after this event: what was missed comes first."},
        media_types=(EVENT_STREAM,),
        stops_with_client=True,
    ),
)
