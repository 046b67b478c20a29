import { ask } from "../dialogs.js";
import { nextStep, phaseLabel, refuseDecide, refuseSelect } from "../phases.js";
import { chosenText, foldOptions, OPTION_PARAMETER, wholeOptions } from "./options.js";
import { textResult } from "./result.js";

const TITLE = {
  type: "string",
  maxLength: 1000,
  description: "The question, in one sentence the reviewer understands",
};
const BODY = {
  type: "string",
  maxLength: 10000,
  description: "What the reviewer should know to answer, in a few lines of Markdown",
};
const FREE_TEXT = { type: "boolean", description: "True when the reviewer may answer in their own words instead" };

/** Choose one. With purpose "reading" the choice closes F1. */
export function reviewerSelectTool(session) {
  return {
    name: "reviewer_select",
    label: "Ask: choose one",
    description:
      'Let the reviewer choose ONE option. purpose "reading" (phase F1): which reading of the question is meant; each ' +
      'option is one complete reading. purpose "clarification": any other choice, in any phase.',
    promptSnippet: "Let the reviewer choose one of several options",
    executionMode: "sequential",
    parameters: {
      type: "object",
      properties: {
        purpose: { type: "string", enum: ["reading", "clarification"] },
        title: TITLE,
        body: BODY,
        options: OPTION_PARAMETER,
        free_text: FREE_TEXT,
      },
      required: ["purpose", "title", "options"],
      additionalProperties: false,
    },
    prepareArguments: foldOptions,
    async execute(callId, { purpose, title, body, options: given, free_text: freeText }, signal, _onUpdate, ctx) {
      const state = await session.phase(signal);
      const refusal = refuseSelect(state, purpose);
      if (refusal) throw new Error(refusal);
      const options = wholeOptions(given);
      const question = { kind: purpose, widget: "select", title, body, options, max: 1, min: 1, freeText };
      const answer = await ask(session, question, state.phase, { callId, signal, ctx });
      const said =
        answer.value === undefined ? `answered: ${answer.text}` : `chose ${chosenText(options, [answer.value])}`;
      return told(session, `The reviewer ${said}.`, signal);
    },
  };
}

/** Choose several. In F2 the choice is what is kept of the candidates. */
export function reviewerDecideTool(session) {
  return {
    name: "reviewer_decide",
    label: "Ask: keep or drop",
    description:
      "Let the reviewer keep or drop: choose SEVERAL options. In phase F2 the options are the candidate tables and " +
      "columns you found; mark those you would keep as recommended.",
    promptSnippet: "Let the reviewer keep or drop candidates (choose several)",
    executionMode: "sequential",
    parameters: {
      type: "object",
      properties: {
        title: TITLE,
        body: BODY,
        options: OPTION_PARAMETER,
        min: { type: "integer", minimum: 0, description: "At least so many; default 1" },
        max: { type: "integer", minimum: 1, description: "At most so many; default all" },
        free_text: { ...FREE_TEXT, description: "True when the reviewer may add something in their own words" },
      },
      required: ["title", "options"],
      additionalProperties: false,
    },
    prepareArguments: foldOptions,
    async execute(callId, { title, body, options: given, min = 1, max, free_text: freeText }, signal, _onUpdate, ctx) {
      const state = await session.phase(signal);
      const refusal = refuseDecide(state);
      if (refusal) throw new Error(refusal);
      const options = wholeOptions(given);
      const most = Math.min(max ?? options.length, options.length);
      const bounds = { min: Math.min(min, most), max: most };
      const question = { kind: "selection", widget: "multiselect", title, body, options, ...bounds, freeText };
      const answer = await ask(session, question, state.phase, { callId, signal, ctx });
      return told(session, decidedText(options, answer), signal);
    },
  };
}

function decidedText(options, { values = [], text }) {
  const dropped = options.map((option) => option.id).filter((id) => !values.includes(id));
  const parts = [`The reviewer kept: ${chosenText(options, values) || "nothing"}.`];
  if (dropped.length) parts.push(`Dropped: ${chosenText(options, dropped)}. Do not use what was dropped.`);
  if (text) parts.push(`The reviewer added: ${text}`);
  return parts.join(" ");
}

const FORMS = { line: "input", text: "editor", yes_no: "confirm" };

/** A question answered in words, or with yes or no. */
export function askReviewerTool(session) {
  return {
    name: "ask_reviewer",
    label: "Ask",
    description:
      'Ask the reviewer one question that options do not fit, in any phase. form "line" (default): a short answer; ' +
      '"text": several lines, `prefill` is what the reviewer starts from; "yes_no".',
    promptSnippet: "Ask the reviewer a question answered in words or with yes or no",
    executionMode: "sequential",
    parameters: {
      type: "object",
      properties: {
        question: TITLE,
        body: BODY,
        form: { type: "string", enum: Object.keys(FORMS) },
        placeholder: { type: "string", description: "An example of an answer; for form line" },
        prefill: { type: "string", description: "Text to start from; for form text" },
      },
      required: ["question"],
      additionalProperties: false,
    },
    async execute(callId, { question: title, body, form = "line", placeholder, prefill }, signal, _onUpdate, ctx) {
      const state = await session.phase(signal);
      const question = { kind: "answer", widget: FORMS[form], title, body, placeholder, prefill };
      const answer = await ask(session, question, state.phase, { callId, signal, ctx });
      const said = form === "yes_no" ? (answer.confirmed ? "yes" : "no") : answer.text;
      return told(session, `The reviewer answered: ${said === "" ? "(an empty text)" : said}`, signal);
    },
  };
}

/** The answer with where the session stands after it. */
async function told(session, text, signal) {
  const { phase } = await session.phase(signal);
  return textResult(`${text}\nThe session is in ${phaseLabel(phase)}. ${nextStep(phase)}`);
}
