/** A failure told by tht or by the way to it; `code` is of the project's error taxonomy. */
export class Fault extends Error {
  constructor(code, message, details = {}) {
    super(message);
    this.name = "Fault";
    this.code = code;
    this.details = details;
  }

  /** The fault in `{code, message, details}`, the form in which it crosses a pipe or the agent endpoint. */
  static fromDocument(document) {
    const { code, message, details } = document ?? {};
    return new Fault(typeof code === "string" ? code : "internal", String(message ?? "no reason given"), details ?? {});
  }
}
