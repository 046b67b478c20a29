// The only tools of a continuation: Pi's own read, ls, edit and write on guarded file operations, and, when
// the plan allows it, delete and rename. The session executor reads what is active before it sends the prompt.

import { AsyncLocalStorage } from "node:async_hooks";
import { constants, readFileSync } from "node:fs";
import { access, mkdir, readdir, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";
import {
  createEditToolDefinition,
  createLsToolDefinition,
  createReadToolDefinition,
  createWriteToolDefinition,
  detectSupportedImageMimeTypeFromFile,
  withFileMutationQueue,
} from "@earendil-works/pi-coding-agent";
import { Containment, isGitMetadataName } from "./containment.js";

export const STATUS_KEY = "session-executor-tools";

const written = new AsyncLocalStorage();

/** Let a tool tell, in its result, which paths its successful call changed. */
function reporting(definition) {
  const { execute } = definition;
  return {
    ...definition,
    async execute(...call) {
      const paths = [];
      const result = await written.run(paths, () => execute.apply(definition, call));
      return { ...result, details: { ...result.details, written: paths } };
    },
  };
}

function standardTools(guard) {
  const readable = async (file) => access((await guard.resolve(file)).real, constants.R_OK);
  const read = createReadToolDefinition(guard.root, {
    operations: {
      access: readable,
      readFile: (file) => guard.read(file),
      createReadStream: (file) => guard.stream(file),
      async detectImageMimeType(file) {
        const { handle, real } = await guard.open(file, constants.O_RDONLY);
        await handle.close();
        return detectSupportedImageMimeTypeFromFile(real);
      },
    },
  });
  const ls = createLsToolDefinition(guard.root, {
    operations: {
      exists: async (file) => (await guard.resolve(file)).exists,
      stat: async (file) => stat((await guard.resolve(file)).real),
      readdir: async (file) => {
        const names = await readdir((await guard.resolve(file)).real);
        return names.filter((name) => !isGitMetadataName(name));
      },
    },
  });
  const edit = createEditToolDefinition(guard.root, {
    operations: {
      access: async (file) => access((await guard.resolve(file)).real, constants.R_OK | constants.W_OK),
      readFile: (file) => guard.readText(file),
      writeFile: async (file, text) =>
        void written.getStore().push(await guard.write(file, text, { create: false })),
    },
  });
  const write = createWriteToolDefinition(guard.root, {
    operations: {
      mkdir: (directory) => guard.makeDirectory(directory),
      writeFile: async (file, text) =>
        void written.getStore().push(await guard.write(file, text, { create: true })),
    },
  });
  return [read, ls, reporting(edit), reporting(write)];
}

const PATH = { type: "string", minLength: 1 };

function removalTools(guard) {
  const absolute = (name) => path.resolve(guard.root, name);
  const remove = {
    name: "delete",
    label: "delete",
    description: "Delete one file. Directories cannot be deleted; an empty one is not part of a commit.",
    parameters: {
      type: "object",
      properties: { path: { ...PATH, description: "Path of the file, relative to the project" } },
      required: ["path"],
    },
    execute: (_id, { path: name }) =>
      withFileMutationQueue(absolute(name), async () => {
        const { real, relative, status } = await guard.entry(absolute(name));
        if (!status?.isFile() && !status?.isSymbolicLink()) throw new Error(`No such file: ${name}`);
        await unlink(real);
        written.getStore().push(relative);
        return { content: [{ type: "text", text: `Deleted ${name}` }], details: {} };
      }),
  };
  const move = {
    name: "rename",
    label: "rename",
    description: "Rename or move one file. The new name must not exist; missing directories are made.",
    parameters: {
      type: "object",
      properties: {
        from: { ...PATH, description: "Present path of the file" },
        to: { ...PATH, description: "New path of the file" },
      },
      required: ["from", "to"],
    },
    execute: (_id, { from, to }) =>
      withFileMutationQueue(absolute(from), async () => {
        const source = await guard.entry(absolute(from));
        if (!source.status?.isFile()) throw new Error(`No such file: ${from}`);
        const target = await guard.entry(absolute(to));
        if (target.status) throw new Error(`Exists already: ${to}`);
        await mkdir(path.dirname(target.real), { recursive: true });
        await rename(source.real, target.real);
        written.getStore().push(source.relative, target.relative);
        return { content: [{ type: "text", text: `Renamed ${from} to ${to}` }], details: {} };
      }),
  };
  return [reporting(remove), reporting(move)];
}

export default function containedTools(pi) {
  const options = JSON.parse(readFileSync(process.env.SESSION_EXECUTOR_TOOLS, "utf8"));
  const guard = new Containment(options.root, options.submodules);
  for (const tool of [...standardTools(guard), ...removalTools(guard)]) {
    if (options.tools.includes(tool.name)) pi.registerTool(tool);
  }

  let calls = 0;
  pi.on("tool_call", async () => {
    calls += 1;
    if (calls > options.maximumToolCalls) {
      return { block: true, reason: `The limit of ${options.maximumToolCalls} tool calls is reached.` };
    }
    return undefined;
  });
  pi.on("user_bash", async () => ({
    result: { output: "Commands are not available.", exitCode: 1, cancelled: false, truncated: false },
  }));
  pi.on("session_start", async (_event, ctx) => {
    const active = pi.getActiveTools();
    const own = pi.getAllTools().filter((tool) => !["builtin", "sdk"].includes(tool.sourceInfo.source));
    const status = {
      root: guard.root,
      active: [...active].sort(),
      own: own.map((tool) => tool.name).sort(),
    };
    ctx.ui.setStatus(STATUS_KEY, JSON.stringify(status));
  });
}
