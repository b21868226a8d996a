import { availableParallelism } from 'node:os'
import { limits } from '@innkeeper/contract/limits'
import { KeptThread } from '../threads/kept-thread.ts'
import { errorOf, type Problem } from '../threads/problem.ts'
import { blockBytes, takeBlock } from './block-memory.ts'

/** How hard repetition is looked for, and how far back, as a power of two bytes. */
export interface Effort {
  readonly level: number
  readonly windowBits: number
}

/** Each lesser than the one before: the last one is taken that packs about as well as the first. */
export type Efforts = readonly [Effort, ...Effort[]]

/** What a thread is asked. */
export interface ToDeflate {
  /** Which block of the memory that it shares with us the bytes are in, or are to be. */
  readonly place: number
  readonly length: number
  /** A file to read the bytes from, from its beginning; there may be fewer by now. */
  readonly fd: number | undefined
  readonly efforts: Efforts
}

/** What it answers, in the order in which it was asked. */
export type Deflated = Done | { readonly problem: Problem }

interface Done {
  /** How many bytes there were, and their checksum if they were read from a file. */
  readonly size: number
  readonly crc: number
  /** How many stand in that place now; `undefined` when deflating does not make them fewer, and they stand there. */
  readonly packed: number | undefined
  readonly effort: Effort
}

/** At most a block of bytes that stay as they are, or of a file that stays open, until they are answered for. */
export type Source = Uint8Array | { readonly fd: number; readonly length: number }

/** What became of them: their own bytes, or others in the memory of a block. */
interface Told extends Done {
  readonly bytes: Uint8Array
}

interface Asked extends PromiseWithResolvers<Told> {
  readonly source: Source
  readonly efforts: Efforts
}

/** One that it works on, and what it goes on with: it never waits for us. */
const places = 2

/**
 * Deflates in threads of its own, which step back for everything else on the machine: in the pool of the runtime it would
 * hold up whoever reads a file, and the console. They are begun when they are needed, and ended when they were not for a
 * while.
 */
class DeflateThreads {
  readonly #most: number
  readonly #waiting: Asked[] = []
  readonly #threads = new Set<DeflateThread>()

  constructor(most: number) {
    this.#most = most
  }

  /** @throws what the system says when a file cannot be read. */
  async deflate(source: Source, efforts: Efforts): Promise<Told> {
    const asked: Asked = { source, efforts, ...Promise.withResolvers<Told>() }
    this.#waiting.push(asked)
    this.#handOut()
    return await asked.promise
  }

  #handOut(): void {
    for (let thread = this.#freest(); thread; thread = this.#freest()) {
      const next = this.#waiting.shift()
      if (!next) return
      thread.ask(next)
    }
  }

  /** One that takes more; a new one rather than one that is at work. */
  #freest(): DeflateThread | undefined {
    if (this.#waiting.length === 0) return undefined
    const [freest] = [...this.#threads].toSorted((one, other) => one.asked - other.asked)
    if (freest?.asked === 0) return freest
    if (this.#threads.size < this.#most) return this.#begin()
    return freest && freest.asked < places ? freest : undefined
  }

  #begin(): DeflateThread {
    const thread = new DeflateThread({
      answered: () => this.#handOut(),
      ended: () => this.#threads.delete(thread),
    })
    this.#threads.add(thread)
    return thread
  }
}

interface Listener {
  readonly answered: () => void
  readonly ended: () => void
}

class DeflateThread {
  readonly #thread: KeptThread<ToDeflate, Deflated>
  readonly #listener: Listener
  /** Shared, not sent: the runtime would take what is sent for memory that is made anew each time. */
  readonly #memory = new SharedArrayBuffer(places * blockBytes)
  readonly #free = Array.from({ length: places }, (_, place) => place)
  readonly #asked: (Asked & { readonly place: number })[] = []

  constructor(listener: Listener) {
    this.#listener = listener
    const heard = (answer: Deflated) => this.#hear(answer)
    const ended = (error: unknown) => this.#end(error)
    this.#thread = new KeptThread(
      new URL('./deflate-worker.ts', import.meta.url),
      { heard, ended },
      {
        data: this.#memory,
        heap: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 3 },
      },
    )
  }

  /** How much it has to do. */
  get asked(): number {
    return this.#asked.length
  }

  /** Only while it has fewer to do than there are places. */
  ask(asked: Asked): void {
    const { source, efforts } = asked
    const { length } = source
    const place = this.#free.pop() ?? 0
    this.#asked.push({ ...asked, place })
    const isFile = 'fd' in source
    if (!isFile) this.#at(place, length).set(source)
    const fd = isFile ? source.fd : undefined
    this.#thread.ask({ place, length, fd, efforts })
  }

  #hear(answer: Deflated): void {
    const asked = this.#asked.shift()
    if (!asked) return
    if ('problem' in answer) asked.reject(errorOf(answer.problem))
    else asked.resolve({ ...answer, bytes: this.#bytesOf(asked, answer) })
    this.#free.push(asked.place)
    this.#listener.answered()
    if (this.#asked.length === 0) this.#thread.rest()
  }

  #bytesOf({ source, place }: Asked & { readonly place: number }, { packed, size }: Done): Uint8Array {
    if (packed === undefined && !('fd' in source)) return source
    const bytes = takeBlock().subarray(0, packed ?? size)
    bytes.set(this.#at(place, bytes.length))
    return bytes
  }

  #at(place: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory, place * blockBytes, length)
  }

  #end(error: unknown): void {
    this.#listener.ended()
    for (const asked of this.#asked.splice(0)) asked.reject(error)
    this.#listener.answered()
  }
}

export const deflateThreads = new DeflateThreads(Math.min(availableParallelism(), limits.deflateThreads))
