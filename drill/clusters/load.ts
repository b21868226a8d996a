import { createInvite } from '@innkeeper/contract/invites'
import { putUserSetting } from '@innkeeper/contract/panel'
import { createServer } from '@innkeeper/contract/servers'
import { createUser } from '@innkeeper/contract/users'
import type { Database } from '@innkeeper/panel/database/schema'
import { type Client, isWorthAnotherTry, type Reply } from './client.ts'

/** In two rounds less than one person may cause within an hour. */
const mostMails = 40

type What = 'users' | 'invites' | 'user_settings' | 'servers'

/** People at work who remember every write that was acknowledged, and ask again for what was not. */
export class Load {
  /** By the name that tells a row from all others. */
  readonly written: Readonly<Record<What, Map<string, string>>> = {
    users: new Map(),
    invites: new Map(),
    user_settings: new Map(),
    servers: new Map(),
  }
  /** Answers that nobody should get, whatever fails. */
  readonly wrong: string[] = []
  acknowledged = 0
  /** How often somebody was told to come again. */
  refused = 0
  readonly #node: number
  readonly #stopping = new AbortController()
  readonly #working: Promise<unknown>

  /** Each client is another person. */
  constructor(clients: readonly Client[], node: number, round: string) {
    this.#node = node
    this.#working = Promise.all(clients.map((client, at) => this.#work(client, `${round}${at + 1}`)))
  }

  /** What is asked already is waited for. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#working
  }

  /** Which acknowledged writes are not in the database as they were acknowledged. */
  async lostIn(db: Database): Promise<string[]> {
    const rows: Readonly<Record<What, ReadonlyMap<string, string>>> = {
      users: new Map((await db.selectFrom('users').selectAll().execute()).map((row) => [row.username, row.email])),
      invites: new Map((await db.selectFrom('invites').selectAll().execute()).map((row) => [row.email, ''])),
      user_settings: new Map(
        (await db.selectFrom('user_settings').selectAll().execute()).map((row) => [row.key, row.value]),
      ),
      servers: new Map((await db.selectFrom('servers').selectAll().execute()).map((row) => [row.name, row.id])),
    }
    return Object.entries(this.written).flatMap(([what, written]) =>
      [...written].flatMap(([name, value]) => {
        const found = rows[what as What].get(name)
        return found === value ? [] : [`${what} ${name}: ${found === undefined ? 'lost' : `'${found}' for '${value}'`}`]
      }),
    )
  }

  async #work(client: Client, who: string): Promise<void> {
    for (let at = 1; !this.#stopping.signal.aborted; at++) {
      const name = `drill-${who}-${at}`
      await this.#putSetting(client, `drill-${who}`, String(at))
      if (at % 4 === 0) await this.#addServer(client, name)
      if (at * 2 > mostMails) continue
      await this.#addPerson(client, name)
      await this.#invite(client, name)
    }
  }

  async #putSetting(client: Client, key: string, value: string): Promise<void> {
    await this.#insist(() => client.send(putUserSetting, { params: { key }, body: { value } }))
    this.#keep('user_settings', key, value)
  }

  async #addPerson(client: Client, username: string): Promise<void> {
    const email = `${username}@example.org`
    const body = { username, email, password: 'a lantern at night' }
    // When nobody could say whether it was done, the next try may find that it was.
    const there = ['ErrDuplicateUsername', 'ErrDuplicateEmail']
    if (await this.#insist(() => client.send(createUser, { body }), there)) this.#keep('users', username, email)
  }

  async #invite(client: Client, name: string): Promise<void> {
    const email = `guest-${name}@example.org`
    if (await this.#insist(() => client.send(createInvite, { body: { email } }))) this.#keep('invites', email, '')
  }

  /** What was refused is not there, or soon gone: the next try has another name. */
  async #addServer(client: Client, name: string): Promise<void> {
    const definition = { type: 'test', data: {}, run: { command: 'cat' }, environment: { type: 'standard' } }
    for (let tried = 1; tried < 200; tried++) {
      const named = `${name}.${tried}`
      const reply = await client.send(createServer, { body: { ...definition, name: named, node: this.#node } })
      if (reply.refusal === undefined) {
        this.#keep('servers', named, reply.answer.id)
        return
      }
      if (!(await this.#mayTryAgain(reply))) return
    }
  }

  #keep(what: What, name: string, value: string): void {
    this.written[what].set(name, value)
    this.acknowledged++
  }

  /** False when it was refused for good, which is `wrong`. */
  async #insist(send: () => Promise<Reply<unknown>>, there: readonly string[] = []): Promise<boolean> {
    for (let tried = 1; ; tried++) {
      const reply = await send()
      if (reply.refusal === undefined) return true
      if (tried > 1 && there.includes(reply.refusal)) return true
      if (!(await this.#mayTryAgain(reply))) return false
    }
  }

  async #mayTryAgain(reply: Reply<unknown>): Promise<boolean> {
    if (!isWorthAnotherTry(reply)) {
      this.wrong.push(`${reply.status} ${reply.refusal}`)
      return false
    }
    this.refused++
    await new Promise((resolve) => setTimeout(resolve, 100))
    return true
  }
}

/** Writes again and again through one panel, and measures for how long it could not. */
export class Probe {
  #last = performance.now()
  #longest = 0
  readonly #stopping = new AbortController()
  readonly #working: Promise<void>

  constructor(client: Client, key: string) {
    this.#working = this.#write(client, key)
  }

  /** The longest time from one acknowledged write to the next, in milliseconds. */
  async stop(): Promise<number> {
    this.#stopping.abort()
    await this.#working
    return this.#longest
  }

  /** When a write was acknowledged last. */
  get last(): number {
    return this.#last
  }

  async #write(client: Client, key: string): Promise<void> {
    for (let value = 1; !this.#stopping.signal.aborted; value++) {
      const body = { value: String(value) }
      const { refusal } = await client.send(putUserSetting, { params: { key }, body })
      const now = performance.now()
      this.#longest = Math.max(this.#longest, now - this.#last)
      if (refusal === undefined) this.#last = now
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
