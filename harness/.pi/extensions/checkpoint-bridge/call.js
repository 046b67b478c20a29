// One call of the tool, from its start to its one result.

const NOTES = {
  "timeout-or-cancelled":
    "A question was dismissed or nobody answered it in time. Use the answers there are, or return needs_input; do not guess.",
  timeout: "The time of this call is over. Use the answers there are, or return needs_input; do not guess.",
  cancelled: "The call was aborted. Stop.",
  "no-host":
    "Nobody can be asked here: no session with a UI has the checkpoint bridge armed. Return needs_input; do not guess.",
  error: "The question could not be put. Return needs_input; do not guess.",
};

/** The document that a call results in. `answers` given so far belong to every status. */
export function resultOf(status, answers, more = {}) {
  const note = NOTES[status];
  return { status, answers, ...(note && { note }), ...more };
}

/** Ends once: with its answers, at its deadline, when its caller aborts, or when whoever shows it says so. */
export class Call {
  answers = [];

  /** How it ended, null until then. */
  status = null;

  /** Resolves with the result document; never rejects. */
  result;

  #resolve;
  #deadline;
  #timer;
  #caller;
  #closing = new AbortController();
  #onAbort = () => this.finish("cancelled");

  /** `request` has id, asker, questions, budgetMs and the caller's signal (or none). */
  constructor({ id, asker, questions, budgetMs, signal }) {
    this.id = id;
    this.asker = asker;
    this.questions = questions;
    this.result = new Promise((resolve) => (this.#resolve = resolve));
    this.#deadline = performance.now() + budgetMs;
    this.#timer = setTimeout(() => this.finish("timeout"), budgetMs);
    this.#caller = signal;
    if (signal?.aborted) this.finish("cancelled");
    else signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get over() {
    return this.status !== null;
  }

  /** Aborts when the call is over: every dialog of the call gets it, so that none outlives it. */
  get signal() {
    return this.#closing.signal;
  }

  /** Milliseconds to the deadline. */
  get rest() {
    return this.#deadline - performance.now();
  }

  /** Settle the call; what comes after the first time is ignored. */
  finish(status, more) {
    if (this.over) return;
    this.status = status;
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#onAbort);
    this.#resolve(resultOf(status, [...this.answers], { ...more, requestId: this.id }));
    this.#closing.abort();
  }
}
