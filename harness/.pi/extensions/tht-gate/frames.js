// Frames of `tht worker` (docs/contracts.md, section 3): 4-byte big-endian length, one type byte, the payload; the length
// counts the type byte. Pure.

import { encodeJson } from "./text.js";

const HEADER_BYTES = 4;
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
const JSON_FRAME = "J".charCodeAt(0);

/** One JSON frame. */
export function encodeFrame(document) {
  const payload = Buffer.from(encodeJson(document), "utf8");
  const frame = Buffer.allocUnsafe(HEADER_BYTES + 1 + payload.length);
  frame.writeUInt32BE(payload.length + 1, 0);
  frame[HEADER_BYTES] = JSON_FRAME;
  payload.copy(frame, HEADER_BYTES + 1);
  return frame;
}

/** Collects chunks; `push` gives the JSON documents that are complete. Frames of raw bytes are skipped. */
export class FrameReader {
  #chunks = [];
  #size = 0;

  push(chunk) {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const documents = [];
    for (let frame = this.#take(); frame; frame = this.#take()) {
      if (frame[0] === JSON_FRAME) documents.push(JSON.parse(frame.toString("utf8", 1)));
    }
    return documents;
  }

  #take() {
    if (this.#size < HEADER_BYTES) return null;
    // Joined only when a whole frame is there: joining at every chunk is quadratic in the size of a large frame.
    if (this.#chunks[0].length < HEADER_BYTES) this.#join();
    const length = this.#chunks[0].readUInt32BE(0);
    if (length < 1 || length > MAX_FRAME_BYTES) throw new Error(`tht worker sent a frame of ${length} bytes`);
    if (this.#size < HEADER_BYTES + length) return null;
    const all = this.#join();
    const rest = all.subarray(HEADER_BYTES + length);
    this.#chunks = rest.length ? [rest] : [];
    this.#size = rest.length;
    return all.subarray(HEADER_BYTES, HEADER_BYTES + length);
  }

  #join() {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}
