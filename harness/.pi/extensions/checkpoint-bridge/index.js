// checkpoint-bridge: sub-agents of a Pi session, and other processes that work for it, ask its human.
//
// Every session of a Pi process loads this extension. The one with a UI puts itself into a process-wide slot; the tool looks
// there first, then for the endpoint of an orchestrator in its environment, and else says that there is nobody to ask.

import { resultOf } from "./call.js";
import { askEndpoint } from "./endpoint.js";
import { Host } from "./host.js";
import { readBudget, readQuestions } from "./questions.js";
import { currentHost, leaveSlot, nextRequestId, takeSlot } from "./slot.js";

export const TOOL = "ask_user_via_host";

/** The extension. It works alone; of ThothII it knows two variables of the environment. */
export default function checkpointBridge(pi) {
  let mine = null;

  const leave = () => {
    if (mine) leaveSlot(mine);
    mine = null;
  };

  pi.on("session_start", (_event, ctx) => {
    leave();
    if (!canHost(ctx)) return;
    mine = new Host(ctx);
    takeSlot(mine);
  });
  pi.on("session_shutdown", leave);

  pi.registerTool({
    name: TOOL,
    label: "Ask the user",
    description:
      "Ask the human one or more questions and wait for the answers. They see who asks. Batch related questions into one call. " +
      "Ask only what would change your result and what you cannot find out yourself. The result is JSON: {status, answers: " +
      "[{question, answer}], note?}. status ok: all answered. timeout-or-cancelled, timeout: use the answers there are or return " +
      "needs_input. cancelled: stop. no-host, error: return needs_input. Never invent an answer.",
    promptSnippet: "Ask the human through the main session and wait for the answer",
    parameters: {
      type: "object",
      properties: {
        questions: {
          type: "array",
          minItems: 1,
          items: {
            type: "object",
            properties: {
              question: { type: "string", description: "One question that can be answered in a line" },
              options: { type: "array", items: { type: "string" }, description: "Choices; without them the answer is free text" },
              placeholder: { type: "string", description: "Example of an answer, for free text" },
            },
            required: ["question"],
          },
        },
        timeoutMs: { type: "number", description: "Milliseconds for the whole call, at least 5000; 300000 when absent" },
      },
      required: ["questions"],
    },
    async execute(_callId, parameters, signal, _onUpdate, ctx) {
      const document = await ask(parameters, signal, ctx, () => mine);
      return { content: [{ type: "text", text: JSON.stringify(document) }], details: document };
    },
  });
}

/** A session without a UI never hosts, nor does one whose project nobody trusted. */
function canHost(ctx) {
  const canAsk = typeof ctx?.ui?.input === "function" || typeof ctx?.ui?.select === "function";
  return Boolean(ctx?.hasUI) && canAsk && ctx.isProjectTrusted?.() !== false;
}

/** The result document. Never throws: a sub-agent must be able to say that it could not ask. */
async function ask(parameters, signal, ctx, own) {
  try {
    const questions = readQuestions(parameters);
    const host = currentHost();
    const asker = askerOf(ctx, host !== null && host === own());
    const request = { id: nextRequestId(), asker, questions, budgetMs: readBudget(parameters), signal };
    if (host) return await host.ask(request);
    const other = { ...request, id: `${request.id}:${crypto.randomUUID()}` };
    return (await askEndpoint(process.env, other)) ?? resultOf("no-host", [], { requestId: request.id });
  } catch (error) {
    return resultOf("error", [], { error: String(error?.message ?? error) });
  }
}

/** Who asks, as the human is told: pi-subagents names its sessions after the agent. */
function askerOf(ctx, isMain) {
  const sessions = ctx?.sessionManager;
  const file = sessions?.getSessionFile?.();
  const id = sessions?.getSessionId?.() ?? (file ? String(file) : `session-${process.pid}`);
  if (isMain) return { kind: "main", id, name: "main" };
  const name = sessions?.getSessionName?.();
  return { kind: "subagent", id, name: name || `pi ${id.slice(-8)}` };
}
