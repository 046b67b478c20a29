import assert from "node:assert/strict";
import { test } from "node:test";

import { gateKind, makeEnvelope, packEnvelope, unpackAnswer } from "../.pi/extensions/tht-gate/envelope.js";

const OPTIONS = [
  { id: "a", label: "A" },
  { id: "b", label: "B" },
];
const envelopeOf = (widget, more = {}) =>
  makeEnvelope({ kind: "answer", widget, title: "T", options: OPTIONS, ...more }, "call-1", "F2");

test("the envelope has every field of the contract, in one line after the mark", () => {
  const title = packEnvelope(envelopeOf("select", { body: "line 1\nline 2\u2028" }));
  assert.ok(title.startsWith("thothii-widget/1 {"));
  assert.ok(!title.includes("\n"));
  assert.deepEqual(Object.keys(JSON.parse(title.slice("thothii-widget/1 ".length))), [
    "v",
    "call",
    "kind",
    "widget",
    "title",
    "body",
    "options",
    "min",
    "max",
    "free_text",
    "placeholder",
    "prefill",
    "artifact",
    "phase",
    "from",
    "timeout_ms",
  ]);
});

const FITTING = [
  ["select", { value: "a" }],
  ["multiselect", { values: [] }],
  ["multiselect", { values: ["b", "a"] }],
  ["confirm", { confirmed: false }],
  ["input", { text: "" }],
  ["editor", { text: "x\ny" }],
  ["artifact_gate", { decision: "approve" }],
  ["artifact_gate", { decision: "reject", comment: "why" }],
  ["artifact_gate", { decision: "edit", text: "" }],
  ["select", { value: "a", by: "dev@local" }],
];

const UNFITTING = [
  ["select", { value: "c" }],
  ["select", { value: ["a"] }],
  ["select", { text: "own words" }],
  ["select", {}],
  ["multiselect", { values: ["a", "a"] }],
  ["multiselect", { values: ["c"] }],
  ["multiselect", { values: "a" }],
  ["multiselect", {}],
  ["confirm", { confirmed: "yes" }],
  ["confirm", { confirmed: 1 }],
  ["input", { text: 5 }],
  ["artifact_gate", { decision: "reject" }],
  ["artifact_gate", { decision: "reject", comment: "  " }],
  ["artifact_gate", { decision: "edit" }],
  ["artifact_gate", { decision: "APPROVE" }],
  ["artifact_gate", { decision: ["approve"] }],
  ["toString", { text: "x" }],
];

test("an answer that fits is taken as it is", () => {
  for (const [widget, answer] of FITTING) {
    assert.deepEqual(unpackAnswer(JSON.stringify(answer), envelopeOf(widget)), answer);
    assert.deepEqual(unpackAnswer(answer, envelopeOf(widget)), answer);
  }
});

test("an answer that does not fit is refused: nothing may count as decided", () => {
  for (const [widget, answer] of UNFITTING) {
    assert.throws(
      () => unpackAnswer(JSON.stringify(answer), envelopeOf(widget)),
      Error,
      `${widget} ${JSON.stringify(answer)}`,
    );
  }
  for (const value of ["", "no json", "null", "5", '"approve"', "[]", null, 5, true, [{ decision: "approve" }]]) {
    assert.throws(() => unpackAnswer(value, envelopeOf("artifact_gate")), Error, JSON.stringify(value));
  }
});

test("own words are taken only where they are allowed", () => {
  const free = { freeText: true };
  assert.deepEqual(unpackAnswer({ text: "mine" }, envelopeOf("select", free)), { text: "mine" });
  assert.deepEqual(unpackAnswer({ values: ["a"], text: "and" }, envelopeOf("multiselect", free)), {
    values: ["a"],
    text: "and",
  });
});

test("bounds of a multiselect hold", () => {
  const bounds = { min: 1, max: 1 };
  assert.throws(() => unpackAnswer({ values: [] }, envelopeOf("multiselect", bounds)));
  assert.throws(() => unpackAnswer({ values: ["a", "b"] }, envelopeOf("multiselect", bounds)));
  assert.deepEqual(unpackAnswer({ values: ["b"] }, envelopeOf("multiselect", bounds)), { values: ["b"] });
});

test("cancelled wins over everything else", () => {
  assert.deepEqual(unpackAnswer({ cancelled: true, decision: "approve" }, envelopeOf("artifact_gate")), {
    cancelled: true,
  });
});

test("the kind of an answered gate is the ledger's", () => {
  assert.equal(gateKind({ decision: "approve" }), "approval");
  assert.equal(gateKind({ decision: "edit" }), "edit");
  assert.equal(gateKind({ decision: "reject" }), "rejection");
});
