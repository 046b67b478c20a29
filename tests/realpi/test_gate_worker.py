"""The gate without the backend, over RPC: a `tht worker` behind it, the ledger kept by the gate itself."""

import json
import sqlite3
from pathlib import Path

from tests.realpi.conftest import StartPi
from tests.realpi.flow_script import FINAL_SQL, QUESTION, FlowScript
from tests.realpi.pi_process import PiProcess
from tests.realpi.reviewer import Envelope, envelope_of, is_dialog, take_recommended
from tests.realpi.scripted_model import ScriptedModel
from tests.realpi.small_home import environment_with_tht, make_home, make_session, read_ledger

EDITED = FINAL_SQL.replace("ORDER BY b.mean_delay DESC", "ORDER BY b.mean_delay DESC, a.name")


def answer_until_settled(pi: PiProcess) -> list[Envelope]:
    """Answer every dialog as an RPC client without ThothII's records would; the final SQL is edited."""
    seen: list[Envelope] = []
    position = 0
    while True:
        record = pi.wait_for(
            lambda record: is_dialog(record) or record.get("type") == "agent_settled", since=position
        )
        position = pi.records.index(record, position) + 1
        if not is_dialog(record):
            return seen
        envelope = envelope_of(record)
        seen.append(envelope)
        answer = take_recommended(envelope)
        if (envelope["artifact"] or {}).get("name") == "sql_final.sql":
            answer = {"decision": "edit", "text": EDITED}
        pi.send({"type": "extension_ui_response", "id": record["id"], "value": json.dumps(answer)})


def test_whole_flow_on_the_real_tht_ends_in_an_approved_edit_that_runs(
    start_pi: StartPi, model: ScriptedModel, tmp_path: Path
) -> None:
    home = make_home(tmp_path / "home")
    session_id = make_session(home, QUESTION)
    model.script(FlowScript())
    pi = start_pi(
        environment={**environment_with_tht(home), "THT_AGENT_ENDPOINT": "", "THT_SESSION": session_id}
    )
    pi.call("prompt", message=f"/nuova-domanda {session_id}")
    seen = answer_until_settled(pi)

    failed = [record["result"] for record in pi.of_type("tool_execution_end") if record["isError"]]
    assert failed == []
    ledger = read_ledger(home, session_id)
    assert [line["kind"] for line in ledger] == [
        *(envelope["kind"] for envelope in seen[:-1]),
        "edit",
    ]
    assert [entry["phase"] for entry in pi.entries() if entry["ev"] == "phase_changed"][-1] == "F5"
    approved = (home / "sessions" / session_id / "artifacts/sql_final.sql").read_text()
    assert approved == EDITED
    database = sqlite3.connect(f"file:{home / 'flights.db'}?mode=ro", uri=True)
    assert database.execute(approved).fetchone() == ("Frontier Airlines Inc.", 22.0, 2)
    database.close()
