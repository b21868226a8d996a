import type { ServerMessage } from '@innkeeper/contract/servers/live'
import type { SharedBuffer } from './shared-buffer.ts'
import { charBoundary } from './utf8-stream-decoder.ts'

/** A piece of console output, as bytes or, once a viewer has requested it, as the JSON text of its message. */
export class Frame {
  readonly from: number
  readonly to: number
  /** When it was printed, in epoch seconds with decimals; increases with every frame. */
  readonly epoch: number
  #bytes: Buffer | undefined
  #block: SharedBuffer | undefined
  #message: Buffer | undefined

  /** `block` is the memory of `bytes`, if it is shared. */
  constructor(from: number, epoch: number, bytes: Buffer, block?: SharedBuffer) {
    this.from = from
    this.to = from + bytes.length
    this.epoch = epoch
    this.#bytes = bytes
    this.#block = block
    block?.retain()
  }

  /** Releases shared memory. A dropped frame must not be read again. */
  drop(): void {
    this.#releaseBytes()
  }

  /** Memory usage in bytes. */
  get memoryBytes(): number {
    return (this.#bytes ?? this.#message)?.length ?? 0
  }

  /** The message for viewers, encoded once for all of them. */
  get message(): Buffer {
    this.#message ??= this.#encode()
    return this.#message
  }

  get text(): string {
    if (this.#bytes) return this.#bytes.toString('utf8')
    const { data } = JSON.parse((this.#message as Buffer).toString('utf8')) as Extract<
      ServerMessage,
      { type: 'console' }
    >
    return data.logs.join('')
  }

  /** Returns the part after a position. */
  after(position: number): Frame {
    const bytes = Buffer.from(this.text)
    const cut = charBoundary(bytes, Math.max(0, position - this.from))
    return new Frame(this.from + cut, this.epoch, bytes.subarray(cut))
  }

  #encode(): Buffer {
    const { text, epoch, from, to } = this
    const data = { logs: [text], epoch: Math.floor(epoch), from, to }
    const message: ServerMessage = { type: 'console', data }
    this.#releaseBytes()
    return Buffer.from(JSON.stringify(message))
  }

  #releaseBytes(): void {
    this.#bytes = undefined
    this.#block?.release()
    this.#block = undefined
  }
}
