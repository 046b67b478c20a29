import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { artifactText, statementOf } from "../.pi/extensions/tht-gate/artifacts.js";

const LINKING = {
  reading: "the mean",
  tables: [{ name: "flights" }],
  columns: [{ table: "flights", column: "arr_delay" }],
};
const STEPS = { steps: [{ name: "a", purpose: "p", sql: "SELECT 1 AS x" }] };

test("a good artifact is written readably, and keeps further keys", () => {
  assert.deepEqual(JSON.parse(artifactText("schema_linking.json", { ...LINKING, extra: 1 })), { ...LINKING, extra: 1 });
  assert.deepEqual(JSON.parse(artifactText("ctes.json", JSON.stringify(STEPS))), STEPS);
  assert.equal(artifactText("sql_final.sql", "SELECT 1\n"), "SELECT 1\n");
});

const BAD_LINKING = [
  [{ ...LINKING, reading: "" }, /`reading`/],
  [{ ...LINKING, tables: [] }, /`tables`/],
  [{ ...LINKING, tables: ["flights"] }, /`tables`/],
  [{ ...LINKING, columns: [null] }, /`columns`/],
  [{ ...LINKING, columns: [{ table: "planes", column: "x" }] }, /"planes" is used but is not in `tables`/],
  [{ ...LINKING, joins: [{ left: "flights.carrier", right: "airlines.carrier" }] }, /"airlines" is used/],
  [{ ...LINKING, joins: "flights-airlines" }, /`joins`/],
  [{ ...LINKING, filters: [{ column: "year", condition: "= 2013" }] }, /`filters`/],
  [[LINKING], /give an object/],
  ["{", /not JSON/],
  [undefined, /give an object/],
];

test("schema_linking.json that says too little is refused with what is wrong", () => {
  for (const [document, problem] of BAD_LINKING)
    assert.throws(() => artifactText("schema_linking.json", document), problem);
});

test("ctes.json that says too little is refused with what is wrong", () => {
  const step = STEPS.steps[0];
  for (const [document, problem] of [
    [{}, /`steps`/],
    [{ steps: [] }, /`steps`/],
    [{ steps: [{ ...step, sql: " " }] }, /`steps`/],
    [{ steps: [{ ...step, name: "a b" }] }, /plain identifier/],
    [{ steps: [{ ...step, name: "x) AS (" }] }, /plain identifier/],
    [{ steps: [step, { ...step, name: "A" }] }, /two steps are named "a"/],
  ]) {
    assert.throws(() => artifactText("ctes.json", document), problem);
  }
});

test("the steps are checked as one statement, whatever ends them", () => {
  const document = {
    steps: [
      { ...STEPS.steps[0], sql: "SELECT 1 -- one" },
      { name: "b", purpose: "p", sql: "SELECT * FROM a;" },
    ],
  };
  assert.equal(
    statementOf("ctes.json", JSON.stringify(document)),
    "WITH a AS (\nSELECT 1 -- one\n),\nb AS (\nSELECT * FROM a\n)\nSELECT * FROM b",
  );
  assert.equal(statementOf("schema_linking.json", "{}"), null);
  assert.equal(statementOf("sql_final.sql", "SELECT 1"), "SELECT 1");
});

test("the examples that the skill shows the model pass", () => {
  const skill = readFileSync(new URL("../.pi/skills/tht-sessione/SKILL.md", import.meta.url), "utf8");
  const examples = [...skill.matchAll(/artifact_write (\{\n[\s\S]*?\n\})\n```/g)].map((match) => JSON.parse(match[1]));
  assert.deepEqual(
    examples.map((example) => example.name),
    ["schema_linking.json", "ctes.json"],
  );
  for (const { name, json } of examples) assert.ok(artifactText(name, json));
});
