import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { fakeContext } from "./fake-pi.js";
import { answering, envelopeIn, events, gateIn, OPTIONS, READING, rig, textOf } from "./rig.js";

describe("asking over RPC", () => {
  test("a question is one input dialog with the envelope and the tool's signal", async () => {
    await gateIn("F1");
    const ctx = answering({ value: "b", by: "dev@local" });
    const { signal } = new AbortController();
    const result = await rig.pi.call("reviewer_select", { ...READING, free_text: true }, ctx, signal);
    assert.match(textOf(result), /The reviewer chose "B" \(b\)\./);
    const [dialog] = ctx.dialogs;
    assert.equal(dialog.method, "input");
    assert.equal(dialog.options.signal, signal);
    const { call, kind, widget, phase, free_text: freeText, options } = envelopeIn(dialog);
    assert.deepEqual(
      { call, kind, widget, phase, freeText, options },
      {
        call: "call-1",
        kind: "reading",
        widget: "select",
        phase: "F1",
        freeText: true,
        options: OPTIONS,
      },
    );
    assert.deepEqual(events(), [
      { ev: "dialog_opened", call: "call-1", widget: "select" },
      { ev: "dialog_closed", call: "call-1", how: "answered" },
    ]);
  });

  test("a title with half a character arrives as a title that can be read", async () => {
    await gateIn("F1");
    const ctx = answering({ value: "a" });
    await rig.pi.call("reviewer_select", { ...READING, title: "Which\ud83d?" }, ctx);
    assert.equal(envelopeIn(ctx.dialogs[0]).title, "Which\ufffd?");
  });

  test("with the backend no decision is recorded by the gate", async () => {
    await gateIn("F1");
    await rig.pi.call("reviewer_select", READING, answering({ value: "a" }));
    assert.deepEqual(new Set(rig.backend.calls.map((call) => call.operation)), new Set(["phase.show"]));
  });

  test("a phase that changed with the answer is told to client and model", async () => {
    const phases = ["F1", "F2"];
    await gateIn("F1", { "phase.show": () => ({ phase: phases.shift(), closed: [], missing: [], reason: "why" }) });
    const result = await rig.pi.call("reviewer_select", READING, answering({ value: "a" }));
    assert.match(textOf(result), /The session is in F2 \(schema linking\)\. Next: look at the tables/);
    assert.deepEqual(events().at(-1), { ev: "phase_changed", phase: "F2", from: "F1", reason: "why" });
  });

  test("cancelled, aborted and misunderstood answers decide nothing, and each is told as what it was", async () => {
    await gateIn("F1");
    const controller = new AbortController();
    for (const [ctx, signal, how, expected] of [
      [fakeContext({ answers: [undefined] }), undefined, "cancelled", /nothing is decided/],
      [answering({ cancelled: true }), undefined, "cancelled", /nothing is decided/],
      [answering({ value: "z" }), undefined, "cancelled", /could not be understood/],
      [fakeContext({ answers: [() => controller.abort()] }), controller.signal, "aborted", /nothing is decided/],
    ]) {
      await assert.rejects(rig.pi.call("reviewer_select", READING, ctx, signal), expected);
      assert.deepEqual(events().at(-1), { ev: "dialog_closed", call: "call-1", how });
    }
  });

  test("where nobody can be asked it says so", async () => {
    await gateIn("F1");
    await assert.rejects(
      rig.pi.call("reviewer_select", READING, fakeContext({ mode: "print" })),
      /Nobody can be asked/,
    );
  });

  test("each form of ask_reviewer has its widget and its answer", async () => {
    await gateIn("F3");
    for (const [form, widget, answer, expected] of [
      [undefined, "input", { text: "minutes" }, /answered: minutes/],
      ["text", "editor", { text: "a\nb" }, /answered: a\nb/],
      ["yes_no", "confirm", { confirmed: false }, /answered: no/],
      ["line", "input", { text: "" }, /an empty text/],
    ]) {
      const ctx = answering(answer);
      const result = await rig.pi.call("ask_reviewer", { question: "Q?", ...(form && { form }) }, ctx);
      assert.equal(envelopeIn(ctx.dialogs[0]).widget, widget);
      assert.match(textOf(result), expected);
    }
  });

  test("kept and dropped candidates are both told", async () => {
    await gateIn("F2");
    const ctx = answering({ values: ["a"] });
    const result = await rig.pi.call(
      "reviewer_decide",
      { title: "T", options: [...OPTIONS, "plain text"], max: 9 },
      ctx,
    );
    assert.match(
      textOf(result),
      /kept: "A" \(a\)\. Dropped: "B" \(b\), "plain text" \(3\)\. Do not use what was dropped\./,
    );
    const { min, max } = envelopeIn(ctx.dialogs[0]);
    assert.deepEqual({ min, max }, { min: 1, max: 3 });
  });
});

describe("artifacts", () => {
  const STEPS = { steps: [{ name: "a", purpose: "p", sql: "SELECT 1" }] };

  test("are written after their SQL passed the check, and told to the client", async () => {
    await gateIn("F3");
    const result = await rig.pi.call("artifact_write", { name: "ctes.json", json: STEPS });
    assert.match(textOf(result), /Wrote ctes\.json .* Next: artifact_gate for ctes\.json\./);
    assert.deepEqual(rig.backend.called("sql.check"), [
      { sql: "WITH a AS (\nSELECT 1\n)\nSELECT * FROM a", session: "s-1" },
    ]);
    assert.deepEqual(events(), [{ ev: "artifact_written", name: "ctes.json", sha256: "abc" }]);
  });

  test("are taken in whatever field or form the model gives them", async () => {
    await gateIn("F3");
    for (const given of [
      { json: STEPS },
      { json: JSON.stringify(STEPS) },
      { text: JSON.stringify(STEPS) },
      { content: STEPS },
    ]) {
      await rig.pi.call("artifact_write", { name: "ctes.json", ...given });
    }
    const texts = rig.backend.called("artifact.put").map((args) => args.text);
    assert.equal(texts.length, 4);
    assert.equal(new Set(texts).size, 1);
  });

  test("are not written when their SQL is refused, or out of phase, or of a wrong shape", async () => {
    const refuse = () => {
      throw { status: 403, code: "refused", message: "not read-only" };
    };
    await gateIn("F4", { "sql.check": refuse });
    await assert.rejects(
      rig.pi.call("artifact_write", { name: "sql_final.sql", text: "DROP TABLE x" }),
      /not written.*not read-only/,
    );
    await assert.rejects(rig.pi.call("artifact_write", { name: "ctes.json", json: STEPS }), /replace_approved/);
    await assert.rejects(
      rig.pi.call("artifact_write", { name: "sql_final.sql", json: {} }),
      /give the statement as a string/,
    );
    await assert.rejects(rig.pi.call("artifact_write", { name: "sql_final.sql" }), /give the statement as a string/);
    await assert.rejects(rig.pi.call("artifact_write", { name: "../x", text: "a" }), /There is no artifact/);
    assert.deepEqual(rig.backend.called("artifact.put"), []);
  });

  test("the gate shows what is on disk with its hash, and tells the outcome", async () => {
    await gateIn("F4");
    for (const [answer, expected] of [
      [{ decision: "approve" }, /approved sql_final\.sql\./],
      [
        { decision: "reject", comment: "by name" },
        /REJECTED sql_final\.sql\. The reviewer's comment: by name Change it/,
      ],
      [{ decision: "edit", text: "SELECT 2", sha256: "def" }, /It is now:\nSELECT 2\nGo on from this version/],
    ]) {
      const ctx = answering(answer);
      const result = await rig.pi.call("artifact_gate", { name: "sql_final.sql", summary: "S" }, ctx);
      assert.match(textOf(result), expected);
      const { artifact, prefill, body, widget } = envelopeIn(ctx.dialogs[0]);
      assert.deepEqual(
        { artifact, prefill, body, widget },
        {
          artifact: { name: "sql_final.sql", sha256: "abc", media_type: "text/plain" },
          prefill: "SELECT 1",
          body: "S",
          widget: "artifact_gate",
        },
      );
    }
    assert.deepEqual(
      events().filter(({ ev }) => ev === "artifact_written"),
      [{ ev: "artifact_written", name: "sql_final.sql", sha256: "def" }],
    );
  });

  test("nothing that fails the check is shown for approval", async () => {
    const refuse = () => {
      throw { status: 403, code: "refused", message: "not read-only" };
    };
    await gateIn("F4", { "sql.check": refuse });
    const ctx = fakeContext();
    await assert.rejects(
      rig.pi.call("artifact_gate", { name: "sql_final.sql", summary: "S" }, ctx),
      /cannot be approved as it is: not read-only/,
    );
    assert.deepEqual(ctx.dialogs, []);
  });

  test("an artifact that is not written yet is asked for", async () => {
    const missing = () => {
      throw { status: 404, code: "not_found", message: "no" };
    };
    await gateIn("F4", { "artifact.get": missing });
    await assert.rejects(
      rig.pi.call("artifact_gate", { name: "sql_final.sql", summary: "S" }),
      /call artifact_write first/,
    );
  });
});

describe("the database", () => {
  test("schema and SQL calls carry the session and are capped", async () => {
    const page = { columns: [{ name: "n", type: "INT" }], rows: [[1]], truncated: false, row_count: 1 };
    await gateIn("F1", {
      "schema.tables": () => ({ tables: [] }),
      "schema.search": () => ({ matches: [] }),
      "schema.describe": () => ({ name: "t", columns: [] }),
      "schema.sample": () => page,
      "sql.preview": () => page,
    });
    await rig.pi.call("tht_schema", { action: "tables" });
    await rig.pi.call("tht_schema", { action: "search", text: "delay" });
    await rig.pi.call("tht_schema", { action: "describe", table: "t" });
    await rig.pi.call("tht_schema", { action: "sample", table: "t", columns: ["n"] });
    await rig.pi.call("tht_sql", { action: "preview", sql: "SELECT 1", limit: 1_000_000 });
    assert.match(textOf(await rig.pi.call("tht_sql", { action: "check", sql: "SELECT 1" })), /It reads: flights\./);
    assert.deepEqual(
      rig.backend.calls.map(({ operation, args }) => [operation, args]),
      [
        ["schema.tables", { session: "s-1" }],
        ["schema.search", { text: "delay", session: "s-1" }],
        ["schema.describe", { table: "t", session: "s-1" }],
        ["schema.sample", { table: "t", columns: ["n"], limit: 5, session: "s-1" }],
        ["sql.preview", { sql: "SELECT 1", limit: 100, session: "s-1" }],
        ["sql.check", { sql: "SELECT 1", session: "s-1" }],
      ],
    );
    assert.ok(rig.backend.calls.every((call) => call.authorization === "Bearer token"));
  });

  test("a missing argument is named", async () => {
    await gateIn("F1");
    for (const [action, needed] of [
      ["describe", "table"],
      ["sample", "table"],
      ["search", "text"],
    ]) {
      await assert.rejects(rig.pi.call("tht_schema", { action }), new RegExp(`needs \`${needed}\``));
    }
  });

  test("an abort ends a call that waits", async () => {
    const never = () => new Promise(() => {});
    await gateIn("F1", { "sql.preview": never });
    const controller = new AbortController();
    const call = rig.pi.call("tht_sql", { action: "preview", sql: "SELECT 1" }, fakeContext(), controller.signal);
    setImmediate(() => controller.abort());
    await assert.rejects(call, /cancelled/);
  });
});
