// Prints, for a JSON array of names on stdin, which of them the contained tools refuse as Git metadata.
import { readFileSync } from "node:fs";
import { isGitMetadataName } from "../../../session_executor/pi/extension/containment.js";

const refused = JSON.parse(readFileSync(0, "utf8")).map((name) => name.split(/[/\\]/u).some(isGitMetadataName));
process.stdout.write(JSON.stringify(refused));
