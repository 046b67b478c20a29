import { pageText } from "../text.js";
import { textResult } from "./result.js";

const PREVIEW_ROWS = { default: 20, most: 100 };

/** Check and preview statements; nothing but read-only SQL gets through tht. */
export function sqlTool(session) {
  return {
    name: "tht_sql",
    label: "SQL",
    description:
      'Try one read-only SELECT on the database of this session. action "check": is it allowed, which tables does it read. "preview": run it and ' +
      "see the first rows. Aggregate in SQL: you see few rows, and the result says when there are more.",
    promptSnippet: "Check and preview a read-only SQL statement",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: ["check", "preview"] },
        sql: { type: "string", description: "One statement, without a semicolon at its end" },
        limit: { type: "integer", minimum: 1, maximum: PREVIEW_ROWS.most, description: "Rows to see; default 20" },
      },
      required: ["action", "sql"],
      additionalProperties: false,
    },
    async execute(_callId, { action, sql, limit }, signal) {
      if (action === "check") {
        const { tables } = await session.call("sql.check", { sql }, signal);
        return textResult(`Allowed: read-only. It reads: ${tables.join(", ") || "no table"}.`);
      }
      const rows = Math.min(limit ?? PREVIEW_ROWS.default, PREVIEW_ROWS.most);
      const page = await session.call("sql.preview", { sql, limit: rows }, signal);
      return textResult(pageText(page));
    },
  };
}
