import { artifactText, statementOf } from "../artifacts.js";
import { ARTIFACT_NAMES } from "../contract.js";
import { phaseLabel, refuseArtifactWrite } from "../phases.js";
import { errorLine } from "../text.js";
import { textResult } from "./result.js";

/** Write one of the known artifacts. SQL that tht refuses is not written. */
export function artifactWriteTool(session) {
  return {
    name: "artifact_write",
    label: "Write artifact",
    description:
      "Write one of the three files the reviewer approves: schema_linking.json (phase F2) and ctes.json (F3) with `json`, sql_final.sql (F4) " +
      "with `text`. Writing replaces the file. Then call artifact_gate for it.",
    promptSnippet: "Write schema_linking.json, ctes.json or sql_final.sql",
    executionMode: "sequential",
    parameters: {
      type: "object",
      properties: {
        name: { type: "string", enum: ARTIFACT_NAMES },
        json: { type: "object", description: "The content of schema_linking.json or ctes.json, as an object" },
        text: { type: "string", description: "The content of sql_final.sql: one statement" },
        replace_approved: {
          type: "boolean",
          description: "True only to change a file that is approved already: it must be reviewed again",
        },
      },
      required: ["name"],
      additionalProperties: false,
    },
    prepareArguments: foldContent,
    async execute(_callId, { name, json, text, replace_approved: replaceApproved }, signal) {
      const refusal = refuseArtifactWrite(await session.phase(signal), name, replaceApproved === true);
      if (refusal) throw new Error(refusal);
      const content = artifactText(name, json ?? text);
      await check(session, name, content, signal);
      const { sha256, bytes } = await session.call("artifact.put", { name, text: content }, signal);
      session.tell({ ev: "artifact_written", name, sha256 });
      const { phase } = await session.phase(signal);
      return textResult(
        `Wrote ${name} (${bytes} bytes). The session is in ${phaseLabel(phase)}. Next: artifact_gate for ${name}.`,
      );
    },
  };
}

async function check(session, name, content, signal) {
  const statement = statementOf(name, content);
  if (statement === null) return;
  try {
    await session.call("sql.check", { sql: statement }, signal);
  } catch (error) {
    throw new Error(`${name} was not written, its SQL does not pass the check: ${errorLine(error)}`);
  }
}

/** Models write `content`, or JSON as a string; take it in the field where it belongs. */
function foldContent(given) {
  if (given === null || typeof given !== "object") return given;
  const { content, ...rest } = given;
  const isSql = rest.name === "sql_final.sql";
  const value = rest.json ?? rest.text ?? content;
  delete rest.json;
  delete rest.text;
  if (isSql) return { ...rest, ...(value !== undefined && { text: value }) };
  return { ...rest, ...(value !== undefined && { json: asObject(value) }) };
}

function asObject(value) {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
