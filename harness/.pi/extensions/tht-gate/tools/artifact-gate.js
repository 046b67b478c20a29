import { statementOf } from "../artifacts.js";
import { ARTIFACT_NAMES } from "../contract.js";
import { ask } from "../dialogs.js";
import { nextStep, phaseLabel, refuseArtifactGate } from "../phases.js";
import { cut, errorLine } from "../text.js";
import { textResult } from "./result.js";

const PREFILL_CHARACTERS = 256 * 1024;

/** Show an artifact: the reviewer approves it, rejects it with a comment, or approves their own edit of it. */
export function artifactGateTool(session) {
  return {
    name: "artifact_gate",
    label: "Review artifact",
    description:
      "Show the reviewer an artifact that you wrote with artifact_write. The reviewer approves it, rejects it with a " +
      "comment, or approves their own edit. Approval closes the phase.",
    promptSnippet: "Have the reviewer approve an artifact",
    executionMode: "sequential",
    parameters: {
      type: "object",
      properties: {
        name: { type: "string", enum: ARTIFACT_NAMES },
        summary: {
          type: "string",
          maxLength: 10000,
          description: "What is in it and why, in a few sentences; for sql_final.sql explain the statement",
        },
      },
      required: ["name", "summary"],
      additionalProperties: false,
    },
    async execute(callId, { name, summary }, signal, _onUpdate, ctx) {
      const state = await session.phase(signal);
      const refusal = refuseArtifactGate(state, name);
      if (refusal) throw new Error(refusal);
      const artifact = await written(session, name, signal);
      const question = {
        kind: "approval",
        widget: "artifact_gate",
        title: `Approve ${name}?`,
        body: summary,
        artifact: { name, sha256: artifact.sha256, media_type: artifact.media_type },
        prefill: artifact.text.length <= PREFILL_CHARACTERS ? artifact.text : null,
      };
      const answer = await ask(session, question, state.phase, { callId, signal, ctx });
      if (answer.decision === "edit") {
        session.tell({ ev: "artifact_written", name, sha256: answer.sha256 ?? null });
      }
      const { phase } = await session.phase(signal);
      return textResult(`${outcome(name, answer)}\nThe session is in ${phaseLabel(phase)}. ${nextStep(phase)}`);
    },
  };
}

async function written(session, name, signal) {
  let artifact;
  try {
    artifact = await session.call("artifact.get", { name }, signal);
  } catch (error) {
    if (error.code === "not_found") throw new Error(`${name} is not written yet: call artifact_write first.`);
    throw error;
  }
  // It may have been written, or edited, by other hands than artifact_write's.
  try {
    const statement = statementOf(name, artifact.text);
    if (statement !== null) await session.call("sql.check", { sql: statement }, signal);
  } catch (error) {
    throw new Error(`${name} cannot be approved as it is: ${errorLine(error)}. Write it again with artifact_write.`);
  }
  return artifact;
}

function outcome(name, { decision, comment, text }) {
  const remark = comment ? ` The reviewer's comment: ${comment}` : "";
  if (decision === "approve") return `The reviewer approved ${name}.${remark}`;
  if (decision === "edit") {
    return `The reviewer changed ${name} and approved the changed version.${remark} It is now:\n${cut(text)}\nGo on from this version.`;
  }
  return `The reviewer REJECTED ${name}.${remark} Change it with artifact_write, then call artifact_gate again.`;
}
