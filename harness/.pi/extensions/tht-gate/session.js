// The session this Pi works for: its id, the operations on it, and what the client is told of it.

import { CHANNEL, GATE_VERSION } from "./contract.js";
import { errorLine } from "./text.js";

/** Where sub-agents of this process find the session they work for. */
const PUBLISHED = Symbol.for("thothii:gate-session");

export class Session {
  /** True from the kickoff on. */
  kickedOff = false;

  /** What the agent must not lose when its conversation is compacted; empty until the kickoff. */
  brief = "";

  #pi;
  #backend;
  #id;
  #given;
  #phase = null;

  /** `id` is null until the kickoff when the environment names no session. */
  constructor(pi, backend, id) {
    this.#pi = pi;
    this.#backend = backend;
    this.#id = id;
    this.#given = id !== null;
  }

  get id() {
    return this.#id;
  }

  /** Whether the gate itself writes the reviewer's decisions down. */
  get recordsDecisions() {
    return this.#backend.recordsDecisions;
  }

  /** Take up session `id`. Throws when this Pi belongs to another one. */
  begin(id) {
    if ((this.#given || this.kickedOff) && this.#id !== id)
      throw new Error(`this Pi runs session ${this.#id}, not ${id}`);
    this.#id = id;
  }

  /** The result of an operation on this session. Throws a Fault. */
  call(operation, args = {}, signal = undefined) {
    if (this.#id === null) {
      throw new Error(
        "There is no session yet. The operator starts one with /nuova-domanda <session id>; until then no tool works.",
      );
    }
    return this.#backend.call(operation, { ...args, session: this.#id }, signal);
  }

  /** The phase as tht derives it now. A change since the last look is told to the client. */
  async phase(signal) {
    const state = await this.call("phase.show", {}, signal);
    const before = this.#phase;
    this.#phase = state.phase;
    if (before !== null && before !== state.phase) {
      this.tell({ ev: "phase_changed", phase: state.phase, from: before, reason: state.reason ?? null });
    }
    return state;
  }

  /** Tell the client that the gate is there. */
  tellReady() {
    this.tell({ ev: "ready", version: GATE_VERSION, session: this.#id });
  }

  /** Say `event` on the one-way channel. A client that cannot be told must not stop the work. */
  tell(event) {
    try {
      this.#pi.appendEntry(CHANNEL, event);
    } catch (error) {
      console.error(`tht-gate: ${errorLine(error)}`);
    }
  }

  /** Let the readers of sub-agents in this process use this session's way to the database. */
  publish() {
    globalThis[PUBLISHED] = this;
  }

  close() {
    if (globalThis[PUBLISHED] === this) delete globalThis[PUBLISHED];
    this.#backend.close();
  }
}
