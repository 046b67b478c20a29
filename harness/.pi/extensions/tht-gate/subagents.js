// Sub-agents of a ThothII session: only those that read the schema, only in F2, and only as their file says.

import { phaseLabel } from "./phases.js";

/** Tools beside the gate's own where the workspace has `subagents: true`. */
export const SUBAGENT_TOOLS = ["Agent", "get_subagent_result", "steer_subagent", "ask_user_via_host"];

/** Agents that may be started: files of .pi/agents whose only tools read the schema and ask the reviewer. */
export const SUBAGENT_TYPES = ["schema-scout"];

/** What the model may say about a sub-agent; anything else could give it more than its file does. */
const SPAWN_FIELDS = new Set(["prompt", "description", "subagent_type", "run_in_background", "resume", "max_turns"]);

/**
 * Why the tool call may not start a sub-agent, or null. Fields that are not the model's to set are taken out of `input`.
 * pi-subagents takes an unknown type for one with a shell, so that the type is compared to the letter.
 */
export async function refuseSpawn(session, toolName, input) {
  if (toolName !== "Agent") return null;
  if (!SUBAGENT_TYPES.includes(input?.subagent_type)) {
    return `There is no sub-agent ${JSON.stringify(input?.subagent_type ?? null)} in a ThothII session. There is: ${SUBAGENT_TYPES.join(", ")}.`;
  }
  for (const name of Object.keys(input)) if (!SPAWN_FIELDS.has(name)) delete input[name];
  const { phase } = await session.phase();
  if (phase === "F2") return null;
  return `Sub-agents search the schema in phase F2; the session is in ${phaseLabel(phase)}. Use tht_schema yourself.`;
}
