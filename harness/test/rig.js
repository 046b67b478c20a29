// A gate in front of a backend, made anew for each test of a file.

import assert from "node:assert/strict";
import { afterEach } from "node:test";

import { sessionIn, startBackend } from "./backend-server.js";
import { fakeContext, loadGate } from "./fake-pi.js";

export const OPTIONS = [
  { id: "a", label: "A", recommended: true },
  { id: "b", label: "B" },
];
export const READING = { purpose: "reading", title: "Which?", options: OPTIONS };

/** The gate and the backend of the running test. */
export const rig = { backend: null, pi: null };

afterEach(async () => {
  rig.pi?.restore();
  await rig.backend?.close();
  rig.pi = rig.backend = null;
});

/** Load the gate for a session in `phase`; `more` replaces operations of the backend. */
export async function gateIn(phase, more = {}) {
  rig.backend = await startBackend(sessionIn(phase, more));
  rig.pi = loadGate(rig.backend.environment);
}

/** What the gate said on its one-way channel. */
export function events() {
  return rig.pi.entries.map(({ customType, ...event }) => (assert.equal(customType, "tht-gate"), event));
}

export const textOf = (result) => result.content[0].text;
export const envelopeIn = (dialog) => JSON.parse(dialog.title.slice("thothii-widget/1 ".length));
export const answering = (answer) => fakeContext({ answers: [JSON.stringify(answer)] });
