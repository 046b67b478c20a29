import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { fakeContext, loadGate } from "./fake-pi.js";
import { events, gateIn, OPTIONS, rig } from "./rig.js";

const TOOLS = [
  "tht_schema",
  "tht_sql",
  "artifact_write",
  "reviewer_select",
  "reviewer_decide",
  "ask_reviewer",
  "artifact_gate",
];
async function kickedOff(phase, more = {}) {
  await gateIn(phase, more);
  await rig.pi.commands.get("nuova-domanda").handler("s-1", fakeContext());
}

describe("loading", () => {
  test("only the gate's tools are active, and it says that it is ready", async () => {
    await gateIn("F1");
    await rig.pi.emit("session_start", { reason: "startup" });
    assert.deepEqual(rig.pi.activeTools, TOOLS);
    assert.deepEqual([...rig.pi.tools.keys()], TOOLS);
    assert.deepEqual(events(), [{ ev: "ready", version: "tht-gate/1", session: "s-1" }]);
  });

  test("every asking or writing tool runs alone, and no script of another tool reaches any", async () => {
    await gateIn("F1");
    for (const [name, tool] of rig.pi.tools) {
      assert.equal(tool.exposure, "model-only");
      if (!name.startsWith("tht_")) assert.equal(tool.executionMode, "sequential");
      assert.equal(tool.parameters.additionalProperties, false);
    }
  });

  test("a broken endpoint setting keeps the gate from loading", () => {
    for (const endpoint of ["https://example.org:1", "http://192.0.2.1:80", "unix:relative", "nonsense"]) {
      assert.throws(() => loadGate({ THT_AGENT_ENDPOINT: endpoint }).restore(), /THT_AGENT_ENDPOINT/);
    }
  });

  test("any tool that is not the gate's is blocked", async () => {
    await gateIn("F1");
    for (const toolName of ["bash", "write", "edit", "mcp__x", "", undefined, "toString"]) {
      const result = await rig.pi.emit("tool_call", { toolName, toolCallId: "c", input: {} });
      assert.equal(result.block, true);
    }
    assert.equal(await rig.pi.emit("tool_call", { toolName: "tht_sql", toolCallId: "c", input: {} }), undefined);
  });

  test("the rules go into the system prompt beside Pi's own sections", async () => {
    await gateIn("F1");
    const systemPromptOptions = { sections: { cwd: "here" } };
    assert.equal(await rig.pi.emit("before_agent_start", { systemPromptOptions }), undefined);
    assert.equal(systemPromptOptions.sections.cwd, "here");
    assert.match(systemPromptOptions.sections["tht-sessione"], /^# How you work on a ThothII session/);
    await rig.pi.commands.get("nuova-domanda").handler("s-1", fakeContext());
    await rig.pi.emit("before_agent_start", { systemPromptOptions });
    assert.match(
      systemPromptOptions.sections["tht-sessione"],
      /The operator's question: Which carrier\?\n\nSQL dialect: duckdb\.$/,
    );
  });
});

describe("kickoff", () => {
  test("sends one hidden message that starts a run", async () => {
    await kickedOff("F1");
    const [message] = rig.pi.messages;
    assert.equal(rig.pi.messages.length, 1);
    assert.equal(message.display, false);
    assert.deepEqual(message.options, { triggerTurn: true });
    for (const expected of ["Which carrier?", "duckdb", "at most 100 rows", "Some notes.", "F1 (question)"]) {
      assert.ok(message.content.includes(expected), expected);
    }
  });

  test("tells decisions and artifacts so far on resume", async () => {
    const decisions = [
      { seq: 1, phase: "F1", kind: "reading", title: "Which?", options: OPTIONS, answer: { value: "b" } },
      {
        seq: 2,
        phase: "F2",
        kind: "rejection",
        title: "Approve?",
        answer: { decision: "reject", comment: "no\nplanes" },
      },
      { seq: 3, phase: "F2", kind: "answer", title: "Sure?", answer: { confirmed: false } },
    ];
    await gateIn("F2", {
      "decision.list": () => ({ decisions }),
      "artifact.list": () => ({ artifacts: [{ name: "schema_linking.json" }] }),
      "artifact.get": ({ name }) => ({ name, sha256: "x", media_type: "application/json", text: "y".repeat(10_000) }),
    });
    await rig.pi.commands.get("riprendi-sessione").handler(" s-1 ", fakeContext());
    const { content } = rig.pi.messages[0];
    for (const expected of ["- F1 reading: Which? -> B", "reject: no planes", "Sure? -> no", "[cut: 4000 of 10000"]) {
      assert.ok(content.includes(expected), expected);
    }
  });

  test("says why nothing starts, and throws nothing", async () => {
    const fault = () => {
      throw { status: 404, code: "not_found", message: "there is no such session" };
    };
    await gateIn("F1", { "session.show": fault });
    for (const [given, expected] of [
      ["", /give the id/],
      ["../x", /give the id/],
      ["a".repeat(65), /give the id/],
      ["s-1\0", /give the id/],
      ["s-2", /this Pi runs session s-1, not s-2/],
      ["s-1", /there is no such session/],
    ]) {
      const ctx = fakeContext();
      await rig.pi.commands.get("nuova-domanda").handler(given, ctx);
      assert.equal(ctx.notices[0].type, "error");
      assert.match(ctx.notices[0].message, expected);
    }
    assert.deepEqual(rig.pi.messages, []);
  });

  test("does not start twice while the agent works", async () => {
    await kickedOff("F1");
    const ctx = fakeContext({ idle: false });
    await rig.pi.commands.get("riprendi-sessione").handler("s-1", ctx);
    assert.match(ctx.notices[0].message, /at work/);
    assert.equal(rig.pi.messages.length, 1);
  });

  test("locks typing: before it nothing goes on, after it only !text", async () => {
    await gateIn("F1");
    const ctx = fakeContext({ mode: "tui" });
    const type = (text, source = "interactive") => rig.pi.emit("input", { text, source }, ctx);
    assert.deepEqual(await type("hello"), { action: "handled" });
    assert.deepEqual(await type("hello", "rpc"), { action: "handled" });
    await rig.pi.commands.get("nuova-domanda").handler("s-1", ctx);
    assert.deepEqual(await type("another task"), { action: "handled" });
    assert.deepEqual(await type("!only 2013"), { action: "transform", text: "only 2013" });
    assert.deepEqual(await type("steer", "rpc"), { action: "continue" });
    assert.equal(ctx.notices.length, 3);
  });

  test("!text in the terminal becomes a steer, and no shell runs", async () => {
    await kickedOff("F1");
    const bash = (mode) =>
      rig.pi.emit("user_bash", { command: "only 2013", excludeFromContext: false }, fakeContext({ mode }));
    assert.equal((await bash("tui")).result.exitCode, 0);
    assert.deepEqual(rig.pi.userMessages, [{ text: "only 2013", options: { deliverAs: "steer" } }]);
    assert.equal((await bash("rpc")).result.exitCode, 1);
    assert.equal(rig.pi.userMessages.length, 1);
  });

  test("an input of an unexpected shape is locked, not let through", async () => {
    await gateIn("F1");
    for (const text of [undefined, null, 5, {}]) {
      assert.deepEqual(await rig.pi.emit("input", { text, source: "interactive" }), { action: "handled" });
    }
  });
});
