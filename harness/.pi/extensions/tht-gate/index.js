// tht-gate: the tools with which an agent works on a ThothII session, and the locks that leave it nothing else.
// The contract with the orchestrator is docs/contracts.md; what Pi does is noted where it was measured on Pi 1.6.0.

import { connect, obstacle } from "./backend.js";
import { lockBash, lockInput, withoutBashRecords } from "./input-lock.js";
import { registerKickoffs } from "./kickoff.js";
import { applySampling, readSampling } from "./sampling.js";
import { Session } from "./session.js";
import { readSkill, SECTION } from "./skill.js";
import { refuseSpawn, SUBAGENT_TOOLS } from "./subagents.js";
import { errorLine } from "./text.js";
import { artifactGateTool } from "./tools/artifact-gate.js";
import { artifactWriteTool } from "./tools/artifact-write.js";
import { askReviewerTool, reviewerDecideTool, reviewerSelectTool } from "./tools/reviewer.js";
import { schemaTool } from "./tools/schema.js";
import { sqlTool } from "./tools/sql.js";

const TOOLS = [
  schemaTool,
  sqlTool,
  artifactWriteTool,
  reviewerSelectTool,
  reviewerDecideTool,
  askReviewerTool,
  artifactGateTool,
];

/** The extension. What it throws while it loads ends Pi with exit 1, which is what a broken gate deserves. */
export default function thtGate(pi) {
  const environment = process.env;
  const subagents = environment.THT_SUBAGENTS === "1";
  const skill = readSkill({ subagents });
  const session = new Session(pi, connect(environment), environment.THT_SESSION || null);
  const tools = TOOLS.map((make) => make(session));
  const names = [...tools.map((tool) => tool.name), ...(subagents ? SUBAGENT_TOOLS : [])];
  // model-only: a script of another tool may not ask the reviewer.
  for (const tool of tools) pi.registerTool({ exposure: "model-only", ...tool });
  registerKickoffs(pi, session, () => obstacle(environment));
  lockTools(pi, session, names);
  lockTyping(pi, session);
  teach(pi, session, skill);
  sample(pi, readSampling(environment));

  pi.on("session_start", (_event, ctx) => {
    pi.setActiveTools(names);
    session.tellReady();
    session.publish();
    const blocked = obstacle(environment);
    if (blocked) ctx.ui.notify(blocked, "error");
  });
  pi.on("session_shutdown", () => session.close());
}

/** No tool but these runs, whatever `--tools`, settings or other extensions activate. A throw here blocks as well. */
function lockTools(pi, session, names) {
  pi.on("tool_call", async ({ toolName, input }) => {
    if (!names.includes(toolName)) {
      return {
        block: true,
        reason: `${toolName} is not available in a ThothII session. Your tools: ${names.join(", ")}.`,
      };
    }
    const reason = await refuseSpawn(session, toolName, input);
    return reason ? { block: true, reason } : undefined;
  });
}

/** The input hook fails open when it throws (measured), so nothing in it may. */
function lockTyping(pi, session) {
  pi.on("input", (event, ctx) => {
    const { hint, ...result } = lockInput({ text: String(event.text ?? ""), source: event.source }, session.kickedOff);
    if (hint) tryNotify(ctx, hint);
    return result;
  });
  pi.on("user_bash", (event, ctx) => {
    const { steer, output } = lockBash(event.command, ctx.mode, session.kickedOff);
    if (steer) pi.sendUserMessage(steer, { deliverAs: "steer" });
    return { result: { output, exitCode: steer ? 0 : 1, cancelled: false, truncated: false } };
  });
  pi.on("context", ({ messages }) => {
    const kept = withoutBashRecords(messages);
    return kept ? { messages: kept } : undefined;
  });
}

function tryNotify(ctx, text) {
  try {
    ctx.ui.notify(text, "warning");
  } catch (error) {
    console.error(`tht-gate: ${errorLine(error)}`);
  }
}

function teach(pi, session, skill) {
  pi.on("before_agent_start", ({ systemPromptOptions }) => {
    systemPromptOptions.sections[SECTION] = [skill, session.brief].filter(Boolean).join("\n\n");
  });
}

function sample(pi, sampling) {
  if (sampling.ignored.length) console.error(`tht-gate: not a usable number, ignored: ${sampling.ignored.join(", ")}`);
  pi.on("before_provider_request", ({ payload }) => applySampling(payload, sampling));
}
