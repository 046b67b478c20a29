// The same widgets with the dialogs of Pi's own terminal UI. Each gives the answer of docs/contracts.md, section 5, or null
// when the reviewer left.

const OWN_WORDS = "Something else (in my own words)";
const SHOWN_LINES = 60;

/** The answer to `envelope`, or null. */
export function askInTerminal(ui, envelope, signal) {
  return WIDGETS[envelope.widget](ui, envelope, signal);
}

const WIDGETS = { select, multiselect, confirm, input, editor, artifact_gate: artifactGate };

function heading({ title, body, phase }) {
  return [`[${phase}] ${title}`, body].filter(Boolean).join("\n\n");
}

function label({ label: text, description, recommended }) {
  return `${text}${recommended ? " (recommended)" : ""}${description ? ` - ${description}` : ""}`;
}

/** Options as Pi wants them, unlike each other, so that the text it returns names one of them. */
function numbered(options, mark = () => "") {
  return options.map((option, index) => `${index + 1}. ${mark(option)}${label(option)}`);
}

async function select(ui, envelope, signal) {
  const labels = numbered(envelope.options);
  const chosen = await ui.select(heading(envelope), envelope.free_text ? [...labels, OWN_WORDS] : labels, { signal });
  if (chosen === undefined) return null;
  if (chosen === OWN_WORDS) return input(ui, envelope, signal);
  return { value: envelope.options[labels.indexOf(chosen)].id };
}

async function multiselect(ui, envelope, signal) {
  const { options, min, max } = envelope;
  const kept = new Set(options.filter((option) => option.recommended).map((option) => option.id));
  for (;;) {
    const fits = kept.size >= min && kept.size <= max;
    const done = fits ? `Done: keep ${kept.size}` : `Keep between ${min} and ${max} (now ${kept.size})`;
    const labels = numbered(options, (option) => (kept.has(option.id) ? "[x] " : "[ ] "));
    const chosen = await ui.select(heading(envelope), [...labels, done], { signal });
    if (chosen === undefined) return null;
    if (chosen !== done) {
      const { id } = options[labels.indexOf(chosen)];
      if (!kept.delete(id)) kept.add(id);
    } else if (fits) {
      return { values: options.filter((option) => kept.has(option.id)).map((option) => option.id) };
    }
  }
}

async function confirm(ui, envelope, signal) {
  const chosen = await ui.select(heading(envelope), ["Yes", "No"], { signal });
  return chosen === undefined ? null : { confirmed: chosen === "Yes" };
}

async function input(ui, envelope, signal) {
  const text = await ui.input(heading(envelope), envelope.placeholder ?? undefined, { signal });
  return text === undefined ? null : { text };
}

async function editor(ui, envelope) {
  const text = await ui.editor(heading(envelope), envelope.prefill ?? "");
  return text === undefined ? null : { text };
}

async function artifactGate(ui, envelope, signal) {
  const shown = { ...envelope, body: [envelope.body, head(envelope.prefill)].filter(Boolean).join("\n\n") };
  const choices = ["Approve", "Reject", "Edit, then approve my version"];
  for (;;) {
    const chosen = await ui.select(heading(shown), choices, { signal });
    if (chosen === undefined) return null;
    if (chosen === choices[0]) return { decision: "approve" };
    if (chosen === choices[1]) {
      const comment = await ui.input("What is to be changed?", undefined, { signal });
      if (comment?.trim()) return { decision: "reject", comment };
    } else {
      const text = await ui.editor(envelope.artifact.name, envelope.prefill ?? "");
      if (text !== undefined) return { decision: "edit", text };
    }
    if (signal?.aborted) return null;
  }
}

function head(text) {
  const lines = (text ?? "").split("\n");
  if (lines.length <= SHOWN_LINES) return text;
  return [
    ...lines.slice(0, SHOWN_LINES),
    `[${lines.length - SHOWN_LINES} more lines: choose Edit to see all of it]`,
  ].join("\n");
}
