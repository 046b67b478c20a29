// Asking through the orchestrator, for a process that shares nothing with the session's own Pi but its environment.

import { request as httpRequest } from "node:http";

import { resultOf } from "./call.js";
import { QUESTION_MS } from "./questions.js";

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const PATIENCE_MS = 10_000;

/** Codes of the orchestrator that mean: there is nobody to ask. */
const NOBODY = new Set(["unauthenticated", "session_not_live", "not_found", "unavailable"]);

/** The result document, or null when the environment names no endpoint. Never throws. */
export async function askEndpoint(environment, { id, asker, questions, budgetMs, signal }) {
  const { THT_AGENT_ENDPOINT: endpoint, THT_AGENT_TOKEN: token } = environment;
  if (!endpoint || !token) return null;
  if (signal?.aborted) return resultOf("cancelled", []);
  const body = JSON.stringify({
    call: id,
    from: asker.name,
    questions: questions.map(({ question, options, placeholder }) => ({ question, options, placeholder })),
    timeout_ms: Math.round(budgetMs),
    question_timeout_ms: Math.min(QUESTION_MS, Math.round(budgetMs)),
  });
  try {
    const { status, document } = await post(addressOf(endpoint), token, body, budgetMs + PATIENCE_MS, signal);
    return { ...readResult(status, document), requestId: id };
  } catch (error) {
    if (signal?.aborted) return { ...resultOf("cancelled", []), requestId: id };
    if (error instanceof Late) return { ...resultOf("timeout", []), requestId: id };
    return { ...resultOf("no-host", []), error: reasonOf(error), requestId: id };
  }
}

class Late extends Error {}

function readResult(status, document) {
  if (status === 200 && typeof document?.status === "string" && Array.isArray(document.answers)) {
    const { status: ended, answers, ...more } = document;
    return resultOf(ended, answers, more);
  }
  const error = typeof document?.message === "string" ? document.message : `the endpoint answered ${status}`;
  return resultOf(NOBODY.has(document?.code) ? "no-host" : "error", [], { error });
}

/** Only what the orchestrator gives out: a Unix socket or loopback. Throws on anything else; the token goes nowhere else. */
export function addressOf(endpoint) {
  if (endpoint.startsWith("unix:/")) return { socketPath: endpoint.slice("unix:".length) };
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (url?.protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname) && url.port) {
    return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) };
  }
  throw new Error("THT_AGENT_ENDPOINT is neither unix:/path nor http://127.0.0.1:port");
}

/** One POST that is answered when the human has answered. Closing it tells the orchestrator that the asker is gone. */
function post(address, token, body, deadlineMs, signal) {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const request = httpRequest({ ...address, path: "/v1/ask", method: "POST", headers, signal, agent: false });
    const timer = setTimeout(() => request.destroy(new Late("no answer in time")), deadlineMs);
    request.on("close", () => clearTimeout(timer));
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks = [];
      let size = 0;
      response.on("data", (chunk) => {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) request.destroy(new Error("the endpoint's answer is too large"));
        else chunks.push(chunk);
      });
      response.on("error", reject);
      response.on("aborted", () => reject(new Error("the endpoint broke off its answer")));
      response.on("end", () => {
        try {
          resolve({ status: response.statusCode, document: JSON.parse(Buffer.concat(chunks).toString("utf8")) });
        } catch {
          reject(new Error("the endpoint's answer is no JSON"));
        }
      });
    });
    request.end(body);
  });
}

/** Without the address: the note goes to a model. */
function reasonOf(error) {
  return error.code ? `the ask endpoint cannot be reached (${error.code})` : error.message;
}
