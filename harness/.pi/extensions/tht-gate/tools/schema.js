import { matchesText, pageText, tablesText, tableText } from "../text.js";
import { textResult } from "./result.js";

const SAMPLE_ROWS = { default: 5, most: 20 };

const ACTIONS = {
  async tables(session, _parameters, signal) {
    return tablesText(await session.call("schema.tables", {}, signal));
  },
  async describe(session, { table }, signal) {
    return tableText(await session.call("schema.describe", { table }, signal));
  },
  async search(session, { text }, signal) {
    return matchesText(await session.call("schema.search", { text }, signal), text);
  },
  async sample(session, { table, columns, limit }, signal) {
    const rows = Math.min(limit ?? SAMPLE_ROWS.default, SAMPLE_ROWS.most);
    const page = await session.call("schema.sample", { table, ...(columns && { columns }), limit: rows }, signal);
    return pageText(page);
  },
};

const NEEDS = { describe: "table", sample: "table", search: "text" };

/** Tables, columns, keys, comments and sample values of the session's workspace. */
export function schemaTool(session) {
  return {
    name: "tht_schema",
    label: "Schema",
    description:
      'Look at the database of this session. action "tables": all tables. "describe": columns, types, comments and keys of `table`. ' +
      '"search": tables and columns whose name or comment holds `text`. "sample": a few rows of `table`, to see how values are written.',
    promptSnippet: "Look at tables, columns, keys, comments and sample values of the database",
    parameters: {
      type: "object",
      properties: {
        action: { type: "string", enum: Object.keys(ACTIONS) },
        table: { type: "string", description: "Table name as action tables shows it; for describe and sample" },
        text: { type: "string", description: "What to look for; for search" },
        columns: { type: "array", items: { type: "string" }, description: "Only these columns; for sample" },
        limit: { type: "integer", minimum: 1, maximum: SAMPLE_ROWS.most, description: "Rows; for sample" },
      },
      required: ["action"],
      additionalProperties: false,
    },
    async execute(_callId, parameters, signal) {
      const needed = NEEDS[parameters.action];
      if (needed && !parameters[needed])
        throw new Error(`tht_schema with action ${parameters.action} needs \`${needed}\`.`);
      return textResult(await ACTIONS[parameters.action](session, parameters, signal));
    },
  };
}
