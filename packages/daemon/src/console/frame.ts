import type { ServerMessage } from '@innkeeper/contract/live'
import { type Block, freeLarge } from './blocks.ts'
import { charBoundary } from './utf8.ts'

/** A message that is on its way to a viewer. */
export interface Lent {
  readonly message: Buffer
  giveBack(): void
}

/** A piece of console output: as its bytes, or, once a viewer wanted it, as the JSON text of its message. */
export class Frame {
  readonly from: number
  readonly to: number
  /** When it was printed, epoch seconds with decimals; later frames have larger ones. */
  readonly epoch: number
  #bytes: Buffer | undefined
  #block: Block | undefined
  #message: Buffer | undefined
  #lent = 0
  #isDropped = false

  /** `block` is the memory that holds `bytes`, if it is shared. */
  constructor(from: number, epoch: number, bytes: Buffer, block?: Block) {
    this.from = from
    this.to = from + bytes.length
    this.epoch = epoch
    this.#bytes = bytes
    this.#block = block
    block?.hold()
  }

  /** Gives its memory back as soon as nobody sends it any more: nobody will ask for it again. */
  drop(): void {
    this.#isDropped = true
    this.#releaseBytes()
    this.#freeMessage()
  }

  /** The memory it takes. */
  get weight(): number {
    return (this.#bytes ?? this.#message)?.length ?? 0
  }

  /** The message for a viewer, encoded once; what is lent must be given back. */
  lend(): Lent {
    this.#message ??= this.#encode()
    this.#lent++
    return {
      message: this.#message,
      giveBack: () => {
        this.#lent--
        this.#freeMessage()
      },
    }
  }

  get text(): string {
    if (this.#bytes) return this.#bytes.toString('utf8')
    const { data } = JSON.parse((this.#message as Buffer).toString('utf8')) as Extract<
      ServerMessage,
      { type: 'console' }
    >
    return data.logs.join('')
  }

  /** The part from a position on. */
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

  #freeMessage(): void {
    if (this.#message && this.#isDropped && this.#lent === 0) freeLarge(this.#message)
  }
}
