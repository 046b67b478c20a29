// The rules the model follows. It has no tool to read files, so the text goes into the system prompt as a section of its own:
// there it survives compaction, and Pi's own sections stay as they are.

import { readFileSync } from "node:fs";

export const SECTION = "tht-sessione";

const SKILL = new URL("../../skills/tht-sessione/SKILL.md", import.meta.url);

/** The skill without its front matter. Throws when the file is missing: a gate without rules must not load. */
export function readSkill() {
  return readFileSync(SKILL, "utf8")
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .trim();
}
