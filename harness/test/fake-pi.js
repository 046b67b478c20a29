// The part of Pi's extension API that the gate uses, in memory.

import gate from "../.pi/extensions/tht-gate/index.js";

/** A loaded gate with everything it registered and said. */
export class FakePi {
  tools = new Map();
  commands = new Map();
  entries = [];
  messages = [];
  userMessages = [];
  activeTools = null;
  #handlers = new Map();

  on(event, handler) {
    this.#handlers.set(event, [...(this.#handlers.get(event) ?? []), handler]);
  }

  registerTool(tool) {
    this.tools.set(tool.name, tool);
  }

  registerCommand(name, command) {
    this.commands.set(name, command);
  }

  setActiveTools(names) {
    this.activeTools = names;
  }

  appendEntry(customType, data) {
    this.entries.push({ customType, ...data });
  }

  sendMessage(message, options) {
    this.messages.push({ ...message, options });
  }

  sendUserMessage(text, options) {
    this.userMessages.push({ text, options });
  }

  /** What the handlers of `event` return, the last that returns something. */
  async emit(event, payload = {}, ctx = fakeContext()) {
    let result;
    for (const handler of this.#handlers.get(event) ?? []) result = (await handler(payload, ctx)) ?? result;
    return result;
  }

  /** Call a tool as Pi does: arguments are folded first. */
  call(name, given, ctx = fakeContext(), signal = new AbortController().signal) {
    const tool = this.tools.get(name);
    return tool.execute("call-1", tool.prepareArguments?.(given) ?? given, signal, undefined, ctx);
  }
}

/** The gate loaded with these variables in its environment; those of the real environment that it reads are cleared. */
export function loadGate(environment) {
  const before = { ...process.env };
  for (const name of Object.keys(process.env)) if (name.startsWith("THT_")) delete process.env[name];
  Object.assign(process.env, environment);
  const pi = new FakePi();
  try {
    gate(pi);
  } finally {
    // The gate keeps the object process.env; put back what it was for the next test only once this one is done.
    pi.restore = () => {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
      Object.assign(process.env, before);
    };
  }
  return pi;
}

/** A context of Pi whose dialogs are answered by `answers`: functions (method, title, extra) -> answer, taken in order. */
export function fakeContext({ mode = "rpc", answers = [], idle = true } = {}) {
  const dialogs = [];
  const notices = [];
  const dialog = (method) => async (title, extra, options) => {
    dialogs.push({ method, title, extra, options });
    const answer = answers.shift();
    return typeof answer === "function" ? answer({ method, title, extra, options }) : answer;
  };
  const ui = {
    select: dialog("select"),
    confirm: dialog("confirm"),
    input: dialog("input"),
    editor: dialog("editor"),
    notify: (message, type) => notices.push({ message, type }),
  };
  return { mode, hasUI: mode === "rpc" || mode === "tui", ui, dialogs, notices, isIdle: () => idle };
}
