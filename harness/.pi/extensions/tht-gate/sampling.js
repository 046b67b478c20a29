// Sampling parameters per session. Pi's settings have no such keys (measured on Pi 1.6.0), so the request body is changed
// on its way to the model. Pure.

/** The parameters the environment asks for; what is no number is named in `ignored`. */
export function readSampling(environment) {
  const ignored = [];
  const read = (name, fits) => {
    const text = environment[name];
    if (text === undefined || text === "") return undefined;
    const number = Number(text);
    if (fits(number)) return number;
    ignored.push(name);
    return undefined;
  };
  return {
    temperature: read("THT_TEMPERATURE", (number) => number >= 0 && number <= 2),
    maxTokens: read("THT_MAX_TOKENS", (number) => Number.isInteger(number) && number > 0),
    ignored,
  };
}

const MAX_TOKENS_FIELDS = ["max_completion_tokens", "max_tokens", "max_output_tokens"];

/**
 * `payload` with the parameters in, or undefined when there is nothing to change. Google keeps them in `config`. A
 * request of Anthropic with thinking takes no temperature but its default.
 */
export function applySampling(payload, { temperature, maxTokens }) {
  if (payload === null || typeof payload !== "object") return undefined;
  if (temperature === undefined && maxTokens === undefined) return undefined;
  if (Array.isArray(payload.contents)) {
    return { ...payload, config: { ...payload.config, ...defined({ temperature, maxOutputTokens: maxTokens }) } };
  }
  const thinking = payload.thinking && payload.thinking.type !== "disabled";
  const field = MAX_TOKENS_FIELDS.find((name) => name in payload) ?? "max_completion_tokens";
  return { ...payload, ...defined({ temperature: thinking ? undefined : temperature, [field]: maxTokens }) };
}

function defined(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
