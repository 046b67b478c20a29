// The way to tht: the agent endpoint when the orchestrator gives one, else a worker of our own.

import { fileURLToPath } from "node:url";

import { EndpointClient } from "./endpoint-client.js";
import { isOnPath, THT_MISSING, WorkerClient } from "./worker-client.js";

const HARNESS = fileURLToPath(new URL("../../..", import.meta.url));

/** A client with `call(operation, args, signal)`, `close()` and `recordsDecisions`. Throws on a broken endpoint setting. */
export function connect(environment) {
  const endpoint = environment.THT_AGENT_ENDPOINT;
  if (endpoint) return new EndpointClient(endpoint, environment.THT_AGENT_TOKEN ?? "");
  return new WorkerClient({ ...environment, THT_HOME: environment.THT_HOME || HARNESS });
}

/** What keeps the gate from working in this environment, as one line, or null. */
export function obstacle(environment) {
  if (environment.THT_AGENT_ENDPOINT) return null;
  return isOnPath("tht", environment.PATH) ? null : THT_MISSING;
}
