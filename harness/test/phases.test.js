import assert from "node:assert/strict";
import { test } from "node:test";

import { ARTIFACT_PHASES, PHASES } from "../.pi/extensions/tht-gate/contract.js";
import {
  missingText,
  nextStep,
  refuseArtifactGate,
  refuseArtifactWrite,
  refuseDecide,
  refuseSelect,
} from "../.pi/extensions/tht-gate/phases.js";

const stateIn = (phase) => ({ phase, closed: [], missing: ["the thing"], reason: "" });

test("an artifact is written and gated in its own phase only, and every refusal names the phase and the next step", () => {
  for (const [name, own] of Object.entries(ARTIFACT_PHASES)) {
    for (const phase of PHASES) {
      const write = refuseArtifactWrite(stateIn(phase), name, false);
      const gate = refuseArtifactGate(stateIn(phase), name);
      if (phase === own) {
        assert.equal(write, null);
        assert.equal(gate, null);
      } else {
        for (const refusal of [write, gate]) {
          assert.match(refusal, new RegExp(`the session is in ${phase} |The session is in ${phase} `));
          assert.ok(refusal.endsWith(nextStep(phase)));
        }
      }
    }
  }
});

test("what is missing is told when a call comes too early", () => {
  assert.match(refuseArtifactWrite(stateIn("F1"), "ctes.json", false), /Still missing: the thing\./);
  assert.match(refuseDecide(stateIn("F1")), /Still missing: the thing\./);
});

test("an approved artifact is replaced on purpose only, and never written ahead of its phase", () => {
  assert.match(refuseArtifactWrite(stateIn("F4"), "ctes.json", false), /replace_approved: true/);
  assert.equal(refuseArtifactWrite(stateIn("F4"), "ctes.json", true), null);
  assert.notEqual(refuseArtifactWrite(stateIn("F1"), "ctes.json", true), null);
});

test("a name outside the list is refused, whatever it looks like", () => {
  for (const name of ["../x", "toString", "constructor", "__proto__", "SQL_FINAL.SQL", ""]) {
    assert.match(refuseArtifactWrite(stateIn("F4"), name, true), /There is no artifact/);
    assert.match(refuseArtifactGate(stateIn("F4"), name), /There is no artifact/);
  }
});

test("a reading is chosen once; clarifications are free", () => {
  assert.equal(refuseSelect(stateIn("F1"), "reading"), null);
  for (const phase of PHASES.slice(1)) assert.match(refuseSelect(stateIn(phase), "reading"), /clarification/);
  for (const phase of PHASES) assert.equal(refuseSelect(stateIn(phase), "clarification"), null);
});

test("schema linking is approved only after candidates were kept", () => {
  const state = { ...stateIn("F2"), missing: ["selection", "approval:schema_linking.json"] };
  assert.match(refuseArtifactGate(state, "schema_linking.json"), /reviewer_decide/);
});

test("every code of what is missing is told in words", () => {
  const codes = ["reading", "selection", "artifact:ctes.json", "approval:ctes.json", "history", "something new"];
  const text = missingText({ missing: codes });
  assert.match(text, /^ Still missing: /);
  assert.match(text, /the file ctes\.json; the reviewer's approval of ctes\.json/);
  assert.match(text, /something new\.$/);
  assert.equal(missingText({ missing: [] }), "");
  assert.equal(missingText({}), "");
});
