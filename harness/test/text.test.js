import assert from "node:assert/strict";
import { test } from "node:test";

import {
  cut,
  encodeJson,
  errorLine,
  matchesText,
  oneLine,
  pageText,
  tablesText,
  tableText,
} from "../.pi/extensions/tht-gate/text.js";

const page = (rows, more = {}) => ({
  columns: [{ name: "n", key: "n", type: "BIGINT" }],
  rows,
  truncated: false,
  row_count: null,
  warnings: [],
  ...more,
});

test("C-30: a preview that does not show everything says so", () => {
  const rows = Array.from({ length: 20 }, (_, n) => [n]);
  assert.match(pageText(page(rows, { truncated: true })), /truncated: true, shown 20 of at least 21 rows/);
  assert.match(pageText(page(rows, { truncated: true, row_count: 5000 })), /truncated: true, shown 20 of 5000 rows/);
  assert.match(pageText(page(rows)), /\(all 20 rows; truncated: false\)/);
  assert.match(pageText(page([])), /\(all 0 rows; truncated: false\)/);
});

test("rows that do not fit are left out whole, and counted", () => {
  const text = pageText(page(Array.from({ length: 1000 }, () => ["y".repeat(150)])));
  assert.ok(text.length < 14_000);
  const shown = text.split("\n").filter((line) => line.startsWith("[")).length;
  assert.match(text, new RegExp(`truncated: true, shown ${shown} of at least 1000 rows`));
});

test("a huge cell, a thousand columns and many warnings stay short", () => {
  assert.ok(pageText(page([["z".repeat(10_000_000)]])).length < 1000);
  const columns = Array.from({ length: 5000 }, (_, n) => ({ name: `column_${n}`, key: `${n}`, type: "VARCHAR" }));
  assert.ok(pageText({ ...page([Array(5000).fill("v")]), columns }).length < 25_000);
  assert.ok(pageText(page([], { warnings: Array(10_000).fill("careful") })).length < 25_000);
});

test("NULL, the empty string, numbers as text and line breaks stay apart", () => {
  const text = pageText(page([[null, "", "9007199254740993", "a\nb"]]));
  assert.ok(text.includes('[null,"","9007199254740993","a\\nb"]'));
});

test("cut says how much is missing and tears no character", () => {
  const text = "😀".repeat(10);
  assert.equal(cut(text, 20), text);
  const shortened = cut(text, 5);
  assert.ok(shortened.startsWith("😀😀\n[cut: 16 of 20"));
  assert.ok(shortened.isWellFormed());
  assert.ok(oneLine("😀".repeat(10), 6).isWellFormed());
});

test("schema texts name tables, columns, comments and keys", () => {
  assert.equal(tablesText({ tables: [] }), "The workspace shows no tables.");
  assert.match(
    tablesText({ tables: [{ name: "v", kind: "view", comment: "c", row_estimate: null }] }),
    /^v \[view\] -- c$/,
  );
  const table = {
    name: "flights",
    comment: null,
    row_estimate: 3,
    columns: [{ name: "carrier", type: "VARCHAR", nullable: false, comment: "code" }],
    primary_key: ["carrier"],
    foreign_keys: [{ columns: ["carrier"], table: "airlines", to: ["carrier"] }],
  };
  assert.equal(
    tableText(table),
    "table flights\nrows: about 3\n  carrier VARCHAR not null -- code\nprimary key: carrier\nforeign key: (carrier) -> airlines (carrier)",
  );
  assert.match(matchesText({ matches: [] }, "x"), /Nothing in the schema matches "x"/);
  assert.match(matchesText({ matches: [{ table: "t", column: "c", type: "INT" }] }, "x"), /^t\.c INT$/);
});

test("any thrown thing becomes one line", () => {
  assert.equal(errorLine(new Error("a\n b")), "a b");
  for (const thrown of [undefined, null, 5, {}, ""]) assert.ok(errorLine(thrown).length > 0);
});

test("half a character never leaves the gate", () => {
  const text = encodeJson({ a: ["x\ud83d", { b: "\udc00" }], whole: "😀\u2028" });
  assert.deepEqual(JSON.parse(text), { a: ["x\ufffd", { b: "\ufffd" }], whole: "😀\u2028" });
});
