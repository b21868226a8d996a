import { limits } from '@innkeeper/contract/limits'
import { dataBytes, Fields, type Packet, ProtocolError, requests } from '../protocol/wire.ts'
import type { Handles, OpenFile } from './handles.ts'
import { fileOfHandle, SftpStatusError } from './operations.ts'

export interface Request {
  readonly packet: Packet
  readonly id: number
}

/** A part of an open file that is asked for, or brought. */
interface FileRange extends Request {
  readonly open: OpenFile
  readonly offset: number
  readonly length: number
}

export type Read = FileRange

export interface Write extends FileRange {
  readonly data: Buffer
}

/** Requests that wait are few: a client that sends more is not read any further. */
const maxRequests = 512
const maxQueuedBytes = 2 * 1024 * 1024

/** What a client asked and was not served yet, in its order. */
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

  /** @throws Malformed when the packet has no number. */
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

  /** @throws Declined when no such file is open, or Malformed. */
  readOf({ packet, id }: Request): Read {
    const fields = new Fields(packet)
    fields.u32()
    const open = fileOfHandle(this.#handles, fields)
    return { packet, id, open, offset: fields.u64(), length: Math.min(fields.u32(), dataBytes) }
  }

  /** @throws Declined when no such file is open, or Malformed. */
  writeOf({ packet, id }: Request): Write {
    const fields = new Fields(packet)
    fields.u32()
    const open = fileOfHandle(this.#handles, fields)
    const offset = fields.u64()
    const data = fields.string()
    return { packet, id, open, offset, data, length: data.length }
  }

  /** Takes reads out as long as each goes on where the one before ends; says which, with the one that they follow. */
  readsFrom(first: Read): Read[] {
    return this.#run(first, requests.read, (next) => this.readOf(next), limits.fileReadBytes)
  }

  /** Takes writes out as long as each goes on where the one before ends; says which, with the one that they follow. */
  writesFrom(first: Write): Write[] {
    return this.#run(first, requests.write, (next) => this.writeOf(next), limits.fileWriteBytes)
  }

  #run<P extends FileRange>(first: P, type: number, partOf: (request: Request) => P, bytes: number): P[] {
    const run = [first]
    let last = first
    for (let left = bytes - first.length; ; left -= last.length) {
      const next = this.first
      if (next?.packet.type !== type) return run
      const part = undefinedIfInvalid(() => partOf(next))
      if (part?.open !== first.open || part.offset !== last.offset + last.length || part.length > left) return run
      this.shift()
      run.push(part)
      last = part
    }
  }
}

/** `undefined` for a request that is refused: it is answered when it comes first. */
function undefinedIfInvalid<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof SftpStatusError || error instanceof ProtocolError) return undefined
    throw error
  }
}
