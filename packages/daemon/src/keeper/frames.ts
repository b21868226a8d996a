import { keeperLimits } from './protocol.ts'

const prefixBytes = 8

/**
 * Encodes one message: the lengths of header and payload (32 bits each, big-endian), the header as JSON, the payload.
 */
export function frame(message: object, payload: Uint8Array = new Uint8Array()): Buffer {
  const header = JSON.stringify(message)
  const bytes = Buffer.allocUnsafeSlow(prefixBytes + Buffer.byteLength(header) + payload.length)
  const at = writeHeader(bytes, 0, header, payload.length)
  bytes.set(payload, at)
  return bytes
}

/** Writes a frame without its payload into `target`. Returns the offset for the payload. */
export function writeHeader(target: Buffer, at: number, header: string, payloadLength: number): number {
  const headerLength = target.write(header, at + prefixBytes)
  target.writeUInt32BE(headerLength, at)
  target.writeUInt32BE(payloadLength, at + 4)
  return at + prefixBytes + headerLength
}

/** Decodes frames from a byte stream. */
export class FrameReader<Message> {
  readonly #onFrame: (message: Message, payload: Buffer) => void
  /** The start of an incomplete frame. */
  #partial = Buffer.alloc(0)
  #length = 0

  constructor(onFrame: (message: Message, payload: Buffer) => void) {
    this.#onFrame = onFrame
  }

  /** Keeps no reference to `bytes`; payloads are copies. Throws on an invalid frame. */
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
    // `bytes` may be a slice of the same buffer; `set` handles the overlap.
    this.#partial.set(bytes, this.#length)
    this.#length = length
  }
}

function lengthOfFirst(bytes: Buffer): number | undefined {
  if (bytes.length < prefixBytes) return undefined
  const [header, payload] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)]
  if (header > keeperLimits.headerBytes || payload > keeperLimits.payloadBytes)
    throw new Error(`invalid frame: header of ${header} bytes, payload of ${payload} bytes`)
  return prefixBytes + header + payload
}

/** Not validated: both ends are our own programs, and the socket is in a private directory. */
function decode<Message>(bytes: Buffer): [Message, Buffer] {
  const behindHeader = prefixBytes + bytes.readUInt32BE(0)
  const message: unknown = JSON.parse(bytes.toString('utf8', prefixBytes, behindHeader))
  if (typeof message !== 'object' || message === null || !('is' in message)) throw new Error('invalid message')
  // Not from Node's buffer pool, so that the receiver can free the payload at once.
  const payload = Buffer.allocUnsafeSlow(bytes.length - behindHeader)
  payload.set(bytes.subarray(behindHeader))
  return [message as Message, payload]
}
