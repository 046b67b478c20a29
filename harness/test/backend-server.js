// An agent endpoint for tests: answers come from a table of functions by operation.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Starts the endpoint on a Unix socket; `operations[name](args)` gives the result or throws `{status, code, message}`. */
export async function startBackend(operations) {
  const folder = mkdtempSync(join(tmpdir(), "gate-"));
  const socket = join(folder, "s");
  const calls = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const operation = request.url.replace("/v1/operations/", "");
    calls.push({ operation, args: JSON.parse(body), authorization: request.headers.authorization });
    let status = 200;
    let document;
    try {
      document = await operations[operation](JSON.parse(body), response);
    } catch (fault) {
      status = fault.status ?? 500;
      document = { code: fault.code ?? "internal", message: fault.message, details: fault.details ?? {} };
    }
    if (response.destroyed) return;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof document === "string" ? document : JSON.stringify(document));
  });
  await new Promise((resolve) => server.listen(socket, resolve));
  return {
    calls,
    called: (operation) => calls.filter((call) => call.operation === operation).map((call) => call.args),
    environment: { THT_AGENT_ENDPOINT: `unix:${socket}`, THT_AGENT_TOKEN: "token", THT_SESSION: "s-1" },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
}

/** Operations of a session in `phase`, with what `more` adds. */
export function sessionIn(phase, more = {}) {
  const state = { phase, closed: [], missing: [`what closes ${phase}`], reason: "test" };
  return {
    "session.show": () => ({ id: "s-1", workspace: "flights", question: "Which carrier?" }),
    "workspace.show": () => ({ name: "flights", dialect: "duckdb", notes: "Some notes.", limits: { rows: 100 } }),
    "phase.show": () => ({ ...state }),
    "decision.list": () => ({ decisions: [] }),
    "artifact.list": () => ({ artifacts: [] }),
    "artifact.put": ({ text }) => ({ name: "x", sha256: "abc", bytes: Buffer.byteLength(text) }),
    "artifact.get": ({ name }) => ({ name, sha256: "abc", media_type: "text/plain", text: "SELECT 1" }),
    "sql.check": () => ({ ok: true, statement: "select", tables: ["flights"], sha256: "abc" }),
    ...more,
  };
}
