// Results as short texts for the model. Pi puts no limit on what a tool returns and writes each result five times, so
// everything is cut here, and what was cut says so. Pure.

const CELL_CHARACTERS = 200;
const RESULT_CHARACTERS = 12_000;

/** `text` in at most `limit` characters; a cut text ends in a note of how much is missing. */
export function cut(text, limit = RESULT_CHARACTERS) {
  if (text.length <= limit) return text;
  // A pair of surrogates must not be torn: the half could not be written as UTF-8.
  const end = isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit;
  return `${text.slice(0, end)}\n[cut: ${text.length - end} of ${text.length} characters not shown]`;
}

function isHighSurrogate(code) {
  return code >= 0xd800 && code <= 0xdbff;
}

/** `text` on one line of at most `limit` characters. */
export function oneLine(text, limit = CELL_CHARACTERS) {
  const line = String(text).replace(/\s+/g, " ").trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function cell(value) {
  return typeof value === "string" && value.length > CELL_CHARACTERS ? oneLine(value) : value;
}

/**
 * A page of rows: the columns with their types, one JSON array a row, then how much of the whole that is. Rows that do
 * not fit are left out whole.
 */
export function pageText(page, offset = 0) {
  const columns = page.columns.map(({ name, type }) => `${name} ${type}`).join(", ");
  const lines = [`columns: ${columns}`];
  let size = lines[0].length;
  let shown = 0;
  for (const row of page.rows) {
    const line = JSON.stringify(row.map(cell));
    if (size + line.length > RESULT_CHARACTERS) break;
    lines.push(line);
    size += line.length + 1;
    shown += 1;
  }
  lines.push(extent(page, shown, offset));
  for (const warning of page.warnings ?? []) lines.push(`warning: ${oneLine(warning)}`);
  return cut(lines.join("\n"), 2 * RESULT_CHARACTERS);
}

function extent(page, shown, offset) {
  const from = offset ? ` from row ${offset + 1}` : "";
  const complete = shown === page.rows.length && !page.truncated;
  if (complete && (page.row_count === null || page.row_count === offset + shown)) {
    return `(all ${shown} rows${from ? ` ${from.trim()} on` : ""}; truncated: false)`;
  }
  const total = page.row_count ?? `at least ${offset + page.rows.length + (page.truncated ? 1 : 0)}`;
  return (
    `(truncated: true, shown ${shown}${from} of ${total} rows; ` +
    "do not conclude anything from rows you do not see, aggregate in SQL instead)"
  );
}

/** One table as `schema.describe` gives it. */
export function tableText(table) {
  const lines = [`table ${table.name}${table.comment ? `: ${oneLine(table.comment)}` : ""}`];
  if (table.row_estimate != null) lines.push(`rows: about ${table.row_estimate}`);
  for (const column of table.columns) {
    const comment = column.comment ? ` -- ${oneLine(column.comment)}` : "";
    lines.push(`  ${column.name} ${column.type}${column.nullable ? "" : " not null"}${comment}`);
  }
  if (table.primary_key?.length) lines.push(`primary key: ${table.primary_key.join(", ")}`);
  for (const key of table.foreign_keys ?? []) {
    lines.push(`foreign key: (${key.columns.join(", ")}) -> ${key.table} (${key.to.join(", ")})`);
  }
  return cut(lines.join("\n"));
}

/** The tables as `schema.tables` gives them, one a line. */
export function tablesText({ tables }) {
  if (!tables.length) return "The workspace shows no tables.";
  const lines = tables.map((table) => {
    const rows = table.row_estimate == null ? "" : ` (about ${table.row_estimate} rows)`;
    return `${table.name}${table.kind && table.kind !== "table" ? ` [${table.kind}]` : ""}${rows}${table.comment ? ` -- ${oneLine(table.comment)}` : ""}`;
  });
  return cut(lines.join("\n"));
}

/** What `schema.search` found, one a line. */
export function matchesText({ matches }, searched) {
  if (!matches.length)
    return `Nothing in the schema matches ${JSON.stringify(searched)}. Try another word, or list the tables.`;
  const lines = matches.map(({ table, column, type, comment }) => {
    const name = column ? `${table}.${column}${type ? ` ${type}` : ""}` : `table ${table}`;
    return comment ? `${name} -- ${oneLine(comment)}` : name;
  });
  return cut(lines.join("\n"));
}

/**
 * `document` as JSON that every reader can decode. A model can write half of a character (a lone surrogate), which JSON carries
 * and other languages refuse to read; it becomes U+FFFD.
 */
export function encodeJson(document) {
  return JSON.stringify(document, (_key, value) => (typeof value === "string" ? value.toWellFormed() : value));
}

/** The one line a person or a model is told of an error, whatever was thrown. */
export function errorLine(error) {
  const message = error instanceof Error ? error.message : String(error);
  return oneLine(message || "unknown error", 1000);
}
