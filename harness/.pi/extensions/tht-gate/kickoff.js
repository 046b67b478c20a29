// The commands that start the work: a hidden message with what the agent must know of its session.

import { GATE_VERSION, KICKOFF_MESSAGE, SESSION_ID } from "./contract.js";
import { missingText, nextStep, phaseLabel } from "./phases.js";
import { cut, errorLine, oneLine } from "./text.js";

const SHOWN_DECISIONS = 40;
const SHOWN_ARTIFACT_CHARACTERS = 6_000;

export const COMMANDS = {
  "nuova-domanda": "Start work on the question of a new session",
  "riprendi-sessione": "Go on with a session",
};

/** Register both commands; they fire for typed text and for RPC prompts alike. */
export function registerKickoffs(pi, session, obstacle) {
  for (const [name, description] of Object.entries(COMMANDS)) {
    pi.registerCommand(name, {
      description: `${description}: /${name} <session id> (${GATE_VERSION})`,
      handler: async (given, ctx) => {
        try {
          await kickOff(pi, session, { id: given.trim(), resumed: name === "riprendi-sessione", ctx, obstacle });
        } catch (error) {
          ctx.ui.notify(`/${name}: ${errorLine(error)}`, "error");
        }
      },
    });
  }
}

async function kickOff(pi, session, { id, resumed, ctx, obstacle }) {
  const blocked = obstacle();
  if (blocked) throw new Error(blocked);
  if (!SESSION_ID.test(id)) throw new Error("give the id of a session that exists, e.g. 20261130t161035-3f9a1c");
  if (session.kickedOff && !ctx.isIdle()) throw new Error("the agent is at work on this session already");
  session.begin(id);
  const known = await readSession(session);
  const content = kickoffText(known, resumed);
  session.brief = briefText(known);
  session.kickedOff = true;
  pi.sendMessage(
    { customType: KICKOFF_MESSAGE, content, display: false, details: { session: id } },
    { triggerTurn: true },
  );
}

async function readSession(session) {
  const [manifest, state, workspace, { decisions }, { artifacts }] = await Promise.all([
    session.call("session.show"),
    session.phase(),
    session.call("workspace.show"),
    session.call("decision.list"),
    session.call("artifact.list"),
  ]);
  const texts = await Promise.all(artifacts.map(({ name }) => session.call("artifact.get", { name })));
  return { manifest, state, workspace, decisions, artifacts: texts };
}

/** The session in a few words, for the system prompt. Pure. */
export function briefText({ manifest, workspace }) {
  return `## This session\n\nThe operator's question: ${manifest.question}\n\nSQL dialect: ${workspace.dialect}.`;
}

/** The hidden message. Pure. */
export function kickoffText({ manifest, state, workspace, decisions, artifacts }, resumed) {
  const rows = workspace.limits?.rows;
  const parts = [
    resumed
      ? `You go on with ThothII session ${manifest.id}. A question to the reviewer that was open before is gone: ` +
        "ask it again if its answer is still missing."
      : `You work on ThothII session ${manifest.id}. Follow the rules of tht-sessione in your instructions.`,
    `The operator's question:\n${manifest.question}`,
    `Database: workspace ${workspace.name}, SQL dialect ${workspace.dialect}${rows ? `, at most ${rows} rows a result` : ""}.`,
  ];
  if (workspace.notes?.trim()) parts.push(`What a newcomer to this database should know:\n${workspace.notes.trim()}`);
  if (decisions.length)
    parts.push(`Decisions of the reviewer so far:\n${decisions.slice(-SHOWN_DECISIONS).map(decisionLine).join("\n")}`);
  for (const { name, text } of artifacts) parts.push(`${name} as it is now:\n${cut(text, SHOWN_ARTIFACT_CHARACTERS)}`);
  parts.push(`The session is in ${phaseLabel(state.phase)}.${missingText(state)} ${nextStep(state.phase)}`);
  return parts.join("\n\n");
}

function decisionLine({ phase, kind, title, options, answer }) {
  return `- ${phase} ${kind}: ${oneLine(title)} -> ${oneLine(answerText(answer ?? {}, options ?? []), 400)}`;
}

function answerText(answer, options) {
  const label = (id) => options.find((option) => option.id === id)?.label ?? id;
  if (answer.value !== undefined) return label(answer.value);
  const parts = [];
  if (answer.values) parts.push(answer.values.map(label).join(", "));
  if (answer.confirmed !== undefined) parts.push(answer.confirmed ? "yes" : "no");
  if (answer.decision) parts.push(answer.decision);
  if (answer.comment) parts.push(answer.comment);
  if (answer.text && !answer.decision) parts.push(answer.text);
  return parts.join(": ");
}
