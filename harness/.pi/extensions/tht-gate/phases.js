// Which call fits which phase. Pure: what is known of the session comes in, a refusal (one text for the model) or null
// goes out. tht derives the phase; this only keeps the model from asking the reviewer out of order.

import { ARTIFACT_NAMES, ARTIFACT_PHASES, PHASE_NAMES, PHASES } from "./contract.js";

const NEXT_STEPS = {
  F1: 'ask which reading of the question is meant: reviewer_select with purpose "reading"',
  F2: "look at the tables (tht_schema), let the reviewer keep or drop candidates (reviewer_decide), write schema_linking.json (artifact_write), then artifact_gate for it",
  F3: "preview each step (tht_sql), write ctes.json (artifact_write), then artifact_gate for it",
  F4: "compose the steps into one statement, check and preview it (tht_sql), write sql_final.sql (artifact_write), then artifact_gate for it",
  F5: "everything is approved; end with two or three sentences for the reviewer and call no more tools",
};

/** "F2 (schema linking)" */
export function phaseLabel(phase) {
  return `${phase} (${PHASE_NAMES[phase] ?? "unknown"})`;
}

/** One sentence: what the model does next in `phase`. */
export function nextStep(phase) {
  return `Next: ${NEXT_STEPS[phase] ?? "wait for the reviewer"}.`;
}

function position(phase) {
  return PHASES.indexOf(phase);
}

function notYet(what, needed, state) {
  const missing = state.missing?.length ? ` Still missing: ${state.missing.join("; ")}.` : "";
  return `${what} belongs to phase ${phaseLabel(needed)}; the session is in ${phaseLabel(state.phase)}.${missing} ${nextStep(state.phase)}`;
}

function isClosed(phase, what, state) {
  return `Phase ${phaseLabel(phase)} is closed: ${what}. The session is in ${phaseLabel(state.phase)}. ${nextStep(state.phase)}`;
}

/** `state` is the result of `phase.show`. */
export function refuseSelect(state, purpose) {
  if (purpose === "reading" && state.phase !== "F1") {
    return isClosed("F1", 'the reading is chosen. For another question to the reviewer use purpose "clarification"', state);
  }
  return null;
}

export function refuseDecide(state) {
  return state.phase === "F1" ? notYet("reviewer_decide", "F2", state) : null;
}

/** `replaceApproved` says that the model knows that it undoes an approval. */
export function refuseArtifactWrite(state, name, replaceApproved) {
  const phase = ARTIFACT_PHASES[name];
  if (!phase) return `There is no artifact ${JSON.stringify(name)}; the names are ${ARTIFACT_NAMES.join(", ")}.`;
  if (position(state.phase) < position(phase)) return notYet(name, phase, state);
  if (position(state.phase) > position(phase) && !replaceApproved) {
    return isClosed(phase, `${name} is approved. To change it all the same, and have it reviewed again, pass replace_approved: true`, state);
  }
  return null;
}

/** `decisions` is the ledger, oldest first; F2 wants the reviewer to have kept candidates first. */
export function refuseArtifactGate(state, name, decisions) {
  const phase = ARTIFACT_PHASES[name];
  if (!phase) return `There is no artifact ${JSON.stringify(name)}; the names are ${ARTIFACT_NAMES.join(", ")}.`;
  if (position(state.phase) < position(phase)) return notYet(name, phase, state);
  if (position(state.phase) > position(phase)) return isClosed(phase, `${name} is approved`, state);
  if (phase === "F2" && !hasSelection(decisions)) {
    return "Before schema_linking.json can be approved the reviewer keeps or drops the candidates: call reviewer_decide with the tables and columns you found, change the file to what was kept, then call artifact_gate again.";
  }
  return null;
}

/** Whether candidates were selected since F2 was last entered: after the reading, and after a reopening of F1 or F2. */
export function hasSelection(decisions) {
  let selected = false;
  for (const decision of decisions) {
    if (decision.kind === "reading") selected = false;
    if (decision.kind === "reopen" && position(decision.phase) <= position("F2")) selected = false;
    if (decision.kind === "selection" && decision.phase === "F2") selected = true;
  }
  return selected;
}
