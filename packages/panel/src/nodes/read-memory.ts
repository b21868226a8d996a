import type { Socket } from 'node:net'
import { limits } from '@innkeeper/contract/limits'
import { buildConnector } from 'undici'
import { lettingGo } from './relay.ts'

/** What is kept for the next reads; more passes at a time take new memory. */
const keptBuffers = 32

/**
 * The memory that connections to a node read into. Whoever passes on what was read gives its memory back, and the next
 * read uses it: to take new memory for every part of a large file costs more than to pass it on. What is not given back
 * is collected as everything is.
 */
export class ReadMemory {
  readonly #free: Buffer[] = []
  /** How much of it was read, by memory that is in use. */
  readonly #read = new WeakMap<ArrayBufferLike, number>()

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(limits.relayReadBytes)
  }

  /** What was read into memory that was taken. */
  filled({ buffer }: Uint8Array, bytes: number): Buffer {
    this.#read.set(buffer, bytes)
    return Buffer.from(buffer, 0, bytes)
  }

  /** Of a chunk that nobody looks at any more. */
  giveBack({ buffer, byteLength }: Uint8Array): void {
    // Beside a part of a read there are other parts, which somebody may still need.
    if (this.#read.get(buffer) !== byteLength) return
    this.#read.delete(buffer)
    if (this.#free.length < keptBuffers) this.#free.push(Buffer.from(buffer))
  }
}

/** Opens connections to a socket that read into that memory. */
export function connectorWith(memory: ReadMemory, path: string): buildConnector.connector {
  return (options, callback) => {
    let socket: Socket | undefined
    const connect = buildConnector({
      path,
      timeout: limits.nodeUsageMs,
      onread: {
        buffer: () => memory.take(),
        // As the runtime does it with memory of its own.
        callback: (bytes, buffer) => socket?.push(memory.filled(buffer, bytes)) ?? false,
      },
    })
    connect(options, (...[error, opened]) => {
      if (error) return callback(error, null)
      socket = lettingGo(opened)
      callback(null, socket)
    })
  }
}
