import pytest

from fake_pi.templates import UNDEFINED, expand, expand_text

PAGE = {"columns": [{"name": "carrier"}, {"name": "n"}], "rows": [["UA", 1], ["B6", None]]}
VARIABLES = {
    "answer": {"value": "b", "values": ["a", "b"], "yes": True},
    "page": PAGE,
    "ledger": [{"kind": "reading", "n": 1}, {"kind": "answer"}, {"kind": "reading", "n": 2}],
    "text": "two\n lines ",
}


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("${answer.value}", "b"),
        ("${answer.values}", ["a", "b"]),
        ("it is ${answer.values}", 'it is ["a","b"]'),
        ("${page.rows.1.0}", "B6"),
        ("${page.rows.7.0}", UNDEFINED),
        ("<${nothing.at.all}>", "<>"),
        ("$${answer.value}", "${answer.value}"),
        ("${answer.values|has b}", True),
        ("${nothing|has b}", False),
        ("${nothing|else none}", "none"),
        ("${answer.value|else none}", "b"),
        ("${ledger|last reading}", {"kind": "reading", "n": 2}),
        ("${ledger|last edit}", UNDEFINED),
        ("${page.rows|count}", 2),
        ("${answer.values|lines}", "a\nb"),
        ("${text|line}", "two lines"),
        ("${answer.yes|typeof}", "boolean true"),
        ("${nothing|typeof}", "undefined undefined"),
        ("${page|table}", "| carrier | n |\n| --- | --- |\n| UA | 1 |\n| B6 | NULL |"),
        ("${answer.value|no such filter}", UNDEFINED),
    ],
)
def test_a_template_gives(template: str, value: object) -> None:
    assert expand(template, VARIABLES) == value


def test_templates_are_filled_in_everywhere_inside_a_value() -> None:
    given = {"a": ["${answer.value}", {"b": "x${answer.value}"}], "c": 5}
    assert expand(given, VARIABLES) == {"a": ["b", {"b": "xb"}], "c": 5}


def test_the_text_of_a_value_is_its_json() -> None:
    assert expand_text("${answer}", VARIABLES) == '{"value":"b","values":["a","b"],"yes":true}'
    assert expand_text(True, VARIABLES) == "true"
