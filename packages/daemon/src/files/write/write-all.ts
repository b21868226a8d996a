import type { FileHandle } from 'node:fs/promises'

/** Writes all parts one after the other. A full disk accepts a part and reports the error with the next write. */
export async function writeAll(file: FileHandle, parts: readonly Uint8Array[], offset: number): Promise<void> {
  const size = parts.reduce((sum, { length }) => sum + length, 0)
  if (size === 0) return
  let { bytesWritten: at } = await file.writev(parts, offset)
  if (at >= size) return
  const whole = Buffer.concat(parts)
  while (at < size) at += (await file.write(whole, at, size - at, offset + at)).bytesWritten
}
