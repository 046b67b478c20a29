"""`make demo-realpi`: one whole session on the real Pi with the scripted model; prints the event log."""

import json
import sys
import tempfile
from pathlib import Path

from tests.realpi.flow_script import FlowScript
from tests.realpi.scripted_model import ScriptedModel, write_agent_folder
from tests.stack import Reviewer, real_pi, running

WIDTH = 150


def main() -> None:
    """Run it, print every event on one line, then the rows."""
    with tempfile.TemporaryDirectory(prefix="thothii-") as name, ScriptedModel(FlowScript()) as model:
        folder = Path(name)
        operator = write_agent_folder(folder / "operator", model.base_url)
        with running(folder, real_pi(operator)) as stack, Reviewer(stack.url) as reviewer:
            session = reviewer.ask()
            for event, data in reviewer.work_through(session):
                line = json.dumps(data, ensure_ascii=False)
                sys.stdout.write(f"{event:<14} {line if len(line) <= WIDTH else line[:WIDTH] + ' ...'}\n")
            page = reviewer.post(f"/sessions/{session}/sql/preview?limit=5")
            for row in [[column["name"] for column in page["columns"]], *page["rows"]]:
                sys.stdout.write("\t".join(str(cell) for cell in row) + "\n")


if __name__ == "__main__":
    main()
