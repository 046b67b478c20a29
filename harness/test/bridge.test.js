// The bridge: its contract, and for each defect of the public one (docs/contracts.md, section 10) the right behaviour.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { afterEach, beforeEach, test } from "node:test";

import { Host } from "../.pi/extensions/checkpoint-bridge/host.js";
import { readBudget } from "../.pi/extensions/checkpoint-bridge/questions.js";
import { clearSlot, openSession, settle, startSession } from "./bridge-session.js";

const UI = { ui: true };
const asker = { kind: "subagent", id: "s-1", name: "scout#1" };
const request = (more) => ({ id: "r", asker, questions: [{ question: "Q?", options: [] }], budgetMs: 5_000, ...more });

beforeEach(() => {
  delete process.env.THT_AGENT_ENDPOINT;
  clearSlot();
});
afterEach(clearSlot);

test("all questions of a call are answered in turn, by select with options and by input without", async () => {
  const [main, scout] = [startSession("main", UI), startSession("scout")];
  const asked = scout.ask([
    { question: "Which?", options: ["a", "b"] },
    { question: "Why?", placeholder: "because" },
  ]);
  const first = await main.dialog(1);
  assert.deepEqual([first.method, first.title, first.extra], ["select", "Which?", ["a", "b"]]);
  first.answer("b");
  const second = await main.dialog(2);
  assert.deepEqual([second.method, second.title, second.extra], ["input", "Why?", "because"]);
  second.answer("it fits");
  const { status, answers } = await asked;
  assert.deepEqual([status, answers.map(({ question, answer }) => [question, answer])], [
    "ok",
    [
      ["Which?", "b"],
      ["Why?", "it fits"],
    ],
  ]);
});

test("a dismissed dialog ends the call and keeps what was answered before", async () => {
  const [main, scout] = [startSession("main", UI), startSession("scout")];
  const asked = scout.ask([{ question: "One?" }, { question: "Two?" }, { question: "Three?" }]);
  (await main.dialog(1)).answer("1");
  (await main.dialog(2)).answer(undefined);
  const { status, answers, note } = await asked;
  assert.deepEqual([status, answers], ["timeout-or-cancelled", [{ question: "One?", answer: "1" }]]);
  assert.match(note, /needs_input/);
  assert.equal(main.dialogs.length, 2);
});

test("a dialog that fails is status error, with the answers before it", async () => {
  const [main, scout] = [startSession("main", UI), startSession("scout")];
  const asked = scout.ask([{ question: "One?" }, { question: "Two?" }]);
  (await main.dialog(1)).answer("1");
  (await main.dialog(2)).fail(new Error("no terminal"));
  const { status, answers, error } = await asked;
  assert.deepEqual([status, answers.length, error], ["error", 1, "no terminal"]);
});

for (const [what, questions] of [
  ["nothing", []],
  ["no list", "Q?"],
  ["an empty question", [{ question: " " }]],
  ["a number", [{ question: 5 }]],
  ["null", [null]],
  ["an option that is no text", [{ question: "Q?", options: [{}] }]],
  ["an empty option", [{ question: "Q?", options: ["a", ""] }]],
]) {
  test(`${what} cannot be asked: status error, no dialog, nothing thrown`, async () => {
    const [main, scout] = [startSession("main", UI), startSession("scout")];
    const result = await scout.tool.execute("c", { questions }, undefined, undefined, scout.ctx);
    assert.equal(JSON.parse(result.content[0].text).status, "error");
    assert.equal(main.dialogs.length, 0);
  });
}

test("the budget of a call has a floor of 5 s, a default of 300 s and no way around a number", () => {
  const budget = (timeoutMs) => readBudget({ timeoutMs });
  assert.deepEqual([undefined, 1, -1, NaN, 60_000].map(budget), [300_000, 5_000, 5_000, 300_000, 60_000]);
  assert.ok(Number.isFinite(budget(Infinity)));
});

test("frames tell whose dialogs these are and when the last one is over", async () => {
  const [main, scout] = [startSession("main", UI), startSession("s-9", { name: "scout#9" })];
  const asked = scout.ask([{ question: "One?" }, { question: "Two?" }]);
  (await main.dialog(1)).answer("1");
  const open = main.frames();
  (await main.dialog(2)).answer("2");
  const { requestId } = await asked;
  assert.equal(open.length, 1);
  assert.deepEqual(open[0], {
    ev: "open",
    id: requestId,
    from: "s-9",
    kind: "subagent",
    name: "scout#9",
    n: 2,
    titles: ["One?", "Two?"],
  });
  assert.deepEqual(main.frames()[1], {
    ev: "closed",
    id: requestId,
    from: "s-9",
    kind: "subagent",
    name: "scout#9",
    n: 2,
    status: "ok",
  });
  assert.ok(main.statuses.every(({ key }) => key === "checkpoint-bridge"));
});

test("defect 1: a sub-agent that starts between two sessions of the main one does not take its place", async () => {
  const first = startSession("first", UI);
  first.fire("session_shutdown", "new");
  const between = startSession("between");
  const second = startSession("second", UI);
  const asked = between.ask("Q?");
  (await second.dialog(1)).answer("A");
  assert.equal((await asked).status, "ok");
});

test("defect 2: sessions without a file or with the same id are told apart", async () => {
  const [main, scout] = [startSession("ephemeral", UI), startSession("ephemeral")];
  const asked = scout.ask("Q?");
  (await main.dialog(1)).answer("A");
  assert.equal((await asked).status, "ok");
  scout.fire("session_shutdown", "quit");
  const again = startSession("ephemeral").ask("Q2?");
  (await main.dialog(2)).answer("A");
  assert.equal((await again).status, "ok", "a sub-session's end releases nothing");
});

test("defect 3: a sub-session without a host claims nothing", async () => {
  const scout = startSession("scout");
  const asked = await scout.ask("Q?");
  assert.equal(asked.status, "no-host");
  assert.match(asked.note, /needs_input/);
  assert.equal(scout.dialogs.length, 0);
  const main = startSession("main", UI);
  const later = scout.ask("Q?");
  (await main.dialog(1)).answer("A");
  assert.equal((await later).status, "ok");
});

for (const obedient of [true, false]) {
  test(`defect 4: an abort closes the dialog and frees the queue (UI ${obedient ? "heeds" : "ignores"} the signal)`, async () => {
    const [main, one, two] = [
      startSession("main", { ...UI, obedient }),
      startSession("one"),
      startSession("two", { name: "two#2" }),
    ];
    const controller = new AbortController();
    const aborted = one.ask([{ question: "One?" }, { question: "Never?" }], { signal: controller.signal });
    const first = await main.dialog(1);
    const waiting = two.ask("Two?");
    await settle();
    assert.equal(main.dialogs.length, 1, "the second asker waits");
    controller.abort();
    assert.equal((await aborted).status, "cancelled");
    assert.ok(first.options.signal.aborted);
    (await main.dialog(2)).answer("A");
    assert.equal((await waiting).status, "ok");
    assert.deepEqual(
      main.frames().map(({ ev, name, status }) => [ev, name, status]),
      [
        ["open", "one", undefined],
        ["closed", "one", "cancelled"],
        ["open", "two#2", undefined],
        ["closed", "two#2", "ok"],
      ],
    );
  });
}

test("defect 5: who timed out or aborted in the queue never gets a dialog", async () => {
  const main = startSession("main", UI);
  const host = globalThis[Symbol.for("checkpoint-bridge:host-claim")];
  const held = host.ask(request({ id: "held" }));
  const dialog = await main.dialog(1);
  const controller = new AbortController();
  const late = host.ask(request({ id: "late", budgetMs: 20 }));
  const aborted = host.ask(request({ id: "aborted", signal: controller.signal }));
  controller.abort();
  assert.equal((await aborted).status, "cancelled");
  assert.equal((await late).status, "timeout");
  dialog.answer("A");
  assert.equal((await held).status, "ok");
  await settle();
  assert.equal(main.dialogs.length, 1);
});

test("defect 6: one deadline a call: each dialog gets the rest of it, at most 180 s, and none outlives it", async () => {
  const main = openSession("main", UI);
  const host = new Host(main.ctx, 60);
  const questions = ["One?", "Two?", "Three?"].map((question) => ({ question, options: [] }));
  const asked = host.ask(request({ questions, budgetMs: 100 }));
  const first = await main.dialog(1);
  assert.ok(first.options.timeout <= 60);
  await new Promise((resolve) => setTimeout(resolve, 40));
  first.answer("1");
  const second = await main.dialog(2);
  assert.ok(second.options.timeout <= 60, `${second.options.timeout} ms is more than the rest`);
  second.answer("2");
  const { status, answers } = await asked;
  assert.deepEqual([status, answers.length], ["timeout", 2]);
  assert.equal(main.open().length, 0);
});

test("defect 6: a dialog that runs out before the call does is timeout-or-cancelled", async () => {
  const main = openSession("main", UI);
  const { status } = await new Host(main.ctx, 20).ask(request({ budgetMs: 5_000 }));
  assert.equal(status, "timeout-or-cancelled");
});

test("the tool's own dialog has 180 s, or the call's time when that is less", async () => {
  const [main, scout] = [startSession("main", UI), startSession("scout")];
  const long = scout.ask("Q?", { timeoutMs: 600_000 });
  const first = await main.dialog(1);
  assert.ok(first.options.timeout === 180_000);
  first.answer("A");
  await long;
  const short = scout.ask("Q?", { timeoutMs: 1 });
  const second = await main.dialog(2);
  assert.ok(second.options.timeout <= 5_000 && second.options.timeout > 4_000);
  second.answer("A");
  await short;
});

test("defect 7: the main session's own call stands in the same queue", async () => {
  const [main, scout] = [startSession("main", UI), startSession("scout")];
  const asked = scout.ask("Scout?");
  await main.dialog(1);
  const own = main.ask("Main?");
  await settle();
  assert.equal(main.open().length, 1);
  main.dialogs[0].answer("A");
  (await main.dialog(2)).answer("B");
  assert.deepEqual([(await asked).answers[0].answer, (await own).answers[0].answer], ["A", "B"]);
  assert.deepEqual(
    main.frames().map(({ ev, kind }) => [ev, kind]),
    [
      ["open", "subagent"],
      ["closed", "subagent"],
      ["open", "main"],
      ["closed", "main"],
    ],
  );
});

test("defect 8: a new session or reload ends every waiting call at once, its answers kept", async () => {
  const [main, one, two] = [startSession("main", UI), startSession("one"), startSession("two")];
  const open = one.ask([{ question: "One?" }, { question: "Two?" }]);
  const queued = two.ask("Q?");
  (await main.dialog(1)).answer("1");
  await main.dialog(2);
  main.fire("session_shutdown", "reload");
  const closedAtOnce = main.frames().at(-1);
  assert.deepEqual([closedAtOnce.ev, closedAtOnce.status], ["closed", "no-host"]);
  const [first, second] = [await open, await queued];
  assert.deepEqual([first.status, first.answers.length, second.status], ["no-host", 1, "no-host"]);
  assert.equal(main.open().length, 0);
  main.fire("session_start", "reload");
  const again = one.ask("Again?");
  (await main.dialog(3)).answer("A");
  assert.equal((await again).status, "ok");
});

test("defect 9: no listener and no timer stays behind, whatever the end", async () => {
  const main = startSession("main", UI);
  const controller = new AbortController();
  for (let round = 0; round < 70; round += 1) {
    const scout = startSession(`scout-${round}`);
    const asked = scout.ask("Q?", { signal: controller.signal });
    (await main.dialog(round + 1)).answer(round % 2 ? "A" : undefined);
    await asked;
  }
  assert.equal(getEventListeners(controller.signal, "abort").length, 0);
  main.fire("session_shutdown", "quit");
  const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout");
  // The dialogs of this test hold one unreferenced timer each; referenced ones are what keeps a process alive.
  assert.deepEqual(timers, []);
  const keys = Object.getOwnPropertySymbols(globalThis).filter((key) => String(key).includes("checkpoint-bridge:bus"));
  assert.deepEqual(keys, []);
});

for (const [what, question, answer] of [
  ["a value outside the options", { question: "Q?", options: ["a", "b"] }, "c"],
  ["an empty choice", { question: "Q?", options: ["a", "b"] }, ""],
  ["an empty text", { question: "Q?" }, ""],
  ["a number", { question: "Q?" }, 5],
  ["null", { question: "Q?" }, null],
  ["a list", { question: "Q?", options: ["a"] }, ["a"]],
]) {
  test(`defect 10: ${what} is no answer`, async () => {
    const [main, scout] = [startSession("main", UI), startSession("scout")];
    const asked = scout.ask([question]);
    (await main.dialog(1)).answer(answer);
    const { status, answers } = await asked;
    assert.deepEqual([status, answers], ["error", []]);
  });
}

test("defect 10: in the terminal UI the dialog and the status line say who asks", async () => {
  const main = startSession("main", { ui: true, mode: "tui" });
  const scout = startSession("scout", { name: "scout#7" });
  const asked = scout.ask("Which?");
  const dialog = await main.dialog(1);
  assert.equal(dialog.title, "[scout#7] Which?");
  assert.deepEqual(main.statuses, [{ key: "checkpoint-bridge", text: "scout#7 asks a question" }]);
  dialog.answer("A");
  await asked;
  assert.equal(main.statuses.at(-1).text, undefined);
});

test("defect 11: a call's time is one, and its end keeps the answers there are", async () => {
  const main = openSession("main", UI);
  const questions = ["One?", "Two?"].map((question) => ({ question, options: [] }));
  const asked = new Host(main.ctx).ask(request({ questions, budgetMs: 60 }));
  (await main.dialog(1)).answer("1");
  const second = await main.dialog(2);
  const { status, answers } = await asked;
  assert.deepEqual([status, answers], ["timeout", [{ question: "One?", answer: "1" }]]);
  assert.ok(!second.open);
});

test("a project that nobody trusted gets no host", async () => {
  const [main, scout] = [startSession("main", { ...UI, trusted: false }), startSession("scout")];
  assert.equal((await scout.ask("Q?")).status, "no-host");
  assert.equal(main.dialogs.length, 0);
});

test("a newer session with a UI takes over; the one before lets its askers go", async () => {
  const [old, scout] = [startSession("old", UI), startSession("scout")];
  const waiting = scout.ask("Q?");
  await old.dialog(1);
  const fresh = startSession("fresh", UI);
  assert.equal((await waiting).status, "no-host");
  const asked = scout.ask("Q?");
  (await fresh.dialog(1)).answer("A");
  assert.equal((await asked).status, "ok");
  old.fire("session_shutdown", "quit");
  const again = scout.ask("Q?");
  (await fresh.dialog(2)).answer("A");
  assert.equal((await again).status, "ok", "the old one's shutdown frees nothing of the new one's");
});

test("while the main session's run is aborted nobody asks; afterwards everybody may again", async () => {
  const [main, scout] = [startSession("main", UI), startSession("scout")];
  main.ctx.signal = AbortSignal.abort();
  assert.equal((await scout.ask("Q?")).status, "cancelled");
  assert.equal(main.dialogs.length, 0);
  main.ctx.signal = undefined;
  const asked = scout.ask("Q?");
  (await main.dialog(1)).answer("A");
  assert.equal((await asked).status, "ok");
});

test("a call that is aborted before it starts shows nothing", async () => {
  const [main, scout] = [startSession("main", UI), startSession("scout")];
  const { status } = await scout.ask("Q?", { signal: AbortSignal.abort() });
  assert.equal(status, "cancelled");
  await settle();
  assert.equal(main.dialogs.length, 0);
});

test("a storm: 1,000 questions of 20 askers, each answer at its asker, one dialog at a time", async () => {
  const main = startSession("main", UI);
  const askers = Array.from({ length: 20 }, (_, number) => startSession(`asker-${number}`));
  const calls = askers.flatMap((session, number) =>
    Array.from({ length: 10 }, async (_, call) => {
      const questions = Array.from({ length: 5 }, (__, index) => ({ question: `${number}/${call}/${index}` }));
      const { status, answers } = await session.ask(questions);
      assert.equal(status, "ok");
      assert.deepEqual(
        answers.map(({ answer }) => answer),
        questions.map(({ question }) => `answer to ${question}`),
      );
    }),
  );
  for (let count = 1; count <= 1_000; count += 1) {
    const dialog = await main.dialog(count);
    assert.equal(main.open().length, 1);
    const frame = main.frames().at(-1);
    assert.deepEqual([frame.ev, frame.from], ["open", `asker-${dialog.title.split("/")[0]}`]);
    dialog.answer(`answer to ${dialog.title}`);
  }
  await Promise.all(calls);
  assert.equal(main.dialogs.length, 1_000);
});
