// tht without a backend: one `tht worker` over stdio, started on first use (docs/contracts.md, section 3).

import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

import { Fault } from "./fault.js";
import { encodeFrame, FrameReader } from "./frames.js";

const START_MS = 30_000;

export const THT_MISSING =
  "`tht` is not on the PATH. Start Pi from the project's environment (. .venv/bin/activate), or install it with: pip install 'thothii[sql]'";

/** Whether a program `name` can be run from `path`, a PATH variable. */
export function isOnPath(name, path = "") {
  return path.split(delimiter).some((folder) => {
    if (!folder) return false;
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export class WorkerClient {
  /** Nobody else does it when Pi runs alone. */
  recordsDecisions = true;

  #environment;
  #child = null;
  #nextId = 1;

  /** `environment` of the worker: PATH to find it, THT_HOME for the harness folder. */
  constructor(environment) {
    this.#environment = environment;
  }

  /** The result of `operation`. Throws a Fault; an aborted `signal` cancels the call in the worker. */
  async call(operation, args, signal) {
    if (signal?.aborted) throw new Fault("cancelled", "the call was cancelled");
    const child = (this.#child ??= this.#start());
    await child.ready;
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      const cancel = () => send(child, { cancel: id });
      const settle = (act) => (value) => {
        signal?.removeEventListener("abort", cancel);
        child.calls.delete(id);
        act(value);
      };
      child.calls.set(id, { resolve: settle(resolve), reject: settle(reject) });
      signal?.addEventListener("abort", cancel, { once: true });
      send(child, { id, op: operation, args });
    });
  }

  /** End the worker; it ends by itself when its stdin closes. */
  close() {
    this.#child?.process.stdin.end();
  }

  #start() {
    if (!isOnPath("tht", this.#environment.PATH)) throw new Fault("unavailable", THT_MISSING);
    const process = spawn("tht", ["worker"], { env: this.#environment, stdio: ["pipe", "pipe", "pipe"] });
    const child = { process, calls: new Map(), stderr: "" };
    child.ready = new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        process.kill();
        reject(new Fault("unavailable", "tht worker did not start in time"));
      }, START_MS);
      child.becameReady = () => (clearTimeout(timer), resolve());
      child.failed = (fault) => (clearTimeout(timer), reject(fault));
    });
    // A rejection reaches whoever awaits `ready`; unobserved it would end Pi.
    child.ready.catch(() => {});
    const reader = new FrameReader();
    process.stdout.on("data", (chunk) => this.#receive(child, reader, chunk));
    process.stderr.on("data", (chunk) => (child.stderr = (child.stderr + chunk).slice(-2000)));
    process.stdin.on("error", () => {});
    process.on("error", (error) => this.#ended(child, error.code ?? error.message));
    process.on("close", (code, signal) => this.#ended(child, signal ?? `exit ${code}`));
    return child;
  }

  #receive(child, reader, chunk) {
    let documents;
    try {
      documents = reader.push(chunk);
    } catch {
      child.process.kill();
      return;
    }
    for (const document of documents) {
      if (document.ready) child.becameReady();
      // It is still there for a moment, but the next call needs a new one.
      if (document.ends) this.#retire(child);
      const call = child.calls.get(document.id);
      // An early answer is the answer; the worker takes the next call when it is free.
      if (call && "early" in document) call.resolve(document.early);
      if (call && "ok" in document) call.resolve(document.ok);
      if (call && "error" in document) call.reject(Fault.fromDocument(document.error));
    }
  }

  #ended(child, how) {
    this.#retire(child);
    const said = child.stderr.trim().split("\n").at(-1);
    const fault = new Fault("unavailable", `tht worker ended (${how})${said ? `: ${said}` : ""}`);
    child.failed(fault);
    for (const call of [...child.calls.values()]) call.reject(fault);
  }

  #retire(child) {
    if (this.#child === child) this.#child = null;
  }
}

function send({ process: { stdin } }, document) {
  if (stdin.writable) stdin.write(encodeFrame(document));
}
