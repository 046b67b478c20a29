/** What a tool returns to Pi: one text. Details stay empty, because Pi writes them to its output and its file as well. */
export function textResult(text) {
  return { content: [{ type: "text", text }], details: {} };
}
