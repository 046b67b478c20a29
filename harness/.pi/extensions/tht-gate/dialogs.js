// Asking the reviewer: the dialog, what the client is told of it, and, without a backend, the record of the answer.

import { userInfo } from "node:os";

import { gateKind, makeEnvelope, packEnvelope, unpackAnswer } from "./envelope.js";
import { askInTerminal } from "./terminal-dialogs.js";
import { errorLine } from "./text.js";

export const NOT_ANSWERED =
  "The question was closed without an answer: nothing is decided. Do not ask it again now; say in one sentence what you wait for and stop.";

/** The reviewer did not answer: no error of anybody, but nothing is decided either. */
export class NotAnswered extends Error {
  constructor() {
    super(NOT_ANSWERED);
  }
}

/**
 * The reviewer's answer to `question` (see makeEnvelope). `call` names the tool call, its `signal` and Pi's `ctx`. Throws
 * NotAnswered when the dialog was cancelled or aborted, and an Error when the answer cannot be understood.
 */
export async function ask(session, question, phase, { callId, signal, ctx }) {
  if (!ctx.hasUI) throw new Error("Nobody can be asked here: run Pi in its terminal UI or through ThothII.");
  const terminal = ctx.mode === "tui";
  if (terminal && !session.recordsDecisions) {
    throw new Error("In the terminal UI the gate records decisions itself: unset THT_AGENT_ENDPOINT.");
  }
  const envelope = makeEnvelope(question, callId, phase);
  session.tell({ ev: "dialog_opened", call: callId, widget: envelope.widget });
  let how = "cancelled";
  try {
    const answer = terminal
      ? await askInTerminal(ctx.ui, envelope, signal)
      : await askOverRpc(ctx.ui, envelope, signal);
    if (signal?.aborted) how = "aborted";
    if (!answer || answer.cancelled || signal?.aborted) throw new NotAnswered();
    how = "answered";
    return session.recordsDecisions ? await record(session, envelope, answer) : answer;
  } finally {
    session.tell({ ev: "dialog_closed", call: callId, how });
  }
}

async function askOverRpc(ui, envelope, signal) {
  const value = await ui.input(packEnvelope(envelope), undefined, { signal });
  if (value === undefined) return null;
  try {
    return unpackAnswer(value, envelope);
  } catch (error) {
    throw new Error(
      `The reviewer's answer could not be understood (${errorLine(error)}): nothing is decided. Ask again.`,
    );
  }
}

/** Write the answer down before the agent hears it; the result is the answer with what was written. */
async function record(session, envelope, answer) {
  const decision = {
    kind: envelope.widget === "artifact_gate" ? gateKind(answer) : envelope.kind,
    widget: envelope.widget,
    title: envelope.title,
    options: envelope.options,
    answer,
    by: answer.by ?? `${localUser()}@local`,
    artifact: envelope.artifact && { name: envelope.artifact.name, sha256: envelope.artifact.sha256 },
  };
  // An edit is written with its decision, or not at all.
  if (decision.kind === "edit") decision.edit = answer.text;
  const { line } = await session.call("decision.add", withoutEmpty(decision));
  return decision.kind === "edit" ? { ...answer, sha256: line.artifact.sha256 } : answer;
}

function withoutEmpty(decision) {
  const isEmpty = (value) => value === null || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(decision).filter(([, value]) => !isEmpty(value)));
}

function localUser() {
  try {
    return userInfo().username;
  } catch {
    return "somebody";
  }
}
