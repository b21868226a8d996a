import { createCipheriv, createSecretKey, type KeyObject, randomFillSync } from 'node:crypto'
import type { Connection } from 'ssh2'

/** Where ssh2 keeps the keys that it uses anew for each packet. */
const places = { _cipher: ['_encKey', '_macKey'], _decipher: ['_decipherKey', '_macKey'] } as const

/**
 * Makes the packets of a connection cheap. Keys are kept as objects: given bytes, Node finds out for every packet, by
 * throwing twice, that they are no object, which takes a quarter of the time of a transfer. And a packet of AES-GCM, which
 * most clients choose, leaves in one piece. Nothing else changes, and where ssh2 keeps things elsewhere nothing happens.
 */
export function makePacketsCheap(client: Connection): void {
  const protocol: unknown = Reflect.get(client, '_protocol')
  for (const [side, names] of Object.entries(places)) {
    const crypt = fieldOf(protocol, side)
    for (const name of names) {
      const key = fieldOf(crypt, name)
      if (isObject(crypt) && Buffer.isBuffer(key)) Reflect.set(crypt, name, createSecretKey(key))
    }
  }
  const cipher = fieldOf(protocol, '_cipher')
  if (!isGcm(cipher)) return
  cipher.allocPacket = newPacket
  cipher.encrypt = encrypt
}

/** What of ssh2's cipher is used and replaced. */
interface Gcm {
  readonly _encSSLName: 'aes-128-gcm' | 'aes-256-gcm'
  readonly _encKey: KeyObject
  readonly _encIV: Buffer
  readonly _onWrite: (bytes: Buffer) => void
  readonly _dead: boolean
  outSeqno: number
  allocPacket(payload: number): Buffer
  encrypt(packet: Buffer): void
}

function isGcm(cipher: unknown): cipher is Gcm {
  const name = fieldOf(cipher, '_encSSLName')
  const [iv, write, number] = [fieldOf(cipher, '_encIV'), fieldOf(cipher, '_onWrite'), fieldOf(cipher, 'outSeqno')]
  const isKnown = (name === 'aes-128-gcm' || name === 'aes-256-gcm') && fieldOf(cipher, '_dead') === false
  return isKnown && Buffer.isBuffer(iv) && iv.length === 12 && typeof write === 'function' && typeof number === 'number'
}

const blockBytes = 16
const tagBytes = 16
/** Behind the length of the packet stands that of the padding. */
const headBytes = 5

/** A packet with room for what it carries, its lengths, and padding that nobody can guess. */
function newPacket(payload: number): Buffer {
  const open = blockBytes - ((1 + payload) % blockBytes)
  const padding = open < 4 ? open + blockBytes : open
  const packet = Buffer.allocUnsafe(headBytes + payload + padding)
  packet.writeUInt32BE(1 + payload + padding, 0)
  packet[4] = padding
  chance(padding).copy(packet, headBytes + payload)
  return packet
}

/** A larger packet is dearer to copy than to send in pieces. */
const copiedBytes = 8 * 1024

function encrypt(this: Gcm, packet: Buffer): void {
  if (this._dead) return
  const length = packet.subarray(0, 4)
  const cipher = createCipheriv(this._encSSLName, this._encKey, this._encIV)
  cipher.setAAD(length)
  const body = cipher.update(packet.subarray(4))
  cipher.final()
  const tag = cipher.getAuthTag()
  if (packet.length > copiedBytes) for (const piece of [length, body, tag]) this._onWrite(piece)
  else {
    const whole = Buffer.allocUnsafe(packet.length + tagBytes)
    length.copy(whole)
    body.copy(whole, 4)
    tag.copy(whole, packet.length)
    this._onWrite(whole)
  }
  countUp(this._encIV)
  this.outSeqno = (this.outSeqno + 1) >>> 0
}

/** The last eight bytes count the packets; no two may have the same. */
function countUp(iv: Buffer): void {
  for (let at = 11; at >= 4; at--) {
    const next = ((iv[at] ?? 0) + 1) & 0xff
    iv[at] = next
    if (next !== 0) return
  }
}

/** Chance is dear in small pieces; each is used once. */
const pool = Buffer.alloc(4096)
let used = pool.length

function chance(bytes: number): Buffer {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.subarray(used - bytes, used)
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const fieldOf = (of: unknown, name: string): unknown => (isObject(of) ? Reflect.get(of, name) : undefined)
