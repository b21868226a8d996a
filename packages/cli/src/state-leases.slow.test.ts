import { EventEmitter } from 'node:events'
import type { ServerUsage } from '@innkeeper/contract/servers/servers'
import { StateStreams } from '@innkeeper/daemon/http/live/state-streams'
import { NodeStates } from '@innkeeper/panel/nodes/client/node-states'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

/*
 * A model of a node and its panels, with connections that delay, stop and break. States are numbers that grow. Whatever
 * the order of events, a panel shows at least the number of the last action that was answered.
 */

const id = '0a0a0a0a'
const log = pino({ level: 'silent' })

/** With the timers of the test. */
const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

/** Numbers that are the same in each run with a seed. */
class Random {
  #seed: number

  constructor(seed: number) {
    this.#seed = seed + 1
  }

  /** An integer from 0 to below `limit`. */
  next(limit: number): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647
    return this.#seed % limit
  }
}

/** One side of a connection, like a WebSocket of `ws`. */
class End extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  readonly bufferedAmount = 0
  other!: End
  readonly #link: Link
  readonly #answersPings: boolean

  constructor(link: Link, answersPings: boolean) {
    super()
    this.#link = link
    this.#answersPings = answersPings
  }

  send(data: string): void {
    this.#transmit('message', Buffer.from(data))
  }

  ping(data: string): void {
    this.#transmit('ping', Buffer.from(data))
  }

  pong(data: Buffer): void {
    this.#transmit('pong', data)
  }

  resume(): void {}

  close(): void {
    this.#transmit('end', Buffer.alloc(0))
    this.closed(1000)
  }

  terminate(): void {
    this.#link.isBroken = true
    this.closed(1006)
  }

  closed(code: number): void {
    if (this.readyState !== this.OPEN) return
    this.readyState = 3
    this.emit('close', code, Buffer.alloc(0))
  }

  #transmit(event: string, data: Buffer): void {
    if (this.readyState !== this.OPEN) return
    void this.#link.carry(this, () => {
      const { other } = this
      if (other.readyState !== this.OPEN) return
      if (event === 'end') return other.closed(1000)
      if (event === 'ping' && other.#answersPings) other.pong(data)
      other.emit(event, data)
    })
  }
}

/** A connection that delivers in order, late, and not at all while it is cut. */
class Link {
  readonly panelEnd: End
  readonly nodeEnd: End
  isBroken = false
  cutUntil = 0
  readonly #random: Random
  readonly #order = new Map<End, Promise<void>>()

  constructor(random: Random) {
    this.#random = random
    this.panelEnd = new End(this, false)
    this.nodeEnd = new End(this, true)
    this.panelEnd.other = this.nodeEnd
    this.nodeEnd.other = this.panelEnd
  }

  async carry(from: End, deliver: () => void): Promise<void> {
    const before = this.#order.get(from)
    const arrival = pause(this.#random.next(10) === 0 ? this.#random.next(2_000) : this.#random.next(20))
    const carried = (async () => {
      await Promise.all([before, arrival])
      while (performance.now() < this.cutUntil) await pause(this.cutUntil - performance.now())
      if (!this.isBroken) deliver()
    })()
    this.#order.set(from, carried)
    await carried
  }
}

class Node {
  readonly streams: StateStreams
  number = 0
  readonly #listeners = new Set<() => void>()

  constructor() {
    const getServers = () => [{ id, usage: toUsage(this.number) }]
    const servers = {
      get servers() {
        return getServers() as never
      },
      onChange: (listener: () => void) => {
        this.#listeners.add(listener)
        return () => this.#listeners.delete(listener)
      },
    }
    this.streams = new StateStreams({ servers, games: { look: () => {} }, log })
  }

  /** Like a request: changes the state, and returns its number when the request is answered. */
  async act(): Promise<number> {
    const number = ++this.number
    for (const listener of this.#listeners) listener()
    await this.streams.confirm()
    return number
  }
}

/** The number is in the time since which a server is in its state. */
const toUsage = (number: number): ServerUsage => ({
  id,
  status: { running: true, installing: false, state: 'online', since: new Date(number).toISOString() },
})

const getNumber = (usage: ServerUsage | undefined): number => Date.parse(usage?.status?.since ?? '')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

interface Outcome {
  readonly answers: number
  readonly reads: number
}

async function run(seed: number): Promise<Outcome> {
  const random = new Random(seed)
  const node = new Node()
  const links: Link[] = []
  const panels = Array.from({ length: 2 }, () => {
    return new NodeStates(async () => {
      const link = new Link(random)
      links.push(link)
      node.streams.add(link.nodeEnd as never)
      return link.panelEnd as never
    })
  })
  let [answered, answers, reads] = [0, 0, 0]
  for (let step = 0; step < 400; step++) {
    switch (random.next(20)) {
      case 0:
        void node.act().then((number) => {
          answered = Math.max(answered, number)
          answers++
        })
        break
      case 1: {
        const link = links.at(-1 - random.next(2))
        if (link && random.next(4) === 0) link.cutUntil = performance.now() + random.next(8_000)
        break
      }
      case 2: {
        // Only one side sees that it broke.
        const link = links.at(-1 - random.next(2))
        if (link && random.next(8) === 0) (random.next(2) === 0 ? link.nodeEnd : link.panelEnd).terminate()
        break
      }
      default:
        for (const panel of panels) {
          const known = panel.find(id)
          if (!known) continue
          reads++
          expect(getNumber(known.usage), `seed ${seed}, step ${step}`).toBeGreaterThanOrEqual(answered)
        }
    }
    await vi.advanceTimersByTimeAsync(random.next(10) === 0 ? random.next(1_500) : random.next(50))
  }
  await vi.advanceTimersByTimeAsync(20_000)
  await node.streams.close()
  for (const link of links) link.panelEnd.close()
  return { answers, reads }
}

test('no order of actions, delays and broken connections shows a state from before an answered action', async () => {
  let [answers, reads] = [0, 0]
  for (let seed = 0; seed < 30; seed++) {
    const outcome = await run(seed)
    answers += outcome.answers
    reads += outcome.reads
  }

  expect(answers).toBeGreaterThan(300)
  expect(reads).toBeGreaterThan(5_000)
})
