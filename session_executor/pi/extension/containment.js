// Which paths a tool may touch: inside the worktree, no Git metadata under any of its names, no way out
// through a symlink, regular files only. Not an OS sandbox: a hostile local process could race these checks.

import { constants } from "node:fs";
import { lstat, mkdir, open, realpath } from "node:fs/promises";
import path from "node:path";

export const MAXIMUM_WRITE_BYTES = 16 * 1024 * 1024;
export const MAXIMUM_READ_BYTES = 64 * 1024 * 1024;

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** True for every spelling of `.git` that some file system or git itself takes for it. */
export function isGitMetadataName(segment) {
  const plain = segment.normalize("NFKC").replace(IGNORABLE, "").split(":", 1)[0];
  const name = plain.replace(/[. ]+$/u, "").toLowerCase();
  return name === ".git" || /^git~\d+$/u.test(name);
}

/** Guards every path against one worktree; `submodules` are relative paths whose content git would drop. */
export class Containment {
  constructor(root, submodules = []) {
    this.root = root;
    this.submodules = submodules;
  }

  /** The path relative to the root, refused when it is outside or names Git metadata. */
  relative(absolute) {
    const relative = path.relative(this.root, absolute);
    if (relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) {
      throw new Error("The path is outside the worktree.");
    }
    // A backslash separates too: git refuses such names everywhere, for the sake of Windows.
    if (relative.split(/[/\\]/u).some(isGitMetadataName)) {
      throw new Error("Git metadata cannot be accessed.");
    }
    return relative;
  }

  /** The real path and whether something is there; nothing on the way may lead out of the worktree. */
  async resolve(absolute) {
    if (absolute.includes("\0")) throw new Error("The path holds a NUL.");
    const segments = this.relative(path.resolve(absolute)).split(path.sep).filter(Boolean);
    let current = this.root;
    for (const [index, segment] of segments.entries()) {
      const next = path.join(current, segment);
      const found = await lstatOrNothing(next);
      if (!found) return this.#checked(path.join(current, ...segments.slice(index)), false);
      current = found.isSymbolicLink() ? await this.#target(next) : next;
    }
    return this.#checked(current, true);
  }

  async #target(link) {
    let target;
    try {
      target = await realpath(link);
    } catch {
      throw new Error("The path follows a symlink that leads nowhere.");
    }
    this.relative(target);
    return target;
  }

  #checked(real, exists) {
    const relative = this.relative(real);
    if (this.submodules.some((name) => relative === name || relative.startsWith(`${name}/`))) {
      throw new Error("The path is in a submodule, whose content is not part of this repository.");
    }
    return { real, relative, exists };
  }

  /** Open an existing regular file of at most `limit` bytes. */
  async open(absolute, flags, limit = Number.POSITIVE_INFINITY) {
    const { real, relative } = await this.resolve(absolute);
    const handle = await open(real, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o666);
    try {
      const status = await handle.stat();
      if (!status.isFile()) throw new Error("The path is not a regular file.");
      if (status.size > limit) throw new Error(`The file has more than ${limit} bytes.`);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return { handle, real, relative };
  }

  async read(absolute, limit = MAXIMUM_READ_BYTES) {
    const { handle } = await this.open(absolute, constants.O_RDONLY, limit);
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  }

  /** Bytes that are not UTF-8 would be replaced all over the file by an edit. */
  async readText(absolute) {
    const data = await this.read(absolute, MAXIMUM_WRITE_BYTES);
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(data);
    } catch {
      throw new Error("The file is not UTF-8 text, so it cannot be edited.");
    }
    return data;
  }

  async *stream(absolute) {
    const { handle } = await this.open(absolute, constants.O_RDONLY);
    try {
      yield* handle.createReadStream({ autoClose: false });
    } finally {
      await handle.close();
    }
  }

  /** Write a file and return its path relative to the root; `create` allows a new one. */
  async write(absolute, text, { create }) {
    const data = Buffer.from(text, "utf8");
    if (data.length > MAXIMUM_WRITE_BYTES) {
      throw new Error(`At most ${MAXIMUM_WRITE_BYTES} bytes can be written to one file.`);
    }
    const flags = constants.O_WRONLY | (create ? constants.O_CREAT : 0);
    const { handle, relative } = await this.open(absolute, flags);
    try {
      await handle.truncate(0);
      await handle.writeFile(data);
    } finally {
      await handle.close();
    }
    return relative;
  }

  async makeDirectory(absolute) {
    const { real } = await this.resolve(absolute);
    await mkdir(real, { recursive: true });
    await this.resolve(absolute);
  }

  /** A file or symlink named by its own name: the parent is resolved, the last segment is not followed. */
  async entry(absolute) {
    const resolved = path.resolve(absolute);
    this.relative(resolved);
    const parent = await this.resolve(path.dirname(resolved));
    const { real, relative } = this.#checked(path.join(parent.real, path.basename(resolved)), true);
    return { real, relative, status: await lstatOrNothing(real) };
  }
}

async function lstatOrNothing(file) {
  try {
    return await lstat(file);
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
