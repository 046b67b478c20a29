// tht-reader: all that a read-only sub-agent of a ThothII session can do with the database. It is no extension that Pi finds
// by itself: the file of an agent in .pi/agents names it.

import { applySampling, readSampling } from "../../extensions/tht-gate/sampling.js";
import { schemaTool } from "../../extensions/tht-gate/tools/schema.js";

const TOOLS = ["tht_schema", "ask_user_via_host"];

/** The gate's session in this process; pi-subagents runs its agents where the main session runs. */
function gateSession() {
  const session = globalThis[Symbol.for("thothii:gate-session")];
  if (!session) throw new Error("There is no ThothII session in this process any more.");
  return session;
}

export default function thtReader(pi) {
  const session = { call: (operation, args, signal) => gateSession().call(operation, args, signal) };
  const sampling = readSampling(process.env);
  pi.registerTool({ exposure: "model-only", ...schemaTool(session) });
  pi.on("tool_call", ({ toolName }) => {
    if (TOOLS.includes(toolName)) return undefined;
    return { block: true, reason: `${toolName} is not available to this agent. Its tools: ${TOOLS.join(", ")}.` };
  });
  pi.on("before_provider_request", ({ payload }) => applySampling(payload, sampling));
}
