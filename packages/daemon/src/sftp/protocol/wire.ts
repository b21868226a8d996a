import { isUtf8 } from 'node:buffer'
import type { BufferPools } from './buffer-pools.ts'

/** Packets of the SFTP protocol, version 3 (draft-ietf-secsh-filexfer-02), and the extensions of OpenSSH. */

export const requests = {
  init: 1,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  fstat: 8,
  setstat: 9,
  fsetstat: 10,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  rmdir: 15,
  realpath: 16,
  stat: 17,
  rename: 18,
  readlink: 19,
  symlink: 20,
  extended: 200,
} as const

export const responses = {
  version: 2,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  attrs: 105,
  extendedReply: 201,
} as const

export const statuses = {
  ok: 0,
  eof: 1,
  noSuchFile: 2,
  permissionDenied: 3,
  failure: 4,
  badMessage: 5,
  opUnsupported: 8,
} as const
export type Status = (typeof statuses)[keyof typeof statuses]

/** Flags of OPEN. */
export const openFlags = { read: 1, write: 2, append: 4, create: 8, truncate: 16, exclusive: 32 } as const

/** A packet that violates the protocol. */
export class ProtocolError extends Error {
  override readonly name = 'Malformed'
}

/** Maximum packet size and maximum data per packet, the same as OpenSSH's. */
export const packetBytes = 256 * 1024
export const dataBytes = 255 * 1024

/** A packet: its type and body. */
export interface Packet {
  readonly type: number
  readonly body: Buffer
  /** The buffer to release when the body is not needed any more. */
  readonly memory: Buffer
}

/** Splits channel data into packets. Buffers at most one packet. */
export class PacketFramer {
  readonly #memory: Pick<BufferPools, 'acquire'>
  readonly #length = Buffer.alloc(4)
  #lengthBytes = 0
  #packet: Buffer | undefined
  #bytes = 0
  #filled = 0

  constructor(memory: Pick<BufferPools, 'acquire'>) {
    this.#memory = memory
  }

  /** Returns the completed packets. Throws ProtocolError for one that is empty or too long. */
  push(chunk: Buffer): Packet[] {
    const whole: Packet[] = []
    let at = 0
    while (at < chunk.length) {
      if (!this.#packet) {
        const isWhole = this.#lengthBytes === 0 && chunk.length - at >= 4
        const taken = isWhole ? 4 : chunk.copy(this.#length, this.#lengthBytes, at, at + 4 - this.#lengthBytes)
        this.#lengthBytes += taken
        at += taken
        if (this.#lengthBytes < 4) break
        this.#bytes = isWhole ? chunk.readUInt32BE(at - 4) : this.#length.readUInt32BE()
        if (this.#bytes === 0 || this.#bytes > packetBytes) throw new ProtocolError('The packet length is invalid.')
        this.#packet = this.#memory.acquire(this.#bytes)
      }
      // Data is copied: its many small buffers should be garbage-collected while young.
      const taken = chunk.copy(this.#packet, this.#filled, at, at + this.#bytes - this.#filled)
      this.#filled += taken
      at += taken
      if (this.#filled < this.#bytes) break
      const memory = this.#packet
      whole.push({ type: memory[0] ?? 0, body: memory.subarray(1, this.#bytes), memory })
      this.#packet = undefined
      this.#lengthBytes = 0
      this.#filled = 0
    }
    return whole
  }
}

/** Reads the fields of a packet in order. Throws ProtocolError when they are missing. */
export class Fields {
  readonly #body: Buffer
  #at = 0

  constructor({ body }: Pick<Packet, 'body'>) {
    this.#body = body
  }

  u32(): number {
    return this.#readBytes(4).readUInt32BE()
  }

  /** A safe integer; files are not larger. */
  u64(): number {
    const value = this.#readBytes(8).readBigUInt64BE()
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ProtocolError('A number is too large.')
    return Number(value)
  }

  /** Length-prefixed bytes. Bytes after the last field are ignored: rclone sends more than it declares. */
  string(): Buffer {
    return this.#readBytes(this.u32())
  }

  /** A path. Invalid UTF-8 cannot name any file. */
  text(): string {
    const bytes = this.string()
    if (!isUtf8(bytes)) throw new ProtocolError('A name is not valid UTF-8.')
    return bytes.toString('utf8')
  }

  #readBytes(length: number): Buffer {
    if (this.#at + length > this.#body.length) throw new ProtocolError('The packet ends too early.')
    const bytes = this.#body.subarray(this.#at, this.#at + length)
    this.#at += length
    return bytes
  }
}

/** Writes the fields of a packet after its length and type. */
export class PacketWriter {
  #bytes: Buffer
  #at = 5

  constructor(type: number, expected = 256) {
    this.#bytes = Buffer.allocUnsafe(expected)
    this.#bytes[4] = type
  }

  get length(): number {
    return this.#at
  }

  u32(value: number): this {
    this.#capacity(4)
    this.#at = this.#bytes.writeUInt32BE(value, this.#at)
    return this
  }

  u64(value: number | bigint): this {
    this.#capacity(8)
    this.#at = this.#bytes.writeBigUInt64BE(BigInt(value), this.#at)
    return this
  }

  string(value: string | Buffer): this {
    const length = Buffer.byteLength(value)
    this.#capacity(4 + length)
    this.#at = this.#bytes.writeUInt32BE(length, this.#at)
    if (typeof value === 'string') this.#at += this.#bytes.write(value, this.#at)
    else this.#at += value.copy(this.#bytes, this.#at)
    return this
  }

  /** Appends another writer's bytes without its length and type. */
  append(other: PacketWriter): this {
    const bytes = other.#bytes.subarray(5, other.#at)
    this.#capacity(bytes.length)
    this.#at += bytes.copy(this.#bytes, this.#at)
    return this
  }

  packet(): Buffer {
    this.#bytes.writeUInt32BE(this.#at - 4, 0)
    return this.#bytes.subarray(0, this.#at)
  }

  #capacity(minBytes: number): void {
    if (this.#at + minBytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#at + minBytes, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}

export function statusPacket(id: number, status: Status, message: string): Buffer {
  return new PacketWriter(responses.status).u32(id).u32(status).string(message).string('en').packet()
}

export function handlePacket(id: number, handle: number): Buffer {
  return new PacketWriter(responses.handle).u32(id).u32(4).u32(handle).packet()
}

/** Size of the DATA header. */
export const dataHeaderBytes = 13

/** Completes a buffer whose data begins at `dataHeaderBytes`. */
export function dataPacket(bytes: Buffer, id: number, length: number): Buffer {
  bytes.writeUInt32BE(9 + length, 0)
  bytes[4] = responses.data
  bytes.writeUInt32BE(id, 5)
  bytes.writeUInt32BE(length, 9)
  return bytes.subarray(0, dataHeaderBytes + length)
}

/** Supported extensions of version 3, announced in VERSION. */
const extensions = {
  'posix-rename@openssh.com': '1',
  'statvfs@openssh.com': '2',
  'fstatvfs@openssh.com': '2',
  'fsync@openssh.com': '1',
  'limits@openssh.com': '1',
} as const
export type Extension = keyof typeof extensions

export function isExtension(name: string): name is Extension {
  return Object.hasOwn(extensions, name)
}

export function versionPacket(): Buffer {
  const writer = new PacketWriter(responses.version).u32(3)
  for (const [name, version] of Object.entries(extensions)) writer.string(name).string(version)
  return writer.packet()
}
