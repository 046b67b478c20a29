// tht through the orchestrator: HTTP on a Unix socket or on loopback (docs/contracts.md, section 4).

import { request as httpRequest } from "node:http";

import { AGENT_OPERATIONS } from "./contract.js";
import { Fault } from "./fault.js";
import { encodeJson } from "./text.js";

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const DEADLINE_MS = 10 * 60 * 1000;

/** Where `THT_AGENT_ENDPOINT` points, as options of node:http. Throws on anything but the two documented forms. */
export function parseEndpoint(endpoint) {
  if (endpoint.startsWith("unix:/")) return { socketPath: endpoint.slice("unix:".length) };
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  const loopback = url && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  if (url?.protocol === "http:" && loopback && url.port) {
    return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) };
  }
  throw new Error("THT_AGENT_ENDPOINT is neither unix:/path nor http://127.0.0.1:port");
}

export class EndpointClient {
  /** Decisions are recorded by the orchestrator; the token of an agent can add none. */
  recordsDecisions = false;

  #address;
  #token;

  constructor(endpoint, token) {
    this.#address = parseEndpoint(endpoint);
    this.#token = token;
  }

  /** The result of `operation`. Throws a Fault; an aborted `signal` ends the call. */
  async call(operation, args, signal) {
    if (!AGENT_OPERATIONS.has(operation)) throw new Fault("refused", `an agent may not call ${operation}`);
    const { status, body } = await this.#post(`/v1/operations/${operation}`, encodeJson(args), signal);
    let document;
    try {
      document = JSON.parse(body);
    } catch {
      throw new Fault("unavailable", `the backend answered ${status} and no JSON`);
    }
    if (status !== 200) throw Fault.fromDocument(document);
    return document;
  }

  close() {}

  #post(path, body, signal) {
    return new Promise((resolve, reject) => {
      const fail = (error) => reject(asFault(error));
      const request = httpRequest({
        ...this.#address,
        path,
        method: "POST",
        signal,
        timeout: DEADLINE_MS,
        headers: {
          authorization: `Bearer ${this.#token}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        },
      });
      request.on("error", fail);
      request.on("timeout", () => request.destroy(new Fault("timeout", "the backend did not answer in time")));
      request.on("response", (response) => {
        const chunks = [];
        let size = 0;
        response.on("data", (chunk) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size <= MAX_ANSWER_BYTES) return;
          fail(new Fault("too_large", "the backend's answer is too large"));
          response.destroy();
        });
        response.on("error", fail);
        response.on("aborted", () => fail(new Fault("unavailable", "the backend broke off its answer")));
        response.on("end", () =>
          resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString("utf8") }),
        );
      });
      request.end(body);
    });
  }
}

function asFault(error) {
  if (error instanceof Fault) return error;
  if (error.name === "AbortError") return new Fault("cancelled", "the call was cancelled");
  return new Fault(
    "unavailable",
    `the backend cannot be reached (${error.code ?? error.name}); the orchestrator may be restarting`,
  );
}
