// What the artifacts look like (docs/contracts.md, section 5). Pure: a problem is one text that tells the model what to change.

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const isText = (value) => typeof value === "string" && value.trim() !== "";
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/**
 * The text to write for an artifact. `content` is what the model gave: an object for the JSON artifacts (or its JSON text), a
 * text for SQL. Throws an Error that says what is wrong.
 */
export function artifactText(name, content) {
  if (name === "sql_final.sql") {
    if (!isText(content)) throw new Error("sql_final.sql: give the statement as a string in `text`.");
    return content;
  }
  const document = parsed(name, content);
  const problem = CHECKS[name](document);
  if (problem) throw new Error(`${name}: ${problem} Correct it and call artifact_write again.`);
  return `${JSON.stringify(document, null, 2)}\n`;
}

function parsed(name, content) {
  let document = content;
  if (typeof content === "string") {
    try {
      document = JSON.parse(content);
    } catch (error) {
      throw new Error(`${name}: this is not JSON (${error.message}). Give an object in \`json\`.`);
    }
  }
  if (!isObject(document)) throw new Error(`${name}: give an object in \`json\`.`);
  return document;
}

const CHECKS = { "schema_linking.json": schemaLinkingProblem, "ctes.json": ctesProblem };

function schemaLinkingProblem(document) {
  if (!isText(document.reading)) return "`reading` is missing: the question as the reviewer chose to read it.";
  const tables = listOf(document.tables, (table) => isText(table?.name));
  if (!tables?.length) return '`tables` must be a list like [{"name": "flights", "why": "one row a flight"}].';
  const columns = listOf(document.columns, (column) => isText(column?.table) && isText(column?.column));
  if (!columns?.length)
    return '`columns` must be a list like [{"table": "flights", "column": "arr_delay", "use": "minutes late"}].';
  const joins = listOf(document.joins ?? [], (join) => isColumn(join?.left) && isColumn(join?.right));
  if (!joins) return '`joins` must be a list like [{"left": "flights.carrier", "right": "airlines.carrier"}].';
  const filters = listOf(document.filters ?? [], (filter) => isColumn(filter?.column) && isText(filter?.condition));
  if (!filters) return '`filters` must be a list like [{"column": "flights.year", "condition": "= 2013"}].';
  const known = new Set(tables.map((table) => table.name));
  const named = [
    ...columns.map((column) => column.table),
    ...joins.flatMap((join) => [tableOf(join.left), tableOf(join.right)]),
    ...filters.map((filter) => tableOf(filter.column)),
  ];
  const unknown = named.find((table) => !known.has(table));
  return unknown === undefined ? null : `${JSON.stringify(unknown)} is used but is not in \`tables\`.`;
}

function ctesProblem(document) {
  const fits = (step) => isText(step?.name) && isText(step?.purpose) && isText(step?.sql);
  const steps = listOf(document.steps, fits);
  if (!steps?.length) {
    return '`steps` must be a list like [{"name": "late_flights", "purpose": "...", "sql": "SELECT ...", "preview": "what the rows showed"}].';
  }
  const odd = steps.find((step) => !NAME.test(step.name));
  if (odd) return `the step name ${JSON.stringify(odd.name)} must be a plain identifier: letters, digits and _.`;
  const names = steps.map((step) => step.name.toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice ? `two steps are named ${JSON.stringify(twice)}.` : null;
}

function listOf(value, fits) {
  return Array.isArray(value) && value.every(fits) ? value : null;
}

function isColumn(value) {
  return isText(value) && value.lastIndexOf(".") > 0;
}

/** The table in "table.column" or "schema.table.column". */
function tableOf(reference) {
  return reference.slice(0, reference.lastIndexOf("."));
}

/** The statement that holds for an artifact what its SQL says, to be checked before it is written; null when it has none. */
export function statementOf(name, text) {
  if (name === "sql_final.sql") return text;
  if (name !== "ctes.json") return null;
  const { steps } = JSON.parse(text);
  // The newline ends a trailing comment of a step, which would swallow the parenthesis.
  const ctes = steps.map((step) => `${step.name} AS (\n${step.sql.trim().replace(/;$/, "")}\n)`);
  return `WITH ${ctes.join(",\n")}\nSELECT * FROM ${steps.at(-1).name}`;
}
