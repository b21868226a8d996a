import { availableParallelism } from 'node:os'
import { limits } from '@innkeeper/contract/limits'
import { KeptThread } from '../../workers/kept-thread.ts'
import { errorOf } from '../../workers/problem.ts'
import { giveWay } from '../../workers/step-back.ts'
import { BlockDeflater } from './block-deflater.ts'
import { blockBytes, takeBlock } from './block-memory.ts'
import type { Deflated, Done, Efforts, ToDeflate } from './deflate-job.ts'

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
 * Deflates in threads that step back for everything else on the machine: in the pool of the runtime it would hold up whoever
 * reads a file, and the console. What these have no room for is deflated by the thread that asks, which is one as well and
 * has little else to do. They are begun when they are needed, and ended when they were not for a while.
 */
class DeflateThreads {
  readonly #most: number
  readonly #waiting: Asked[] = []
  readonly #threads = new Set<DeflateThread>()
  readonly #here = new DeflateHere(() => this.#handOut())

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
    for (let place = this.#freest(); place; place = this.#freest()) {
      const next = this.#waiting.shift()
      if (!next) return
      place.ask(next)
    }
  }

  /** One that takes more; a new one rather than one that is at work, and this one when there is no other. */
  #freest(): DeflateThread | DeflateHere | undefined {
    if (this.#waiting.length === 0) return undefined
    const [freest] = [...this.#threads].toSorted((one, other) => one.asked - other.asked)
    if (freest?.asked === 0) return freest
    if (this.#threads.size < this.#most) return this.#begin()
    if (freest && freest.asked < places) return freest
    // Others have enough to go on with meanwhile, while nothing is handed to them.
    return this.#here.asked === 0 && this.#waiting.length > places ? this.#here : undefined
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

/** What is asked, with the place where its bytes stand or come to stand. */
interface Placed extends Asked {
  readonly place: number
}

/** Memory for some blocks that threads share: what is sent the runtime would take for memory that is made anew each time. */
class SharedBlocks {
  readonly memory: SharedArrayBuffer
  readonly #free: number[]

  constructor(blocks: number) {
    this.memory = new SharedArrayBuffer(blocks * blockBytes)
    this.#free = Array.from({ length: blocks }, (_, place) => place)
  }

  /** Only while there is one. */
  place(asked: Asked): { readonly placed: Placed; readonly wanted: ToDeflate } {
    const { source, efforts } = asked
    const { length } = source
    const place = this.#free.pop() ?? 0
    const isFile = 'fd' in source
    if (!isFile) this.#at(place, length).set(source)
    return { placed: { ...asked, place }, wanted: { place, length, fd: isFile ? source.fd : undefined, efforts } }
  }

  tell(asked: Placed, answer: Deflated): void {
    if ('problem' in answer) asked.reject(errorOf(answer.problem))
    else asked.resolve({ ...answer, bytes: this.#bytesOf(asked, answer) })
    this.#free.push(asked.place)
  }

  #bytesOf({ source, place }: Placed, { packed, size }: Done): Uint8Array {
    if (packed === undefined && !('fd' in source)) return source
    const bytes = takeBlock().subarray(0, packed ?? size)
    bytes.set(this.#at(place, bytes.length))
    return bytes
  }

  #at(place: number, length: number): Uint8Array {
    return new Uint8Array(this.memory, place * blockBytes, length)
  }
}

/** This thread, for one block at a time. */
class DeflateHere {
  readonly #answered: () => void
  readonly #blocks = new SharedBlocks(1)
  #deflater: BlockDeflater | undefined
  asked = 0

  constructor(answered: () => void) {
    this.#answered = answered
  }

  /** Only while nothing is asked. */
  ask(asked: Asked): void {
    const { placed, wanted } = this.#blocks.place(asked)
    this.#deflater ??= new BlockDeflater(this.#blocks.memory)
    const answering = this.#deflater.answer(wanted)
    this.asked = 1
    const goOn = () => {
      const step = answering.next()
      if (!step.done) {
        giveWay()
        // Whatever else this thread has to do goes first.
        setImmediate(goOn)
        return
      }
      this.#blocks.tell(placed, step.value)
      this.asked = 0
      this.#answered()
    }
    setImmediate(goOn)
  }
}

interface Listener {
  readonly answered: () => void
  readonly ended: () => void
}

class DeflateThread {
  readonly #thread: KeptThread<ToDeflate, Deflated>
  readonly #listener: Listener
  readonly #blocks = new SharedBlocks(places)
  readonly #asked: Placed[] = []

  constructor(listener: Listener) {
    this.#listener = listener
    const heard = (answer: Deflated) => this.#hear(answer)
    const ended = (error: unknown) => this.#end(error)
    this.#thread = new KeptThread(
      new URL('./deflate-worker.ts', import.meta.url),
      { heard, ended },
      {
        data: this.#blocks.memory,
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
    const { placed, wanted } = this.#blocks.place(asked)
    this.#asked.push(placed)
    this.#thread.ask(wanted)
  }

  #hear(answer: Deflated): void {
    const asked = this.#asked.shift()
    if (!asked) return
    this.#blocks.tell(asked, answer)
    this.#listener.answered()
    if (this.#asked.length === 0) this.#thread.rest()
  }

  #end(error: unknown): void {
    this.#listener.ended()
    for (const asked of this.#asked.splice(0)) asked.reject(error)
    this.#listener.answered()
  }
}

const processors = Math.min(availableParallelism(), limits.deflateThreads)
/** With few of them one is for the thread that asks; with more there is seldom so much waiting that it has to. */
const most = processors > 3 ? processors : Math.max(1, processors - 1)

export const deflateThreads = new DeflateThreads(most)
