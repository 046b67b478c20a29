// The process-wide slot of the session that can show dialogs. Every session of a Pi process loads this file anew, so what
// they share hangs on globalThis. Its key is the one the public checkpoint-bridge uses.

const HOLDER = Symbol.for("checkpoint-bridge:host-claim");
const COUNTER = Symbol.for("checkpoint-bridge:requests");

/** The host that can be asked now, or null. Looked up at call time: hosts come and go while a sub-agent works. */
export function currentHost() {
  const holder = globalThis[HOLDER];
  return typeof holder?.ask === "function" ? holder : null;
}

/** Put `host` into the slot. The one before is closed: its dialogs belong to a session that is no longer shown. */
export function takeSlot(host) {
  const before = globalThis[HOLDER];
  globalThis[HOLDER] = host;
  if (before && before !== host) before.close?.();
}

/** Close `host`, and free the slot when it is still the holder; holders are compared by identity. */
export function leaveSlot(host) {
  if (globalThis[HOLDER] === host) delete globalThis[HOLDER];
  host.close();
}

/** An id for a call, unique in this process over all sessions. */
export function nextRequestId() {
  globalThis[COUNTER] = (globalThis[COUNTER] ?? 0) + 1;
  return `checkpoint-bridge:${process.pid}:${globalThis[COUNTER]}`;
}
