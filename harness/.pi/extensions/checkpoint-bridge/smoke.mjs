// Smoke test: `node smoke.mjs`, with node alone. A hosted relay, a local call of the host, nobody to ask, and a stranger's answer.

import assert from "node:assert/strict";

delete process.env.THT_AGENT_ENDPOINT;
const { default: bridge } = await import("./index.js");

/** A session of Pi as far as the bridge sees it; `answers` are what its dialogs give, in turn. */
function session(id, answers = null) {
  const handlers = new Map();
  const dialogs = [];
  const statuses = [];
  let tool;
  bridge({
    on: (event, handler) => handlers.set(event, handler),
    registerTool: (definition) => (tool = definition),
  });
  const dialog = async (title, extra, options) => (dialogs.push({ title, extra, options }), answers.shift());
  const ctx = {
    hasUI: answers !== null,
    mode: answers === null ? "print" : "rpc",
    ui: { select: dialog, input: dialog, setStatus: (key, text) => statuses.push(JSON.parse(text)) },
    sessionManager: { getSessionId: () => id, getSessionName: () => `scout#${id}` },
  };
  const fire = (event) => handlers.get(event)({}, ctx);
  const ask = async (questions) => {
    const result = await tool.execute("call", { questions }, new AbortController().signal, undefined, ctx);
    return JSON.parse(result.content[0].text);
  };
  return { fire, ask, dialogs, statuses };
}

const main = session("main", ["kebab-case", "nothing else", "yes", "purple"]);
const scout = session("1");
main.fire("session_start");
scout.fire("session_start");

const relayed = await scout.ask([
  { question: "Naming?", options: ["camelCase", "kebab-case"] },
  { question: "Anything else?" },
]);
assert.equal(relayed.status, "ok");
assert.deepEqual(
  relayed.answers.map(({ answer }) => answer),
  ["kebab-case", "nothing else"],
);
assert.deepEqual(
  main.statuses.map(({ ev, from, name }) => [ev, from, name]),
  [
    ["open", "1", "scout#1"],
    ["closed", "1", "scout#1"],
  ],
);
console.log("hosted relay: ok");

const local = await main.ask([{ question: "Ship it?" }]);
assert.deepEqual([local.status, local.answers[0].answer], ["ok", "yes"]);
console.log("local host call: ok");

const stranger = await scout.ask([{ question: "Colour?", options: ["red", "green"] }]);
assert.deepEqual([stranger.status, stranger.answers], ["error", []]);
console.log("an answer that is no option: error");

main.fire("session_shutdown");
const alone = await scout.ask([{ question: "Anyone there?" }]);
assert.equal(alone.status, "no-host");
assert.match(alone.note, /needs_input/);
console.log("no host: no-host");
console.log("smoke: all passed");
