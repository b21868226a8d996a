import { login } from '@innkeeper/contract/auth'
import { limits } from '@innkeeper/contract/limits'
import { getSelf } from '@innkeeper/contract/panel'
import { connect } from '@innkeeper/panel/database/database'
import type { Database } from '@innkeeper/panel/database/schema'
import { type Drill, until } from '../stage/drill.ts'
import { Client } from './client.ts'
import { Load, Probe } from './load.ts'
import type { TwoPanels } from './panels.ts'

const backWithinMs = 15_000
const workers = 4

/** People who work while a database server dies, and what must hold afterwards. */
export class Outage {
  readonly #drill: Drill
  readonly #kind: string
  readonly #panels: TwoPanels
  readonly #people: readonly Client[]
  readonly #probing: readonly Client[]
  readonly #node: number
  readonly #loads: Load[] = []

  private constructor(drill: Drill, kind: string, panels: TwoPanels, people: readonly Client[], node: number) {
    this.#drill = drill
    this.#kind = kind
    this.#panels = panels
    this.#people = people.slice(0, workers)
    this.#probing = people.slice(workers)
    this.#node = node
  }

  /** Sets up people, mail and a node. */
  static async prepare(drill: Drill, kind: string, panels: TwoPanels): Promise<Outage> {
    const admin = await panels.administrator()
    const people = await panels.people(admin, workers + panels.urls.length)
    return new Outage(drill, kind, panels, people, await panels.node(admin))
  }

  /** Everything that must hold while and after something `happens` under load. */
  async show(what: string, happens: () => Promise<void>): Promise<void> {
    const title = (claim: string) => `${this.#kind}: ${what}: ${claim}`
    const guessed = `guess-${this.#loads.length}@example.org`
    const before = limits.loginAttempts - 4
    await this.#guess(guessed, before)

    const load = new Load(this.#people, this.#node, `r${this.#loads.length + 1}w`)
    this.#loads.push(load)
    const probes = this.#panels.urls.map((url, at) => new Probe(this.#clientFor(at).at(url), `probe-${at}`))
    await until('there is load', () => load.acknowledged > 60)
    const [from, acknowledged] = [performance.now(), load.acknowledged]
    await happens()
    let back = Number.POSITIVE_INFINITY
    await until(
      'every panel writes again',
      () => {
        const isBack = probes.every(({ last }) => last > from + 1_000)
        if (isBack) back = performance.now() - from
        return isBack
      },
      { withinMs: 60_000 },
    ).catch(() => {})
    await until('there is load again', () => load.acknowledged > acknowledged + 60, { withinMs: 60_000 })
    const gaps = await Promise.all(probes.map((probe) => probe.stop()))
    await load.stop()

    const longest = Math.max(...gaps)
    await this.#drill.show(title('every panel writes again within 15 s'), async () => {
      if (!Number.isFinite(back) || longest > backWithinMs) throw new Error(`it took ${seconds(longest)}`)
      return `longest time without a write: ${gaps.map(seconds).join(' and ')}`
    })
    await this.#drill.show(title('people hear nothing but "later", and both panels are ready'), async () => {
      if (load.wrong.length > 0) throw new Error([...new Set(load.wrong)].join(', '))
      await until('both panels are ready', () => this.#panels.areReady())
      return `${load.acknowledged} writes acknowledged, ${load.refused} sent away for a moment`
    })
    await this.#drill.show(title('who was logged in is, on both'), async () => {
      for (const url of this.#panels.urls) for (const person of this.#people) await person.at(url).must(getSelf, {})
    })
    await this.#drill.show(title('wrong passwords are counted on from before'), async () => {
      const replies = await this.#guess(guessed, limits.loginAttempts - before + 1)
      const expected = [...Array<number>(limits.loginAttempts - before).fill(400), 429]
      if (replies.join() !== expected.join())
        throw new Error(`answered ${replies.join()} instead of ${expected.join()}`)
    })
  }

  /** What must be in the database, and in people's mailboxes. */
  async showWhatIsThere(url: string): Promise<void> {
    const db = connect(url)
    try {
      await this.#drill.show(`${this.#kind}: every acknowledged write is there`, async () => {
        const lost = (await Promise.all(this.#loads.map((load) => load.lostIn(db)))).flat()
        if (lost.length > 0) throw new Error(`${lost.length} lost: ${lost.slice(0, 5).join('; ')}`)
        const count = this.#loads.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
        return `${count} of ${count}`
      })
      await this.#drill.show(`${this.#kind}: no server is known that was refused`, () => this.#noGhosts(db))
      await this.#drill.show(`${this.#kind}: every mail was sent once`, () => this.#mailsOnce(db))
    } finally {
      await db.destroy()
    }
  }

  async #noGhosts(db: Database): Promise<string> {
    const made = new Set(this.#loads.flatMap((load) => [...load.written.servers.keys()]))
    let ghosts: string[] = []
    await until(
      'what was refused is taken back',
      async () => {
        const rows = await db.selectFrom('servers').select('name').execute()
        ghosts = rows.map(({ name }) => name).filter((name) => !made.has(name))
        return ghosts.length === 0
      },
      { withinMs: limits.rollbackDeadlineMs },
    ).catch(() => {
      throw new Error(`nobody was told of ${ghosts.join(', ')}`)
    })
    return `${made.size} servers`
  }

  async #mailsOnce(db: Database): Promise<string> {
    // What a panel had just taken when it lost its database goes to another when its time is over.
    await until(
      'the queue is empty',
      async () => {
        const waiting = await db.selectFrom('mails').select('id').where('state', 'in', ['waiting', 'sending']).execute()
        return waiting.length === 0
      },
      { withinMs: limits.mailLeaseMs + 60_000, everyMs: 1_000 },
    )
    const rows = await db.selectFrom('mails').select(['id', 'state']).execute()
    const failed = rows.filter(({ state }) => state !== 'sent')
    const got = this.#panels.mail.received.map(({ headers }) => headers['message-id'] ?? '')
    const twice = got.filter((id, at) => got.indexOf(id) !== at)
    if (failed.length > 0) throw new Error(`${failed.length} were not sent`)
    if (twice.length > 0) throw new Error(`${twice.length} were sent twice`)
    if (got.length !== rows.length) throw new Error(`${rows.length} in the queue, ${got.length} delivered`)
    return `${got.length} of ${rows.length}`
  }

  async #guess(email: string, times: number): Promise<number[]> {
    const replies = []
    for (let at = 0; at < times; at++) {
      const url = this.#panels.urls[at % this.#panels.urls.length] ?? ''
      const { status } = await new Client(url).send(login, { body: { email, password: 'not the right one' } })
      replies.push(status)
    }
    return replies
  }

  #clientFor(at: number): Client {
    const client = this.#probing[at]
    if (!client) throw new Error('there are too few people')
    return client
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
