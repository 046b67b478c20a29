// The plan id as a JavaScript program computes it from a plan file: keys sorted at every level, JSON.stringify, SHA-256.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
};
const { planId: _planId, output: _output, ...identity } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const digest = createHash("sha256").update(JSON.stringify(sorted(identity))).digest("hex");
process.stdout.write(`sep_${digest}`);
