// What may be asked and what counts as an answer. Pure.

export const QUESTION_MS = 180_000;
export const CALL_MS = 300_000;
export const LEAST_MS = 5_000;
const MOST_MS = 24 * 60 * 60 * 1000;

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isBlank = (value) => typeof value !== "string" || value.trim() === "";
const isWord = (value) => ["string", "number", "boolean"].includes(typeof value) && String(value).trim() !== "";

/** The questions of a call as `{question, options, placeholder}`, without options an empty list. Throws on what nobody can answer. */
export function readQuestions(parameters) {
  const given = parameters?.questions;
  if (!Array.isArray(given) || given.length === 0) throw new Error("questions must hold at least one question");
  return given.map((item, index) => {
    const place = `questions[${index}]`;
    if (!isObject(item) || isBlank(item.question)) throw new Error(`${place}.question is empty`);
    const options = item.options ?? [];
    if (!Array.isArray(options) || !options.every(isWord)) {
      throw new Error(`${place}.options must be a list of texts that are not empty`);
    }
    return {
      question: item.question,
      options: options.map(String),
      placeholder: typeof item.placeholder === "string" ? item.placeholder : undefined,
    };
  });
}

/** Milliseconds of a call: what was asked for, within bounds. */
export function readBudget(parameters) {
  const asked = parameters?.timeoutMs;
  if (typeof asked !== "number" || Number.isNaN(asked)) return CALL_MS;
  return Math.min(MOST_MS, Math.max(LEAST_MS, asked));
}

/** Why `answer` is none to `question`, or null. A dialog of Pi 1.6.0 hands on whatever a client sends (measured). */
export function flawOf({ options }, answer) {
  if (typeof answer !== "string") return `the answer is not a text but ${answer === null ? "null" : typeof answer}`;
  if (options.length > 0) return options.includes(answer) ? null : "the answer is none of the options";
  return answer.trim() === "" ? "the answer is empty" : null;
}
