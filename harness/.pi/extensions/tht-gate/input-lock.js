// Text that is typed is not a new task: a ThothII session is one question. Pure.

const START_FIRST =
  "Start with /nuova-domanda <session id> or /riprendi-sessione <session id> (make a session with: tht session new).";
const ONLY_STEER = "This session has its question. To say something to the agent type !text.";

/**
 * What the input hook does with an input, given whether the kickoff was given. `hint` is for the person who typed it.
 *
 * An RPC client is the orchestrator, whose steers are prompts with streamingBehavior "steer"; on an idle Pi 1.6.0 the hook
 * does not see that field, so after the kickoff every text of an RPC client is a steer.
 */
export function lockInput({ text, source }, kickedOff) {
  if (source === "extension") return { action: "continue" };
  if (!kickedOff) return { action: "handled", hint: START_FIRST };
  if (source === "rpc") return { action: "continue" };
  if (text.startsWith("!") && text.slice(1).trim() !== "") {
    return { action: "transform", text: text.slice(1).trim() };
  }
  return { action: "handled", hint: ONLY_STEER };
}

/**
 * What becomes of `!text`: in the terminal UI Pi takes it for a shell command and asks the user_bash hook. Nothing is ever
 * run. `steer` is the text for the agent, or null; `output` is what the person is told.
 */
export function lockBash(command, mode, kickedOff) {
  if (mode !== "tui") return { steer: null, output: "No shell commands in a ThothII session." };
  if (!kickedOff) return { steer: null, output: START_FIRST };
  return { steer: command.replace(/^!/, "").trim() || null, output: "Told to the agent." };
}

/** The conversation without records of `!text`: the agent has the text as a message already. */
export function withoutBashRecords(messages) {
  return messages.some(isBashRecord) ? messages.filter((message) => !isBashRecord(message)) : null;
}

function isBashRecord(message) {
  return message.role === "bashExecution";
}
