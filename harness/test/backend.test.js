import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";

import { connect, obstacle } from "../.pi/extensions/tht-gate/backend.js";
import { EndpointClient, parseEndpoint } from "../.pi/extensions/tht-gate/endpoint-client.js";
import { startBackend } from "./backend-server.js";
import { fakeContext, loadGate } from "./fake-pi.js";

describe("agent endpoint", () => {
  test("only a Unix socket or loopback is an endpoint", () => {
    assert.deepEqual(parseEndpoint("unix:/run/x/s"), { socketPath: "/run/x/s" });
    assert.deepEqual(parseEndpoint("http://127.0.0.1:8123"), { host: "127.0.0.1", port: 8123 });
    assert.deepEqual(parseEndpoint("http://[::1]:8123"), { host: "::1", port: 8123 });
    for (const bad of [
      "",
      "unix:s",
      "http://127.0.0.1",
      "http://127.0.0.1.evil.com:80",
      "https://127.0.0.1:1",
      "ftp://127.0.0.1:1",
    ]) {
      assert.throws(() => parseEndpoint(bad), /neither/);
    }
  });

  const opened = [];
  const open = async (operations) => {
    opened.push(await startBackend(operations));
    return opened.at(-1);
  };
  after(() => Promise.all(opened.map((backend) => backend.close())));

  test("faults keep code and message; what is no JSON is one fault too", async () => {
    const backend = await open({
      "sql.check": () => {
        throw { status: 403, code: "refused", message: "no", details: { at: 3 } };
      },
      "phase.show": () => "<html>",
      "schema.tables": (_args, response) => response.destroy(),
    });
    const client = connect(backend.environment);
    await assert.rejects(client.call("sql.check", {}), { code: "refused", message: "no", details: { at: 3 } });
    await assert.rejects(client.call("phase.show", {}), { code: "unavailable" });
    await assert.rejects(client.call("schema.tables", {}), { code: "unavailable" });
    await assert.rejects(
      connect({ THT_AGENT_ENDPOINT: "unix:/nowhere/s" }).call("phase.show", {}),
      /cannot be reached \(ENOENT\)/,
    );
  });

  test("an answer without end is cut off", async () => {
    const backend = await open({ "phase.show": () => "x".repeat(17 * 1024 * 1024) });
    await assert.rejects(connect(backend.environment).call("phase.show", {}), { code: "too_large" });
  });

  test("the gate never asks it to add a decision, nor for anything an agent may not", async () => {
    const client = new EndpointClient("unix:/nowhere", "t");
    for (const operation of ["decision.add", "session.new", "sql.export", "toString", "../x"]) {
      await assert.rejects(client.call(operation, {}), { code: "refused" });
    }
  });
});

// A `tht worker` that answers by operation: echo gives the arguments back; ledger operations keep a file.
const FAKE_THT = `#!${process.execPath}
import { appendFileSync } from "node:fs";
import { encodeFrame, FrameReader } from ${JSON.stringify(new URL("../.pi/extensions/tht-gate/frames.js", import.meta.url).href)};
const send = (document) => process.stdout.write(encodeFrame(document));
const log = (document) => appendFileSync(process.env.THT_LOG, JSON.stringify(document) + "\\n");
if (process.argv[2] !== "worker") process.exit(2);
if (process.env.THT_FAIL === "start") { console.error("no such home"); process.exit(3); }
send({ ready: { pid: process.pid, version: "test" } });
const reader = new FrameReader();
process.stdin.on("data", (chunk) => {
  for (const { id, op, args, cancel } of reader.push(chunk)) {
    log({ op, args, cancel });
    if (cancel) send({ id: cancel, error: { code: "cancelled", message: "cancelled" } });
    else if (op === "die") process.exit(7);
    else if (op === "sleep") continue;
    else if (op === "early") (send({ id, connection: 7 }), send({ id, early: { rows: [] } }), send({ id, ok: {} }));
    // The process stays until its stdin closes, as one that is on its way out does for a moment.
    else if (op === "last words") send({ id, error: { code: "over_cap", message: "too much memory" }, ends: true });
    else if (op === "fault") send({ id, error: { code: "refused", message: "no", details: {} } });
    else if (op === "phase.show") send({ id, ok: { phase: process.env.THT_PHASE ?? "F1", closed: [], missing: [] } });
    else if (op === "workspace.show") send({ id, ok: { name: "w", dialect: "sqlite" } });
    else if (op === "session.show") send({ id, ok: { id: args.session, question: "Q?" } });
    else if (op === "decision.list") send({ id, ok: { decisions: [] } });
    else if (op === "artifact.list") send({ id, ok: { artifacts: [] } });
    else if (op === "artifact.get") send({ id, ok: { name: args.name, sha256: "old", media_type: "application/sql", text: "SELECT 1" } });
    else if (op === "decision.add") send({ id, ok: { line: { artifact: { name: "x", sha256: args.edit ? "new" : "old" } }, phase: {} } });
    else send({ id, ok: { pid: process.pid, home: process.env.THT_HOME, args } });
  }
});
process.stdin.on("end", () => process.exit(0));
`;

describe("without a backend", () => {
  let folder;
  let environment;
  const log = () =>
    readFileSync(join(folder, "log"), "utf8")
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const added = () =>
    log()
      .filter(({ op }) => op === "decision.add")
      .map(({ args }) => args);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "gate-worker-"));
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    writeFileSync(join(folder, "tht"), FAKE_THT);
    chmodSync(join(folder, "tht"), 0o755);
    environment = { PATH: [folder, dirname(process.execPath)].join(delimiter), THT_LOG: join(folder, "log") };
  });
  after(() => rmSync(folder, { recursive: true }));

  const fresh = () => writeFileSync(join(folder, "log"), "");

  test("one worker serves many calls, with the harness folder as its home", async () => {
    fresh();
    const client = connect(environment);
    const answers = await Promise.all([1, 2, 3].map((n) => client.call("echo", { n })));
    assert.deepEqual(
      answers.map(({ args }) => args.n),
      [1, 2, 3],
    );
    assert.match(answers[0].home, /harness\/?$/);
    client.close();
  });

  test("faults, an abort and the death of the worker each reach their call, and the next call starts a new one", async () => {
    fresh();
    const client = connect(environment);
    await assert.rejects(client.call("fault", {}), { code: "refused", message: "no" });
    const controller = new AbortController();
    const sleeping = client.call("sleep", {}, controller.signal);
    setImmediate(() => controller.abort());
    await assert.rejects(sleeping, { code: "cancelled" });
    await assert.rejects(client.call("sleep", {}, AbortSignal.abort()), { code: "cancelled" });
    const pending = client.call("sleep", {});
    await Promise.all([
      assert.rejects(client.call("die", {}), /tht worker ended \(exit 7\)/),
      assert.rejects(pending, /tht worker ended/),
    ]);
    assert.deepEqual((await client.call("echo", { n: 1 })).args, { n: 1 });
    client.close();
  });

  test("an early answer is the answer, and what else is said of the call changes nothing", async () => {
    fresh();
    const client = connect(environment);
    const [early, after] = await Promise.all([client.call("early", {}), client.call("echo", { n: 2 })]);
    assert.deepEqual(early, { rows: [] });
    assert.deepEqual(after.args, { n: 2 });
    client.close();
  });

  test("a worker that says it ends itself gets no further call; what was open ends with it", async () => {
    fresh();
    const client = connect(environment);
    const before = (await client.call("echo", {})).pid;
    const open = client.call("sleep", {});
    await assert.rejects(client.call("last words", {}), { code: "over_cap" });
    const after = (await client.call("echo", {})).pid;
    assert.notEqual(after, before);
    process.kill(before);
    await assert.rejects(open, /tht worker ended \(SIGTERM\)/);
    assert.equal((await client.call("echo", {})).pid, after);
    client.close();
  });

  test("a worker that does not come up says why", async () => {
    const client = connect({ ...environment, THT_FAIL: "start" });
    await assert.rejects(client.call("echo", {}), /tht worker ended \(exit 3\): no such home/);
  });

  test("without tht on the PATH it says so at once, at the start and at each use", async () => {
    const bare = { PATH: tmpdir() };
    assert.match(obstacle(bare), /`tht` is not on the PATH/);
    assert.equal(obstacle(environment), null);
    await assert.rejects(connect(bare).call("echo", {}), /`tht` is not on the PATH/);
    const pi = loadGate(bare);
    const ctx = fakeContext({ mode: "tui" });
    await pi.emit("session_start", {}, ctx);
    await pi.commands.get("nuova-domanda").handler("s-1", ctx);
    pi.restore();
    assert.equal(ctx.notices.length, 2);
    for (const { message, type } of ctx.notices) {
      assert.match(message, /`tht` is not on the PATH/);
      assert.equal(type, "error");
    }
  });

  const inTerminal = async (phase, tool, given, answers) => {
    fresh();
    const pi = loadGate({ ...environment, THT_PHASE: phase });
    const ctx = fakeContext({ mode: "tui", answers });
    try {
      await pi.commands.get("nuova-domanda").handler("s-9", fakeContext({ mode: "tui" }));
      assert.equal(pi.messages.length, 1);
      const result = await pi.call(tool, given, ctx);
      return { text: result.content[0].text, dialogs: ctx.dialogs };
    } finally {
      await pi.emit("session_shutdown", {});
      pi.restore();
    }
  };
  const OPTIONS = [
    { id: "a", label: "Same" },
    { id: "b", label: "Same", recommended: true },
  ];

  test("no tool works before the kickoff names a session, and a failed kickoff binds to none", async () => {
    const pi = loadGate(environment);
    await assert.rejects(pi.call("tht_sql", { action: "check", sql: "SELECT 1" }), /no session yet/);
    await pi.commands.get("nuova-domanda").handler("bad id", fakeContext({ mode: "tui" }));
    await pi.commands.get("nuova-domanda").handler("s-2", fakeContext({ mode: "tui" }));
    assert.equal(pi.messages.length, 1);
    await pi.emit("session_shutdown", {});
    pi.restore();
  });

  test("a choice among options that read alike is recorded by id before the agent hears it", async () => {
    const given = { purpose: "reading", title: "Which?", options: OPTIONS };
    const { text, dialogs } = await inTerminal("F1", "reviewer_select", given, ["2. Same (recommended)"]);
    assert.match(text, /chose "Same" \(b\)/);
    assert.equal(dialogs[0].method, "select");
    const [decision] = added();
    assert.equal(decision.session, "s-9");
    assert.equal(decision.kind, "reading");
    assert.deepEqual(decision.answer, { value: "b" });
    assert.match(decision.by, /.+@local$/);
  });

  test("own words, several choices, yes or no, a text", async () => {
    const own = "Something else (in my own words)";
    await inTerminal(
      "F1",
      "reviewer_select",
      { purpose: "clarification", title: "?", options: OPTIONS, free_text: true },
      [own, "mine"],
    );
    assert.deepEqual(added()[0].answer, { text: "mine" });
    await inTerminal("F2", "reviewer_decide", { title: "?", options: OPTIONS }, [
      "2. [x] Same (recommended)",
      "Keep between 1 and 2 (now 0)",
      "1. [ ] Same",
      "Done: keep 1",
    ]);
    assert.deepEqual(added()[0].answer, { values: ["a"] });
    await inTerminal("F2", "ask_reviewer", { question: "?", form: "yes_no" }, ["No"]);
    assert.deepEqual(added()[0].answer, { confirmed: false });
    const { dialogs } = await inTerminal("F2", "ask_reviewer", { question: "?", form: "text", prefill: "p" }, ["t"]);
    assert.equal(dialogs[0].method, "editor");
    assert.deepEqual(added()[0].answer, { text: "t" });
  });

  test("an artifact is approved, rejected with a comment, or edited; an edit is recorded with its text", async () => {
    const given = { name: "sql_final.sql", summary: "S" };
    await inTerminal("F4", "artifact_gate", given, ["Approve"]);
    assert.deepEqual([added()[0].kind, added()[0].artifact], ["approval", { name: "sql_final.sql", sha256: "old" }]);
    await inTerminal("F4", "artifact_gate", given, ["Reject", "  ", "Reject", "by name"]);
    assert.deepEqual([added()[0].kind, added()[0].answer.comment], ["rejection", "by name"]);
    const { text } = await inTerminal("F4", "artifact_gate", given, ["Edit, then approve my version", "SELECT 2"]);
    assert.match(text, /SELECT 2/);
    assert.deepEqual([added()[0].kind, added()[0].edit], ["edit", "SELECT 2"]);
  });

  test("leaving a dialog records nothing", async () => {
    const given = { purpose: "reading", title: "Which?", options: OPTIONS };
    await assert.rejects(inTerminal("F1", "reviewer_select", given, [undefined]), /nothing is decided/);
    assert.deepEqual(added(), []);
  });
});
