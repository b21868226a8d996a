/**
 * Frees the memory of bytes that nobody will look at again, if it is all theirs; what shares it with something else stays.
 * V8 does not hurry with memory outside its heap, and looks through all of its own to find it.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}

/**
 * Like `free`, and of all else that is in the same memory too: whoever calls it knows that nobody will look at that. What
 * may be a pool of the runtime, in which there are things of everybody, stays.
 */
export function freeAround({ buffer }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.detached || buffer.byteLength === Buffer.poolSize) return
  buffer.transfer(0)
}
