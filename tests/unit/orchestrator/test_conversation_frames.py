"""A conversation with sub-agents in it: their questions end with their own asker, with nobody else."""

import asyncio
import json
from typing import Any

from services.orchestrator.bridge import SessionBridge
from services.orchestrator.conversation import Conversation
from services.orchestrator.hub import EventHub
from services.orchestrator.moments import now
from services.orchestrator.questions import QuestionTable


class Journal(list[dict[str, Any]]):
    """A journal in memory."""

    def note(self, line: dict[str, Any]) -> None:
        self.append(line)


class Talk:
    """A conversation fed by hand; `told` is what Pi was told."""

    def __init__(self) -> None:
        self.table = QuestionTable("s-1", Journal(), [])
        self.table.start_generation(now())
        self.told: list[bytes] = []
        self.conversation = Conversation(
            SessionBridge(1),
            self.table,
            EventHub(1024, 1 << 20),
            write=self.told.append,
            resolve=lambda _reply: None,
            changed=lambda _reason: None,
        )

    def hear(self, *records: dict[str, Any]) -> None:
        self.conversation.receive([json.dumps(record).encode() for record in records])

    def ended(self) -> dict[str, str]:
        return {question.id.rpartition(".")[2]: question.how for question in self.table._questions.values()}


def frame(ev: str, number: int, status: str | None = None) -> dict[str, Any]:
    told = {"ev": ev, "id": f"r-{number}", "from": f"s-{number}", "name": f"scout#{number}", "n": 1}
    text = json.dumps({**told, "status": status, "titles": [f"Q{number}?"]})
    return {
        "type": "extension_ui_request",
        "id": f"f{number}{ev}",
        "method": "setStatus",
        "statusKey": "checkpoint-bridge",
        "statusText": text,
    }


def dialog(name: str, title: str) -> dict[str, Any]:
    return {"type": "extension_ui_request", "id": name, "method": "input", "title": title}


async def test_a_sub_agents_question_outlives_the_run_and_ends_with_its_frame() -> None:
    talk = Talk()
    talk.hear({"type": "agent_start"}, dialog("own", "Main?"), frame("open", 1), dialog("d1", "Q1?"))
    talk.hear({"type": "agent_settled"})
    assert talk.ended() == {"own": "gone", "d1": "open"}
    assert [json.loads(line)["id"] for line in talk.told] == ["own"]
    assert talk.conversation.state == "waiting"
    talk.hear(frame("closed", 1, "cancelled"))
    assert talk.ended() == {"own": "gone", "d1": "cancelled"}
    assert len(talk.told) == 1, "Pi's own dialog is over already"
    assert talk.conversation.state == "idle"


async def test_a25_the_end_of_one_asker_touches_no_other() -> None:
    talk = Talk()
    talk.hear(frame("open", 1), dialog("d1", "Q1?"), frame("open", 2), dialog("d2", "Q2?"))
    talk.hear(frame("closed", 1, "timeout"))
    assert talk.ended() == {"d1": "expired", "d2": "open"}
    talk.hear(frame("closed", 7, "cancelled"))
    assert talk.ended()["d2"] == "open"


async def test_an_abort_of_the_run_leaves_sub_agents_and_processes_to_their_own_end() -> None:
    talk = Talk()
    talk.hear(dialog("own", "Main?"), frame("open", 1), dialog("d1", "Q1?"))
    own = talk.table.open_questions()[0].dialog
    assert own is not None
    process = talk.conversation.ask_for_process(own)
    talk.conversation.cancel_open("cancelled", "anna", run_only=True)
    assert sorted(talk.ended().values()) == ["cancelled", "open", "open"]
    talk.conversation.cancel_open("gone", None)
    assert sorted(talk.ended().values()) == ["cancelled", "gone", "gone"]
    assert [json.loads(line)["id"] for line in talk.told] == ["own", "d1"]
    await asyncio.wait_for(process.ended.wait(), 1)
