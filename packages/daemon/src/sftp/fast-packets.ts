import { createSecretKey, randomFillSync } from 'node:crypto'
import type { Logger } from 'pino'
import type { Connection } from 'ssh2'
import { Gcm, type GcmName, nonceBytes, tagBytes } from './gcm.ts'
import { fieldOf, isObject } from './inside-ssh2.ts'
import { whyNoOpenSsl } from './openssl.ts'

/** Where ssh2 keeps the keys that it uses anew for each packet. */
const places = { _cipher: ['_encKey', '_macKey'], _decipher: ['_decipherKey', '_macKey'] } as const

/**
 * Makes the packets of a connection cheap, from its last exchange of keys on. Those of AES-GCM, which most clients choose,
 * are sealed and opened here: with one cipher for all of them, and each in one piece. For other ciphers keys are kept as
 * objects: given bytes, Node finds out for every packet, by throwing twice, that they are no object, which takes a quarter
 * of the time of a transfer. Nothing else changes, and where ssh2 keeps things elsewhere nothing happens.
 */
export function makePacketsCheap(client: Connection, log: Logger): void {
  const protocol: unknown = Reflect.get(client, '_protocol')
  const [cipher, decipher] = [fieldOf(protocol, '_cipher'), fieldOf(protocol, '_decipher')]
  const seal = isGcmCipher(cipher) && Gcm.with(cipher._encSSLName, 'seal', cipher._encKey)
  if (seal) sealHere(cipher, seal)
  const open = isGcmDecipher(decipher) && Gcm.with(decipher._decipherSSLName, 'open', decipher._decipherKey)
  if (open) openHere(decipher, open)
  const why = whyNoOpenSsl()
  if (why) log.debug({ err: why }, 'packets are left to Node.js, which is slower')
  for (const [side, names] of Object.entries(places)) {
    const crypt = fieldOf(protocol, side)
    for (const name of names) {
      const key = fieldOf(crypt, name)
      if (isObject(crypt) && Buffer.isBuffer(key)) Reflect.set(crypt, name, createSecretKey(key))
    }
  }
}

/** What of ssh2's ciphers is used and replaced. ssh2 frees each when it has another, and when the connection ends. */
interface Crypt {
  free(): void
}

interface GcmCipher extends Crypt {
  readonly _encSSLName: GcmName
  readonly _encKey: Buffer
  readonly _encIV: Buffer
  readonly _onWrite: (bytes: Buffer) => void
  outSeqno: number
  allocPacket(payload: number): Buffer
  encrypt(packet: Buffer): void
}

interface GcmDecipher extends Crypt {
  readonly _decipherSSLName: GcmName
  readonly _decipherKey: Buffer
  readonly _decipherIV: Buffer
  /** Anything but `undefined` ends the reading: another decipher goes on behind this packet, or where a number says. */
  readonly _onPayload: (payload: Buffer) => number | false | undefined
  inSeqno: number
  decrypt(data: Buffer, from: number, to: number): number | undefined
}

function isGcmCipher(cipher: unknown): cipher is GcmCipher {
  const isKnown = isGcm(fieldOf(cipher, '_encSSLName'), fieldOf(cipher, '_encKey'), fieldOf(cipher, '_encIV'))
  const [write, number] = [fieldOf(cipher, '_onWrite'), fieldOf(cipher, 'outSeqno')]
  return isKnown && typeof write === 'function' && typeof number === 'number' && fieldOf(cipher, '_dead') === false
}

function isGcmDecipher(decipher: unknown): decipher is GcmDecipher {
  const parts = ['_decipherSSLName', '_decipherKey', '_decipherIV'].map((name) => fieldOf(decipher, name))
  const [take, number] = [fieldOf(decipher, '_onPayload'), fieldOf(decipher, 'inSeqno')]
  // One that has begun with a packet has to end it.
  const isNew = fieldOf(decipher, '_lenBytes') === 0
  return isGcm(...parts) && typeof take === 'function' && typeof number === 'number' && isNew
}

function isGcm(name?: unknown, key?: unknown, nonce?: unknown): boolean {
  const isKnown = name === 'aes-128-gcm' || name === 'aes-256-gcm'
  return isKnown && Buffer.isBuffer(key) && Buffer.isBuffer(nonce) && nonce.length === nonceBytes
}

/** Before a packet stands how long it is, and then how much padding it has (RFC 4253, 6; RFC 5647, 7). */
const lengthBytes = 4
const headBytes = lengthBytes + 1
const blockBytes = 16
/** What ssh2 takes at most, all in all: as much as every SSH has to take. */
const packetBytesMost = 35_000

function sealHere(cipher: GcmCipher, gcm: Gcm): void {
  let isOver = false
  cipher.allocPacket = newPacket
  cipher.encrypt = (packet) => {
    if (isOver) return
    const end = packet.length - tagBytes
    const body = packet.subarray(lengthBytes, end)
    gcm.begin(cipher._encIV, packet.subarray(0, lengthBytes))
    gcm.turn(body, body)
    gcm.seal(packet.subarray(end))
    countUp(cipher._encIV)
    cipher.outSeqno = (cipher.outSeqno + 1) >>> 0
    cipher._onWrite(packet)
  }
  cipher.free = () => {
    isOver = true
    gcm.free()
  }
}

/** A packet with room for what it carries, its lengths, padding that nobody can guess, and its tag. */
function newPacket(payload: number): Buffer {
  const open = blockBytes - ((1 + payload) % blockBytes)
  const padding = open < 4 ? open + blockBytes : open
  const packet = Buffer.allocUnsafe(headBytes + payload + padding + tagBytes)
  packet.writeUInt32BE(1 + payload + padding, 0)
  packet[lengthBytes] = padding
  chance(padding).copy(packet, headBytes + payload)
  return packet
}

/** Packets come cut anywhere; what there is of one is opened at once, and told when its tag is right. */
function openHere(decipher: GcmDecipher, gcm: Gcm): void {
  let isOver = false
  const [length, tag] = [Buffer.alloc(lengthBytes), Buffer.alloc(tagBytes)]
  let body = Buffer.alloc(0)
  /** How much has come of each. */
  let [ofLength, ofBody, ofTag] = [0, 0, 0]

  /** More may come before the connection has ended: nothing of it is looked at. */
  function refuse(what: string): never {
    decipher.free()
    throw new Error(what)
  }

  function begin(): void {
    const bytes = length.readUInt32BE(0)
    const isPossible = bytes >= blockBytes && bytes % blockBytes === 0
    if (!isPossible || lengthBytes + bytes + tagBytes > packetBytesMost) refuse(`a packet of ${bytes} bytes`)
    gcm.begin(decipher._decipherIV, length)
    body = Buffer.allocUnsafe(bytes)
  }

  /** What the packet carried, without its padding. */
  function end(): Buffer {
    if (!gcm.isWhole(tag)) refuse('a packet that was changed on its way')
    const padding = body[0] ?? 0
    if (padding >= body.length) refuse('a packet of padding alone')
    countUp(decipher._decipherIV)
    decipher.inSeqno = (decipher.inSeqno + 1) >>> 0
    ofLength = 0
    ofBody = 0
    ofTag = 0
    return body.subarray(1, body.length - padding)
  }

  decipher.decrypt = (data, from, to) => {
    let at = from
    while (at < to && !isOver) {
      if (ofLength < lengthBytes) {
        const some = data.copy(length, ofLength, at, to)
        at += some
        ofLength += some
        if (ofLength < lengthBytes) return undefined
        begin()
      }
      const piece = data.subarray(at, Math.min(to, at + body.length - ofBody))
      gcm.turn(piece, body.subarray(ofBody))
      at += piece.length
      ofBody += piece.length
      if (ofBody < body.length) return undefined
      const some = data.copy(tag, ofTag, at, to)
      at += some
      ofTag += some
      if (ofTag < tagBytes) return undefined
      const next = decipher._onPayload(end())
      if (next !== undefined) return next === false ? at : next
    }
    return undefined
  }
  decipher.free = () => {
    isOver = true
    gcm.free()
  }
}

/** The last eight bytes count the packets; no two may have the same. */
function countUp(nonce: Buffer): void {
  for (let at = nonceBytes - 1; at >= 4; at--) {
    const next = ((nonce[at] ?? 0) + 1) & 0xff
    nonce[at] = next
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
