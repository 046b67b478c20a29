// The rules the model follows. It has no tool to read files, so the text goes into the system prompt as a section of its own:
// there it survives compaction, and Pi's own sections stay as they are.

import { readFileSync } from "node:fs";

export const SECTION = "tht-sessione";

const SKILL = new URL("../../skills/tht-sessione/SKILL.md", import.meta.url);
const SUBAGENTS = new URL("../../skills/tht-sessione/subagents.md", import.meta.url);

/**
 * The skill without its front matter, with the rules for sub-agents where there may be some. Throws when a file is missing: a
 * gate without rules must not load.
 */
export function readSkill({ subagents = false } = {}) {
  const skill = readFileSync(SKILL, "utf8")
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .trim();
  return subagents ? `${skill}\n\n${readFileSync(SUBAGENTS, "utf8").trim()}` : skill;
}
