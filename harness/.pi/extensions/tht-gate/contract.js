// What the gate has in common with the orchestrator and with tht: docs/contracts.md, sections 1 to 7.

/** The gate's contract version; the descriptions of its commands end in it, in parentheses. */
export const GATE_VERSION = "tht-gate/1";

/** First characters of the title of a native `input` request that carries a widget. */
export const ENVELOPE_MARK = "thothii-widget/1 ";

/** `customType` of everything the gate says on Pi's one-way channel. */
export const CHANNEL = "tht-gate";

/** `customType` of the hidden message that starts the work. */
export const KICKOFF_MESSAGE = "tht-kickoff";

export const PHASES = ["F1", "F2", "F3", "F4", "F5"];

export const PHASE_NAMES = {
  F1: "question",
  F2: "schema linking",
  F3: "CTEs",
  F4: "final SQL",
  F5: "results",
};

/** The phase that an artifact closes once it is approved. */
export const ARTIFACT_PHASES = {
  "schema_linking.json": "F2",
  "ctes.json": "F3",
  "sql_final.sql": "F4",
};

export const ARTIFACT_NAMES = Object.keys(ARTIFACT_PHASES);

/** What Pi takes as `--session-id`, in at most 64 characters (contracts/identifiers.py). */
export const SESSION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;

/** Operations the gate may ask for through the agent endpoint. `decision.add` is not among them. */
export const AGENT_OPERATIONS = new Set([
  "session.show",
  "workspace.show",
  "phase.show",
  "artifact.put",
  "artifact.get",
  "artifact.list",
  "decision.list",
  "schema.tables",
  "schema.describe",
  "schema.search",
  "schema.sample",
  "sql.check",
  "sql.preview",
]);
