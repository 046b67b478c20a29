// The bridge in a process of its own: what it asks of the orchestrator's endpoint, and what it makes of the answer.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";

import { addressOf } from "../.pi/extensions/checkpoint-bridge/endpoint.js";
import { clearSlot, startSession } from "./bridge-session.js";

const rig = { server: null, folder: null, requests: [] };

/** An endpoint whose answer is what `respond(body, request, response)` returns: `[status, document]`. */
async function endpoint(respond) {
  rig.requests = [];
  rig.server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks));
    rig.requests.push({ url: request.url, authorization: request.headers.authorization, body });
    const answer = await respond(body, request, response);
    if (!answer) return;
    response.writeHead(answer[0], { "content-type": "application/json" });
    response.end(JSON.stringify(answer[1]));
  });
  const path = join(rig.folder, "s");
  await new Promise((resolve) => rig.server.listen(path, resolve));
  process.env.THT_AGENT_ENDPOINT = `unix:${path}`;
  process.env.THT_AGENT_TOKEN = "secret";
}

beforeEach(() => {
  clearSlot();
  rig.folder = mkdtempSync(join(tmpdir(), "bridge-"));
});
afterEach(() => {
  rig.server?.closeAllConnections();
  rig.server?.close();
  rig.server = null;
  rmSync(rig.folder, { recursive: true, force: true });
  delete process.env.THT_AGENT_ENDPOINT;
  delete process.env.THT_AGENT_TOKEN;
});

test("without a host in the process the question goes to the endpoint, and its answer comes back", async () => {
  await endpoint(() => [200, { status: "ok", answers: [{ question: "Q?", answer: "A" }] }]);
  const result = await startSession("s-1", { name: "scout" }).ask([{ question: "Q?", options: ["A", "B"] }], { timeoutMs: 60_000 });
  assert.deepEqual([result.status, result.answers], ["ok", [{ question: "Q?", answer: "A" }]]);
  const [{ url, authorization, body }] = rig.requests;
  assert.deepEqual([url, authorization], ["/v1/ask", "Bearer secret"]);
  assert.equal(body.from, "scout");
  assert.deepEqual(body.questions, [{ question: "Q?", options: ["A", "B"] }]);
  assert.deepEqual([body.timeout_ms, body.question_timeout_ms], [60_000, 60_000]);
  assert.ok(body.call.length > 8);
});

test("a host in the process goes first", async () => {
  await endpoint(() => assert.fail("the endpoint was asked"));
  const [main, scout] = [startSession("main", { ui: true }), startSession("scout")];
  const asked = scout.ask("Q?");
  (await main.dialog(1)).answer("A");
  assert.equal((await asked).status, "ok");
  assert.deepEqual(rig.requests, []);
});

test("two calls never have the same id", async () => {
  await endpoint(() => [200, { status: "ok", answers: [] }]);
  const scout = startSession("s-1");
  await Promise.all([scout.ask("Q?"), scout.ask("Q?")]);
  const [one, two] = rig.requests.map(({ body }) => body.call);
  assert.notEqual(one, two);
});

for (const [status, document, expected] of [
  [401, { code: "unauthenticated", message: "the token is of no session" }, "no-host"],
  [409, { code: "session_not_live", message: "no agent" }, "no-host"],
  [422, { code: "invalid_argument", message: "too long" }, "error"],
  [500, { code: "internal", message: "broken" }, "error"],
  [200, { status: "timeout", answers: [{ question: "Q?", answer: "A" }] }, "timeout"],
]) {
  test(`the endpoint's ${status} ${document.code ?? document.status} is ${expected}`, async () => {
    await endpoint(() => [status, document]);
    const result = await startSession("s-1").ask("Q?");
    assert.equal(result.status, expected);
    assert.deepEqual(result.answers, document.answers ?? []);
  });
}

test("no JSON, or an endpoint that is not there, is no-host without its address", async () => {
  await endpoint((_body, _request, response) => void response.end("<html>"));
  assert.equal((await startSession("s-1").ask("Q?")).status, "no-host");
  process.env.THT_AGENT_ENDPOINT = "unix:/nowhere/secret-place";
  const gone = await startSession("s-1").ask("Q?");
  assert.equal(gone.status, "no-host");
  assert.ok(!JSON.stringify(gone).includes("secret-place"));
});

test("an abort closes the connection, so that the endpoint knows", async () => {
  const closed = Promise.withResolvers();
  const arrived = Promise.withResolvers();
  await endpoint((_body, request) => {
    request.socket.on("close", closed.resolve);
    arrived.resolve();
  });
  const controller = new AbortController();
  const asked = startSession("s-1").ask("Q?", { signal: controller.signal });
  await arrived.promise;
  controller.abort();
  assert.equal((await asked).status, "cancelled");
  await closed.promise;
});

test("the token goes to a Unix socket or loopback, nowhere else", () => {
  assert.deepEqual(addressOf("unix:/run/s"), { socketPath: "/run/s" });
  assert.deepEqual(addressOf("http://127.0.0.1:81"), { host: "127.0.0.1", port: 81 });
  for (const foreign of ["http://example.org:80", "https://127.0.0.1:1", "http://127.0.0.1", "unix:s", "", "http://127.0.0.1@evil.example:80"]) {
    assert.throws(() => addressOf(foreign), foreign);
  }
});
