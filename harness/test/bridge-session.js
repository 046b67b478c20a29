// Sessions of Pi as far as the checkpoint bridge sees them, in memory, with dialogs a test answers by hand.

import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";

import bridge from "../.pi/extensions/checkpoint-bridge/index.js";

/** A session with the bridge in it. With `ui` it can show dialogs; `obedient: false` makes dialogs that ignore their signal. */
export function openSession(id, { ui = false, name, mode = ui ? "rpc" : "print", trusted = true, obedient = true } = {}) {
  const handlers = new Map();
  const dialogs = [];
  const statuses = [];
  let tool;
  bridge({
    on: (event, handler) => handlers.set(event, [...(handlers.get(event) ?? []), handler]),
    registerTool: (definition) => (tool = definition),
  });
  const dialog = (method) => (title, extra, options) =>
    new Promise((resolve, reject) => {
      const shown = { method, title, extra, options, open: true };
      const end = (settle) => (value) => {
        shown.open = false;
        settle(value);
      };
      shown.answer = end(resolve);
      shown.fail = end(reject);
      if (obedient) {
        options.signal.addEventListener("abort", () => shown.answer(undefined), { once: true });
        setTimeout(() => shown.answer(undefined), options.timeout).unref();
      }
      dialogs.push(shown);
    });
  const ctx = {
    hasUI: ui,
    mode,
    isProjectTrusted: () => trusted,
    ui: {
      select: dialog("select"),
      input: dialog("input"),
      setStatus: (key, text) => statuses.push({ key, text }),
    },
    sessionManager: { getSessionId: () => id, getSessionName: () => name ?? id, getSessionFile: () => undefined },
  };
  const session = {
    ctx,
    tool,
    dialogs,
    statuses,
    open: () => dialogs.filter((shown) => shown.open),
    frames: () => statuses.map(({ text }) => JSON.parse(text)),
    fire: (event, reason) => (handlers.get(event) ?? []).map((handler) => handler({ reason }, ctx)),
    /** Call the tool; the result document. */
    async ask(questions, { signal, timeoutMs } = {}) {
      const asked = typeof questions === "string" ? [{ question: questions }] : questions;
      const result = await tool.execute("call-1", { questions: asked, timeoutMs }, signal, undefined, ctx);
      return JSON.parse(result.content[0].text);
    },
    /** The `count`-th dialog this session ever showed, once it is there. */
    async dialog(count) {
      const until = performance.now() + 5_000;
      while (dialogs.length < count) {
        if (performance.now() > until) throw new Error(`${dialogs.length} dialogs were shown, not ${count}`);
        await nextTurn();
      }
      return dialogs[count - 1];
    },
  };
  return session;
}

/** The same, started. */
export function startSession(id, options) {
  const session = openSession(id, options);
  session.fire("session_start", "startup");
  return session;
}

/** Forget whoever holds the slot; a test must not see the host of another. */
export function clearSlot() {
  globalThis[Symbol.for("checkpoint-bridge:host-claim")]?.close?.();
  delete globalThis[Symbol.for("checkpoint-bridge:host-claim")];
}

/** Let everything run that is ready to. */
export const settle = () => wait(5);
