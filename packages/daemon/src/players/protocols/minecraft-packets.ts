/** A packet with its length. */
export const toPacket = (content: Buffer): Buffer => Buffer.concat([toVarInt(content.length), content])

/** 7 bits in each byte, the lowest first. */
export function toVarInt(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}

/** Undefined when the number is not complete. */
export function readVarInt(from: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0
  for (let at = 0; at < 5; at++) {
    const byte = from[start + at]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * 2 ** (7 * at)
    if (byte < 0x80) return { value, end: start + at + 1 }
  }
  throw new Error('a number is too long')
}
