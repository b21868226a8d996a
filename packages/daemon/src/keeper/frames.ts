import { keeperLimits } from './protocol.ts'

const prefixBytes = 8

/** One message as bytes: the lengths of header and payload (32 bits each, big-endian), the header as JSON, the payload. */
export function frame(message: object, payload: Uint8Array = new Uint8Array()): Buffer {
  const header = Buffer.from(JSON.stringify(message))
  const bytes = Buffer.allocUnsafeSlow(prefixBytes + header.length + payload.length)
  bytes.writeUInt32BE(header.length, 0)
  bytes.writeUInt32BE(payload.length, 4)
  bytes.set(header, prefixBytes)
  bytes.set(payload, prefixBytes + header.length)
  return bytes
}

/** Puts frames together again from bytes that arrive split anywhere. */
export class FrameReader<Message> {
  readonly #onFrame: (message: Message, payload: Buffer) => void
  #held: Buffer = Buffer.alloc(0)

  constructor(onFrame: (message: Message, payload: Buffer) => void) {
    this.#onFrame = onFrame
  }

  /** Takes over nothing of `bytes`: they may be reused afterwards. Throws when they are no frames. */
  read(bytes: Uint8Array): void {
    let rest = this.#held.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#held, bytes])
    for (;;) {
      const length = lengthOfFirst(rest)
      if (length === undefined || length > rest.length) break
      const [message, payload] = open<Message>(rest.subarray(0, length))
      rest = rest.subarray(length)
      this.#onFrame(message, payload)
    }
    this.#held = rest
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
function open<Message>(bytes: Buffer): [Message, Buffer] {
  const behindHeader = prefixBytes + bytes.readUInt32BE(0)
  const message: unknown = JSON.parse(bytes.toString('utf8', prefixBytes, behindHeader))
  if (typeof message !== 'object' || message === null || !('is' in message)) throw new Error('not a message')
  return [message as Message, bytes.subarray(behindHeader)]
}
