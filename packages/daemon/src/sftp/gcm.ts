import { type Context, type OpenSsl, openSsl } from './openssl.ts'

/** Bytes of the key of each cipher. */
const keyBytes = { 'aes-128-gcm': 16, 'aes-256-gcm': 32 } as const

export type GcmName = keyof typeof keyBytes

/** Bytes of the tag behind a packet, and of the nonce of each. */
export const [tagBytes, nonceBytes] = [16, 12] as const

/** OpenSSL's words for the two ways, and for the way that it has already. */
const directions = { seal: 1, open: 0 } as const
const asBefore = -1

/** `EVP_CTRL_AEAD_GET_TAG` and `EVP_CTRL_AEAD_SET_TAG`. */
const [getTag, setTag] = [0x10, 0x11] as const

/**
 * AES-GCM with one key, for one packet after the other. It keeps what OpenSSL made of the key: Node.js offers a cipher for
 * a single message only, and to make one and forget it takes several times as long as to use it.
 *
 * OpenSSL believes what it is told of lengths. Each is looked at here before OpenSSL hears of it.
 */
export class Gcm {
  readonly #ssl: OpenSsl
  readonly #direction: keyof typeof directions
  #context: Context | undefined

  private constructor(ssl: OpenSsl, direction: keyof typeof directions) {
    this.#ssl = ssl
    this.#direction = direction
    this.#context = ssl.newContext() || undefined
  }

  /** `undefined` where OpenSSL cannot be called, or does not have this cipher. Whoever has one frees it. */
  static with(name: GcmName, direction: keyof typeof directions, key: Uint8Array): Gcm | undefined {
    const ssl = openSsl()
    if (!ssl) return undefined
    lengthIs(key, keyBytes[name])
    const gcm = new Gcm(ssl, direction)
    const cipher = name === 'aes-128-gcm' ? ssl.aes128Gcm() : ssl.aes256Gcm()
    if (ssl.init(gcm.#held, cipher, null, key, null, directions[direction]) === 1) return gcm
    gcm.free()
    return undefined
  }

  /** Begins a packet. What stands before it in the open is guarded as well. */
  begin(nonce: Uint8Array, open: Uint8Array): void {
    lengthIs(nonce, nonceBytes)
    worked(this.#ssl.init(this.#held, null, null, null, nonce, asBefore))
    worked(this.#ssl.update(this.#held, null, written, open, open.length))
  }

  /** Turns some more bytes of the packet into as many others, at the start of `to`. */
  turn(from: Uint8Array, to: Uint8Array): void {
    if (to.length < from.length) throw new RangeError(`${from.length} bytes need more room than ${to.length}`)
    if (from.length > 0) worked(this.#ssl.update(this.#held, to, written, from, from.length))
  }

  /** Ends a packet that is sealed, and writes its tag. */
  seal(tag: Uint8Array): void {
    if (this.#direction !== 'seal') throw new Error('what this opens it cannot seal')
    lengthIs(tag, tagBytes)
    worked(this.#ssl.final(this.#held, nothing, written))
    worked(this.#ssl.control(this.#held, getTag, tagBytes, tag))
  }

  /** Ends a packet that is opened: whether it is what was sealed. Until then nothing of it may be believed. */
  isWhole(tag: Uint8Array): boolean {
    if (this.#direction !== 'open') throw new Error('what this seals it cannot open')
    lengthIs(tag, tagBytes)
    worked(this.#ssl.control(this.#held, setTag, tagBytes, tag))
    return this.#ssl.final(this.#held, nothing, written) === 1
  }

  /** Forgets the key. All else fails afterwards. */
  free(): void {
    if (this.#context !== undefined) this.#ssl.freeContext(this.#context)
    this.#context = undefined
  }

  get #held(): Context {
    if (this.#context === undefined) throw new Error('this cipher is no more')
    return this.#context
  }
}

/** Where OpenSSL says how much it wrote, which is known; and room for what it writes at an end, which is nothing. */
const written = new Int32Array(1)
const nothing = new Uint8Array(tagBytes)

function worked(answer: number): void {
  if (answer !== 1) throw new Error('OpenSSL refused')
}

function lengthIs(bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw new RangeError(`${bytes.length} bytes instead of ${length}`)
}
