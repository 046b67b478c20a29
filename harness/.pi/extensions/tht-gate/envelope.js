// The widget that rides in a native dialog, and the answer that comes back. Pure.

import { ENVELOPE_MARK } from "./contract.js";
import { encodeJson } from "./text.js";

/**
 * A question for the reviewer, complete: `question` has `kind`, `widget`, `title` and what that widget needs.
 * `call` is the id of the asking tool call.
 */
export function makeEnvelope(question, call, phase) {
  return {
    v: 1,
    call,
    kind: question.kind,
    widget: question.widget,
    title: question.title,
    body: question.body ?? null,
    options: question.options ?? [],
    min: question.min ?? 0,
    max: question.max ?? question.options?.length ?? 0,
    free_text: question.freeText ?? false,
    placeholder: question.placeholder ?? null,
    prefill: question.prefill ?? null,
    artifact: question.artifact ?? null,
    phase,
    from: { kind: "main", name: "main" },
    timeout_ms: null,
  };
}

/** The title of the native `input` request that carries `envelope`. */
export function packEnvelope(envelope) {
  return ENVELOPE_MARK + encodeJson(envelope);
}

/**
 * The answer in what a dialog returned. Throws when it does not fit: then nothing counts as decided.
 * The orchestrator checks answers too; here it fails closed for whatever else speaks RPC.
 */
export function unpackAnswer(value, envelope) {
  let answer;
  try {
    answer = typeof value === "string" ? JSON.parse(value) : value;
  } catch {
    throw new Error("the answer is not JSON");
  }
  if (answer === null || typeof answer !== "object" || Array.isArray(answer)) {
    throw new Error("the answer is not an object");
  }
  if (answer.cancelled) return { cancelled: true };
  const fits = FITS.get(envelope.widget);
  if (!fits?.(answer, envelope)) throw new Error(`the answer does not fit a ${envelope.widget}`);
  return answer;
}

const isText = (value) => typeof value === "string";

const FITS = new Map(
  Object.entries({
    select: (answer, { options, free_text }) =>
      options.some((option) => option.id === answer.value) || (free_text && isText(answer.text)),
    multiselect: (answer, { options, min, max, free_text }) => {
      const values = answer.values ?? (free_text && isText(answer.text) ? [] : null);
      if (!Array.isArray(values) || new Set(values).size !== values.length) return false;
      return (
        values.length >= min &&
        values.length <= max &&
        values.every((value) => options.some((option) => option.id === value))
      );
    },
    confirm: (answer) => typeof answer.confirmed === "boolean",
    input: (answer) => isText(answer.text),
    editor: (answer) => isText(answer.text),
    artifact_gate: (answer) =>
      answer.decision === "approve" ||
      (answer.decision === "reject" && isText(answer.comment) && answer.comment.trim() !== "") ||
      (answer.decision === "edit" && isText(answer.text)),
  }),
);

/** The ledger's kind of an answered artifact gate. */
export function gateKind(answer) {
  return { approve: "approval", edit: "edit", reject: "rejection" }[answer.decision];
}
