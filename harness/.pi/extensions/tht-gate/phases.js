// Which call fits which phase. Pure: what is known of the session comes in, a refusal (one text for the model) or null
// goes out. tht derives the phase; this only keeps the model from asking the reviewer out of order.

import { ARTIFACT_NAMES, ARTIFACT_PHASES, PHASE_NAMES, PHASES } from "./contract.js";

const NEXT_STEPS = {
  F1: 'ask which reading of the question is meant: reviewer_select with purpose "reading"',
  F2:
    "look at the tables (tht_schema), let the reviewer keep or drop candidates (reviewer_decide), " +
    "write schema_linking.json (artifact_write), then artifact_gate for it",
  F3: "preview each step (tht_sql), write ctes.json (artifact_write), then artifact_gate for it",
  F4:
    "compose the steps into one statement, check and preview it (tht_sql), " +
    "write sql_final.sql (artifact_write), then artifact_gate for it",
  F5: "everything is approved; end with two or three sentences for the reviewer and call no more tools",
};

const MISSING = {
  reading: "the reviewer's choice of a reading",
  selection: "the reviewer's choice among the candidates",
  artifact: "the file",
  approval: "the reviewer's approval of",
  history: "a ledger that was not changed by hand (tell the reviewer, and stop)",
};

/** "F2 (schema linking)" */
export function phaseLabel(phase) {
  return `${phase} (${PHASE_NAMES[phase] ?? "unknown"})`;
}

/** One sentence: what the model does next in `phase`. */
export function nextStep(phase) {
  return `Next: ${NEXT_STEPS[phase] ?? "wait for the reviewer"}.`;
}

/** What `phase.show` names as missing, in words: " Still missing: ..." or nothing. */
export function missingText({ missing = [] }) {
  if (!missing.length) return "";
  const words = missing.map((code) => {
    const [kind, name] = code.split(":");
    return [MISSING[kind] ?? kind, name].filter(Boolean).join(" ");
  });
  return ` Still missing: ${words.join("; ")}.`;
}

function position(phase) {
  return PHASES.indexOf(phase);
}

function notYet(what, needed, state) {
  const where = `${what} belongs to phase ${phaseLabel(needed)}; the session is in ${phaseLabel(state.phase)}.`;
  return `${where}${missingText(state)} ${nextStep(state.phase)}`;
}

function isClosed(phase, what, state) {
  return `Phase ${phaseLabel(phase)} is closed: ${what}. The session is in ${phaseLabel(state.phase)}. ${nextStep(state.phase)}`;
}

/** `state` is the result of `phase.show`. */
export function refuseSelect(state, purpose) {
  if (purpose === "reading" && state.phase !== "F1") {
    return isClosed(
      "F1",
      'the reading is chosen. For another question to the reviewer use purpose "clarification"',
      state,
    );
  }
  return null;
}

export function refuseDecide(state) {
  return state.phase === "F1" ? notYet("reviewer_decide", "F2", state) : null;
}

/** `replaceApproved` says that the model knows that it undoes an approval. */
export function refuseArtifactWrite(state, name, replaceApproved) {
  const phase = phaseOf(name);
  if (!phase) return noSuchArtifact(name);
  if (position(state.phase) < position(phase)) return notYet(name, phase, state);
  if (position(state.phase) > position(phase) && !replaceApproved) {
    return isClosed(
      phase,
      `${name} is approved. To change it all the same, and have it reviewed again, pass replace_approved: true`,
      state,
    );
  }
  return null;
}

/** F2 wants the reviewer to have kept candidates before they approve what was written of them. */
export function refuseArtifactGate(state, name) {
  const phase = phaseOf(name);
  if (!phase) return noSuchArtifact(name);
  if (position(state.phase) < position(phase)) return notYet(name, phase, state);
  if (position(state.phase) > position(phase)) return isClosed(phase, `${name} is approved`, state);
  if (state.missing?.includes("selection")) {
    return (
      `Before ${name} can be approved the reviewer keeps or drops the candidates: call reviewer_decide with the ` +
      "tables and columns you found, change the file to what was kept, then call artifact_gate again."
    );
  }
  return null;
}

function phaseOf(name) {
  return Object.hasOwn(ARTIFACT_PHASES, name) ? ARTIFACT_PHASES[name] : null;
}

function noSuchArtifact(name) {
  return `There is no artifact ${JSON.stringify(name)}; the names are ${ARTIFACT_NAMES.join(", ")}.`;
}
