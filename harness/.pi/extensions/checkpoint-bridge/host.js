// The session that shows dialogs: one queue for every asker of the process, one dialog at a time.

import { Call } from "./call.js";
import { flawOf, QUESTION_MS } from "./questions.js";

/** Status key of the frames; an RPC client finds them as `setStatus` requests. */
export const FRAME_KEY = "checkpoint-bridge";

/** A dialog that ends this close to the call's deadline ended because of it. */
const NEAR_MS = 100;

export class Host {
  #ctx;
  #questionMs;
  #calls = new Set();
  #last = Promise.resolve();
  #shown = null;
  #closed = false;

  /** `questionMs` caps one dialog. */
  constructor(ctx, questionMs = QUESTION_MS) {
    this.#ctx = ctx;
    this.#questionMs = questionMs;
    this.pid = process.pid;
    this.sessionId = ctx.sessionManager?.getSessionId?.() ?? null;
  }

  /** The result document of `request` (see Call), once its turn came and went. */
  async ask(request) {
    const call = new Call(request);
    if (this.#closed) call.finish("no-host");
    else if (this.#aborting) call.finish("cancelled");
    this.#calls.add(call);
    this.#last = this.#last.then(() => this.#turn(call));
    try {
      return await call.result;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** The session is over: every waiting call ends now, with nobody to ask. */
  close() {
    this.#closed = true;
    for (const call of this.#calls) call.finish("no-host");
    // Now and not in the call's turn: a moment later the session's UI is gone.
    this.#tellClosed();
  }

  /**
   * Whether the run of the main session is aborted and not over yet. pi-subagents 0.14.1 does not pass on an abort that comes
   * while a sub-agent starts (measured): its question would hold up the end of the run.
   */
  get #aborting() {
    return this.#ctx.signal?.aborted === true;
  }

  async #turn(call) {
    if (call.over) return;
    this.#shown = call;
    this.#tell(call, "open");
    try {
      for (const question of call.questions) {
        await this.#put(call, question);
        if (call.over) return;
      }
      call.finish("ok");
    } catch (error) {
      call.finish("error", { error: String(error?.message ?? error) });
    } finally {
      this.#tellClosed();
    }
  }

  async #put(call, question) {
    const limit = Math.min(this.#questionMs, call.rest);
    const answer = await this.#dialog(call, question, Math.max(1, Math.ceil(limit)));
    if (call.over) return;
    if (answer === undefined) {
      call.finish(call.rest < NEAR_MS ? "timeout" : "timeout-or-cancelled");
      return;
    }
    const flaw = flawOf(question, answer);
    if (flaw) call.finish("error", { error: flaw });
    else call.answers.push({ question: question.question, answer });
  }

  /** What the dialog gives; undefined as soon as the call is over, also from a UI that does not heed the signal. */
  #dialog(call, { question, options, placeholder }, timeout) {
    const { ui, mode } = this.#ctx;
    const title = mode === "tui" ? `[${call.asker.name}] ${question}` : question;
    const more = { timeout, signal: call.signal };
    const shown = options.length > 0 ? ui.select(title, options, more) : ui.input(title, placeholder, more);
    return Promise.race([shown, call.result.then(() => undefined)]);
  }

  #tellClosed() {
    const call = this.#shown;
    this.#shown = null;
    if (call) this.#tell(call, "closed");
  }

  /** Frame the dialogs of `call`, so that a client knows whose they are and when the last one is over. */
  #tell(call, ev) {
    const { ui, mode } = this.#ctx;
    const { asker, questions } = call;
    let text;
    if (mode !== "tui") text = JSON.stringify(frameOf(call, ev));
    else if (ev === "open") text = `${asker.name} asks ${questions.length === 1 ? "a question" : `${questions.length} questions`}`;
    try {
      ui.setStatus?.(FRAME_KEY, text);
    } catch (error) {
      console.error(`checkpoint-bridge: ${error?.message ?? error}`);
    }
  }
}

function frameOf({ id, asker, questions, status }, ev) {
  const frame = { ev, id, from: asker.id, kind: asker.kind, name: asker.name, n: questions.length };
  if (ev === "open") return { ...frame, titles: questions.map(({ question }) => question) };
  return { ...frame, status };
}
