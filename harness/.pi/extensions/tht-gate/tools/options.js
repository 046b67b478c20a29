// The options of a question as the model gives them, made whole. Pure.

export const OPTION_PARAMETER = {
  type: "array",
  minItems: 1,
  maxItems: 50,
  items: {
    type: "object",
    properties: {
      id: { type: "string", description: "Short and unique, e.g. a" },
      label: { type: "string", maxLength: 500, description: "What the reviewer reads" },
      description: { type: "string", maxLength: 1000, description: "One sentence more, if it helps" },
      recommended: { type: "boolean", description: "True for what you would choose" },
    },
    required: ["label"],
    additionalProperties: false,
  },
};

/** Texts become options; runs before Pi checks the arguments against their schema. */
export function foldOptions(given) {
  if (!Array.isArray(given?.options)) return given;
  return {
    ...given,
    options: given.options.map((option) => (typeof option === "string" ? { label: option } : option)),
  };
}

/** Every option with an id. Throws when two have the same, because then an answer would mean both. */
export function wholeOptions(options) {
  const whole = options.map((option, index) => ({ ...option, id: option.id || String(index + 1) }));
  const ids = whole.map((option) => option.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`Two options have the id ${JSON.stringify(twice)}; give each its own.`);
  return whole;
}

/** How the labels of the chosen ids read in a sentence. */
export function chosenText(options, ids) {
  return ids.map((id) => `"${options.find((option) => option.id === id).label}" (${id})`).join(", ");
}
