from pathlib import Path

import pytest

from fake_pi.scenario import Scenario, ScenarioError, load_scenario, parse_scenario
from fake_pi.step_kinds import Switch, Text, Widget
from fake_pi.steps import STEP_TYPES, decode_step

PROJECT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "path", [*(PROJECT / "tests" / "scenarios").glob("*.yaml"), PROJECT / "demo" / "worst_carrier.yaml"]
)
def test_scenarios_of_the_project_are_right(path: Path) -> None:
    assert load_scenario(path).name


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a: [", "s: not YAML"),
        ("5", "s: Expected `object`, got `int`"),
        ("frob: 1", "s: Object contains unknown field `frob`"),
        ("otherwise: {text: x}", "s: a list of steps is expected"),
        ("otherwise: [{text: x}, {frob: 1}]", "s: step 2: no known step in ['frob']"),
        (
            "otherwise: [{text: x, colour: red}]",
            "s: step 1: step `text`: Object contains unknown field `colour`",
        ),
        ("otherwise: [{widget: radio}]", "s: step 1: step `widget`: Invalid enum value 'radio'"),
        ("otherwise: [{use: nowhere}]", "s: otherwise: step 1: use: there is no part `nowhere`"),
        ("prompts: [{match: '(', steps: []}]", "s: prompts[0].match: not a pattern"),
        ("otherwise: [{tools: [{text: x}]}]", "s: otherwise: step 1: tools: only `tool` steps"),
        ("otherwise: [{tool: t, do: [{text: x}]}]", "s: otherwise: step 1: step 1: `text` is the model's"),
        ("commands: [{name: c, do: [{fail: x}]}]", "s: commands.c: step 1: `fail` is the model's"),
        ("models: []", "s: models: at least one"),
        (
            "otherwise: [{switch: a, cases: {b: [{frob: 1}]}}]",
            "s: step 1: step `switch`: step 1: no known step",
        ),
    ],
)
def test_a_mistake_is_one_line_with_its_place(text: str, error: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        parse_scenario(text, "s")
    assert str(refused.value).startswith(error) and "\n" not in str(refused.value)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot read scenario"):
        load_scenario(tmp_path / "none.yaml")


def test_the_main_key_wins_over_options_of_the_same_name() -> None:
    step = decode_step({"phase": "F1", "widget": "input", "tool": "ask"})
    assert isinstance(step, Widget) and (step.phase, step.tool) == ("F1", "ask")


def test_names_of_cases_are_texts_whatever_yaml_makes_of_them() -> None:
    scenario = parse_scenario("otherwise: [{switch: x, cases: {true: [], 5: [], null: []}}]")
    step = scenario.otherwise.items[0]
    assert isinstance(step, Switch) and list(step.cases) == ["true", "5", "null"]


def test_every_step_is_documented() -> None:
    readme = (PROJECT / "fake_pi" / "README.md").read_text(encoding="utf-8")
    missing = [name for name in STEP_TYPES if f"**{name}**" not in readme]
    assert missing == []


def test_without_a_file_the_model_answers_done() -> None:
    step = Scenario().otherwise.items[0]
    assert isinstance(step, Text) and step.text == "done"
