import { keeperLimits } from './protocol.ts'

const prefixBytes = 8

/** One message as bytes: the lengths of header and payload (32 bits each, big-endian), the header as JSON, the payload. */
export function frame(message: object, payload: Uint8Array = new Uint8Array()): Buffer {
  const header = JSON.stringify(message)
  const bytes = Buffer.allocUnsafeSlow(prefixBytes + Buffer.byteLength(header) + payload.length)
  const at = writeHeader(bytes, 0, header, payload.length)
  bytes.set(payload, at)
  return bytes
}

/** Writes a frame up to its payload into `target`, and gives where the payload belongs. */
export function writeHeader(target: Buffer, at: number, header: string, payloadLength: number): number {
  const headerLength = target.write(header, at + prefixBytes)
  target.writeUInt32BE(headerLength, at)
  target.writeUInt32BE(payloadLength, at + 4)
  return at + prefixBytes + headerLength
}

/** Puts frames together again from bytes that arrive split anywhere. */
export class FrameReader<Message> {
  readonly #onFrame: (message: Message, payload: Buffer) => void
  /** The beginning of a frame whose end did not come yet. */
  #partial = Buffer.alloc(0)
  #length = 0

  constructor(onFrame: (message: Message, payload: Buffer) => void) {
    this.#onFrame = onFrame
  }

  /** Keeps nothing of `bytes`, and what it hands on is a copy. Throws when they are no frames. */
  read(bytes: Buffer): void {
    if (this.#length > 0) this.#keepRest(bytes)
    const all = this.#length > 0 ? this.#partial.subarray(0, this.#length) : bytes
    const rest = this.#decodeAll(all)
    this.#length = 0
    this.#keepRest(rest)
  }

  #decodeAll(all: Buffer): Buffer {
    let rest = all
    for (;;) {
      const length = lengthOfFirst(rest)
      if (length === undefined || length > rest.length) return rest
      const [message, payload] = decode<Message>(rest.subarray(0, length))
      rest = rest.subarray(length)
      this.#onFrame(message, payload)
    }
  }

  #keepRest(bytes: Buffer): void {
    const length = this.#length + bytes.length
    if (length > this.#partial.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, this.#partial.length * 2))
      larger.set(this.#partial.subarray(0, this.#length))
      this.#partial = larger
    }
    // `bytes` may be the end of what is held; `set` copies that rightly.
    this.#partial.set(bytes, this.#length)
    this.#length = length
  }
}

function lengthOfFirst(bytes: Buffer): number | undefined {
  if (bytes.length < prefixBytes) return undefined
  const [header, payload] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)]
  if (header > keeperLimits.headerBytes || payload > keeperLimits.payloadBytes)
    throw new Error(`not a frame: header of ${header} bytes, payload of ${payload} bytes`)
  return prefixBytes + header + payload
}

/** Both ends are ours and the socket is in a folder of our own, so the shape of a message is believed. */
function decode<Message>(bytes: Buffer): [Message, Buffer] {
  const behindHeader = prefixBytes + bytes.readUInt32BE(0)
  const message: unknown = JSON.parse(bytes.toString('utf8', prefixBytes, behindHeader))
  if (typeof message !== 'object' || message === null || !('is' in message)) throw new Error('not a message')
  // Memory of its own, not a share of the runtime's pool: whoever takes the payload can free it at once.
  const payload = Buffer.allocUnsafeSlow(bytes.length - behindHeader)
  payload.set(bytes.subarray(behindHeader))
  return [message as Message, payload]
}
