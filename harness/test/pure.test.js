import assert from "node:assert/strict";
import { test } from "node:test";

import { encodeFrame, FrameReader } from "../.pi/extensions/tht-gate/frames.js";
import { lockBash, lockInput, withoutBashRecords } from "../.pi/extensions/tht-gate/input-lock.js";
import { applySampling, readSampling } from "../.pi/extensions/tht-gate/sampling.js";
import { chosenText, foldOptions, wholeOptions } from "../.pi/extensions/tht-gate/tools/options.js";

test("typed text: nothing before the kickoff, only !text after it", () => {
  const typed = (text, kickedOff) => lockInput({ text, source: "interactive" }, kickedOff);
  assert.equal(typed("hello", false).action, "handled");
  assert.equal(typed("!hello", false).action, "handled");
  assert.equal(typed("hello", true).action, "handled");
  assert.equal(typed("/skill:tht-sessione", true).action, "handled");
  assert.equal(typed("!", true).action, "handled");
  assert.deepEqual(typed("! only 2013 ", true), { action: "transform", text: "only 2013" });
});

test("text of an RPC client goes on once the session runs; the gate's own always does", () => {
  assert.equal(lockInput({ text: "x", source: "rpc" }, false).action, "handled");
  assert.deepEqual(lockInput({ text: "x", source: "rpc" }, true), { action: "continue" });
  assert.deepEqual(lockInput({ text: "x", source: "extension" }, false), { action: "continue" });
  assert.equal(lockInput({ text: "x", source: "something new" }, true).action, "handled");
});

test("!text in the terminal is a steer and never a shell command", () => {
  assert.equal(lockBash("only 2013", "tui", true).steer, "only 2013");
  assert.equal(lockBash("ls", "tui", false).steer, null);
  assert.equal(lockBash("ls", "rpc", true).steer, null);
  assert.equal(lockBash("  ", "tui", true).steer, null);
});

test("records of !text are left out of what the model sees", () => {
  const messages = [{ role: "user" }, { role: "bashExecution" }, { role: "assistant" }];
  assert.deepEqual(withoutBashRecords(messages), [{ role: "user" }, { role: "assistant" }]);
  assert.equal(withoutBashRecords([{ role: "user" }]), null);
});

test("sampling is read as numbers; nonsense is named and ignored", () => {
  assert.deepEqual(readSampling({}), { temperature: undefined, maxTokens: undefined, ignored: [] });
  assert.deepEqual(readSampling({ THT_TEMPERATURE: "0", THT_MAX_TOKENS: "9" }), {
    temperature: 0,
    maxTokens: 9,
    ignored: [],
  });
  for (const text of ["warm", "-1", "3", "NaN", "Infinity"]) {
    assert.deepEqual(readSampling({ THT_TEMPERATURE: text }).ignored, ["THT_TEMPERATURE"]);
  }
  for (const text of ["0", "1.5", "many"])
    assert.deepEqual(readSampling({ THT_MAX_TOKENS: text }).ignored, ["THT_MAX_TOKENS"]);
});

test("sampling goes where each kind of request has it", () => {
  const both = { temperature: 0.2, maxTokens: 9 };
  assert.deepEqual(applySampling({ messages: [], max_completion_tokens: 4 }, both), {
    messages: [],
    max_completion_tokens: 9,
    temperature: 0.2,
  });
  assert.deepEqual(applySampling({ input: [], max_output_tokens: 4 }, both), {
    input: [],
    max_output_tokens: 9,
    temperature: 0.2,
  });
  assert.deepEqual(applySampling({ max_tokens: 4, thinking: { type: "enabled" } }, both), {
    max_tokens: 9,
    thinking: { type: "enabled" },
  });
  assert.deepEqual(applySampling({ contents: [], config: { a: 1 } }, both), {
    contents: [],
    config: { a: 1, temperature: 0.2, maxOutputTokens: 9 },
  });
  assert.equal(applySampling({ messages: [] }, {}), undefined);
  for (const payload of [null, undefined, "text"]) assert.equal(applySampling(payload, both), undefined);
});

test("frames survive any cut, and raw frames are skipped", () => {
  const documents = [
    { id: 1, ok: "é😀" },
    { id: 2, ok: "x".repeat(100_000) },
  ];
  const raw = Buffer.concat([Buffer.from([0, 0, 0, 6, 66]), Buffer.from([0, 0, 0, 1, 255])]);
  const bytes = Buffer.concat([encodeFrame(documents[0]), raw, encodeFrame(documents[1])]);
  for (const size of [1, 2, 3, 5, 7, 64, 4096, bytes.length]) {
    const reader = new FrameReader();
    const read = [];
    for (let start = 0; start < bytes.length; start += size)
      read.push(...reader.push(bytes.subarray(start, start + size)));
    assert.deepEqual(read, documents, `chunks of ${size}`);
  }
});

test("a frame of an impossible length is an error", () => {
  for (const header of [
    [0, 0, 0, 0],
    [255, 255, 255, 255],
  ])
    assert.throws(() => new FrameReader().push(Buffer.from(header)));
});

test("options are made whole and unlike each other", () => {
  assert.deepEqual(foldOptions({ options: ["x", { label: "y" }] }), { options: [{ label: "x" }, { label: "y" }] });
  for (const given of [undefined, null, "text", {}]) assert.equal(foldOptions(given), given);
  const whole = wholeOptions([{ label: "x" }, { id: "b", label: "y" }]);
  assert.deepEqual(
    whole.map((option) => option.id),
    ["1", "b"],
  );
  assert.equal(chosenText(whole, ["b", "1"]), '"y" (b), "x" (1)');
  assert.throws(
    () =>
      wholeOptions([
        { id: "a", label: "x" },
        { id: "a", label: "y" },
      ]),
    /Two options have the id "a"/,
  );
  assert.throws(() => wholeOptions([{ id: "2", label: "x" }, { label: "y" }]), /Two options/);
});
