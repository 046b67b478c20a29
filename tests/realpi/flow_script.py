"""What a model would do with the demo question, from F1 to F5, as a script for `ScriptedModel`.

`FlowScript` is a function of the request alone: it reads off the conversation which steps are done and gives
the next one. So one model can serve many sessions at once, a rejected artifact is written again, and a
resumed session goes on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.realpi.scripted_model import Answer, Request, ToolCall, text_of

QUESTION = "Which carrier had the worst average arrival delay in 2013?"
WORKSPACE = "flights"

ARRIVED = "SELECT carrier, arr_delay FROM flights WHERE year = 2013 AND arr_delay IS NOT NULL"
BY_CARRIER = "SELECT carrier, avg(arr_delay) AS mean_delay, count(*) AS flights FROM arrived GROUP BY carrier"
FINAL_SQL = f"""WITH arrived AS (
  {ARRIVED}
), by_carrier AS (
  {BY_CARRIER}
)
SELECT a.name AS carrier, round(b.mean_delay, 2) AS mean_arrival_delay_minutes, b.flights
FROM by_carrier AS b JOIN airlines AS a ON a.carrier = b.carrier
ORDER BY b.mean_delay DESC"""

CLOSING = "Frontier Airlines had the worst average arrival delay in 2013: 21.9 minutes over all that arrived."

SCHEMA_LINKING: dict[str, Any] = {
    "reading": "Highest mean arrival delay of a carrier over the flights that arrived in 2013",
    "tables": [
        {"name": "flights", "why": "one row a flight"},
        {"name": "airlines", "why": "names of the carriers"},
    ],
    "columns": [
        {"table": "flights", "column": "carrier", "use": "groups the flights"},
        {"table": "flights", "column": "arr_delay", "use": "the measure, in minutes; NULL when cancelled"},
        {"table": "flights", "column": "year", "use": "the period"},
        {"table": "airlines", "column": "name", "use": "shown"},
    ],
    "joins": [{"left": "flights.carrier", "right": "airlines.carrier"}],
    "filters": [{"column": "flights.year", "condition": "= 2013"}],
}

CTES: dict[str, Any] = {
    "steps": [
        {
            "name": "arrived",
            "purpose": "flights of 2013 with a known arrival delay",
            "sql": ARRIVED,
            "preview": "327,346 rows",
        },
        {
            "name": "by_carrier",
            "purpose": "mean arrival delay of each carrier",
            "sql": BY_CARRIER,
            "preview": "16 carriers; F9 has the highest mean",
        },
    ]
}


def option(option_id: str, label: str, recommended: bool = False) -> dict[str, Any]:
    """An option of a question as the model writes it."""
    return {"id": option_id, "label": label, **({"recommended": True} if recommended else {})}


@dataclass(frozen=True)
class Step:
    """One answer of the model: a sentence and one tool call. `name` becomes part of the call's id."""

    name: str
    text: str
    tool: str
    arguments: Mapping[str, Any]


READING = Step(
    "reading",
    "First I need to know which reading of the question you mean.",
    "reviewer_select",
    {
        "purpose": "reading",
        "title": 'What does "worst average arrival delay" mean?',
        "body": "Early arrivals count as **negative** delays in `arr_delay`.",
        "options": [
            option("all", "Highest mean of arr_delay over all flights that arrived", recommended=True),
            option("late", "Highest mean of arr_delay over late flights only"),
        ],
        "free_text": True,
    },
)
CANDIDATES = Step(
    "candidates",
    "These tables and columns can answer it.",
    "reviewer_decide",
    {
        "title": "Which tables and columns should the answer use?",
        "options": [
            option("flights.arr_delay", "flights.arr_delay: minutes late at arrival", recommended=True),
            option("flights.carrier", "flights.carrier: code of the carrier", recommended=True),
            option("airlines.name", "airlines.name: full name", recommended=True),
            option("flights.dep_delay", "flights.dep_delay: minutes late at departure"),
        ],
        "min": 1,
    },
)

MAIN_STEPS: Sequence[Step] = (
    Step("tables", "I look at the tables.", "tht_schema", {"action": "tables"}),
    READING,
    Step(
        "flights",
        "I look at the table of flights.",
        "tht_schema",
        {"action": "describe", "table": "flights"},
    ),
    Step(
        "sample",
        "And at how carriers are named.",
        "tht_schema",
        {"action": "sample", "table": "airlines", "limit": 5},
    ),
    CANDIDATES,
    Step(
        "linking",
        "I write down what was kept.",
        "artifact_write",
        {"name": "schema_linking.json", "json": SCHEMA_LINKING},
    ),
    Step(
        "linking_gate",
        "Please review it.",
        "artifact_gate",
        {
            "name": "schema_linking.json",
            "summary": "Two tables, joined by carrier; the measure is flights.arr_delay.",
        },
    ),
    Step(
        "steps_preview",
        "I try the steps.",
        "tht_sql",
        {
            "action": "preview",
            "sql": f"WITH arrived AS ({ARRIVED}) {BY_CARRIER} ORDER BY mean_delay DESC",
            "limit": 5,
        },
    ),
    Step("ctes", "I write the steps down.", "artifact_write", {"name": "ctes.json", "json": CTES}),
    Step(
        "ctes_gate",
        "Please review the steps.",
        "artifact_gate",
        {"name": "ctes.json", "summary": "Keeps the flights that arrived, then averages them by carrier."},
    ),
    Step("final_check", "I check the final statement.", "tht_sql", {"action": "check", "sql": FINAL_SQL}),
    Step("final", "I write it down.", "artifact_write", {"name": "sql_final.sql", "text": FINAL_SQL}),
    Step(
        "final_gate",
        "Please approve exactly this text.",
        "artifact_gate",
        {
            "name": "sql_final.sql",
            "summary": "Averages the arrived flights by carrier, adds the names, worst first.",
        },
    ),
)

QUESTION_STEPS: Sequence[tuple[str, Step]] = (
    (
        "reading",
        Step(
            "small_carriers",
            "One more thing.",
            "reviewer_select",
            {
                "purpose": "clarification",
                "title": "Should carriers with very few flights count?",
                "options": [option("yes", "Yes, all carriers", recommended=True), option("no", "No")],
            },
        ),
    ),
    (
        "candidates",
        Step(
            "unit",
            "I need a word from you.",
            "ask_reviewer",
            {
                "question": "In which unit should the delay be shown?",
                "placeholder": "minutes",
            },
        ),
    ),
    (
        "linking_gate",
        Step(
            "remark",
            "Is there anything to note with the steps?",
            "ask_reviewer",
            {"question": "Anything the steps should respect?", "form": "text", "prefill": "Nothing."},
        ),
    ),
    (
        "ctes_gate",
        Step(
            "order",
            "A last question.",
            "ask_reviewer",
            {"question": "Should the worst carrier come first?", "form": "yes_no"},
        ),
    ),
)
"""Questions the flow can do without, with the step after which each is asked; they show the other widgets."""


def all_steps() -> list[Step]:
    """The whole flow with every widget."""
    after = dict(QUESTION_STEPS)
    return [step for main in MAIN_STEPS for step in (main, after.get(main.name)) if step]


# "is closed" is not among them: the step was done before, for instance just before a crash.
UNDONE = (
    "REJECTED",
    "belongs to phase",
    "cannot be approved",
    "without an answer",
    "No result provided",
    "Fault",
)
WRITERS = {"linking_gate": "linking", "ctes_gate": "ctes", "final_gate": "final"}
MAX_ATTEMPTS = 4


class FlowScript:
    """The script as a callable for `ScriptedModel`. A step that did not succeed is tried again."""

    def __init__(
        self,
        steps: Sequence[Step] | None = None,
        *,
        rewrite: Callable[[Step, str], Step] | None = None,
        closing: str = CLOSING,
    ) -> None:
        """`rewrite` gets the step that wrote a rejected artifact and the gate's text, and gives the next."""
        self._steps = list(all_steps() if steps is None else steps)
        self._rewrite = rewrite or (lambda step, _comment: step)
        self._closing = closing

    def __call__(self, request: Request) -> Answer:
        results = _results(request)
        for step in self._steps:
            attempts = [text for call_id, text in results if _step_of(call_id) == step.name]
            if attempts and not _is_undone(attempts[-1]):
                continue
            if len(attempts) >= MAX_ATTEMPTS:
                return Answer(f"I cannot get on with {step.name}.")
            return self._attempt(step, len(attempts), attempts[-1] if attempts else "", results)
        return Answer([self._closing[:20], self._closing[20:]])

    def _attempt(self, step: Step, before: int, last: str, results: list[tuple[str, str]]) -> Answer:
        """After a rejection the artifact is written again before it is shown again."""
        if "REJECTED" in last:
            writer = next(each for each in self._steps if each.name == WRITERS[step.name])
            redone = f"{writer.name}-again{before}"
            if not any(_step_of(call_id) == redone for call_id, _ in results):
                return _answer(self._rewrite(writer, last), f"{redone}_1")
        return _answer(step, f"{step.name}_{before + 1}")


def _answer(step: Step, call_id: str) -> Answer:
    return Answer(
        [step.text[:7], step.text[7:]], tools=[ToolCall(step.tool, step.arguments, f"flow_{call_id}")]
    )


def _step_of(call_id: str) -> str:
    """The step's name in an id such as flow_linking_gate_2; Pi may have added to the id."""
    parts = call_id.split("|")[0].split("_")
    return "_".join(parts[1:-1]) if parts[0] == "flow" else ""


def _results(request: Request) -> list[tuple[str, str]]:
    """(tool call id, text) of each tool result in the conversation, oldest first."""
    messages: Sequence[Mapping[str, Any]] = request["messages"]
    return [(message["tool_call_id"], text_of(message)) for message in messages if message["role"] == "tool"]


def _is_undone(result: str) -> bool:
    return any(mark in result for mark in UNDONE)
