import { readChunkBytes } from '../../files/read/bytes.ts'
import { writeBufferBytes } from '../../files/write/buffered-file-writer.ts'
import { SftpStatusError } from '../protocol/status-error.ts'
import { dataBytes, Fields, type Packet, ProtocolError, requests } from '../protocol/wire.ts'
import type { Handles, OpenFile } from './handles.ts'
import { fileOfHandle } from './operations.ts'

export interface Request {
  readonly packet: Packet
  readonly id: number
}

/** A read or write of a range of an open file. */
interface FileRange extends Request {
  readonly open: OpenFile
  readonly offset: number
  readonly length: number
}

export type Read = FileRange

export interface Write extends FileRange {
  readonly data: Buffer
}

/** Maximum number and size of queued requests; beyond them the client is not read. */
const maxRequests = 512
const maxQueuedBytes = 2 * 1024 * 1024

/** Requests that were not handled yet, in order. */
export class RequestQueue {
  readonly #handles: Handles
  readonly #waiting: Request[] = []
  #bytes = 0

  constructor(handles: Handles) {
    this.#handles = handles
  }

  get first(): Request | undefined {
    return this.#waiting[0]
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  get hasSeveral(): boolean {
    return this.#waiting.length > 1
  }

  get isFull(): boolean {
    return this.#waiting.length >= maxRequests || this.#bytes >= maxQueuedBytes
  }

  /** Throws ProtocolError when the packet has no request id. */
  add(packet: Packet): void {
    this.#waiting.push({ packet, id: new Fields(packet).u32() })
    this.#bytes += packet.body.length
  }

  shift(): Request | undefined {
    const first = this.#waiting.shift()
    this.#bytes -= first?.packet.body.length ?? 0
    return first
  }

  clear(): void {
    this.#waiting.length = 0
    this.#bytes = 0
  }

  /** Throws SftpStatusError for an invalid handle, or ProtocolError. */
  parseRead({ packet, id }: Request): Read {
    const fields = new Fields(packet)
    fields.u32()
    const open = fileOfHandle(this.#handles, fields)
    return { packet, id, open, offset: fields.u64(), length: Math.min(fields.u32(), dataBytes) }
  }

  /** Throws SftpStatusError for an invalid handle, or ProtocolError. */
  parseWrite({ packet, id }: Request): Write {
    const fields = new Fields(packet)
    fields.u32()
    const open = fileOfHandle(this.#handles, fields)
    const offset = fields.u64()
    const data = fields.string()
    return { packet, id, open, offset, data, length: data.length }
  }

  /** Removes and returns the consecutive reads of one file at the front of the queue, including `first`. */
  readsFrom(first: Read): Read[] {
    return this.#run(first, requests.read, (next) => this.parseRead(next), readChunkBytes)
  }

  /** Removes and returns the consecutive writes of one file at the front of the queue, including `first`. */
  writesFrom(first: Write): Write[] {
    return this.#run(first, requests.write, (next) => this.parseWrite(next), writeBufferBytes)
  }

  #run<P extends FileRange>(first: P, type: number, parse: (request: Request) => P, bytes: number): P[] {
    const run = [first]
    let last = first
    for (let left = bytes - first.length; ; left -= last.length) {
      const next = this.first
      if (next?.packet.type !== type) return run
      const part = undefinedIfInvalid(() => parse(next))
      if (part?.open !== first.open || part.offset !== last.offset + last.length || part.length > left) return run
      this.shift()
      run.push(part)
      last = part
    }
  }
}

/** undefined for an invalid request: it is answered when it is first. */
function undefinedIfInvalid<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof SftpStatusError || error instanceof ProtocolError) return undefined
    throw error
  }
}
