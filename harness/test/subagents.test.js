// Sub-agents in a ThothII session: off by default, and then only scouts that read the schema in F2.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, test } from "node:test";

import { SUBAGENT_TOOLS, SUBAGENT_TYPES } from "../.pi/extensions/tht-gate/subagents.js";
import reader from "../.pi/readers/tht-reader/index.js";
import { sessionIn, startBackend } from "./backend-server.js";
import { FakePi, fakeContext, loadGate } from "./fake-pi.js";
import { gateIn, rig } from "./rig.js";

const spawn = (more = {}) => ({ toolName: "Agent", input: { subagent_type: "schema-scout", prompt: "Find it", ...more } });

/** The gate of a workspace with `subagents: true`, its session in `phase`. */
async function gateWithSubagents(phase, more = {}) {
  rig.backend = await startBackend(sessionIn(phase, more));
  rig.pi = loadGate({ ...rig.backend.environment, THT_SUBAGENTS: "1" });
  await rig.pi.emit("session_start", { reason: "startup" });
}

describe("without `subagents: true`", () => {
  test("no tool of sub-agents is active, every call is blocked, the rules do not speak of them", async () => {
    await gateIn("F2");
    await rig.pi.emit("session_start", { reason: "startup" });
    for (const toolName of SUBAGENT_TOOLS) {
      assert.ok(!rig.pi.activeTools.includes(toolName));
      assert.ok((await rig.pi.emit("tool_call", { toolName, input: spawn().input })).block);
    }
    const options = { sections: {} };
    await rig.pi.emit("before_agent_start", { systemPromptOptions: options });
    assert.doesNotMatch(options.sections["tht-sessione"], /schema-scout/);
  });
});

describe("with `subagents: true`", () => {
  test("their tools are active beside the gate's, and the rules say how to use them", async () => {
    await gateWithSubagents("F2");
    assert.deepEqual(rig.pi.activeTools.slice(-4), SUBAGENT_TOOLS);
    const options = { sections: {} };
    await rig.pi.emit("before_agent_start", { systemPromptOptions: options });
    assert.match(options.sections["tht-sessione"], /schema-scout/);
    assert.ok((await rig.pi.emit("tool_call", { toolName: "bash", input: {} })).block);
  });

  test("a scout starts in F2, without what its file does not give it", async () => {
    await gateWithSubagents("F2");
    const event = spawn({
      model: "x", isolated: true, isolation: "worktree", inherit_context: true, schedule: "5m", thinking: "high",
      run_in_background: true,
    }); // prettier-ignore
    assert.equal(await rig.pi.emit("tool_call", event), undefined);
    assert.deepEqual(event.input, { subagent_type: "schema-scout", prompt: "Find it", run_in_background: true });
  });

  for (const type of ["general-purpose", "Explore", "Plan", "Schema-Scout", "schema-scout ", "nope", "", null, undefined, 5, {}]) {
    test(`${JSON.stringify(type)} does not start`, async () => {
      await gateWithSubagents("F2");
      const { block, reason } = await rig.pi.emit("tool_call", spawn({ subagent_type: type }));
      assert.ok(block);
      assert.match(reason, /There is: schema-scout/);
    });
  }

  for (const phase of ["F1", "F3", "F4", "F5"]) {
    test(`none starts in ${phase}`, async () => {
      await gateWithSubagents(phase);
      const { block, reason } = await rig.pi.emit("tool_call", spawn());
      assert.ok(block);
      assert.match(reason, new RegExp(`F2.*${phase}`));
    });
  }

  test("when the phase cannot be asked none starts", async () => {
    await gateWithSubagents("F2", {
      "phase.show": () => {
        throw new Error("gone");
      },
    });
    await assert.rejects(rig.pi.emit("tool_call", spawn()));
  });
});

describe("the agents' files", () => {
  test("each opts in by name and has no tool but the reader's and the bridge's", () => {
    const folder = new URL("../.pi/agents/", import.meta.url);
    const files = readdirSync(folder);
    assert.deepEqual(files, SUBAGENT_TYPES.map((type) => `${type}.md`));
    for (const file of files) {
      const [, front] = readFileSync(new URL(file, folder), "utf8").split("---\n");
      assert.match(front, /^tools: ext:tht-reader\/tht_schema, ext:checkpoint-bridge\/ask_user_via_host$/m);
      assert.match(front, /^extensions: \[checkpoint-bridge, /m);
      assert.match(front, /^skills: none$/m);
    }
  });
});

describe("the reader", () => {
  let pi;
  beforeEach(() => {
    pi = new FakePi();
    reader(pi);
  });
  afterEach(() => delete globalThis[Symbol.for("thothii:gate-session")]);

  test("has tht_schema, over the gate's session, and blocks every other tool", async () => {
    const tables = [{ name: "flights", schema: "main", kind: "table", comment: null, row_estimate: 5 }];
    await gateWithSubagents("F2", { "schema.tables": () => ({ tables, as_of: null }) });
    assert.deepEqual([...pi.tools.keys()], ["tht_schema"]);
    const result = await pi.call("tht_schema", { action: "tables" });
    assert.match(result.content[0].text, /flights/);
    for (const toolName of ["bash", "read", "write", "Agent", "tht_sql", "artifact_write"]) {
      assert.ok((await pi.emit("tool_call", { toolName }, fakeContext())).block, toolName);
    }
    assert.equal(await pi.emit("tool_call", { toolName: "ask_user_via_host" }), undefined);
  });

  test("says so when the session is over", async () => {
    await gateWithSubagents("F2");
    await rig.pi.emit("session_shutdown", { reason: "quit" });
    await assert.rejects(pi.call("tht_schema", { action: "tables" }), /no ThothII session/);
  });
});
